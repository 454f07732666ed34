//! What the built-in bots ask about the places around a cell: which directions are free, where
//! enemies are, and where there is room.

use agon_core::Rng;

use crate::cellhack::{Direction, EMPTY, Env, ROCK};

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

/// Whether an enemy's cell is at this place of the neighbourhood, corners included.
fn is_enemy_at(env: &Env, place: usize) -> bool {
    ![EMPTY, ROCK, env.own()].contains(&env.0[place])
}

/// Whether an enemy is anywhere around, corners included.
pub(super) fn sees_enemy(env: &Env) -> bool {
    (0..9).any(|place| is_enemy_at(env, place))
}

/// The three places of the neighbourhood on one side.
pub(super) fn side(direction: Direction) -> [usize; 3] {
    match direction {
        Direction::Up => [0, 1, 2],
        Direction::Left => [0, 3, 6],
        Direction::Right => [2, 5, 8],
        Direction::Down => [6, 7, 8],
    }
}

/// How many places on one side are free, 0 to 3.
pub(super) fn room(env: &Env, direction: Direction) -> usize {
    side(direction).into_iter().filter(|&place| env.0[place] == EMPTY).count()
}

/// How many enemies are on one side, 0 to 3.
pub(super) fn enemies_on(env: &Env, direction: Direction) -> usize {
    side(direction).into_iter().filter(|&place| is_enemy_at(env, place)).count()
}

/// The free direction with the most free places on its side, and their number, 1 to 3. A random
/// one of equal ones.
pub(super) fn roomiest(env: &Env, rng: &mut Rng) -> Option<(Direction, usize)> {
    let free = free(env);
    let most = free.iter().map(|&d| room(env, d)).max()?;
    let best: Vec<_> = free.into_iter().filter(|&d| room(env, d) == most).collect();
    rng.pick(&best).map(|&d| (d, most))
}
