//! A version on the ladder: the facts to keep, and the matches that are planned.

use std::collections::VecDeque;

use agon_rating::Skill;

use crate::{Entrant, VersionId};

/// The least deviation of a skill: some 7 Elo points.
///
/// The update of skills takes each of them for exact after some hundred matches. Then no match
/// would tell anything.
const MIN_SIGMA: f64 = 0.25;

/// Planned matches of a version whose cost is unknown, until it waits for the end of one.
const UNKNOWN_AT_ONCE: u64 = 2;

/// A newcomer that costs this many times the typical cost has no fast lane.
///
/// Its matches would occupy all of the server.
const SLOW: u64 = 8;

/// Matches until a version is no newcomer any more.
pub(crate) const NEWCOMER_MATCHES: u64 = 20;

/// The weight of newcomers: their time counts this many times less.
pub(crate) const NEWCOMER_WEIGHT: u64 = 20;

/// The number of last opponents that a version avoids.
const MEMORY: usize = 16;

/// A version on the ladder.
#[derive(Clone, Debug)]
pub(crate) struct Active {
    pub(crate) entrant: Entrant,
    /// Matches that began and did not end.
    pub(crate) planned: u64,
    /// The virtual time that these are expected to take.
    pub(crate) pending: u64,
    /// How often it has each seat in them.
    pub(crate) planned_seats: Vec<u64>,
    /// Matches that were given up, since it entered.
    pub(crate) given_up: u64,
    /// The last opponents, the latest first.
    pub(crate) recent: VecDeque<VersionId>,
    /// Where the indices have it.
    pub(crate) slot: Slot,
}

/// The place of a version in the indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slot {
    pub(crate) lane: Lane,
    /// Its turn: virtual time with that of planned matches, then the number of matches.
    pub(crate) turn: (u64, u64, VersionId),
    /// Its skill, in millionths.
    pub(crate) skill: (i64, VersionId),
}

/// A queue of versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lane {
    /// The usual one.
    Usual,
    /// The fast one, for newcomers.
    Fast,
    /// None: the version waits until one of its planned matches ends.
    Waiting,
}

impl Active {
    pub(crate) fn new(mut entrant: Entrant, players: usize) -> Active {
        let Skill { mu, sigma } = entrant.skill;
        if !(mu.is_finite() && sigma.is_finite() && sigma > 0.0) {
            entrant.skill = Skill::default();
        }
        entrant.seats.resize(players.max(entrant.seats.len()), 0);
        let id = entrant.id;
        Active {
            planned: 0,
            pending: 0,
            planned_seats: vec![0; entrant.seats.len()],
            given_up: 0,
            recent: VecDeque::new(),
            slot: Slot { lane: Lane::Usual, turn: (0, 0, id), skill: (0, id) },
            entrant,
        }
    }

    /// Returns the number of matches that it played, has begun or gave up.
    pub(crate) fn started(&self) -> u64 {
        self.entrant.matches.saturating_add(self.planned).saturating_add(self.given_up)
    }

    /// Returns its expected share of a match's time, `typical_us` if it is unknown.
    pub(crate) fn expected_us(&self, typical_us: u64) -> u64 {
        if self.entrant.mean_us > 0 { self.entrant.mean_us } else { typical_us }
    }

    /// Returns the virtual time of `us` microseconds.
    ///
    /// A newcomer's time counts less, but only as far as it is not slow.
    pub(crate) fn virtual_time(&self, us: u64, typical_us: u64) -> u64 {
        let cheap = match self.entrant.matches < NEWCOMER_MATCHES {
            true => us.min(typical_us.saturating_mul(SLOW)),
            false => 0,
        };
        (cheap / NEWCOMER_WEIGHT).saturating_add(us - cheap).max(1)
    }

    /// Returns the place in the indices that fits now.
    pub(crate) fn fitting_slot(&self, typical_us: u64) -> Slot {
        let id = self.entrant.id;
        let unknown = self.entrant.matches == 0;
        let lane = if unknown && self.planned >= UNKNOWN_AT_ONCE {
            Lane::Waiting
        } else if self.started() < NEWCOMER_MATCHES
            && self.expected_us(typical_us) <= typical_us.saturating_mul(SLOW)
        {
            Lane::Fast
        } else {
            Lane::Usual
        };
        let pass = self.entrant.pass.saturating_add(self.pending);
        let turn = (pass, self.entrant.matches.saturating_add(self.planned), id);
        Slot { lane, turn, skill: (millionths(self.entrant.skill.mu), id) }
    }

    /// Begins a match on a seat, which is expected to take `time`.
    pub(crate) fn begin(&mut self, seat: usize, time: u64, opponents: &[VersionId]) {
        self.planned += 1;
        self.pending = self.pending.saturating_add(time);
        if self.planned_seats.len() <= seat {
            self.planned_seats.resize(seat + 1, 0);
        }
        self.planned_seats[seat] += 1;
        opponents.iter().for_each(|&other| self.recent.push_front(other));
        self.recent.truncate(MEMORY);
    }

    /// Ends a match that began with the same seat and time.
    pub(crate) fn end(&mut self, seat: usize, time: u64) {
        self.planned = self.planned.saturating_sub(1);
        self.pending = self.pending.saturating_sub(time);
        if let Some(count) = self.planned_seats.get_mut(seat) {
            *count = count.saturating_sub(1);
        }
    }

    /// Learns from a match that was played: its share of the time, its seat, its skill.
    pub(crate) fn learn(&mut self, us: u64, time: u64, seat: usize, skill: Skill) {
        let entrant = &mut self.entrant;
        entrant.pass = entrant.pass.saturating_add(time);
        entrant.mean_us = match entrant.matches {
            0 => us.max(1),
            _ => moved(entrant.mean_us, us).max(1),
        };
        entrant.matches = entrant.matches.saturating_add(1);
        if entrant.seats.len() <= seat {
            entrant.seats.resize(seat + 1, 0);
        }
        entrant.seats[seat] = entrant.seats[seat].saturating_add(1);
        entrant.skill = Skill { mu: skill.mu, sigma: skill.sigma.max(MIN_SIGMA) };
    }

    /// Returns how often it had a seat, planned matches included.
    pub(crate) fn had_seat(&self, seat: usize) -> u64 {
        let of = |seats: &[u64]| seats.get(seat).copied().unwrap_or(0);
        of(&self.entrant.seats).saturating_add(of(&self.planned_seats))
    }
}

/// Returns a skill as a whole number, so that it can be sorted.
pub(crate) fn millionths(mu: f64) -> i64 {
    (mu * 1e6).round() as i64
}

/// Returns a moving mean after one more value, which counts an eighth.
fn moved(mean: u64, value: u64) -> u64 {
    // 7 / 8 + 1 / 8 is at most the greater of the two.
    ((u128::from(mean) * 7 + u128::from(value)).div_ceil(8)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn active() -> Active {
        Active::new(Entrant::new(VersionId(1), 1), 2)
    }

    #[test]
    fn time_of_newcomers_counts_less_unless_they_are_slow() {
        let mut one = active();
        assert_eq!(one.virtual_time(1_000, 1_000), 50);
        assert_eq!(one.virtual_time(10_000, 1_000), 400 + 2_000);
        assert_eq!(one.virtual_time(0, 0), 1);
        one.entrant.matches = 20;
        assert_eq!(one.virtual_time(1_000, 1_000), 1_000);
        assert_eq!(one.virtual_time(u64::MAX, 1), u64::MAX);
    }

    #[test]
    fn huge_costs_saturate() {
        let mut one = active();
        for _ in 0..3 {
            one.learn(u64::MAX, u64::MAX, 1, Skill::default());
        }
        assert_eq!((one.entrant.pass, one.entrant.mean_us), (u64::MAX, u64::MAX));
        assert_eq!(one.entrant.seats, [0, 3]);
    }

    #[test]
    fn lanes_depend_on_matches_and_cost() {
        let mut one = active();
        assert_eq!(one.fitting_slot(10).lane, Lane::Fast);
        one.planned = 2;
        assert_eq!(one.fitting_slot(10).lane, Lane::Waiting);
        one.learn(81, 1, 0, Skill::default());
        assert_eq!(one.fitting_slot(10).lane, Lane::Usual);
        assert_eq!(one.fitting_slot(20).lane, Lane::Fast);
        one.given_up = 17;
        assert_eq!(one.fitting_slot(20).lane, Lane::Usual);
    }

    #[test]
    fn broken_skills_start_again() {
        let skill = Skill { mu: f64::NAN, sigma: 1.0 };
        let broken = Entrant { skill, ..Entrant::new(VersionId(1), 1) };
        let one = Active::new(broken, 2);
        assert_eq!(one.entrant.skill, Skill::default());
    }
}
