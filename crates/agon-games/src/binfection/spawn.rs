//! Draws the starting places of the players on the field at the start of a match.

use agon_core::{Player, Rng, SetupError};

use super::{Cell, Rules};

/// After this many failed draws in a row, free places are listed instead.
const MISSES: u32 = 32;

/// The first cells of all players, in turn: the first of each, the second of each, …
///
/// # Errors
/// If the field cannot hold them.
pub(super) fn spawns(
    rules: &Rules,
    players: usize,
    rng: &mut Rng,
) -> Result<Vec<Cell>, SetupError> {
    let room = Room::new(rules);
    let needed = players as u64 * u64::from(rules.spawns_number);
    if needed > room.capacity() {
        return Err(SetupError::new(
            "spawns_number",
            too_many(rules, players, needed, room.capacity()),
        ));
    }
    let needed = needed as usize;
    let places = room.scatter(needed, rng).unwrap_or_else(|| room.lattice(needed, rng));
    let spawn = |(i, (x, y))| Cell {
        x: x + rules.spawn_border_gap,
        y: y + rules.spawn_border_gap,
        owner: Some(Player::from_index(i % players)),
        units: rules.warriors_init_number,
    };
    Ok(places.into_iter().enumerate().map(spawn).collect())
}

fn too_many(rules: &Rules, players: usize, needed: u64, capacity: u64) -> String {
    format!(
        "{players} players with {} each make {needed} spawns, but a field of {}x{} (field_width, \
         field_height) holds at most {capacity}, {} from the border (spawn_border_gap) and more \
         than {} apart (spawns_distance)",
        rules.spawns_number,
        rules.field_width,
        rules.field_height,
        rules.spawn_border_gap,
        rules.spawns_distance
    )
}

/// The part of the field where spawns may be.
struct Room {
    width: u32,
    height: u32,
    /// Spawns differ by at least this much in x or in y.
    step: u32,
}

impl Room {
    fn new(rules: &Rules) -> Room {
        let within = |side: u32| side.saturating_sub(2 * rules.spawn_border_gap);
        Room {
            width: within(rules.field_width),
            height: within(rules.field_height),
            step: rules.spawns_distance + 1,
        }
    }

    /// The most spawns that fit. Every square of `step` by `step` holds at most one, and a lattice
    /// fills them all.
    fn capacity(&self) -> u64 {
        u64::from(self.width.div_ceil(self.step)) * u64::from(self.height.div_ceil(self.step))
    }

    /// Draws places one after another, each from all free places with the same chance.
    ///
    /// First it draws from all places: on a wide field it nearly always hits a free one, and no
    /// list is needed. `None` if the drawn places leave no room for the rest.
    fn scatter(&self, count: usize, rng: &mut Rng) -> Option<Vec<(u32, u32)>> {
        let area = self.width * self.height;
        let mut taken = Taken { room: self, taken: vec![false; area as usize], places: Vec::new() };
        let mut misses = 0;
        while taken.places.len() < count && misses < MISSES {
            let hit = taken.take(rng.below(u64::from(area)) as u32);
            misses = if hit { 0 } else { misses + 1 };
        }
        if taken.places.len() < count {
            let mut free: Vec<u32> =
                (0..area).filter(|&place| !taken.taken[place as usize]).collect();
            while taken.places.len() < count && !free.is_empty() {
                let drawn = rng.index(free.len());
                taken.take(free.swap_remove(drawn));
            }
        }
        (taken.places.len() == count).then_some(taken.places)
    }

    /// Draws places from a regular lattice, for fields that are too crowded for random places.
    fn lattice(&self, count: usize, rng: &mut Rng) -> Vec<(u32, u32)> {
        let mut shift = |side: u32| rng.below(u64::from((side - 1) % self.step) + 1) as u32;
        let (left, top) = (shift(self.width), shift(self.height));
        let along = |from: u32, side: u32| (from..side).step_by(self.step as usize);
        let mut places: Vec<_> = along(top, self.height)
            .flat_map(|y| along(left, self.width).map(move |x| (x, y)))
            .collect();
        rng.shuffle(&mut places);
        places.truncate(count);
        places
    }
}

/// Chosen places, and all places that are too near to them.
struct Taken<'a> {
    room: &'a Room,
    taken: Vec<bool>,
    places: Vec<(u32, u32)>,
}

impl Taken<'_> {
    /// Chooses a place if it is free. A place is near at most four others, so all marking together
    /// is linear in the area.
    fn take(&mut self, place: u32) -> bool {
        if self.taken[place as usize] {
            return false;
        }
        let Room { width, height, step } = *self.room;
        let (x, y) = (place % width, place / width);
        let near = |at: u32, side: u32| {
            (at.saturating_sub(step - 1)) as usize..(at + step).min(side) as usize
        };
        for row in near(y, height) {
            let start = row * width as usize;
            let columns = near(x, width);
            self.taken[start + columns.start..start + columns.end].fill(true);
        }
        self.places.push((x, y));
        true
    }
}

#[cfg(test)]
mod tests {
    use agon_core::{Purpose, Seed};
    use proptest::prelude::*;

    use super::*;

    fn draw(rules: &Rules, players: usize, seed: u64) -> Result<Vec<Cell>, SetupError> {
        spawns(rules, players, &mut Seed(seed).stream(Purpose::Setup, 0))
    }

    fn assert_apart(rules: &Rules, cells: &[Cell]) {
        let gap = rules.spawn_border_gap;
        let distance = rules.spawns_distance;
        for (i, a) in cells.iter().enumerate() {
            assert!((gap..rules.field_width - gap).contains(&a.x), "{a:?}");
            assert!((gap..rules.field_height - gap).contains(&a.y), "{a:?}");
            for b in &cells[..i] {
                assert!(a.x.abs_diff(b.x).max(a.y.abs_diff(b.y)) > distance, "{a:?} {b:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn spawns_keep_their_distances(
            (width, height) in (1u32..30, 1u32..30),
            (gap, distance, number) in (0u32..4, 0u32..5, 1u32..12),
            players in 2usize..6,
            seed: u64,
        ) {
            let rules = Rules {
                field_width: width,
                field_height: height,
                spawn_border_gap: gap,
                spawns_distance: distance,
                spawns_number: number,
                ..Rules::default()
            };
            match draw(&rules, players, seed) {
                Ok(cells) => {
                    prop_assert_eq!(cells.len(), players * number as usize);
                    assert_apart(&rules, &cells);
                }
                Err(_) => {
                    let wanted = players as u64 * u64::from(number);
                    prop_assert!(Room::new(&rules).capacity() < wanted);
                }
            }
        }
    }

    #[test]
    fn a_field_is_filled_to_the_last_place() {
        // 7x7 within the border, places 3 apart: 3x3 and not one more.
        let rules = Rules {
            field_width: 9,
            field_height: 9,
            spawns_distance: 2,
            spawns_number: 3,
            ..Rules::default()
        };
        for seed in 0..50 {
            assert_apart(&rules, &draw(&rules, 3, seed).unwrap());
        }
        let error = draw(&rules, 4, 0).unwrap_err().to_string();
        assert!(error.contains("make 12 spawns") && error.contains("at most 9"), "{error}");
    }

    #[test]
    fn a_field_that_is_all_border_holds_none() {
        let rules = Rules { field_width: 4, spawn_border_gap: 2, ..Rules::default() };
        assert!(draw(&rules, 2, 0).unwrap_err().to_string().contains("at most 0"));
    }

    #[test]
    fn every_place_has_the_same_chance() {
        let rules =
            Rules { field_width: 5, field_height: 4, spawns_distance: 0, ..Rules::default() };
        let mut counts = [[0u32; 5]; 4];
        for seed in 0..6_000 {
            let first = draw(&rules, 2, seed).unwrap()[0];
            counts[first.y as usize][first.x as usize] += 1;
        }
        let inner: Vec<u32> =
            counts[1..3].iter().flat_map(|row| row[1..4].iter().copied()).collect();
        assert_eq!(inner.iter().sum::<u32>(), 6_000, "{counts:?}");
        assert!(inner.iter().all(|count| (850..1_150).contains(count)), "{counts:?}");
    }

    #[test]
    fn large_and_crowded_fields_are_set_up_at_once() {
        let rules =
            Rules { field_width: 1000, field_height: 1000, spawns_distance: 1, ..Rules::default() };
        let cells = draw(&Rules { spawns_number: 80_000, ..rules.clone() }, 2, 5).unwrap();
        assert_eq!(cells.len(), 160_000);
        let full = Room::new(&rules).capacity() as u32;
        assert_eq!(
            draw(&Rules { spawns_number: full / 2, ..rules }, 2, 5).unwrap().len() as u32,
            full / 2 * 2
        );
    }
}
