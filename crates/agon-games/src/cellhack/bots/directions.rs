//! Lists of directions for the built-in bots: where a cell has free places, and where it has
//! enemies.

use crate::cellhack::{Direction, Env};

/// The directions for which `wanted` is true.
fn directions(wanted: impl Fn(Direction) -> bool) -> Vec<Direction> {
    Direction::ALL.into_iter().filter(|&direction| wanted(direction)).collect()
}

/// The directions of free places.
pub(super) fn free(env: &Env) -> Vec<Direction> {
    directions(|d| env.is_empty(d))
}

/// The directions of enemies.
pub(super) fn enemies(env: &Env) -> Vec<Direction> {
    directions(|d| env.is_enemy(d))
}
