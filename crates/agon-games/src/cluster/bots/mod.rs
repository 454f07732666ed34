//! The built-in bots of cluster, the weakest first.

mod game_tree;
mod geometry;
mod greedy;
mod lookahead;
mod open_lines;
mod random;
mod searcher;
mod six_boards;
mod threats;
mod trial_board;
mod tumbler;

use agon_core::{Builtin, Param};

use super::Cluster;
use crate::BuiltinBots;
pub use greedy::Greedy;
pub use random::Random;
pub use searcher::Searcher;

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
        lookahead::BOT,
        tumbler::BOT,
    ];

    // The first move is an advantage, which the weaker bot has.
    const SHOW: &'static [&'static str] = &["searcher?width=2", "searcher"];
}
