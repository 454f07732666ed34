//! [`Spiral`]: the places that the smuggler walks to when it explores: a square spiral around its
//! start, so wide that it just sees everything between two rounds.

use super::super::spot_map::Spot;

/// The distance of two rounds. At each place of the spiral the agent looks to both sides, 12 cells
/// far.
const WIDTH: i32 = 25;

/// After so many rounds it begins anew: only larger worlds than usual have more to show, and what
/// it remembers stays limited.
const ROUNDS: i32 = 12;

/// A place on the spiral.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spiral {
    /// The round, from 1.
    round: i32,
    /// The number of the place in the round.
    number: i32,
}

impl Default for Spiral {
    fn default() -> Spiral {
        Spiral { round: 1, number: 0 }
    }
}

impl Spiral {
    /// The place to walk to.
    pub(super) fn spot(self) -> Spot {
        let radius = self.round * WIDTH;
        let side = self.number / self.places();
        let along = (self.number % self.places() + 1) * WIDTH / 2 - radius;
        match side {
            0 => (radius, along),
            1 => (-along, radius),
            2 => (-radius, -along),
            _ => (along, -radius),
        }
    }

    /// Goes on to the next place.
    pub(super) fn advance(&mut self) {
        self.number += 1;
        if self.number == 4 * self.places() {
            *self = Spiral { round: self.round % ROUNDS + 1, number: 0 };
        }
    }

    /// Number of places on a side.
    fn places(self) -> i32 {
        4 * self.round
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Neighbouring places are close, and every place within three rounds is within sight of one.
    #[test]
    fn the_spiral_leaves_no_gap() {
        let mut spiral = Spiral::default();
        let mut spots = vec![(0, 0)];
        while spiral.round <= 3 {
            spots.push(spiral.spot());
            spiral.advance();
        }
        for pair in spots.windows(2).skip(1) {
            let far = pair[0].0.abs_diff(pair[1].0).max(pair[0].1.abs_diff(pair[1].1));
            assert!(far <= 25, "{pair:?}");
        }
        for (x, y) in (-75..=75).flat_map(|x| (-75..=75).map(move |y| (x, y))) {
            let near = |spot: &Spot| spot.0.abs_diff(x).max(spot.1.abs_diff(y)) <= 13;
            assert!(spots.iter().any(near), "({x}, {y})");
        }
    }
}
