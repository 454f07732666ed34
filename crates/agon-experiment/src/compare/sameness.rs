//! Whether seeds lead to different matches at all.

use std::collections::BTreeSet;

use super::played::Played;

/// After so many seeds that were played alike it is clear that the next one will be, too.
const ENOUGH: u64 = 10;

/// So few seeds may decide; fewer are alike by chance.
const FEW: u64 = 4;

/// Seeds that were played alike in this part of cases or more are worth a warning.
const MANY: u64 = 4;

/// What tells matches apart: the last state's hash, steps, decisions.
type Print = (u64, u64, u64);

/// How many seeds were played differently.
///
/// The test takes seeds for a sample of what may happen. Where nothing is drawn from the seed, or
/// the bots leave nothing to it, all seeds are the same match: its result is certain after one of
/// them, but says nothing of others.
#[derive(Clone, Debug, Default)]
pub struct Sameness {
    seeds: u64,
    different: BTreeSet<Vec<Print>>,
    /// Whether a bot failed: matches that end by that are alike because they are short.
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

    /// How many different ways there were to play a seed.
    pub fn different(&self) -> u64 {
        self.different.len() as u64
    }

    /// Whether all seeds so far are the same matches, which is no coincidence; `decided` says that
    /// no more are to come.
    pub fn is_complete(&self, decided: bool) -> bool {
        let enough = if decided { 2 } else { ENOUGH };
        !self.faults && self.different() == 1 && self.seeds >= enough
    }

    /// Whether seeds were often played alike.
    pub fn is_frequent(&self) -> bool {
        !self.faults && self.seeds >= FEW && MANY * (self.seeds - self.different()) >= self.seeds
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
            "whoever fails at once does so each time"
        );
        let mut prints = [7; 10];
        prints[9] = 8;
        let mostly = noted(&prints, false);
        assert!(!mostly.is_complete(true) && mostly.is_frequent());
        assert!(!noted(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 9], false).is_frequent());
    }
}
