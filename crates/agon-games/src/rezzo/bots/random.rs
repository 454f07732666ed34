//! The built-in bot `random`: any action with the same chance.

use agon_core::{Builtin, Policy, Rng};

use crate::rezzo::{Action, Answer, Rezzo, View};

pub(super) const BOT: Builtin<Rezzo> = Builtin {
    name: "random",
    version: 1,
    summary: "does anything, each action with the same chance",
    params: &[],
    make: |_| Ok(Box::new(Random)),
};

struct Random;

impl Policy<Rezzo> for Random {
    fn decide(&mut self, _: &View<'_>, rng: &mut Rng) -> Answer {
        rng.pick(&Action::ALL).copied().unwrap_or(Action::Nop).into()
    }
}
