//! The built-in bot `lookahead`: searches several turns of both players, and judges positions by
//! the open lines of the board as it is.

use agon_core::{Builtin, Param, Policy, Rng};

use super::super::{Answer, Cluster, View};
use super::game_tree::{GameTree, Style};

pub(super) const BOT: Builtin<Cluster> = Builtin {
    name: "lookahead",
    version: 1,
    summary: "Searches several turns ahead, and gathers open lines on the board as it is.",
    params: &[Param {
        name: "work",
        default: "9000",
        summary: "how many placements it tries before it decides, on the usual board, from 1 to \
            1000000; a rotation counts as four",
    }],
    make: |params| {
        let work = params.number("work", 1..=1_000_000)?;
        let style =
            Style { work, width: 12, threats: [20, 5_000, 20_000], rotation: 300, lines: [1, 0] };
        Ok(Box::new(Lookahead { style }))
    },
};

struct Lookahead {
    style: Style,
}

impl Policy<Cluster> for Lookahead {
    fn decide(&mut self, view: &View<'_>, rng: &mut Rng) -> Answer {
        GameTree::new(view, self.style).best(view, rng)
    }
}
