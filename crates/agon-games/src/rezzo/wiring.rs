//! Random maps: a tangle of straight wires, and loops with a signal each that keep it alive.

use agon_core::Rng;

use super::{
    cell::{Cell, Kind},
    rules::Rules,
    world::World,
};

/// The eight directions.
const DIRECTIONS: [(i64, i64); 8] = [(0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1)];

/// Draws a random map into a blank world.
pub(crate) fn draw_map(world: &mut World, rules: &Rules, rng: &mut Rng) {
    let cells = (world.width() * world.height()) as u64;
    let mut left = (cells / u64::from(rules.density_divisor)) as i64;
    while left > 0 {
        left -= draw_wire(world, rules, left, rng);
    }
    for _ in 0..(cells / u64::from(rules.loop_area)).max(1) {
        draw_loop(world, rules, rng);
    }
}

/// Draws one straight wire of at most `longest` cells, from a point of the grid; returns its length.
fn draw_wire(world: &mut World, rules: &Rules, longest: i64, rng: &mut Rng) -> i64 {
    let grid = i64::from(rules.grid_step);
    let mut on_grid = |side: usize| grid * rng.index(side.div_ceil(rules.grid_step as usize)) as i64;
    let (x, y) = (on_grid(world.width()), on_grid(world.height()));
    let (dx, dy) = DIRECTIONS[rng.index(DIRECTIONS.len())];
    // One cell more than whole steps, so that the wire ends on the grid, where it may meet others.
    let length = (grid * rng.between(1, i64::from(rules.wire_steps)) + 1).min(longest);
    for i in 0..length {
        world.set(world.index(x + i * dx, y + i * dy), Cell::CONDUCTOR);
    }
    length
}

/// Draws a rectangle without its corners, with an electron and its tail somewhere on it.
fn draw_loop(world: &mut World, rules: &Rules, rng: &mut Rng) {
    let (left, top) = (rng.index(world.width()) as i64, rng.index(world.height()) as i64);
    let mut side = || rng.between(i64::from(rules.loop_min), i64::from(rules.loop_max));
    let (width, height) = (side(), side());
    let places: Vec<usize> =
        round(width, height).into_iter().map(|(x, y)| world.index(left + x, top + y)).collect();
    for &place in &places {
        world.set(place, Cell::CONDUCTOR);
    }
    let electron = rng.index(places.len());
    let behind = if rng.chance(1, 2) { 1 } else { places.len() - 1 };
    world.set(places[(electron + behind) % places.len()], Cell { kind: Kind::Tail, owner: 0 });
    world.set(places[electron], Cell { kind: Kind::Electron, owner: 0 });
}

/// The way round a rectangle, corners left out.
fn round(width: i64, height: i64) -> Vec<(i64, i64)> {
    let there = (1..width - 1).map(|x| (x, 0));
    let down = (1..height - 1).map(|y| (width - 1, y));
    let back = (1..width - 1).rev().map(|x| (x, height - 1));
    let up = (1..height - 1).rev().map(|y| (0, y));
    there.chain(down).chain(back).chain(up).collect()
}

#[cfg(test)]
mod tests {
    use agon_core::{Purpose, Seed};

    use super::*;

    fn drawn(rules: &Rules, seed: u64) -> World {
        let (width, height) = rules.size();
        let mut world = World::new(width, height);
        draw_map(&mut world, rules, &mut Seed(seed).stream(Purpose::Setup, 0));
        world
    }

    #[test]
    fn a_loop_keeps_its_signal() {
        let rules = Rules { width: 12, height: 12, density_divisor: 1_000_000, ..Rules::default() };
        for seed in 0..40 {
            let mut world = drawn(&rules, seed);
            for _ in 0..100 {
                world.generation(&rules);
                let count = |kind: Kind| world.kinds().iter().filter(|&&k| k == kind.bit()).count();
                assert_eq!((count(Kind::Electron), count(Kind::Tail)), (1, 1), "seed {seed}");
            }
        }
    }

    #[test]
    fn maps_have_the_wanted_density_and_loops() {
        let rules = Rules { width: 128, height: 128, ..Rules::default() };
        let world = drawn(&rules, 1);
        let count = |kind: Kind| world.kinds().iter().filter(|&&k| k == kind.bit()).count();
        let drawn = 128 * 128 - count(Kind::Blank);
        assert!((128 * 128 / 11..128 * 128 / 7).contains(&drawn), "{drawn}");
        assert!((14..=16).contains(&count(Kind::Electron)), "one for each 1024 cells");
        assert_eq!(drawn, [Kind::Conductor, Kind::Electron, Kind::Tail].map(count).iter().sum::<usize>());
    }

    #[test]
    fn any_settings_within_their_ranges_give_a_map() {
        let tiny = Rules { width: 1, height: 1, density_divisor: 1, ..Rules::default() };
        assert_eq!(drawn(&tiny, 3).kinds(), [Kind::Electron.bit()]);
        let dense = Rules { width: 9, height: 7, density_divisor: 1, grid_step: 256, ..Rules::default() };
        assert!(drawn(&dense, 3).kinds().contains(&Kind::Conductor.bit()));
    }
}
