//! Detects that many seeds lead to the same match, so that more of them would show nothing new.
//!
//! A comparison then ends, or its report warns.

use std::collections::BTreeSet;

use super::played::Played;

/// After this many equal seeds, the next one will surely be equal, too.
const ENOUGH: u64 = 10;

/// With fewer seeds there is no warning, since they may be equal by chance.
const MIN_SEEDS: u64 = 4;

/// A warning needs repetitions in at least one of this many seeds.
const REPETITION_DIVISOR: u64 = 4;

/// What distinguishes matches: the last state's hash, steps, decisions.
type Fingerprint = (u64, u64, u64);

/// Counts the different ways in which seeds were played.
///
/// The test treats seeds as a random sample. If neither the game nor the bots use the seed, all
/// seeds give the same match. Then one of them shows the result, and more of them prove nothing.
#[derive(Clone, Debug, Default)]
pub struct Sameness {
    seeds: u64,
    different: BTreeSet<Vec<Fingerprint>>,
    /// Whether a bot committed a fault. Matches that end by faults are equal because they are
    /// short.
    faults: bool,
}

impl Sameness {
    /// Notes the matches of a seed.
    pub fn note<'a>(&mut self, matches: impl IntoIterator<Item = &'a Played>) {
        let mut prints = Vec::new();
        for played in matches {
            prints.push((played.state_hash, played.steps, played.decisions));
            self.faults |= !played.faults.is_empty();
        }
        self.seeds += 1;
        self.different.insert(prints);
    }

    /// Returns in how many different ways seeds were played.
    pub fn different(&self) -> u64 {
        self.different.len() as u64
    }

    /// Returns whether all seeds so far gave the same matches, and this is no coincidence.
    ///
    /// If the comparison is `decided`, no more seeds follow, and two are enough.
    pub fn is_complete(&self, decided: bool) -> bool {
        let enough = if decided { 2 } else { ENOUGH };
        !self.faults && self.different() == 1 && self.seeds >= enough
    }

    /// Returns whether seeds often gave the same matches.
    pub fn is_frequent(&self) -> bool {
        !self.faults
            && self.seeds >= MIN_SEEDS
            && REPETITION_DIVISOR * (self.seeds - self.different()) >= self.seeds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noted(prints: &[u64], faults: bool) -> Sameness {
        let different = prints.iter().map(|&hash| vec![(hash, 1, 1)]).collect();
        Sameness { seeds: prints.len() as u64, different, faults }
    }

    #[test]
    fn the_same_match_again_and_again_is_noticed() {
        assert!(!noted(&[7; 9], false).is_complete(false));
        assert!(noted(&[7; 10], false).is_complete(false));
        assert!(noted(&[7; 2], false).is_complete(true));
        assert!(!noted(&[7], false).is_complete(true), "one seed is no repetition");
        assert!(
            !noted(&[7; 10], true).is_complete(true),
            "a bot that fails at once fails each time"
        );
        let mut prints = [7; 10];
        prints[9] = 8;
        let mostly = noted(&prints, false);
        assert!(!mostly.is_complete(true) && mostly.is_frequent());
        assert!(!noted(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 9], false).is_frequent());
    }
}
