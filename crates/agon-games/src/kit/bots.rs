//! The built-in bot `random` for games of the kit, and their lists of bots and settings, taken from
//! [`SmallGame`].

use agon_core::{Builtin, Policy, Rng};

use super::{Kit, SmallGame, View};
use crate::{BuiltinBots, Preset, Presets};

/// Plays a random legal answer.
struct Random;

impl<S: SmallGame> Policy<Kit<S>> for Random {
    fn decide(&mut self, view: &View<'_, S>, rng: &mut Rng) -> S::Answer {
        view.random_legal(rng)
    }
}

/// Returns the built-in bot `random`, which every game of the kit has unless it lists its own.
pub const fn random_bot<S: SmallGame>() -> Builtin<Kit<S>> {
    Builtin {
        name: "random",
        version: 1,
        summary: "Gives any legal answer.",
        params: &[],
        make: |_| Ok(Box::new(Random)),
    }
}

impl<S: SmallGame> BuiltinBots for Kit<S> {
    const BUILTINS: &'static [Builtin<Kit<S>>] = S::BOTS;
    const SHOW: &'static [&'static str] = S::SHOW;
}

impl<S: SmallGame> Presets for Kit<S> {
    const PRESETS: &'static [Preset] = S::PRESETS;
    const SHORT: &'static [&'static str] = S::SHORT;
    const TINY: &'static str = S::TINY;
}
