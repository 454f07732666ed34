//! The built-in bot `wanderer`: walks straight on, and turns at obstacles.

use agon_core::{Builtin, Param, Policy, Rng};

use crate::rezzo::{Answer, Cell, Rezzo, View};

pub(super) const BOT: Builtin<Rezzo> = Builtin {
    name: "wanderer",
    version: 1,
    summary: "walks straight on, turns at obstacles and now and then for no reason",
    params: &[Param {
        name: "whim",
        default: "5",
        summary: "percentage of steps at which it turns for no reason, from 0 to 100",
    }],
    make: |params| Ok(Box::new(Wanderer { whim: params.number("whim", 0..=100)? })),
};

struct Wanderer {
    whim: u64,
}

impl Policy<Rezzo> for Wanderer {
    fn decide(&mut self, view: &View<'_>, rng: &mut Rng) -> Answer {
        if view.cell(1, 0) == Cell::BLANK && !rng.chance(self.whim, 100) {
            Answer::Advance
        } else if rng.chance(1, 2) {
            Answer::TurnLeft
        } else {
            Answer::TurnRight
        }
    }
}
