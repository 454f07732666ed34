//! The built-in bots of cluster, the weakest first.

mod game_tree;
mod geometry;
mod searcher;

pub use searcher::{Greedy, Searcher};

use agon_core::{Builtin, Param, Policy, Rng};

use super::{Answer, Cluster, View, board::MAX_LINES};
use crate::{BuiltinBots, Presets, Sample};

impl BuiltinBots for Cluster {
    const BUILTINS: &'static [Builtin<Cluster>] = &[
        Builtin {
            name: "random",
            version: 1,
            summary: "Drops pellets anywhere and rotates the board now and then.",
            params: &[Param {
                name: "rotate",
                default: "10",
                summary: "chance of a rotation in percent, from 0 to 100",
            }],
            make: |params| Ok(Box::new(Random { rotate: params.number("rotate", 0..=100)? })),
        },
        Builtin {
            name: "greedy",
            version: 1,
            summary: "Completes a run if it can, else blocks one, else makes its own longer; never \
                looks ahead.",
            params: &[],
            make: |_| Ok(Box::new(Greedy)),
        },
        Builtin {
            name: "searcher",
            version: 1,
            summary: "Weighs every move by what the opponent could win with next and by its own \
                open lines.",
            params: &[Param {
                name: "width",
                default: "6",
                summary: "how many of the most promising moves it weighs with all replies, from 1 \
                    to 100; 1 weighs none",
            }],
            make: |params| Ok(Box::new(Searcher { width: params.number("width", 1..=100)? })),
        },
        game_tree::LOOKAHEAD,
        game_tree::TUMBLER,
    ];

    // The first move is an advantage, which the weaker bot has.
    const SHOW: &'static [&'static str] = &["searcher?width=2", "searcher"];
}

impl Presets for Cluster {
    const SHORT: &'static [&'static str] = &["side=7"];
    const TINY: &'static str = r#"{"side":3}"#;
    const SAMPLE: Option<Sample> = Some(Sample {
        rules: r#"{"side": 2, "bag": 4, "run_length": 3}"#,
        position: None,
        script: 1,
        reply: r#"{"action":"PLACE","column":12,"color":3}"#,
    });
}

/// Drops any pellet into any column. Rotates with a given chance, or if no column is free.
#[derive(Clone, Copy, Debug)]
pub struct Random {
    /// Chance of a rotation in percent.
    pub rotate: u64,
}

impl Policy<Cluster> for Random {
    fn decide(&mut self, view: &View<'_>, rng: &mut Rng) -> Answer {
        // No list in memory of its own: making it would take a third of a match's time.
        let mut columns = [0; MAX_LINES];
        let mut count = 0;
        for (column, _) in view.valid_columns() {
            columns[count] = column as u16;
            count += 1;
        }
        match (rng.pick(&columns[..count]), rng.pick(view.hand())) {
            (Some(&column), Some(&color)) if !rng.chance(self.rotate, 100) => {
                Answer::Place { column, color }
            }
            _ => Answer::Rotate { cycles: rng.between(1, 5) as u8 },
        }
    }
}
