//! The built-in bot `tumbler`: searches several turns of both players, and judges positions by the
//! open lines on all six boards: the one of now, and those that rotations would make.
//!
//! Rotations decide most games, so what is good on one board alone is worth little. A position
//! costs three times as much as with `lookahead`, which therefore searches more of them.

use agon_core::{Builtin, Param, Policy, Rng};

use super::super::{Answer, Cluster, View};
use super::game_tree::{GameTree, Style};

pub(super) const BOT: Builtin<Cluster> = Builtin {
    name: "tumbler",
    version: 1,
    summary: "Searches several turns ahead, and gathers open lines on the board as it is and as \
        rotations would make it.",
    params: &[Param {
        name: "work",
        default: "3500",
        summary: "how many placements it tries before it decides, on the usual board, from 1 to \
            1000000; a rotation counts as four",
    }],
    make: |params| {
        let work = params.number("work", 1..=1_000_000)?;
        let style =
            Style { work, width: 12, threats: [20, 5_000, 20_000], rotation: 2_000, lines: [1, 3] };
        Ok(Box::new(Tumbler { style }))
    },
};

struct Tumbler {
    style: Style,
}

impl Policy<Cluster> for Tumbler {
    fn decide(&mut self, view: &View<'_>, rng: &mut Rng) -> Answer {
        GameTree::new(view, self.style).best(view, rng)
    }
}
