//! The built-in bots of cellhack.

mod directions;
mod grower;
mod hunter;
mod random;
mod swarm;

use agon_core::Builtin;

use super::Cellhack;
use crate::BuiltinBots;

impl BuiltinBots for Cellhack {
    const BUILTINS: &'static [Builtin<Cellhack>] =
        &[random::BUILTIN, grower::BUILTIN, hunter::BUILTIN, swarm::BUILTIN];

    const SHOW: &'static [&'static str] = &["swarm", "hunter", "grower", "random"];
}
