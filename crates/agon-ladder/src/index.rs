//! The versions of a ladder, found by number, turn, skill and owner.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound::{Excluded, Unbounded};

use agon_core::Rng;

use crate::active::{Active, Lane, Slot};
use crate::{Entrant, VersionId};

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
