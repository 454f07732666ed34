//! The built-in bot `random`: any action but DIE.

use agon_core::{Builtin, Policy, Rng};

use crate::cellhack::{Action, Answer, Cellhack, View};

pub(super) const BUILTIN: Builtin<Cellhack> = Builtin {
    name: "random",
    version: 1,
    summary: "Does anything but die.",
    params: &[],
    make: |_| Ok(Box::new(Random)),
};

struct Random;

impl Policy<Cellhack> for Random {
    fn decide(&mut self, _: &View<'_>, rng: &mut Rng) -> Answer {
        let actions: Vec<_> = Action::all().filter(|&action| action != Action::Die).collect();
        rng.pick(&actions).map_or_else(Answer::default, |&action| Answer::new(action))
    }
}
