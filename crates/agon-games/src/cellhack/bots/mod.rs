//! The built-in bots of cellhack.

mod directions;
mod feeder;
mod grower;
mod hoarder;
mod hunter;
mod random;
mod swarm;
mod tactics;

use agon_core::Builtin;

use super::Cellhack;
use crate::BuiltinBots;

impl BuiltinBots for Cellhack {
    const BUILTINS: &'static [Builtin<Cellhack>] = &[
        random::BUILTIN,
        grower::BUILTIN,
        hunter::BUILTIN,
        swarm::BUILTIN,
        hoarder::BUILTIN,
        feeder::BUILTIN,
    ];

    // A swarm with its usual parameters always wins.
    const SHOW: &'static [&'static str] =
        &["hunter?rich=41", "swarm?rich=97", "swarm?rich=99", "hunter?rich=42"];
}
