//! Collects times of answers in bounded memory, and returns their mean, median and maximum.
//!
//! `cost_tracker` collects a bot's CPU and wall times in it.

use std::time::Duration;

use agon_replay::Spread;

/// The number of times that are kept exactly. With more times, Agon counts them in classes instead,
/// each less than one percent wide.
const EXACT: usize = 4096;

/// The highest bits of a time that decide its class: there are 128 classes between two powers of
/// two.
const BITS: u32 = 7;

/// The times of a bot's answers.
#[derive(Debug, Default)]
pub(crate) struct Times {
    each: Each,
    /// The longest time in nanoseconds, and its step.
    longest: (u64, u64),
    total: Duration,
    /// The number of answers.
    answers: u64,
    /// The number of decisions in them.
    count: u64,
}

/// The times in nanoseconds. For an answer with several decisions it is the time per decision.
#[derive(Debug)]
enum Each {
    Exact(Vec<u64>),
    /// The number of times in each class.
    Counted(Vec<u64>),
}

impl Default for Each {
    fn default() -> Each {
        Each::Exact(Vec::new())
    }
}

impl Times {
    /// Adds the time of an answer in a step, with `count` decisions.
    pub(crate) fn note(&mut self, step: u64, time: Duration, count: u64) {
        let each = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX) / count.max(1);
        if self.answers == 0 || each > self.longest.0 {
            self.longest = (each, step);
        }
        self.each.add(each);
        self.total = self.total.saturating_add(time);
        self.answers += 1;
        self.count += count.max(1);
    }

    /// Returns the number of answers.
    pub(crate) fn answers(&self) -> u64 {
        self.answers
    }

    /// Returns mean, median, 99th percentile and maximum; `None` if there are no times.
    pub(crate) fn spread(mut self) -> Option<Spread> {
        let (max_ns, max_step) = self.longest;
        let mean = self.total.as_nanos() / u128::from(self.count.max(1));
        let mean_ns = u64::try_from(mean).unwrap_or(u64::MAX);
        let mut percentile = |of_100: u64| {
            let rank = (u128::from(self.answers) * u128::from(of_100)).div_ceil(100) as u64;
            self.each.at(rank.saturating_sub(1)).map(|time| time.min(max_ns))
        };
        Some(Spread {
            mean_ns,
            median_ns: percentile(50)?,
            p99_ns: percentile(99)?,
            max_ns,
            max_step,
        })
    }
}

impl Each {
    fn add(&mut self, time: u64) {
        match self {
            Each::Exact(all) if all.len() < EXACT => all.push(time),
            Each::Exact(all) => {
                let mut counts = Each::Counted(Vec::new());
                std::mem::take(all).into_iter().for_each(|time| counts.add(time));
                counts.add(time);
                *self = counts;
            }
            Each::Counted(counts) => {
                let class = class(time);
                if counts.len() <= class {
                    counts.resize(class + 1, 0);
                }
                counts[class] += 1;
            }
        }
    }

    /// Returns the time with this rank, from 0 for the shortest. A counted time is rounded up.
    fn at(&mut self, mut rank: u64) -> Option<u64> {
        match self {
            Each::Exact(all) => {
                all.sort_unstable();
                all.get(usize::try_from(rank).ok()?).copied()
            }
            Each::Counted(counts) => {
                let mut is_before = |count: &u64| {
                    let is_before = *count <= rank;
                    rank = rank.saturating_sub(*count);
                    is_before
                };
                counts.iter().position(|count| !is_before(count)).map(longest_of)
            }
        }
    }
}

/// Returns the class of a time: its highest bits.
fn class(time: u64) -> usize {
    let shift = (u64::BITS - time.leading_zeros()).saturating_sub(BITS + 1);
    ((u64::from(shift) << BITS) + (time >> shift)) as usize
}

/// Returns the longest time of a class.
fn longest_of(class: usize) -> u64 {
    let class = class as u64;
    // From the second power of two on, the highest bit is part of the class.
    let shift = (class >> BITS).saturating_sub(1);
    let bits = class - (shift << BITS);
    (u128::from(bits + 1) << shift).saturating_sub(1).min(u128::from(u64::MAX)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_times_that_occurred() {
        let mut times = Times::default();
        for step in 0..200 {
            times.note(step, Duration::from_nanos(2 * (200 - step)), 2);
        }
        let spread = Spread { mean_ns: 100, median_ns: 100, p99_ns: 198, max_ns: 200, max_step: 0 };
        assert_eq!(times.spread(), Some(spread));
        assert_eq!(Times::default().spread(), None);
        let mut one = Times::default();
        one.note(7, Duration::ZERO, 1);
        assert_eq!(one.spread(), Some(Spread { max_step: 7, ..Spread::default() }));
    }

    #[test]
    fn classes_are_narrow_and_in_order() {
        let mut last = 0;
        for bits in 0..64 {
            for time in
                [1 << bits, (1 << bits) + 1, (1u64 << bits).wrapping_mul(3) / 2, (1 << bits) - 1]
            {
                let longest = longest_of(class(time));
                assert!(longest >= time && longest - time <= time / 128, "{time} {longest}");
            }
            let class = class(1 << bits);
            assert!(class > last || bits == 0);
            last = class;
        }
        assert_eq!(longest_of(class(u64::MAX)), u64::MAX);
        assert!((0..256).all(|time| longest_of(class(time)) == time), "short ones are exact");
    }

    #[test]
    fn a_million_times_take_no_more_room_than_some_thousands() {
        let mut times = Times::default();
        for step in 0..1_000_000u64 {
            // All numbers up to a million, in some order.
            times.note(step, Duration::from_nanos((step * 7919) % 1_000_000 * 1000), 1);
        }
        let Each::Counted(counts) = &times.each else { panic!("they are counted") };
        assert!(counts.len() <= 64 << BITS, "{}", counts.len());
        let spread = times.spread().unwrap();
        let is_near = |time: u64, wanted: u64| time >= wanted && time - wanted <= wanted / 100;
        assert!(is_near(spread.median_ns, 499_999_000), "{spread:?}");
        assert!(is_near(spread.p99_ns, 989_999_000), "{spread:?}");
        assert_eq!((spread.max_ns, spread.mean_ns), (999_999_000, 499_999_500));
    }
}
