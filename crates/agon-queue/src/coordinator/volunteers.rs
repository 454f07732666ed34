//! What is known of volunteers: how often their results are checked, which wait for a check, and
//! who takes part no more.

use std::collections::{BTreeMap, BTreeSet};

use agon_core::{Purpose, Rng, Seed};
use serde::{Deserialize, Serialize};

use super::Exclusion;
use crate::{JobKey, Owner};

/// So many results of a volunteer must have been right before one may count without a check.
const PROBATION: u64 = 10;

/// Then one of `n` is checked, where `n` were right; but at least one of so many.
const FLOOR: u64 = 20;

/// So many incomplete batches are never held against a volunteer.
const FEW: u64 = 8;

/// So many times the share of incomplete batches of all others is too much.
const FAR: u64 = 4;

/// Batches that are lost within this time, in milliseconds, are lost together: a machine was
/// switched off.
const ONE_LOSS: u64 = 60_000;

/// The share of incomplete batches that anybody may have, as one of so many.
const USUAL: u64 = 50;

/// A result waits so long for a later check, in milliseconds; then one is made.
const PATIENCE: u64 = 60_000;

/// The most volunteers that are followed; others take no part.
const MOST: usize = 10_000;

/// The most excluded volunteers that batches name.
const MOST_NAMED: usize = 64;

/// How a volunteer fares, for people.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VolunteerStatus {
    /// Whose workers they are.
    pub owner: String,
    /// Results that count.
    pub counted: u64,
    /// Results that wait for a check, their own or a later one.
    pub waiting: u64,
    /// Results that were checked and right.
    pub right: u64,
    /// Results of bots that may answer differently each time, and did so when somebody else played
    /// the match.
    pub differing: u64,
    /// Batches that its workers took.
    pub taken: u64,
    /// Those of them that they did not bring back whole.
    pub incomplete: u64,
    /// Whether it takes part no more.
    pub is_excluded: bool,
}

impl VolunteerStatus {
    /// Returns how it fared, in a sentence.
    pub fn sentence(&self) -> String {
        let VolunteerStatus { owner, counted, right, differing, .. } = self;
        let end = if self.is_excluded { "; it takes part no more" } else { "" };
        let differing = match differing {
            0 => String::new(),
            _ => format!(", {differing} came out otherwise when others played the match"),
        };
        format!(
            "volunteer {owner}: {counted} of its results count, and {right} were checked and \
             agreed{differing}{end}"
        )
    }
}

/// What is known of a volunteer.
#[derive(Clone, Debug, Default)]
pub(super) struct Volunteer {
    counted: u64,
    right: u64,
    differing: u64,
    batches: Batches,
    is_excluded: bool,
    /// Results that were not chosen for a check, by their numbers: they count once a later check
    /// was passed.
    held: BTreeMap<u64, Waiting>,
    /// Results that are being checked.
    checking: BTreeSet<u64>,
    /// Results with lower numbers count, unless an earlier one is still being checked.
    until: u64,
    /// The number of its last result.
    last: u64,
    /// When it last lost a batch.
    lost: Option<u64>,
}

/// A result that waits for a later check.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    key: JobKey,
    since: u64,
}

/// Batches that somebody has taken.
#[derive(Clone, Copy, Debug, Default)]
struct Batches {
    taken: u64,
    incomplete: u64,
}

/// All volunteers.
#[derive(Clone, Debug)]
pub(super) struct Volunteers {
    by_name: BTreeMap<String, Volunteer>,
    /// The batches of all.
    batches: Batches,
    /// Those that take part no more; of very many, the first.
    excluded: Vec<String>,
    /// Results of all that are held, and that are being checked.
    held: usize,
    checking: usize,
    /// Chooses what is checked. Nobody but the coordinator knows its seed.
    rng: Rng,
}

impl Volunteers {
    pub(super) fn new(secret: u64) -> Volunteers {
        let rng = Seed(secret).stream(Purpose::Sample, 0);
        Volunteers {
            by_name: BTreeMap::new(),
            batches: Batches::default(),
            excluded: Vec::new(),
            held: 0,
            checking: 0,
            rng,
        }
    }

    /// Returns a volunteer that takes part.
    fn of(&mut self, owner: &str) -> Option<&mut Volunteer> {
        if !self.by_name.contains_key(owner) {
            if self.by_name.len() >= MOST {
                return None;
            }
            self.by_name.insert(owner.to_owned(), Volunteer::default());
        }
        self.by_name.get_mut(owner).filter(|of| !of.is_excluded)
    }

    pub(super) fn is_excluded(&self, owner: &str) -> bool {
        self.by_name.get(owner).is_some_and(|of| of.is_excluded)
    }

    pub(super) fn take_part(&mut self, owner: &str) -> bool {
        self.of(owner).is_some()
    }

    /// A result has come; returns its number.
    pub(super) fn came(&mut self, owner: &str) -> u64 {
        let Some(of) = self.of(owner) else { return 0 };
        of.last += 1;
        of.last
    }

    /// Returns whether the next result of a volunteer is checked, by chance.
    pub(super) fn draw(&mut self, owner: &str) -> bool {
        let Some(of) = self.of(owner) else { return true };
        // More than ten are not checked at first: what comes while they are waits for them.
        let is_new = of.right + (of.checking.len() as u64) < PROBATION;
        let right = of.right.clamp(PROBATION, FLOOR);
        is_new || self.rng.chance(1, right)
    }

    /// A result waits until a later one was checked.
    pub(super) fn hold(&mut self, now: u64, owner: &str, number: u64, key: JobKey) {
        if let Some(of) = self.of(owner) {
            of.held.insert(number, Waiting { key, since: now });
            self.held += 1;
        }
    }

    /// A result waits no more for a later one.
    pub(super) fn unhold(&mut self, owner: &str, number: u64) {
        if let Some(of) = self.by_name.get_mut(owner)
            && of.held.remove(&number).is_some()
        {
            self.held -= 1;
        }
    }

    /// A result is being checked.
    pub(super) fn check(&mut self, owner: &str, number: u64) {
        if let Some(of) = self.of(owner) {
            of.checking.insert(number);
            self.checking += 1;
        }
    }

    /// A check is over; or it is not needed any more.
    pub(super) fn checked(&mut self, owner: &str, number: u64) {
        if let Some(of) = self.by_name.get_mut(owner)
            && of.checking.remove(&number)
        {
            self.checking -= 1;
        }
    }

    /// A check was passed; returns those earlier results that count now: numbers below `until`. A
    /// check that is not over holds up all that came after its result: it may find a lie.
    pub(super) fn passed(&mut self, owner: &str, until: u64) -> Vec<JobKey> {
        let Some(of) = self.of(owner) else { return Vec::new() };
        of.right += 1;
        of.until = of.until.max(until);
        let until = of.checking.first().map_or(of.until, |first| of.until.min(*first));
        let later = of.held.split_off(&until);
        let counting = std::mem::replace(&mut of.held, later);
        self.held -= counting.len();
        counting.into_values().map(|waiting| waiting.key).collect()
    }

    /// A result counts.
    pub(super) fn counted(&mut self, owner: &str) {
        if let Some(of) = self.by_name.get_mut(owner) {
            of.counted += 1;
        }
    }

    /// Somebody else has played a match to another end, which may be if its bots do not always
    /// answer the same.
    pub(super) fn differs(&mut self, owner: &str) {
        if let Some(of) = self.by_name.get_mut(owner) {
            of.differing += 1;
        }
    }

    /// Excludes a volunteer; returns its results that wait, or `None` if that was done before.
    pub(super) fn exclude(&mut self, owner: &str) -> Option<Vec<JobKey>> {
        let of = self.of(owner)?;
        of.is_excluded = true;
        let held = std::mem::take(&mut of.held);
        let checking = std::mem::take(&mut of.checking);
        self.held -= held.len();
        self.checking -= checking.len();
        if self.excluded.len() < MOST_NAMED {
            self.excluded.push(owner.to_owned());
        }
        Some(held.into_values().map(|waiting| waiting.key).collect())
    }

    /// Draws a result of each volunteer whose results have waited for too long while nothing of
    /// it was checked; `is_end` if nothing but such results is left. Returns it with the number
    /// of the volunteer's next result.
    pub(super) fn overdue(&mut self, now: u64, is_end: bool) -> Vec<(String, JobKey, u64)> {
        let mut all = Vec::new();
        for (owner, of) in &mut self.by_name {
            let Some((_, oldest)) = of.held.first_key_value() else { continue };
            if !of.checking.is_empty() || (!is_end && oldest.since + PATIENCE > now) {
                continue;
            }
            let at = self.rng.below(of.held.len() as u64) as usize;
            let drawn = of.held.values().nth(at).expect("there are more");
            all.push((owner.clone(), drawn.key, of.last + 1));
        }
        all
    }

    /// Somebody's worker has taken a batch.
    pub(super) fn took(&mut self, owner: &Owner) {
        if let Owner::Volunteer(owner) = owner {
            let Some(of) = self.of(owner) else { return };
            of.batches.taken += 1;
        }
        self.batches.taken += 1;
    }

    /// Somebody's worker has not brought all results of a batch. If it no longer lives, all that it
    /// had goes at once, and counts as one. Returns why a volunteer is to be excluded, if that is
    /// far more often than others do so.
    pub(super) fn incomplete(&mut self, now: u64, owner: &Owner, lives: bool) -> Option<Exclusion> {
        let Owner::Volunteer(owner) = owner else {
            self.batches.incomplete += 1;
            return None;
        };
        let of = self.of(owner)?;
        let is_same = of.lost.is_some_and(|lost| lost + ONE_LOSS > now);
        if !lives && is_same {
            return None;
        }
        of.lost = Some(now);
        of.batches.incomplete += 1;
        let Batches { taken, incomplete } = of.batches;
        self.batches.incomplete += 1;
        let all = self.batches;
        let rest = Batches {
            taken: all.taken.saturating_sub(taken),
            incomplete: all.incomplete.saturating_sub(incomplete),
        };
        let is_far = incomplete * USUAL > FAR * taken
            && incomplete * (rest.taken + 1) > FAR * rest.incomplete * taken;
        (incomplete >= FEW && is_far).then_some(Exclusion::Drops { taken, incomplete })
    }

    /// Returns those that take part no more; of very many, the first.
    pub(super) fn excluded(&self) -> &[String] {
        &self.excluded
    }

    /// Returns how many results wait for a later check.
    pub(super) fn held(&self) -> usize {
        self.held
    }

    /// Returns how many results wait for any check.
    pub(super) fn open(&self) -> usize {
        self.held + self.checking
    }

    /// Returns how volunteers fare, in order of their names.
    pub(super) fn status(&self) -> Vec<VolunteerStatus> {
        let status = |(owner, of): (&String, &Volunteer)| VolunteerStatus {
            owner: owner.clone(),
            counted: of.counted,
            waiting: (of.held.len() + of.checking.len()) as u64,
            right: of.right,
            differing: of.differing,
            taken: of.batches.taken,
            incomplete: of.batches.incomplete,
            is_excluded: of.is_excluded,
        };
        self.by_name.iter().map(status).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(right: u64) -> usize {
        let mut all = Volunteers::new(7);
        (0..right).for_each(|_| drop(all.passed("ada", 0)));
        (0..10_000).filter(|_| all.draw("ada")).count()
    }

    #[test]
    fn the_first_results_are_checked_and_later_ones_with_a_probability_that_falls_to_a_floor() {
        assert_eq!((checked(0), checked(9)), (10_000, 10_000));
        assert!((850..1150).contains(&checked(10)), "{}", checked(10));
        assert!((600..740).contains(&checked(15)), "{}", checked(15));
        assert!((430..570).contains(&checked(1_000)), "{}", checked(1_000));
    }

    #[test]
    fn who_drops_far_more_than_others_is_excluded_and_bad_luck_is_not_held_against_anybody() {
        let ada = Owner::Volunteer("ada".to_owned());
        let bob = Owner::Volunteer("bob".to_owned());
        let take = |all: &mut Volunteers, owner: &Owner, count| {
            (0..count).for_each(|_| all.took(owner));
        };
        let drops = |all: &mut Volunteers, owner: &Owner, count| {
            (0..count).filter_map(|_| all.incomplete(0, owner, true)).last()
        };
        // Without anybody to compare with: two of a hundred are usual.
        let mut alone = Volunteers::new(1);
        take(&mut alone, &ada, 200);
        assert_eq!(drops(&mut alone, &ada, 16), None);
        assert_eq!(
            drops(&mut alone, &ada, 1),
            Some(Exclusion::Drops { taken: 200, incomplete: 17 })
        );
        // A few batches, all lost: the machine was switched off.
        let mut few = Volunteers::new(1);
        take(&mut few, &ada, 7);
        assert_eq!(drops(&mut few, &ada, 7), None);
        // A hundred slots of a machine that is switched off are one loss.
        let mut off = Volunteers::new(1);
        take(&mut off, &ada, 100);
        assert!((0..100).all(|_| off.incomplete(5, &ada, false).is_none()));
        assert_eq!(off.status()[0].incomplete, 1);
        // A bad network, for all.
        let mut all = Volunteers::new(1);
        take(&mut all, &bob, 300);
        take(&mut all, &Owner::Trusted, 700);
        assert_eq!(drops(&mut all, &Owner::Trusted, 200), None);
        take(&mut all, &ada, 100);
        assert_eq!(drops(&mut all, &ada, 79), None);
        assert!(drops(&mut all, &ada, 10).is_some());
    }
}
