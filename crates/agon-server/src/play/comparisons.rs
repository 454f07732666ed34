//! "Is my new version better?": a sequential test between two versions of a bot.
//!
//! Both play each seed twice, with seats exchanged. The test looks after each pair and may stop at
//! any time with the stated error probabilities (`agon_rating::DuelTest`). The matches count for
//! nothing else.
//!
//! Whoever has used the least time is next. What a person may use is limited, whatever the person
//! does with bots and versions: it is kept by person, as long as the server runs.

use std::collections::BTreeMap;

use agon_rating::{Decision, DuelRun, DuelTest, EloModel};
use anyhow::{Result, ensure};
use parking_lot::Mutex;

use crate::store::{fresh_id, now};

/// The most comparisons that are kept, finished ones too.
const KEPT: usize = 300;

/// The most that one bot may have running.
const RUNNING_EACH: usize = 1;

/// After so many pairs without a decision the versions count as equally strong.
const MOST_PAIRS: u64 = 500;

/// After so many matches that could not be played, nobody waits for more.
const MOST_LOST: u32 = 50;

/// Pairs that are played at a time.
const AHEAD: usize = 4;

/// The difference in Elo points that the test looks for.
const DIFFERENCE: f64 = 20.0;

/// The probability of either error.
const ERROR: f64 = 0.05;

/// The time of matches that a person may use at once, in microseconds: an hour.
const ALLOWED_US: u64 = 3_600_000_000;

/// How long it takes until all of it is there again, in milliseconds: a day.
const AGAIN: u128 = 24 * 3_600_000;

/// A comparison of two versions of a bot.
#[derive(Clone, Debug)]
pub(crate) struct Comparison {
    pub(crate) id: i64,
    pub(crate) arena: i64,
    pub(crate) bot: i64,
    /// Who asked.
    person: i64,
    /// The versions, and their numbers.
    pub(crate) versions: [i64; 2],
    pub(crate) numbers: [u32; 2],
    pub(crate) asked: i64,
    /// Wins, ties and losses of the first version.
    pub(crate) results: [u64; 3],
    run: DuelRun,
    pairs: u64,
    /// Matches that could not be played.
    lost: u32,
    /// The points of the first version in pairs of which one match is missing, by seed.
    open: BTreeMap<u64, Option<u32>>,
    /// A match of a pair that is to be planned next: its seed.
    half: Option<u64>,
    is_over: bool,
    /// Whether it goes on once its person may use more time.
    waits: bool,
}

/// All comparisons.
#[derive(Debug, Default)]
pub(crate) struct Comparisons(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    all: Vec<Comparison>,
    /// What each person has used.
    used: BTreeMap<i64, Used>,
}

/// The time of matches that a person has used.
#[derive(Clone, Copy, Debug)]
struct Used {
    us: u64,
    at: i64,
}

impl Used {
    /// Returns what is left of it at a time, in microseconds: it comes back slowly.
    fn left(&self, at: i64) -> u64 {
        let since = u128::try_from(at - self.at).unwrap_or(0);
        let back = since * u128::from(ALLOWED_US) / AGAIN;
        self.us.saturating_sub(u64::try_from(back).unwrap_or(u64::MAX))
    }
}

impl State {
    /// Returns what counts of a person's time at a time, in microseconds.
    fn used(&self, person: i64, at: i64) -> u64 {
        self.used.get(&person).map_or(0, |used| used.left(at))
    }

    fn is_allowed(&self, person: i64, at: i64) -> bool {
        self.used(person, at) < ALLOWED_US
    }
}

/// A match of a comparison.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leg {
    pub(super) comparison: i64,
    /// Who asked, and pays.
    person: i64,
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
            Decision::Continue if self.lost >= MOST_LOST => {
                format!("undecided: {MOST_LOST} matches could not be played")
            }
            Decision::Continue if self.is_over => "no difference was found".to_owned(),
            Decision::Continue if self.waits => {
                "undecided; it goes on once its author's comparisons may take time again".to_owned()
            }
            Decision::Continue => "undecided".to_owned(),
        }
    }

    /// Returns how many Elo points the first version is ahead, with an interval.
    pub(crate) fn difference(&self) -> Option<(f64, f64, f64)> {
        let estimate = self.run.report().estimate?;
        Some((estimate.elo, estimate.elo_low, estimate.elo_high))
    }

    fn next(&mut self) -> Option<Leg> {
        let (comparison, person) = (self.id, self.person);
        if let Some(seed) = self.half.take() {
            return Some(Leg { comparison, person, seed, is_exchanged: true });
        }
        if self.is_over || self.open.len() >= AHEAD {
            return None;
        }
        let seed = fresh_id().cast_unsigned();
        self.open.insert(seed, None);
        self.half = Some(seed);
        Some(Leg { comparison, person, seed, is_exchanged: false })
    }

    /// Takes the result of a match: the places of the first and the other version; `None` if it was
    /// not played.
    fn over(&mut self, leg: Leg, places: Option<(u32, u32)>) {
        let Some((one, other)) = places else {
            self.lost += 1;
            self.is_over |= self.lost >= MOST_LOST;
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
    /// Forgets comparisons of versions.
    pub(crate) fn forget(&self, versions: &[i64]) {
        let is_about = |of: &Comparison| of.versions.iter().any(|id| versions.contains(id));
        self.0.lock().all.retain(|comparison| !is_about(comparison));
    }

    /// Asks whether one version is better than another.
    ///
    /// # Errors
    /// If another comparison of the bot runs, the person has used all time, or the versions are the
    /// same: in a sentence.
    pub(crate) fn ask(
        &self,
        arena: i64,
        bot: i64,
        person: i64,
        versions: [i64; 2],
        numbers: [u32; 2],
    ) -> Result<Comparison> {
        ensure!(versions[0] != versions[1], "choose two different versions");
        let mut state = self.0.lock();
        ensure!(
            state.is_allowed(person, now()),
            "your comparisons have taken an hour of matches; this time comes back within a day"
        );
        let all = &mut state.all;
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
            person,
            versions,
            numbers,
            asked: now(),
            results: [0; 3],
            run,
            pairs: 0,
            lost: 0,
            open: BTreeMap::new(),
            half: None,
            is_over: false,
            waits: false,
        };
        all.push(asked.clone());
        Ok(asked)
    }

    /// Returns the comparisons of a bot, the latest first.
    pub(crate) fn of(&self, bot: i64) -> Vec<Comparison> {
        let state = self.0.lock();
        let now = now();
        let shown = |one: &Comparison| {
            let waits = one.is_running() && !state.is_allowed(one.person, now);
            Comparison { waits, ..one.clone() }
        };
        state.all.iter().rev().filter(|one| one.bot == bot).map(shown).collect()
    }

    /// Returns the next match of a comparison, with the comparison: that of the person who has used
    /// the least time. Those of a person take turns.
    ///
    /// `plays` says whether the matches of an arena are played now.
    pub(super) fn next(&self, plays: impl Fn(i64) -> bool) -> Option<(Leg, Comparison)> {
        let mut state = self.0.lock();
        let now = now();
        let is_open = |one: &&Comparison| plays(one.arena) && state.is_allowed(one.person, now);
        let places = state.all.iter().enumerate().filter(|(_, one)| is_open(one));
        let mut places: Vec<(u64, usize)> =
            places.map(|(place, one)| (state.used(one.person, now), place)).collect();
        places.sort_unstable();
        let all = &mut state.all;
        let next = |(_, place): (u64, usize)| Some((place, all[place].next()?));
        let (place, leg) = places.into_iter().find_map(next)?;
        let one = state.all.remove(place);
        state.all.push(one.clone());
        Some((leg, one))
    }

    /// Takes the result of a match that took so many microseconds, see [`Comparison::over`].
    pub(super) fn over(&self, leg: Leg, places: Option<(u32, u32)>, us: u64) {
        let mut state = self.0.lock();
        let at = now();
        let us = state.used(leg.person, at).saturating_add(us);
        state.used.insert(leg.person, Used { us, at });
        state.used.retain(|_, used| used.left(at) > 0);
        if let Some(one) = state.all.iter_mut().find(|one| one.id == leg.comparison) {
            one.over(leg, places);
        }
    }

    /// Ends the comparisons of a bot.
    pub(super) fn end(&self, comparison: i64) {
        if let Some(one) = self.0.lock().all.iter_mut().find(|one| one.id == comparison) {
            one.is_over = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked() -> Comparisons {
        let comparisons = Comparisons::default();
        comparisons.ask(1, 2, 5, [3, 4], [2, 1]).unwrap();
        comparisons
    }

    #[test]
    fn a_better_version_is_found_and_ties_end_too() {
        for places in [(1, 2), (1, 1)] {
            let comparisons = asked();
            assert!(comparisons.ask(1, 2, 5, [3, 4], [2, 1]).is_err(), "one at a time");
            assert!(comparisons.ask(1, 9, 5, [3, 3], [1, 1]).is_err());
            while let Some((leg, _)) = comparisons.next(|_| true) {
                comparisons.over(leg, Some(places), 1);
            }
            let one = &comparisons.of(2)[0];
            let is_better = one.verdict() == "v2 is better than v1";
            assert!(!one.is_running() && is_better == (places == (1, 2)), "{}", one.verdict());
            let played: u64 = one.results.iter().sum();
            let is_fine = if is_better { played < 200 } else { one.results[1] > 0 };
            assert!(is_fine, "{:?}", one.results);
            assert!(comparisons.ask(1, 2, 5, [3, 4], [2, 1]).is_ok(), "another one may begin");
        }
    }

    #[test]
    fn matches_that_were_not_played_do_not_hold_it_up() {
        let comparisons = asked();
        for _ in 1..MOST_LOST {
            let (leg, _) = comparisons.next(|_| true).unwrap();
            comparisons.over(leg, None, 1);
        }
        assert!(comparisons.of(2)[0].is_running());
        let (leg, _) = comparisons.next(|_| true).unwrap();
        comparisons.over(leg, None, 1);
        let one = &comparisons.of(2)[0];
        assert!(!one.is_running() && one.verdict().contains("could not be played"));
        assert!(comparisons.next(|_| true).is_none());
    }

    #[test]
    fn a_person_uses_an_hour_and_no_more_whatever_is_forgotten() {
        let comparisons = Comparisons::default();
        let minutes = |count: u64| count * 60_000_000;
        let mut versions = [10, 11];
        let mut took = 0;
        while comparisons.ask(1, 2, 5, versions, [2, 1]).is_ok() {
            let Some((leg, _)) = comparisons.next(|_| true) else { break };
            comparisons.over(leg, Some((1, 2)), minutes(7));
            took += 7;
            // Versions are removed, and new ones take their place.
            comparisons.forget(&versions);
            versions = versions.map(|version| version + 2);
        }
        assert_eq!(took, 63, "the last match began in time");
        let refused = comparisons.ask(1, 2, 5, versions, [2, 1]).unwrap_err().to_string();
        assert!(refused.contains("an hour of matches"), "{refused}");
        assert!(comparisons.ask(1, 3, 6, versions, [2, 1]).is_ok(), "others have their own");
        let state = comparisons.0.lock();
        let later = |hours: i64| state.is_allowed(5, now() + hours * 3_600_000);
        assert!(!later(1) && later(2) && state.used(5, now() + 26 * 3_600_000) == 0);
    }

    #[test]
    fn a_comparison_goes_on_once_there_is_time_again() {
        let comparisons = asked();
        let (leg, _) = comparisons.next(|_| true).unwrap();
        // A minute more than is allowed: time goes on while this test runs.
        comparisons.over(leg, Some((1, 2)), ALLOWED_US + 60_000_000);
        assert!(comparisons.next(|_| true).is_none());
        let one = &comparisons.of(2)[0];
        assert!(one.is_running() && one.verdict().contains("it goes on"), "{}", one.verdict());
        comparisons.0.lock().used.get_mut(&5).unwrap().at -= 2 * 3_600_000;
        assert!(comparisons.next(|_| true).is_some());
        assert_eq!(comparisons.of(2)[0].verdict(), "undecided");
    }

    #[test]
    fn time_is_shared_by_persons_not_by_comparisons() {
        let comparisons = Comparisons::default();
        for bot in 0..5 {
            comparisons.ask(1, bot, 1, [2 * bot, 2 * bot + 1], [2, 1]).unwrap();
        }
        comparisons.ask(1, 9, 2, [20, 21], [2, 1]).unwrap();
        let mut counts = BTreeMap::new();
        for _ in 0..40 {
            let (leg, one) = comparisons.next(|_| true).unwrap();
            *counts.entry((one.person, one.bot)).or_insert(0) += 1;
            // Those of the second person take longer.
            let seconds = if one.person == 1 { 1 } else { 3 };
            comparisons.over(leg, Some((1, 1)), seconds * 1_000_000);
        }
        let of = |person: i64| counts.iter().filter(move |((of, _), _)| *of == person);
        assert!((9..=11).contains(&of(2).map(|(_, count)| count).sum()), "{counts:?}");
        assert!(of(1).all(|(_, count)| (5..=7).contains(count)), "{counts:?}");
    }
}
