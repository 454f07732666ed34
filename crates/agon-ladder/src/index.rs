//! The versions of a ladder: the facts to keep and the matches that are planned; found by number,
//! turn, skill and owner.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::Bound::{Excluded, Unbounded};

use agon_core::Rng;
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

/// The expected cost of a version if no cost is known yet, in microseconds.
const FIRST_US: u64 = 1_000_000;

/// The versions of a ladder. Each call takes time with the logarithm of their number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Index {
    versions: BTreeMap<VersionId, Active>,
    usual: BTreeSet<(u64, u64, VersionId)>,
    fast: BTreeSet<(u64, u64, VersionId)>,
    /// All that do not wait.
    skills: BTreeSet<(i64, VersionId)>,
    owners: BTreeMap<u64, BTreeSet<VersionId>>,
    /// All known costs.
    costs: Costs,
}

impl Index {
    pub(crate) fn get(&self, id: VersionId) -> Option<&Active> {
        self.versions.get(&id)
    }

    /// Returns the number of owners: more players cannot meet.
    pub(crate) fn owners(&self) -> usize {
        self.owners.len()
    }

    /// Returns the typical cost of a version, in microseconds.
    pub(crate) fn typical_us(&self) -> u64 {
        self.costs.typical().unwrap_or(FIRST_US)
    }

    /// Returns the least virtual time of all who do not wait.
    pub(crate) fn least(&self) -> Option<u64> {
        let first = |lane: &BTreeSet<(u64, u64, VersionId)>| lane.first().map(|turn| turn.0);
        [first(&self.usual), first(&self.fast)].into_iter().flatten().min()
    }

    /// Returns the versions of a lane, the next one first.
    pub(crate) fn lane(&self, lane: Lane) -> impl Iterator<Item = VersionId> {
        let turns = match lane {
            Lane::Usual => self.usual.iter(),
            Lane::Fast => self.fast.iter(),
            Lane::Waiting => Default::default(),
        };
        turns.map(|turn| turn.2)
    }

    /// Returns the numbers of versions in the fast and the usual lane.
    pub(crate) fn lane_sizes(&self) -> (usize, usize) {
        (self.fast.len(), self.usual.len())
    }

    /// Returns the versions below a skill, the nearest first.
    pub(crate) fn below(&self, skill: (i64, VersionId)) -> impl Iterator<Item = VersionId> {
        self.skills.range(..skill).rev().map(|skill| skill.1)
    }

    /// Returns the versions above a skill, the nearest first.
    pub(crate) fn above(&self, skill: (i64, VersionId)) -> impl Iterator<Item = VersionId> {
        self.skills.range((Excluded(skill), Unbounded)).map(|skill| skill.1)
    }

    /// Draws a version.
    ///
    /// It starts at a random number and skips some versions, so that one behind a small gap has
    /// about the same chance as all others.
    pub(crate) fn random(&self, rng: &mut Rng) -> Option<VersionId> {
        const SKIP: usize = 16;
        let first = *self.versions.first_key_value()?.0;
        let last = *self.versions.last_key_value()?.0;
        let start = first.0 + rng.below((last.0 - first.0).saturating_add(1));
        let skip = rng.index(SKIP);
        let from = self.versions.range(VersionId(start)..).chain(&self.versions);
        from.map(|(&id, _)| id).nth(skip % self.versions.len())
    }

    /// Returns a version of each owner, in order from a random owner.
    pub(crate) fn of_owners(&self, rng: &mut Rng) -> impl Iterator<Item = VersionId> {
        let start = rng.bits();
        let from = self.owners.range(start..).chain(self.owners.range(..start));
        let point = VersionId(rng.bits());
        from.filter_map(move |(_, ids)| {
            ids.range(point..).chain(ids.range(..point)).next().copied()
        })
    }

    /// Adds a version; one with the same number must not be there.
    pub(crate) fn add(&mut self, active: Active) {
        let id = active.entrant.id;
        self.owners.entry(active.entrant.owner).or_default().insert(id);
        self.versions.insert(id, active);
        self.know(id);
        self.place(id);
    }

    /// Takes a version out.
    pub(crate) fn remove(&mut self, id: VersionId) -> Option<Active> {
        self.lift(id)?;
        self.forget(id);
        let active = self.versions.remove(&id)?;
        let owner = active.entrant.owner;
        if let Some(ids) = self.owners.get_mut(&owner) {
            ids.remove(&id);
            if ids.is_empty() {
                self.owners.remove(&owner);
            }
        }
        Some(active)
    }

    /// Changes a version, and finds its new place. `None` if it is not there.
    pub(crate) fn change<T>(
        &mut self,
        id: VersionId,
        change: impl FnOnce(&mut Active) -> T,
    ) -> Option<T> {
        self.lift(id)?;
        self.forget(id);
        let result = self.versions.get_mut(&id).map(change);
        self.know(id);
        self.place(id);
        result
    }

    /// Counts the known cost of a version.
    fn know(&mut self, id: VersionId) {
        if let Some(us) = self.cost(id) {
            self.costs.add(us);
        }
    }

    fn forget(&mut self, id: VersionId) {
        if let Some(us) = self.cost(id) {
            self.costs.remove(us);
        }
    }

    fn cost(&self, id: VersionId) -> Option<u64> {
        self.versions.get(&id).map(|active| active.entrant.mean_us).filter(|&us| us > 0)
    }

    fn place(&mut self, id: VersionId) {
        let typical_us = self.typical_us();
        let Some(active) = self.versions.get_mut(&id) else { return };
        let slot = active.fitting_slot(typical_us);
        active.slot = slot;
        match slot.lane {
            Lane::Usual => self.usual.insert(slot.turn),
            Lane::Fast => self.fast.insert(slot.turn),
            Lane::Waiting => return,
        };
        self.skills.insert(slot.skill);
    }

    fn lift(&mut self, id: VersionId) -> Option<()> {
        let Slot { lane, turn, skill } = self.versions.get(&id)?.slot;
        match lane {
            Lane::Usual => self.usual.remove(&turn),
            Lane::Fast => self.fast.remove(&turn),
            Lane::Waiting => return Some(()),
        };
        self.skills.remove(&skill);
        Some(())
    }

    /// Returns the facts about all versions, by number.
    pub(crate) fn entrants(&self) -> impl Iterator<Item = &Entrant> {
        self.versions.values().map(|active| &active.entrant)
    }
}

/// Steps of a logarithm for each doubling.
const STEPS: u32 = 8;

/// The costs of versions: sums of their logarithms, as whole numbers, because sums of floats would
/// depend on the order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Costs {
    sum: u64,
    count: u64,
}

impl Costs {
    /// Adds a cost above 0.
    fn add(&mut self, us: u64) {
        self.sum += logarithm(us);
        self.count += 1;
    }

    /// Removes a cost that was added.
    fn remove(&mut self, us: u64) {
        self.sum -= logarithm(us);
        self.count -= 1;
    }

    /// Returns the geometric mean, to some percent; `None` if there is no cost. Few slow versions
    /// hardly change it.
    fn typical(&self) -> Option<u64> {
        (self.count > 0).then(|| power(self.sum / self.count))
    }
}

/// Returns the logarithm to base 2 in 256ths, linear between powers of two; 0 for 0 and 1.
fn logarithm(us: u64) -> u64 {
    let us = us.max(1);
    let whole = us.ilog2();
    let rest = u128::from(us - (1 << whole)) << STEPS;
    (u64::from(whole) << STEPS) + (rest >> whole) as u64
}

/// Returns the inverse of [`logarithm`].
fn power(logarithm: u64) -> u64 {
    let whole = logarithm >> STEPS;
    let rest = u128::from(logarithm & ((1 << STEPS) - 1));
    let one = 1u128 << whole;
    (one + ((one * rest) >> STEPS)) as u64
}

#[cfg(test)]
mod tests {
    use agon_core::{Purpose, Seed};

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

    fn index(count: u64, id: impl Fn(u64) -> u64) -> Index {
        let mut index = Index::default();
        for number in 0..count {
            let entrant = Entrant::new(VersionId(id(number)), number / 2);
            index.add(Active::new(entrant, 2));
        }
        index
    }

    #[test]
    fn indices_follow_changes() {
        let mut index = index(6, |number| number);
        index.change(VersionId(0), |active| active.entrant.pass = 9).unwrap();
        assert_eq!(index.lane(Lane::Fast).last(), Some(VersionId(0)));
        index.change(VersionId(3), |active| active.entrant.skill.mu = 30.0).unwrap();
        assert_eq!(index.above(index.get(VersionId(5)).unwrap().slot.skill).count(), 1);
        index.change(VersionId(1), |active| active.entrant.mean_us = 40).unwrap();
        index.change(VersionId(2), |active| active.entrant.mean_us = 20).unwrap();
        assert_eq!((index.typical_us(), index.least()), (28, Some(0)));
        for id in 0..6 {
            assert_eq!(index.remove(VersionId(id)).unwrap().entrant.id, VersionId(id));
        }
        assert!(index.remove(VersionId(0)).is_none());
        let left = [index.usual.len(), index.fast.len(), index.skills.len(), index.owners.len()];
        assert_eq!((left, index.costs), ([0; 4], Costs::default()));
    }

    #[test]
    fn random_versions_are_drawn_about_evenly() {
        let mut rng = Seed::plain(2).stream(Purpose::Draw, 0);
        // In a row, spread by chance, and far apart.
        let ids: [fn(u64) -> u64; 3] = [|n| n + 1, agon_core::mix, |n| n * (u64::MAX / 49)];
        for id in ids {
            let index = index(50, id);
            let mut counts = BTreeMap::new();
            for _ in 0..10_000 {
                *counts.entry(index.random(&mut rng).unwrap()).or_insert(0) += 1;
            }
            assert_eq!(counts.len(), 50);
            assert!(counts.values().all(|count| (60..400).contains(count)), "{counts:?}");
        }
    }

    #[test]
    fn each_owner_comes_once() {
        let index = index(10, |number| number);
        let mut rng = Seed::plain(2).stream(Purpose::Draw, 0);
        let mut owners: Vec<u64> =
            index.of_owners(&mut rng).map(|id| index.get(id).unwrap().entrant.owner).collect();
        owners.sort_unstable();
        assert_eq!(owners, [0, 1, 2, 3, 4]);
    }

    #[test]
    fn logarithms_have_inverses() {
        for us in [1, 2, 3, 1_000, 123_456, 1 << 40, u64::MAX] {
            let back = power(logarithm(us));
            assert!(us - back <= us / 256, "{us} became {back}");
        }
    }

    #[test]
    fn a_few_slow_versions_hardly_change_the_typical_cost() {
        let mut costs = Costs::default();
        assert_eq!(costs.typical(), None);
        (0..50).for_each(|_| costs.add(1_000));
        costs.add(100_000);
        assert!((1_000..1_150).contains(&costs.typical().unwrap()), "{costs:?}");
        costs.remove(100_000);
        assert!((995..=1_000).contains(&costs.typical().unwrap()), "{costs:?}");
    }
}
