//! Seeds and the random streams drawn from them, for games, built-in bots and statistics.
//!
//! Every random choice of a match comes from a stream named by (seed, purpose, number). Streams are
//! independent: drawing more from one never shifts another, and neighbouring seeds share nothing.

use std::{fmt, str::FromStr};

use rand_xoshiro::{
    Xoshiro256StarStar,
    rand_core::{Rng as _, SeedableRng},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::mix;

/// The seed of a match: 64 bits, written in decimal or as `0x` hexadecimal. 0 is a seed like any
/// other.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[serde(transparent)]
pub struct Seed(pub u64);

impl Seed {
    /// Returns the stream for `purpose` and a number that separates its uses (a turn, a unit, 0).
    #[inline]
    pub fn stream(self, purpose: Purpose, number: u64) -> Rng {
        let key = mix(mix(self.0 ^ 0xA607) ^ purpose.code()).wrapping_add(mix(number));
        Rng { key, state: None }
    }

    /// Derives a seed from this one, such as the seed of match `number` of a series.
    pub fn derive(self, number: u64) -> Seed {
        Seed(mix(mix(self.0).wrapping_add(number)))
    }
}

impl fmt::Display for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// The error of a text that is not a seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "a seed is a whole number from 0 to {}, or as many bits in hexadecimal digits behind 0x",
    u64::MAX
)]
pub struct ParseSeedError;

impl FromStr for Seed {
    type Err = ParseSeedError;

    fn from_str(text: &str) -> Result<Seed, ParseSeedError> {
        let number = match text.strip_prefix("0x") {
            Some(hex) => u64::from_str_radix(hex, 16),
            None => text.parse(),
        };
        number.map(Seed).map_err(|_| ParseSeedError)
    }
}

/// The purpose of a stream. The codes enter the streams: never change one, only add.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// The start of a game: places, maps.
    Setup,
    /// The order in which something happens within a turn.
    Order,
    /// Draws during play, such as cluster's pellets; the number stands for the player and the turn.
    Draw,
    /// Choices of the bot of player `.0`.
    Bot(u16),
    /// Answers of scripted playouts.
    Script,
    /// Draws of statistics: samples, resamples.
    Sample,
}

impl Purpose {
    fn code(self) -> u64 {
        match self {
            Purpose::Setup => 1,
            Purpose::Order => 2,
            Purpose::Draw => 3,
            Purpose::Script => 4,
            Purpose::Sample => 5,
            Purpose::Bot(player) => (1 << 32) | u64::from(player),
        }
    }
}

/// A random stream: xoshiro256**, whose values never change between versions.
///
/// It costs next to nothing until the first number is drawn, because most decisions have a stream
/// and draw none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rng {
    key: u64,
    state: Option<Xoshiro256StarStar>,
}

impl Rng {
    /// Returns the next 64 bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.state.get_or_insert_with(|| Xoshiro256StarStar::seed_from_u64(self.key)).next_u64()
    }

    /// Draws a number from `0..bound`, all with the same chance (Lemire's method with rejection).
    ///
    /// # Panics
    /// If `bound` is 0.
    #[inline]
    pub fn below(&mut self, bound: u64) -> u64 {
        assert!(bound > 0, "a random choice needs something to choose from");
        loop {
            let wide = u128::from(self.bits()) * u128::from(bound);
            // The division is rarely needed: only numbers below a limit are rejected, and that
            // limit is less than the bound.
            if wide as u64 >= bound || wide as u64 >= bound.wrapping_neg() % bound {
                return (wide >> 64) as u64;
            }
        }
    }

    /// Draws a number from `low..=high`.
    ///
    /// # Panics
    /// If `low > high`.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        assert!(low <= high, "the range {low}..={high} is empty");
        match high.wrapping_sub(low).wrapping_add(1) as u64 {
            0 => self.bits() as i64,
            span => low.wrapping_add(self.below(span) as i64),
        }
    }

    /// Draws an index into something of length `len`.
    ///
    /// # Panics
    /// If `len` is 0.
    #[inline]
    pub fn index(&mut self, len: usize) -> usize {
        self.below(len as u64) as usize
    }

    /// Returns true with a chance of `part` in `whole`.
    ///
    /// # Panics
    /// If `whole` is 0.
    #[inline]
    pub fn chance(&mut self, part: u64, whole: u64) -> bool {
        self.below(whole) < part
    }

    /// Draws one element; `None` for an empty slice.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        if items.is_empty() { None } else { Some(&items[self.index(items.len())]) }
    }

    /// Puts a slice into random order (Fisher–Yates, from the end).
    #[inline]
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = self.index(last + 1);
            items.swap(last, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_never_change() {
        let mut rng = Seed(1).stream(Purpose::Setup, 0);
        let values: Vec<u64> = (0..3).map(|_| rng.bits()).collect();
        assert_eq!(
            values,
            [12_899_619_337_740_754_540, 9_453_357_907_968_249_395, 8_853_618_859_301_065_839]
        );
    }

    #[test]
    fn streams_differ_by_seed_purpose_and_number() {
        let first = |seed: u64, purpose, number| Seed(seed).stream(purpose, number).bits();
        let base = first(1, Purpose::Order, 1);
        for other in [
            first(2, Purpose::Order, 1),
            first(1, Purpose::Setup, 1),
            first(1, Purpose::Order, 2),
            first(0, Purpose::Order, 2),
            first(1, Purpose::Bot(0), 1),
        ] {
            assert_ne!(base, other);
        }
    }

    #[test]
    fn below_is_even_and_in_range() {
        let mut rng = Seed(7).stream(Purpose::Script, 0);
        let mut counts = [0u32; 6];
        for _ in 0..60_000 {
            counts[rng.below(6) as usize] += 1;
        }
        assert!(counts.iter().all(|c| (9_500..10_500).contains(c)), "{counts:?}");
        assert!((0..1_000).all(|_| (-3..=3).contains(&rng.between(-3, 3))));
        assert_eq!(rng.between(5, 5), 5);
    }

    #[test]
    fn large_bounds_reject_what_would_be_too_likely() {
        // With these bounds a quarter and almost a half of all numbers are rejected.
        for bound in [3u64 << 62, (1 << 63) + 1] {
            let mut rng = Seed(7).stream(Purpose::Script, 1);
            let mut plain = rng.clone();
            for _ in 0..1_000 {
                let expected = loop {
                    let wide = u128::from(plain.bits()) * u128::from(bound);
                    if wide as u64 >= bound.wrapping_neg() % bound {
                        break (wide >> 64) as u64;
                    }
                };
                assert_eq!(rng.below(bound), expected);
            }
            assert_eq!(rng, plain, "as many numbers have been drawn");
        }
    }

    #[test]
    fn shuffle_keeps_the_elements() {
        let mut items: Vec<u32> = (0..50).collect();
        Seed(3).stream(Purpose::Order, 9).shuffle(&mut items);
        assert_ne!(items, (0..50).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..50).collect::<Vec<_>>());
    }

    #[test]
    fn seeds_read_decimal_and_hexadecimal() {
        assert_eq!("42".parse(), Ok(Seed(42)));
        assert_eq!("0xff".parse(), Ok(Seed(255)));
        assert!("-1".parse::<Seed>().is_err());
        assert_eq!(Seed(42).to_string(), "42");
    }
}
