//! [`SpotMap`]: a map from places of the world to values, fast for places close together. Maps
//! of the world and searches for ways use it.

use std::collections::BTreeMap;

/// A place relative to the agent's start: columns to the right and rows ahead, as it looked then.
pub(super) type Spot = (i32, i32);

/// A map from places to values. Places lie close together, so most are in a few squares.
#[derive(Debug)]
pub(super) struct SpotMap<T>(BTreeMap<Spot, Box<[Option<T>; SQUARE]>>);

/// Places in a square of 16 × 16.
const SQUARE: usize = 256;

/// The square of a place, and its index in there.
fn split((x, y): Spot) -> (Spot, usize) {
    ((x >> 4, y >> 4), ((y & 15) << 4 | (x & 15)) as usize)
}

impl<T> Default for SpotMap<T> {
    fn default() -> SpotMap<T> {
        SpotMap(BTreeMap::new())
    }
}

impl<T: Copy> SpotMap<T> {
    pub(super) fn get(&self, spot: Spot) -> Option<T> {
        let (square, index) = split(spot);
        self.0.get(&square)?[index]
    }

    pub(super) fn insert(&mut self, spot: Spot, value: T) {
        let (square, index) = split(spot);
        self.0.entry(square).or_insert_with(|| Box::new([None; SQUARE]))[index] = Some(value);
    }

    /// All places with their values, square by square.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Spot, T)> {
        self.0.iter().flat_map(|(&(x, y), values)| {
            let spot = move |index: i32| (x << 4 | (index & 15), y << 4 | index >> 4);
            (0..).map(spot).zip(values.iter()).filter_map(|(spot, value)| Some((spot, (*value)?)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_at_their_places() {
        let spots = [(-17, 31), (-1, -1), (0, 0), (15, 16), (16, 15), (300, -300)];
        let mut map = SpotMap::default();
        spots.iter().zip(0..).for_each(|(&spot, n)| map.insert(spot, n));
        map.insert((0, 0), 7);
        assert_eq!((map.get((15, 16)), map.get((0, 0)), map.get((0, 1))), (Some(3), Some(7), None));
        let mut all: Vec<_> = map.iter().collect();
        all.sort_unstable();
        assert_eq!(
            all,
            [
                ((-17, 31), 0),
                ((-1, -1), 1),
                ((0, 0), 7),
                ((15, 16), 3),
                ((16, 15), 4),
                ((300, -300), 5)
            ]
        );
    }
}
