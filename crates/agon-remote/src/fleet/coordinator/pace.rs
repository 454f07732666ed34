//! How long the matches of a class take.

/// How much the last match counts, as a share of 16.
const WEIGHT: u64 = 1;

/// The mean of the last matches.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pace {
    /// Microseconds of a match; `None` before the first one is over.
    mean: Option<u64>,
}

impl Pace {
    /// Learns how long a match took, in microseconds.
    pub(super) fn took(&mut self, us: u64) {
        let us = us.clamp(1, 3_600_000_000);
        self.mean = Some(match self.mean {
            None => us,
            Some(mean) => ((16 - WEIGHT) * mean + WEIGHT * us).div_ceil(16),
        });
    }

    /// Returns how long so many matches take, in milliseconds; 0 if nothing is known.
    pub(super) fn ms(self, matches: usize) -> u64 {
        self.mean.unwrap_or(0).saturating_mul(matches as u64) / 1_000
    }

    /// Returns how many matches take so many milliseconds: at least one. One, too, as long as
    /// nothing is known.
    pub(super) fn fitting(self, ms: u64) -> usize {
        let fitting = self.mean.map_or(1, |mean| ms * 1000 / mean.max(1));
        usize::try_from(fitting.max(1)).unwrap_or(usize::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_matches_travel_together_and_long_ones_alone() {
        let mut pace = Pace::default();
        assert_eq!(pace.fitting(400), 1);
        pace.took(2_000);
        assert_eq!(pace.fitting(400), 200);
        for _ in 0..200 {
            pace.took(1_000_000);
        }
        assert_eq!(pace.fitting(400), 1);
        for _ in 0..400 {
            pace.took(0);
        }
        assert!(pace.fitting(400) > 10_000);
    }
}
