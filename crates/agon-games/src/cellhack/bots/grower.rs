//! The built-in bot `grower`: rests, and splits when it is rich.

use agon_core::{Builtin, Param, Policy, Rng};

use super::directions::free;
use crate::cellhack::{Action, Answer, Cellhack, View};

pub(super) const BUILTIN: Builtin<Cellhack> = Builtin {
    name: "grower",
    version: 1,
    summary: "Rests, and splits into a free place as soon as it is rich. Never fights.",
    params: &[Param {
        name: "rich",
        default: "60",
        summary: "energy from which on a cell splits, 0 to 255",
    }],
    make: |params| Ok(Box::new(Grower { rich: params.number("rich", 0..=255)? })),
};

struct Grower {
    rich: u8,
}

impl Policy<Cellhack> for Grower {
    fn decide(&mut self, view: &View<'_>, rng: &mut Rng) -> Answer {
        let action = match rng.pick(&free(&view.env())) {
            Some(&direction) if view.energy() >= self.rich => Action::Split(direction),
            _ => Action::Rest,
        };
        Answer::new(action)
    }
}
