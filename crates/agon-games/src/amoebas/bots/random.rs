//! The built-in bot `random`, which does anything in any direction.

use agon_core::{Builtin, Policy, Rng};

use super::mindless::any_dir;
use crate::amoebas::{Amoebas, Answer, View};

pub(super) const BUILTIN: Builtin<Amoebas> = Builtin {
    name: "random",
    version: 1,
    summary: "rests, moves, hits or divides in a random direction",
    params: &[],
    make: |_| Ok(Box::new(Random)),
};

struct Random;

impl Policy<Amoebas> for Random {
    fn decide(&mut self, _: &View<'_>, rng: &mut Rng) -> Answer {
        match rng.index(4) {
            0 => Answer::REST,
            1 => Answer::step(any_dir(rng)),
            2 => Answer::hit(any_dir(rng)),
            _ => Answer::divide(any_dir(rng)),
        }
    }
}
