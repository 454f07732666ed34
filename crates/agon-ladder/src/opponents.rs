//! Opponents: the candidates for a match, and the choice among them.
//!
//! Candidates are near in skill, or drawn at random, or wait the longest. The best one tells most
//! for its time: [`Skills::information`] per expected cost. Those who are
//! ahead with their virtual time, or met a member of the group not long ago, count less. Those who
//! are far ahead are left out.

use agon_core::Rng;
use agon_rating::{Skill, Skills};

use crate::VersionId;
use crate::index::{Active, Index, Lane, millionths};

/// The number of candidates that each choice of opponents looks at.
const CANDIDATES: usize = 32;

/// Exact information is computed for this many candidates, because it takes 2 µs for each.
const EXACT: usize = 12;

/// The lead in virtual time that rules out a candidate if others are there.
///
/// It is in typical costs, or costs of the subject if that is slower. So nobody gets more than its
/// share of time for long, however much its matches tell. A quarter of it halves the value.
const LEAD: u64 = 4;

/// Matches in which a newcomer meets stronger and weaker opponents, by plan.
const FIRST: u64 = 10;

/// The strengths of a newcomer's first opponents: standard deviations from its own mean.
const TARGETS: [f64; FIRST as usize] = [0.0, -1.0, 1.0, -0.5, 0.5, 1.5, -1.5, 0.25, -0.25, 0.0];

/// The versions that may become candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Allowed {
    /// Neither last opponents nor those far ahead with their virtual time.
    Few,
    /// Last opponents, too.
    Again,
    /// All.
    Ahead,
}

/// A choice of opponents for one subject.
pub(crate) struct Choice<'a> {
    pub(crate) index: &'a Index,
    /// The number of players of a match.
    pub(crate) players: usize,
    pub(crate) typical_us: u64,
    pub(crate) subject: &'a Active,
}

impl Choice<'_> {
    /// Returns the group of the match, the subject first; `None` if too few can play now. If it
    /// `is_random`, results so far do not matter.
    pub(crate) fn group(&self, is_random: bool, rng: &mut Rng) -> Option<Vec<VersionId>> {
        let mut candidates =
            if is_random { self.random_candidates(rng) } else { self.candidates(rng) };
        // Those who met not long ago, and then those far ahead, if there are too few others.
        for allowed in [Allowed::Again, Allowed::Ahead] {
            if self.owners(&candidates) + 1 < self.players {
                self.fill(rng, allowed, &mut candidates);
            }
        }
        // In a small field they are the last opponents, the very last one first.
        rng.shuffle(&mut candidates);
        let candidates: Vec<&Active> =
            candidates.into_iter().filter_map(|id| self.index.get(id)).collect();
        let mut group = vec![self.subject];
        while group.len() < self.players {
            let mut new = candidates.iter().copied().filter(|one| is_new(one, &group));
            let next = if is_random { new.next() } else { self.best(new, &group) };
            group.push(next?);
        }
        Some(group.into_iter().map(|active| active.entrant.id).collect())
    }

    /// Returns the largest lead of a candidate.
    pub(crate) fn slack(&self) -> u64 {
        let own = self.subject.expected_us(self.typical_us);
        self.typical_us.max(own).saturating_mul(LEAD).max(1)
    }

    fn lead(&self, one: &Active) -> u64 {
        one.slot.turn.0.saturating_sub(self.subject.slot.turn.0)
    }

    /// Collects candidates whose results so far do not matter, each once.
    fn random_candidates(&self, rng: &mut Rng) -> Vec<VersionId> {
        let mut found = Vec::new();
        for _ in 0..CANDIDATES {
            if self.owners(&found) + 1 >= self.players {
                break;
            }
            let drawn = self.index.random(rng);
            drawn.into_iter().for_each(|id| self.consider(id, Allowed::Few, &mut found));
        }
        found
    }

    /// Collects candidates that tell much, or wait the longest, or are random; each once.
    fn candidates(&self, rng: &mut Rng) -> Vec<VersionId> {
        let mut found = Vec::new();
        if self.subject.started() < FIRST && self.subject.slot.lane == Lane::Fast {
            self.near(TARGETS[self.subject.started() as usize], CANDIDATES, &mut found);
            return found;
        }
        self.near(0.0, CANDIDATES / 2, &mut found);
        for _ in 0..CANDIDATES / 4 {
            let drawn = self.index.random(rng);
            drawn.into_iter().for_each(|id| self.consider(id, Allowed::Few, &mut found));
        }
        let waiting = self.index.lane(Lane::Usual).take(CANDIDATES / 4);
        waiting.for_each(|id| self.consider(id, Allowed::Few, &mut found));
        found
    }

    /// Adds last opponents, and versions of other owners.
    fn fill(&self, rng: &mut Rng, allowed: Allowed, found: &mut Vec<VersionId>) {
        self.subject.recent.iter().for_each(|&id| self.consider(id, allowed, found));
        let steps = CANDIDATES + self.players;
        self.index.of_owners(rng).take(steps).for_each(|id| self.consider(id, allowed, found));
    }

    /// Looks for up to `want` versions whose skills are nearest to a strength.
    ///
    /// It is the subject's mean plus `step` standard deviations.
    fn near(&self, step: f64, want: usize, found: &mut Vec<VersionId>) {
        let Skill { mu, sigma } = self.subject.entrant.skill;
        let skill = (millionths(mu + step * sigma), self.subject.entrant.id);
        let mut below = self.index.below(skill);
        let mut above = self.index.above(skill);
        for _ in 0..want {
            let two = [below.next(), above.next()];
            for id in two.into_iter().flatten() {
                if found.len() < want {
                    self.consider(id, Allowed::Few, found);
                }
            }
        }
    }

    /// Adds a version, if it may meet the subject.
    fn consider(&self, id: VersionId, allowed: Allowed, found: &mut Vec<VersionId>) {
        let Some(active) = self.index.get(id) else { return };
        let may_meet = active.entrant.owner != self.subject.entrant.owner
            && active.slot.lane != Lane::Waiting
            && (allowed == Allowed::Ahead || self.lead(active) <= self.slack())
            && (allowed != Allowed::Few || !self.subject.recent.contains(&id));
        if may_meet && !found.contains(&id) {
            found.push(id);
        }
    }

    /// Returns the number of different owners.
    fn owners(&self, found: &[VersionId]) -> usize {
        let owner = |&id: &VersionId| self.index.get(id).map(|active| active.entrant.owner);
        let mut owners: Vec<u64> = found.iter().filter_map(owner).collect();
        owners.sort_unstable();
        owners.dedup();
        owners.len()
    }

    /// Returns the candidate that is worth most for the group.
    fn best<'a>(
        &self,
        candidates: impl Iterator<Item = &'a Active>,
        group: &[&'a Active],
    ) -> Option<&'a Active> {
        let rough = |one: &'a Active| {
            let information =
                |member: &&Active| rough_information(&one.entrant.skill, &member.entrant.skill);
            (self.worth(one, group, group.iter().map(information).sum()), one)
        };
        let mut rough: Vec<(f64, &Active)> = candidates.map(rough).collect();
        if rough.len() > EXACT {
            rough.sort_by(|one, other| other.0.total_cmp(&one.0));
            rough.truncate(EXACT);
        }
        let mut best: Option<(f64, &Active)> = None;
        for (_, one) in rough {
            let worth = self.worth(one, group, exact_information(one, group));
            if best.is_none_or(|(most, _)| worth > most) {
                best = Some((worth, one));
            }
        }
        best.map(|(_, one)| one)
    }

    /// Returns the value of a candidate: information per cost, less for reasons of fairness.
    fn worth(&self, one: &Active, group: &[&Active], information: f64) -> f64 {
        let cost = |active: &Active| active.expected_us(self.typical_us) as f64;
        let costs: f64 = group.iter().map(|member| cost(member)).sum::<f64>() + cost(one);
        let lead = self.lead(one) as f64;
        let slack = self.slack() as f64 / 4.0;
        // Both remember: who plays often forgets soon.
        let met =
            |member: &&Active| recency(member, one.entrant.id) + recency(one, member.entrant.id);
        let met: f64 = group.iter().map(met).sum();
        // Even a match without information must not be worth nothing: costs still count.
        (information + 1e-6) / (1.0 + costs) * slack / (slack + lead) / (1.0 + met)
    }
}

/// Returns whether the owner of a version has no version in a group.
fn is_new(one: &Active, group: &[&Active]) -> bool {
    group.iter().all(|member| member.entrant.owner != one.entrant.owner)
}

/// Returns how often and how lately a version met another: about a quarter of the matches since.
fn recency(one: &Active, other: VersionId) -> f64 {
    let memory = one.recent.len();
    let met = one.recent.iter().enumerate().filter(|&(_, &id)| id == other);
    met.map(|(ago, _)| (memory - ago) as f64 / 4.0).sum()
}

fn exact_information(one: &Active, group: &[&Active]) -> f64 {
    let pair = |member: &&Active| {
        let skills = Skills::from_skills(vec![one.entrant.skill, member.entrant.skill]);
        skills.information(&[0, 1]).unwrap_or(0.0)
    };
    group.iter().map(pair).sum()
}

/// Returns about the information of a match of two, quickly; only the order counts.
fn rough_information(one: &Skill, other: &Skill) -> f64 {
    let unknown = one.sigma * one.sigma + other.sigma * other.sigma;
    let width = unknown + 2.0 * Skill::NAT * Skill::NAT;
    let lead = one.mu - other.mu;
    unknown / width * libm::exp(-lead * lead / width / 2.0)
}

/// Returns the order of the seats: which member of a group sits on the first, second, … seat. Each
/// gets each seat equally often, as far as possible.
///
/// `had` says how often a member had a seat. Among equally good orders the lot decides.
pub(crate) fn seats(count: usize, had: impl Fn(usize, usize) -> u64, rng: &mut Rng) -> Vec<usize> {
    let mut members: Vec<usize> = (0..count).collect();
    rng.shuffle(&mut members);
    // Exchanges lower the sum of squares of all counts, so they end. The bound is for the clock.
    for _ in 0..count * count {
        let mut better = false;
        for one in 0..count {
            for other in one + 1..count {
                let cost = |a: usize, b: usize| {
                    u128::from(had(members[a], one)) + u128::from(had(members[b], other))
                };
                if cost(other, one) < cost(one, other) {
                    members.swap(one, other);
                    better = true;
                }
            }
        }
        if !better {
            break;
        }
    }
    members
}

#[cfg(test)]
mod tests {
    use agon_core::{Purpose, Seed};

    use super::*;

    #[test]
    fn seats_of_a_fixed_group_stay_even() {
        for count in [2, 3, 5] {
            let mut had = vec![vec![0u64; count]; count];
            for number in 0..60 {
                let mut rng = Seed::plain(1).stream(Purpose::Draw, number);
                let order = seats(count, |member, seat| had[member][seat], &mut rng);
                order.iter().enumerate().for_each(|(seat, &member)| had[member][seat] += 1);
                let all = || had.iter().flatten();
                assert!(all().max().unwrap() - all().min().unwrap() <= 2, "{number}: {had:?}");
            }
        }
    }

    #[test]
    fn the_lot_decides_among_equals() {
        let first = |number| {
            seats(2, |_, _| u64::MAX, &mut Seed::plain(1).stream(Purpose::Draw, number))[0]
        };
        let firsts: usize = (0..100).map(first).sum();
        assert!((30..70).contains(&firsts), "{firsts}");
    }
}
