//! Seeds and the random streams drawn from them, for games, built-in bots and statistics.
//!
//! Every random choice of a match comes from a stream named by (seed, purpose, number). Streams are
//! independent: drawing more from one never shifts another, and neighbouring seeds share nothing.
//!
//! Nobody can compute a seed back from numbers that were drawn from it, nor other streams, nor
//! later numbers of the same [`Seed::stream`]: they come from BLAKE3. Files of older versions have
//! [plain](Seed::plain) seeds, for which none of that holds.

use std::{borrow::Cow, fmt, str::FromStr};

use rand_xoshiro::Xoshiro256StarStar;
use rand_xoshiro::rand_core::{Rng as _, SeedableRng};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use thiserror::Error;

use crate::mix;

/// The seed of a match: 64 bits, written in decimal or as `0x` hexadecimal. 0 is a seed like any
/// other.
///
/// In JSON it is a text. A number there is the [plain](Seed::plain) seed of an older file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seed {
    number: u64,
    scheme: Scheme,
}

/// How streams follow from a seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Scheme {
    /// By mixing, which can be inverted.
    Plain,
    /// By a one-way function.
    OneWay,
}

/// Makes a seed, from whose streams nobody can compute it back.
#[expect(non_snake_case, reason = "it stands where a constructor would")]
pub const fn Seed(number: u64) -> Seed {
    Seed { number, scheme: Scheme::OneWay }
}

impl Seed {
    /// Makes a seed as older versions used it: fast, but a few numbers of a stream give away the
    /// seed.
    ///
    /// For older files, and for statistics, where nobody wants to guess anything.
    pub const fn plain(number: u64) -> Seed {
        Seed { number, scheme: Scheme::Plain }
    }

    /// Returns the number as people write it.
    pub const fn number(self) -> u64 {
        self.number
    }

    /// Returns whether this is the seed of an older file, or of statistics.
    pub const fn is_plain(self) -> bool {
        matches!(self.scheme, Scheme::Plain)
    }

    /// Returns another number as a seed of the same kind.
    #[must_use]
    pub const fn with_number(self, number: u64) -> Seed {
        Seed { number, ..self }
    }

    /// Returns the stream for `purpose` and a number that separates its uses (a turn, a unit, 0).
    ///
    /// Whoever sees numbers of the stream learns nothing about the others.
    #[inline]
    pub fn stream(self, purpose: Purpose, number: u64) -> Rng {
        Rng { source: Source::Name(Name { seed: self, purpose, number }) }
    }

    /// Returns a stream that costs less if many numbers are drawn from it.
    ///
    /// Whoever sees many numbers can compute the rest of this stream, but no other one. So it is
    /// for draws that all players see at once, or none, and it needs a new number for each turn.
    #[inline]
    pub fn quick_stream(self, purpose: Purpose, number: u64) -> Rng {
        Rng { source: Source::QuickName(Name { seed: self, purpose, number }) }
    }

    /// Derives a seed from this one, such as the seed of match `number` of a series.
    #[must_use]
    pub fn derive(self, number: u64) -> Seed {
        match self.scheme {
            Scheme::Plain => Seed::plain(mix(mix(self.number).wrapping_add(number))),
            Scheme::OneWay => {
                let name = Name { seed: self, purpose: Purpose::Setup, number };
                let [first, ..] = words(&name.block(Use::Derive, 0));
                Seed(first)
            }
        }
    }
}

impl Default for Seed {
    fn default() -> Seed {
        Seed(0)
    }
}

impl fmt::Display for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.number)
    }
}

impl Serialize for Seed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.scheme {
            Scheme::Plain => serializer.serialize_u64(self.number),
            Scheme::OneWay => serializer.collect_str(&self.number),
        }
    }
}

/// Reads JSON; binary formats do not say whether a text or a number comes.
impl<'de> Deserialize<'de> for Seed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Seed, D::Error> {
        deserializer.deserialize_any(SeedVisitor)
    }
}

struct SeedVisitor;

impl de::Visitor<'_> for SeedVisitor {
    type Value = Seed;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a seed: a whole number as text")
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Seed, E> {
        Ok(Seed::plain(number))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Seed, E> {
        text.parse().map_err(E::custom)
    }
}

impl JsonSchema for Seed {
    fn schema_name() -> Cow<'static, str> {
        "Seed".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "The seed of a match: a whole number of 64 bits, as text. A number \
                instead of a text is the seed of a file that Agon 0.1 wrote before seeds were \
                one-way.",
            "anyOf": [
                { "type": "string", "pattern": "^([0-9]{1,20}|0x[0-9a-fA-F]{1,16})$" },
                { "type": "integer", "format": "uint64", "minimum": 0 },
            ],
        })
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
    /// The number that the program of player `.0` gets for its own choices.
    Number(u16),
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
            Purpose::Number(player) => (2 << 32) | u64::from(player),
        }
    }

    /// The code for plain seeds, which do not keep numbers of programs apart from built-in bots.
    fn plain_code(self) -> u64 {
        match self {
            Purpose::Number(player) => Purpose::Bot(player).code(),
            other => other.code(),
        }
    }
}

/// What a stream is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Name {
    seed: Seed,
    purpose: Purpose,
    number: u64,
}

/// What is made of a name. The codes enter the streams.
#[derive(Clone, Copy)]
enum Use {
    Stream = 1,
    Quick = 2,
    Derive = 3,
}

/// Keeps these hashes apart from all others. It is no secret.
const KEY: &[u8; 32] = b"agon seeds and streams, scheme 2";

impl Name {
    /// Returns block `number` of the random bytes with this name, from a one-way function.
    fn block(&self, kind: Use, number: u64) -> [u8; 64] {
        let mut name = [0; 25];
        name[0] = kind as u8;
        name[1..9].copy_from_slice(&self.seed.number.to_le_bytes());
        name[9..17].copy_from_slice(&self.purpose.code().to_le_bytes());
        name[17..].copy_from_slice(&self.number.to_le_bytes());
        let mut block = [0; 64];
        let mut bytes = blake3::Hasher::new_keyed(KEY).update(&name).finalize_xof();
        bytes.set_position(number * 64);
        bytes.fill(&mut block);
        block
    }

    /// Returns the generator for a plain seed.
    fn plain(&self) -> Xoshiro256StarStar {
        let seed = mix(self.seed.number ^ 0xA607);
        let key = mix(seed ^ self.purpose.plain_code()).wrapping_add(mix(self.number));
        Xoshiro256StarStar::seed_from_u64(key)
    }
}

/// Returns the words of a block.
fn words(block: &[u8; 64]) -> [u64; 8] {
    let mut words = [0; 8];
    for (word, bytes) in words.iter_mut().zip(block.as_chunks().0) {
        *word = u64::from_le_bytes(*bytes);
    }
    words
}

/// Quick streams of a purpose, for numbers that follow each other, such as turns.
///
/// They are those of [`Seed::quick_stream`]. Eight of them come from one block, which is kept.
#[derive(Clone, Debug)]
pub struct QuickStreams {
    seed: Seed,
    purpose: Purpose,
    /// The last block that was needed, with its number.
    block: Option<(u64, [u64; 8])>,
}

impl QuickStreams {
    /// Makes the streams of a purpose.
    pub fn new(seed: Seed, purpose: Purpose) -> QuickStreams {
        QuickStreams { seed, purpose, block: None }
    }

    /// Returns whether these are the streams of this seed and purpose.
    pub fn are_of(&self, seed: Seed, purpose: Purpose) -> bool {
        (self.seed, self.purpose) == (seed, purpose)
    }

    /// Returns the stream with this number.
    #[inline]
    pub fn of(&mut self, number: u64) -> Rng {
        match self.seed.scheme {
            Scheme::Plain => self.seed.stream(self.purpose, number),
            Scheme::OneWay => Rng { source: Source::Word(self.word(number)) },
        }
    }

    /// Returns the stream of a unit, for units that act at the same time in step `step`.
    #[inline]
    pub fn of_unit(&mut self, step: u64, unit: u32) -> Rng {
        let unit = u64::from(unit);
        match self.seed.scheme {
            Scheme::Plain => self.seed.stream(self.purpose, mix(step).wrapping_add(unit)),
            Scheme::OneWay => {
                let word = self.word(step);
                Rng { source: Source::Word(mix(word ^ mix(word.wrapping_add(unit)))) }
            }
        }
    }

    #[inline]
    fn word(&mut self, number: u64) -> u64 {
        let [block, place] = [number / 8, number % 8];
        let name = Name { seed: self.seed, purpose: self.purpose, number: block };
        let (_, words) = match &self.block {
            Some(kept) if kept.0 == block => kept,
            _ => self.block.insert((block, words(&name.block(Use::Quick, 0)))),
        };
        words[place as usize]
    }
}

/// They follow from the seed.
impl PartialEq for QuickStreams {
    fn eq(&self, other: &QuickStreams) -> bool {
        self.are_of(other.seed, other.purpose)
    }
}

impl Eq for QuickStreams {}

/// A random stream, whose values never change between versions.
///
/// It costs next to nothing until the first number is drawn, because most decisions have a stream
/// and draw none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rng {
    source: Source,
}

/// Where the numbers of a stream come from.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Source {
    /// Nothing is drawn yet from [`Seed::stream`].
    Name(Name),
    /// Nor from [`Seed::quick_stream`].
    QuickName(Name),
    /// Nor from [`QuickStreams`].
    Word(u64),
    /// xoshiro256**.
    Quick(Xoshiro256StarStar),
    /// Blocks of a one-way function.
    Blocks(Blocks),
}

/// The stream of a one-way function, block by block.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Blocks {
    name: Name,
    /// The number of the next block.
    next: u64,
    words: [u64; 8],
    /// How many of the words have been drawn.
    drawn: usize,
}

impl Blocks {
    fn new(name: Name) -> Blocks {
        Blocks { name, next: 0, words: [0; 8], drawn: 8 }
    }

    fn bits(&mut self) -> u64 {
        if self.drawn == self.words.len() {
            self.words = words(&self.name.block(Use::Stream, self.next));
            self.next += 1;
            self.drawn = 0;
        }
        let bits = self.words[self.drawn];
        self.drawn += 1;
        bits
    }
}

impl Source {
    /// Makes a source that gives numbers.
    fn begin(&mut self) {
        *self = match self {
            Source::Name(name) | Source::QuickName(name) if name.seed.is_plain() => {
                Source::Quick(name.plain())
            }
            Source::Name(name) => Source::Blocks(Blocks::new(*name)),
            Source::QuickName(Name { seed, purpose, number }) => {
                *self = QuickStreams::new(*seed, *purpose).of(*number).source;
                return self.begin();
            }
            Source::Word(word) => Source::Quick(Xoshiro256StarStar::seed_from_u64(*word)),
            Source::Quick(_) | Source::Blocks(_) => return,
        };
    }
}

impl Rng {
    /// Returns the next 64 bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        if let Source::Quick(generator) = &mut self.source {
            return generator.next_u64();
        }
        self.other_bits()
    }

    /// Keeps what is rare out of loops that draw many numbers.
    #[inline(never)]
    fn other_bits(&mut self) -> u64 {
        self.source.begin();
        match &mut self.source {
            Source::Quick(generator) => generator.next_u64(),
            Source::Blocks(blocks) => blocks.bits(),
            Source::Name(_) | Source::QuickName(_) | Source::Word(_) => {
                unreachable!("it has begun")
            }
        }
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

    fn three(mut rng: Rng) -> [u64; 3] {
        [(); 3].map(|()| rng.bits())
    }

    #[test]
    fn plain_streams_never_change() {
        let seed = Seed::plain(1);
        let setup =
            [12_899_619_337_740_754_540, 9_453_357_907_968_249_395, 8_853_618_859_301_065_839];
        assert_eq!(three(seed.stream(Purpose::Setup, 0)), setup);
        assert_eq!(three(seed.quick_stream(Purpose::Setup, 0)), setup);
        let bot = seed.stream(Purpose::Bot(2), mix(3).wrapping_add(4));
        let mut bots = QuickStreams::new(seed, Purpose::Bot(2));
        assert_eq!(three(bots.of_unit(3, 4)), three(bot));
        let number = seed.stream(Purpose::Number(2), 3);
        assert_eq!(three(number), three(seed.stream(Purpose::Bot(2), 3)));
        assert_eq!(seed.derive(5), Seed::plain(7_572_189_954_100_768_156));
    }

    #[test]
    fn streams_never_change() {
        let streams = [
            Seed(1).stream(Purpose::Setup, 0),
            Seed(1).quick_stream(Purpose::Setup, 0),
            QuickStreams::new(Seed(1), Purpose::Bot(2)).of_unit(3, 4),
        ];
        let expected = [
            [6_251_631_691_266_801_004, 5_111_965_904_977_519_856, 6_059_370_383_654_334_266],
            [10_897_855_027_443_789_386, 5_309_232_374_279_142_789, 7_073_763_885_799_744_693],
            [8_221_496_763_623_546_495, 4_862_955_632_993_033_149, 13_467_399_849_417_007_802],
        ];
        assert_eq!(streams.map(three), expected);
        assert_eq!(Seed(1).derive(5), Seed(18_329_986_384_437_740_474));
    }

    #[test]
    fn quick_streams_do_not_depend_on_what_was_drawn_before() {
        for seed in [Seed(1), Seed::plain(1)] {
            let mut streams = QuickStreams::new(seed, Purpose::Draw);
            for number in [0, 1, 7, 8, 9, 3, 1, 4_000, u64::MAX, 0] {
                let alone = three(seed.quick_stream(Purpose::Draw, number));
                assert_eq!(three(streams.of(number)), alone, "{number}");
            }
        }
    }

    /// Numbers come in blocks of eight: what is drawn later is no function of what came before.
    #[test]
    fn long_streams_do_not_repeat() {
        let mut rng = Seed(1).stream(Purpose::Setup, 0);
        let numbers: Vec<u64> = (0..1_000).map(|_| rng.bits()).collect();
        let different: std::collections::BTreeSet<u64> = numbers.iter().copied().collect();
        assert_eq!(different.len(), numbers.len());
    }

    #[test]
    fn streams_differ_by_seed_purpose_and_number() {
        let first = |seed: u64, purpose, number| Seed(seed).stream(purpose, number).bits();
        let base = first(1, Purpose::Order, 1);
        assert_ne!(base, Seed(1).quick_stream(Purpose::Order, 1).bits());
        assert_ne!(base, Seed::plain(1).stream(Purpose::Order, 1).bits());
        for other in [
            first(2, Purpose::Order, 1),
            first(1, Purpose::Setup, 1),
            first(1, Purpose::Order, 2),
            first(0, Purpose::Order, 2),
            first(1, Purpose::Bot(0), 1),
            first(1, Purpose::Number(0), 1),
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

    #[test]
    fn json_keeps_seeds_of_older_files_apart() {
        let large = u64::MAX;
        for (seed, text) in [
            (Seed(42), "\"42\"".to_owned()),
            (Seed::plain(42), "42".to_owned()),
            (Seed(large), format!("\"{large}\"")),
            (Seed::plain(large), large.to_string()),
        ] {
            assert_eq!(serde_json::to_string(&seed).unwrap(), text);
            assert_eq!(serde_json::from_str::<Seed>(&text).unwrap(), seed);
        }
        for wrong in ["-1", "1.5", "\"x\"", "\"\"", "null"] {
            assert!(serde_json::from_str::<Seed>(wrong).is_err(), "{wrong}");
        }
    }
}
