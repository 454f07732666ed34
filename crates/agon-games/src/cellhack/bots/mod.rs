//! The built-in bots.

mod grower;
mod hunter;
mod random;
mod swarm;

use agon_core::Builtin;

use super::{Cellhack, Direction, Env};
use crate::BuiltinBots;

impl BuiltinBots for Cellhack {
    const BUILTINS: &'static [Builtin<Cellhack>] =
        &[random::BUILTIN, grower::BUILTIN, hunter::BUILTIN, swarm::BUILTIN];

    const SHOW: &'static [&'static str] = &["swarm", "hunter", "grower", "random"];
}

/// The directions that `wanted` holds for.
fn directions(wanted: impl Fn(Direction) -> bool) -> Vec<Direction> {
    Direction::ALL.into_iter().filter(|&direction| wanted(direction)).collect()
}

/// The free directions.
fn free(env: &Env) -> Vec<Direction> {
    directions(|d| env.is_empty(d))
}

/// The directions with an enemy.
fn enemies(env: &Env) -> Vec<Direction> {
    directions(|d| env.is_enemy(d))
}
