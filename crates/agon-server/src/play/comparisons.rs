//! "Is my new version better?": a sequential test between two versions of a bot.
//!
//! Both play each seed twice, with seats exchanged. The test looks after each pair and may stop at
//! any time with the stated error probabilities (`agon_rating::DuelTest`). The matches count for
//! nothing else.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use agon_rating::{Decision, DuelRun, DuelTest, EloModel};
use anyhow::{Result, ensure};

use crate::store::{fresh_id, now};

/// The most comparisons that are kept, finished ones too.
const KEPT: usize = 300;

/// The most that one bot may have running.
const RUNNING_EACH: usize = 1;

/// After so many pairs without a decision the versions count as equally strong.
const MOST_PAIRS: u64 = 500;

/// Pairs that are played at a time.
const AHEAD: usize = 4;

/// The difference in Elo points that the test looks for.
const DIFFERENCE: f64 = 20.0;

/// The probability of either error.
const ERROR: f64 = 0.05;

/// A comparison of two versions of a bot.
#[derive(Clone, Debug)]
pub(crate) struct Comparison {
    pub(crate) id: i64,
    pub(crate) arena: i64,
    pub(crate) bot: i64,
    /// The versions, and their numbers.
    pub(crate) versions: [i64; 2],
    pub(crate) numbers: [u32; 2],
    pub(crate) asked: i64,
    /// Wins, ties and losses of the first version.
    pub(crate) results: [u64; 3],
    run: DuelRun,
    pairs: u64,
    /// The points of the first version in pairs of which one match is missing, by seed.
    open: BTreeMap<u64, Option<u32>>,
    /// A match of a pair that is to be planned next: its seed.
    half: Option<u64>,
    is_over: bool,
}

/// All comparisons.
#[derive(Debug, Default)]
pub(crate) struct Comparisons(Mutex<Vec<Comparison>>);

/// A match of a comparison.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leg {
    pub(super) comparison: i64,
    pub(super) seed: u64,
    /// Whether the first version has the second seat.
    pub(super) is_exchanged: bool,
}

impl Comparison {
    /// Returns whether matches are still played.
    pub(crate) fn is_running(&self) -> bool {
        !self.is_over
    }

    /// Returns the answer so far, in words.
    pub(crate) fn verdict(&self) -> String {
        let [one, other] = self.numbers;
        match self.run.decision() {
            Decision::AcceptH1 => format!("v{one} is better than v{other}"),
            Decision::AcceptH0 => {
                format!("v{one} is not {DIFFERENCE} Elo points better than v{other}")
            }
            Decision::Continue if self.is_over => "no difference was found".to_owned(),
            Decision::Continue => "undecided".to_owned(),
        }
    }

    /// Returns how many Elo points the first version is ahead, with an interval.
    pub(crate) fn difference(&self) -> Option<(f64, f64, f64)> {
        let estimate = self.run.report().estimate?;
        Some((estimate.elo, estimate.elo_low, estimate.elo_high))
    }

    fn next(&mut self) -> Option<Leg> {
        let comparison = self.id;
        if let Some(seed) = self.half.take() {
            return Some(Leg { comparison, seed, is_exchanged: true });
        }
        if self.is_over || self.open.len() >= AHEAD {
            return None;
        }
        let seed = fresh_id().cast_unsigned();
        self.open.insert(seed, None);
        self.half = Some(seed);
        Some(Leg { comparison, seed, is_exchanged: false })
    }

    /// Takes the result of a match: the places of the first and the other version; `None` if it was
    /// not played.
    fn over(&mut self, leg: Leg, places: Option<(u32, u32)>) {
        let Some((one, other)) = places else {
            // The other match of the pair says nothing alone.
            self.open.remove(&leg.seed);
            self.half = self.half.filter(|&seed| seed != leg.seed);
            return;
        };
        let points = match one.cmp(&other) {
            std::cmp::Ordering::Less => 2,
            std::cmp::Ordering::Equal => 1,
            std::cmp::Ordering::Greater => 0,
        };
        self.results[2 - points as usize] += 1;
        match self.open.get(&leg.seed).copied() {
            Some(Some(before)) => {
                self.open.remove(&leg.seed);
                self.pairs += 1;
                if !self.is_over {
                    // Never more than four points.
                    let _ = self.run.push((before + points) as usize);
                }
                let is_decided = self.run.decision() != Decision::Continue;
                self.is_over |= is_decided || self.pairs >= MOST_PAIRS;
            }
            Some(None) => drop(self.open.insert(leg.seed, Some(points))),
            None => {}
        }
    }
}

impl Comparisons {
    fn lock(&self) -> MutexGuard<'_, Vec<Comparison>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forgets comparisons of versions.
    pub(crate) fn forget(&self, versions: &[i64]) {
        let is_about = |of: &Comparison| of.versions.iter().any(|id| versions.contains(id));
        self.lock().retain(|comparison| !is_about(comparison));
    }

    /// Asks whether one version is better than another.
    ///
    /// # Errors
    /// If another comparison of the bot runs, or the versions are the same: in a sentence.
    pub(crate) fn ask(
        &self,
        arena: i64,
        bot: i64,
        versions: [i64; 2],
        numbers: [u32; 2],
    ) -> Result<Comparison> {
        ensure!(versions[0] != versions[1], "choose two different versions");
        let mut all = self.lock();
        let running = all.iter().filter(|one| one.bot == bot && one.is_running()).count();
        ensure!(running < RUNNING_EACH, "wait until the other comparison of this bot is over");
        if all.len() >= KEPT {
            let oldest = all.iter().position(|one| !one.is_running()).unwrap_or(0);
            all.remove(oldest);
        }
        let run = DuelTest::new(0.0, DIFFERENCE, ERROR, ERROR, EloModel::Logistic)?.run();
        let asked = Comparison {
            id: fresh_id(),
            arena,
            bot,
            versions,
            numbers,
            asked: now(),
            results: [0; 3],
            run,
            pairs: 0,
            open: BTreeMap::new(),
            half: None,
            is_over: false,
        };
        all.push(asked.clone());
        Ok(asked)
    }

    /// Returns the comparisons of a bot, the latest first.
    pub(crate) fn of(&self, bot: i64) -> Vec<Comparison> {
        let all = self.lock();
        all.iter().rev().filter(|one| one.bot == bot).cloned().collect()
    }

    /// Returns the next match of any comparison, with the comparison; they take turns.
    ///
    /// `plays` says whether the matches of an arena are played now.
    pub(super) fn next(&self, plays: impl Fn(i64) -> bool) -> Option<(Leg, Comparison)> {
        let mut all = self.lock();
        let open = all.iter_mut().enumerate().filter(|(_, one)| plays(one.arena));
        let (place, leg) = open.into_iter().find_map(|(place, one)| Some((place, one.next()?)))?;
        let one = all.remove(place);
        all.push(one.clone());
        Some((leg, one))
    }

    /// Takes the result of a match, see [`Comparison::over`].
    pub(super) fn over(&self, leg: Leg, places: Option<(u32, u32)>) {
        if let Some(one) = self.lock().iter_mut().find(|one| one.id == leg.comparison) {
            one.over(leg, places);
        }
    }

    /// Ends the comparisons of a bot.
    pub(super) fn end(&self, comparison: i64) {
        if let Some(one) = self.lock().iter_mut().find(|one| one.id == comparison) {
            one.is_over = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked() -> Comparisons {
        let comparisons = Comparisons::default();
        comparisons.ask(1, 2, [3, 4], [2, 1]).unwrap();
        comparisons
    }

    #[test]
    fn a_better_version_is_found() {
        let comparisons = asked();
        let mut legs = 0;
        while let Some((leg, _)) = comparisons.next(|_| true) {
            legs += 1;
            comparisons.over(leg, Some((1, 2)));
        }
        let one = &comparisons.of(2)[0];
        assert!(!one.is_running() && legs < 200, "{legs}");
        assert_eq!(one.verdict(), "v2 is better than v1");
        assert!(comparisons.ask(1, 2, [3, 4], [2, 1]).is_ok(), "another one may begin");
    }

    #[test]
    fn ties_end_too() {
        let comparisons = asked();
        assert!(comparisons.ask(1, 2, [3, 4], [2, 1]).is_err(), "one at a time");
        assert!(comparisons.ask(1, 9, [3, 3], [1, 1]).is_err());
        while let Some((leg, _)) = comparisons.next(|_| true) {
            comparisons.over(leg, Some((1, 1)));
        }
        let one = &comparisons.of(2)[0];
        assert!(!one.is_running() && one.results[1] > 0, "{}", one.verdict());
    }

    #[test]
    fn matches_that_were_not_played_do_not_hold_it_up() {
        let comparisons = asked();
        for _ in 0..1_000 {
            let (leg, _) = comparisons.next(|_| true).unwrap();
            comparisons.over(leg, None);
        }
        assert!(comparisons.of(2)[0].is_running());
    }
}
