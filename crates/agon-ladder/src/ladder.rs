//! The ladder: who plays next, and what results change.

use std::collections::BTreeMap;

use agon_core::{Purpose, Rng, Seed};
use agon_rating::{Record, Skill, Skills};

use crate::index::{Active, Index, Lane};
use crate::opponents::{Choice, seats};
use crate::{Entrant, LadderError, Played, VersionId};

/// The largest share of time for matches with newcomers, in percent. If a greater part of all
/// versions are newcomers, that part is the largest share.
const NEWCOMER_PERCENT: u64 = 50;

/// The share of matches with random opponents, in percent. If results decide who plays whom,
/// ratings are drawn apart. Random matches hold the scale.
const RANDOM_PERCENT: u64 = 25;

/// The number of subjects that [`Ladder::next`] tries, if the first cannot play now.
const TRIES: usize = 8;

/// A ladder that runs until it is stopped.
///
/// It decides who plays whom, and learns from results. It plays nothing itself. Its state is a
/// function of the calls so far. All that must outlast the program is in the [`Entrant`]s, except
/// the last opponents of each version: they are lost, and the ladder collects them again.
#[derive(Clone, Debug)]
pub struct Ladder {
    /// Players of a match.
    players: usize,
    seed: Seed,
    index: Index,
    /// Versions that left while matches of them were planned.
    departed: BTreeMap<VersionId, Active>,
    /// The planned matches of each group.
    planned: BTreeMap<Vec<VersionId>, Vec<Plan>>,
    lanes: Lanes,
    /// Whether `next` was called: before, entrants are those of a database.
    is_running: bool,
    /// The virtual time of the last subject.
    now: u64,
}

/// What a planned match is expected to take: one entry for each player.
type Plan = Vec<Expected>;

/// What a planned match is expected to take of one player.
#[derive(Clone, Copy, Debug)]
struct Expected {
    /// The player's lane when the match began.
    lane: Lane,
    /// Its share of the match's time, in microseconds.
    us: u64,
    /// The same as virtual time.
    time: u64,
}

/// The entry of a player that the ladder does not know.
const NOTHING: Expected = Expected { lane: Lane::Usual, us: 0, time: 0 };

impl Ladder {
    /// Makes a ladder without entrants. Matches have 2 to 64 players; other numbers count as the
    /// nearest of these.
    pub fn new(players: usize, seed: Seed) -> Ladder {
        Ladder {
            players: players.clamp(2, 64),
            seed,
            index: Index::default(),
            departed: BTreeMap::new(),
            planned: BTreeMap::new(),
            lanes: Lanes::default(),
            is_running: false,
            now: 0,
        }
    }

    /// Adds a version: a new one, one from the database, or one that was paused.
    ///
    /// Before the first call of [`Self::next`], entrants keep their virtual time. Later, one with
    /// less starts at the least virtual time of all: nobody collects a right to play while away.
    /// An entrant with the same number is replaced.
    pub fn enter(&mut self, entrant: Entrant) {
        let id = entrant.id;
        let mut active = Active::new(entrant, self.players);
        if let Some(before) = self.index.remove(id).or_else(|| self.departed.remove(&id)) {
            active = Active { entrant: active.entrant, ..before };
        }
        if self.is_running {
            let least = self.index.least().unwrap_or(self.now);
            active.entrant.pass = active.entrant.pass.max(least);
        }
        self.index.add(active);
    }

    /// Takes out a version that is retired, paused or disqualified, and returns its facts.
    ///
    /// Results of its planned matches still count.
    pub fn leave(&mut self, id: VersionId) -> Option<Entrant> {
        let active = self.index.remove(id)?;
        let entrant = active.entrant.clone();
        if active.planned > 0 {
            self.departed.insert(id, active);
        }
        Some(entrant)
    }

    /// Returns the facts about a version on the ladder.
    pub fn get(&self, id: VersionId) -> Option<&Entrant> {
        self.index.get(id).map(|active| &active.entrant)
    }

    /// Returns the facts about all versions on the ladder, by number.
    pub fn entrants(&self) -> impl Iterator<Item = &Entrant> {
        self.index.entrants()
    }

    /// Chooses the players of the next match, in the order of their seats.
    ///
    /// `number` is the number of the match: all that is random comes from it and the seed. Call
    /// [`Self::begun`] before the next call, or the match is not counted as planned.
    ///
    /// `None` if fewer owners than players per match have versions on the ladder, or too many
    /// versions wait for the end of their first matches. Then ask again after a change.
    pub fn next(&mut self, number: u64) -> Option<Vec<VersionId>> {
        self.start();
        if self.index.owners() < self.players {
            return None;
        }
        let mut rng = self.seed.stream(Purpose::Draw, number);
        let typical_us = self.index.typical_us();
        let is_random = rng.chance(RANDOM_PERCENT, 100);
        let mut subjects = self.subjects();
        if is_random {
            subjects.splice(..0, self.random_subject(typical_us, &mut rng));
        }
        let choice = |subject| {
            let subject = self.index.get(subject)?;
            Some(Choice { index: &self.index, players: self.players, typical_us, subject })
        };
        let group_of = |subject| choice(subject)?.group(is_random, &mut rng);
        let group = subjects.into_iter().find_map(group_of)?;
        let subject = group[0];
        self.now = self.now.max(self.index.get(subject)?.slot.turn.0);
        let slack = choice(subject)?.slack();
        self.keep_up(&group, slack);
        let had = |member: usize, seat: usize| {
            self.index.get(group[member]).map_or(0, |active| active.had_seat(seat))
        };
        let order = seats(group.len(), had, &mut rng);
        Some(order.into_iter().map(|member| group[member]).collect())
    }

    /// Draws a version that is not far ahead of the one whose turn it is.
    ///
    /// Otherwise, in a small field, a quick version would be in all matches: it has had the least
    /// time after each.
    fn random_subject(&self, typical_us: u64, rng: &mut Rng) -> Option<VersionId> {
        let drawn = self.index.get(self.index.random(rng)?)?;
        let first = self.index.get(self.index.lane(Lane::Usual).next()?)?;
        let choice =
            Choice { index: &self.index, players: self.players, typical_us, subject: first };
        let slack = choice.slack();
        let lead = drawn.slot.turn.0.saturating_sub(first.slot.turn.0);
        (drawn.slot.lane == Lane::Usual && lead <= slack).then_some(drawn.entrant.id)
    }

    /// Has the subject of a match catch up if all others are far ahead.
    ///
    /// Nobody collects a right to time that it cannot use: there is nobody to use it with.
    fn keep_up(&mut self, group: &[VersionId], slack: u64) {
        let turn = |&id: &VersionId| self.index.get(id).map(|active| active.slot.turn.0);
        let (Some(own), Some(least)) = (turn(&group[0]), group[1..].iter().filter_map(turn).min())
        else {
            return;
        };
        let lead = least.saturating_sub(own);
        if lead > slack {
            self.index.change(group[0], |active| {
                active.entrant.pass = active.entrant.pass.saturating_add(lead);
            });
        }
    }

    /// Returns the first versions of the lane whose turn it is, and then those of the other lane.
    fn subjects(&mut self) -> Vec<VersionId> {
        let (fast, usual) = self.index.lane_sizes();
        let lane = self.lanes.next(fast, usual);
        let other = if lane == Lane::Fast { Lane::Usual } else { Lane::Fast };
        let first = |lane| self.index.lane(lane).take(TRIES);
        first(lane).chain(first(other)).collect()
    }

    /// Gives entrants without a match the least virtual time of the others.
    fn start(&mut self) {
        if std::mem::replace(&mut self.is_running, true) {
            return;
        }
        let old = self.index.entrants().filter(|entrant| !entrant.is_fresh());
        let least = old.map(|entrant| entrant.pass).min().unwrap_or(0);
        let fresh: Vec<VersionId> = self
            .index
            .entrants()
            .filter(|entrant| entrant.is_fresh())
            .map(|entrant| entrant.id)
            .collect();
        for id in fresh {
            self.index.change(id, |active| active.entrant.pass = least);
        }
    }

    /// Notes that a match is planned, also one from before a restart.
    ///
    /// `players` are in the order of their seats.
    pub fn begun(&mut self, players: &[VersionId]) {
        let typical_us = self.index.typical_us();
        let mut plan = Plan::new();
        for (seat, &id) in players.iter().enumerate() {
            let opponents: Vec<VersionId> =
                players.iter().copied().filter(|&other| other != id).collect();
            let change = |active: &mut Active| {
                let us = active.expected_us(typical_us);
                let time = active.virtual_time(us, typical_us);
                let lane = active.slot.lane;
                active.begin(seat, time, &opponents);
                Expected { lane, us, time }
            };
            let expected = self.change(id, change).unwrap_or(NOTHING);
            self.lanes.spend(expected.lane, expected.us);
            plan.push(expected);
        }
        self.planned.entry(players.to_vec()).or_default().push(plan);
    }

    /// Learns from a match, and returns the changed facts of its players for the database.
    ///
    /// Players that left meanwhile are among them if the match was begun here; others that the
    /// ladder does not know are left out.
    ///
    /// # Errors
    /// If the result is wrong ([`Played::check`]). Then nothing changes.
    pub fn played(&mut self, played: &Played) -> Result<Vec<Entrant>, LadderError> {
        played.check()?;
        self.end(&played.players);
        let typical_us = self.index.typical_us();
        let skills = self.skills_after(played);
        let mut changed = Vec::new();
        for (seat, (&id, us)) in played.players.iter().zip(played.shares()).enumerate() {
            let Some(&skill) = skills.get(&id) else { continue };
            let change = |active: &mut Active| {
                let time = active.virtual_time(us, typical_us);
                let lane = active.slot.lane;
                active.learn(us, time, seat, skill);
                (lane, active.entrant.clone())
            };
            let Some((lane, entrant)) = self.change(id, change) else { continue };
            self.lanes.spend(lane, us);
            changed.push(entrant);
        }
        self.forget(&played.players);
        Ok(changed)
    }

    /// Notes that a planned match was not played: it was void, or ended with an error.
    ///
    /// Its expected time still counts, so that a match that always fails does not come at once
    /// again. Facts change only in [`Entrant::pass`].
    pub fn gave_up(&mut self, players: &[VersionId]) {
        let Some(plan) = self.end(players) else { return };
        for (&id, Expected { lane, us, time }) in players.iter().zip(plan) {
            self.lanes.spend(lane, us);
            self.change(id, |active| {
                active.given_up = active.given_up.saturating_add(1);
                active.entrant.pass = active.entrant.pass.saturating_add(time);
            });
        }
        self.forget(players);
    }

    /// Takes back what was expected of a planned match; `None` if it is not planned.
    fn end(&mut self, players: &[VersionId]) -> Option<Plan> {
        let plans = self.planned.get_mut(players)?;
        let plan = plans.pop()?;
        if plans.is_empty() {
            self.planned.remove(players);
        }
        for (seat, (&id, expected)) in players.iter().zip(&plan).enumerate() {
            self.lanes.take_back(expected.lane, expected.us);
            self.change(id, |active| active.end(seat, expected.time));
        }
        Some(plan)
    }

    /// Returns the skills of all known players after a match.
    fn skills_after(&self, played: &Played) -> BTreeMap<VersionId, Skill> {
        let known = |&(&id, _): &(&VersionId, &u32)| {
            self.index.get(id).or_else(|| self.departed.get(&id)).is_some()
        };
        let (ids, places): (Vec<VersionId>, Vec<u32>) =
            played.players.iter().zip(&played.places).filter(known).unzip();
        let skill = |id: &VersionId| {
            let active = self.index.get(*id).or_else(|| self.departed.get(id));
            active.map_or_else(Skill::default, |active| active.entrant.skill)
        };
        let mut skills = Skills::from_skills(ids.iter().map(skill).collect());
        let numbers: Vec<usize> = (0..ids.len()).collect();
        // A single known player learns nothing: the record is refused.
        let _ = skills.update(&Record::new(&numbers, &places));
        ids.into_iter().zip(skills.all().iter().copied()).collect()
    }

    /// Changes a version that is on the ladder or left.
    fn change<T>(&mut self, id: VersionId, change: impl FnOnce(&mut Active) -> T) -> Option<T> {
        match self.departed.get_mut(&id) {
            Some(active) => Some(change(active)),
            None => self.index.change(id, change),
        }
    }

    /// Drops those of `players` who left and have no planned match any more.
    fn forget(&mut self, players: &[VersionId]) {
        for id in players {
            if self.departed.get(id).is_some_and(|active| active.planned == 0) {
                self.departed.remove(id);
            }
        }
    }
}

/// The two queues of a ladder: newcomers go first, but take only a share of the time. This is the
/// time that versions of each lane took in matches or are expected to take, in microseconds.
///
/// Only the balance matters. While no newcomer is there, usual versions collect no credit, but get
/// back what newcomers took before.
#[derive(Clone, Debug, Default)]
struct Lanes {
    fast: u64,
    usual: u64,
}

impl Lanes {
    /// Returns the lane whose turn it is, for this many versions in each.
    ///
    /// Versions of the usual lane keep their equal share of time, or what [`NEWCOMER_PERCENT`]
    /// leaves if that is more.
    fn next(&mut self, fast: usize, usual: usize) -> Lane {
        let part = (fast as u64).saturating_mul(100) / (fast as u64 + usual as u64).max(1);
        let percent = u128::from(part.max(NEWCOMER_PERCENT));
        let taken = u128::from(self.fast) * 100u128.saturating_sub(percent);
        match taken <= u128::from(self.usual) * percent {
            true if fast > 0 => Lane::Fast,
            true => {
                *self = Lanes::default();
                Lane::Usual
            }
            false => Lane::Usual,
        }
    }

    /// Adds time to a lane.
    fn spend(&mut self, lane: Lane, us: u64) {
        let lane = self.of(lane);
        *lane = lane.saturating_add(us);
    }

    /// Subtracts time from a lane, as far as there is some.
    fn take_back(&mut self, lane: Lane, us: u64) {
        let lane = self.of(lane);
        *lane = lane.saturating_sub(us);
    }

    fn of(&mut self, lane: Lane) -> &mut u64 {
        if lane == Lane::Usual { &mut self.usual } else { &mut self.fast }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newcomers_take_their_share_of_time_and_collect_no_credit() {
        let mut lanes = Lanes::default();
        lanes.spend(Lane::Usual, 1_000_000);
        assert_eq!(lanes.next(0, 5), Lane::Usual);
        let count = |fast, usual| {
            let mut lanes = lanes.clone();
            let mut count = 0;
            for _ in 0..400 {
                let lane = lanes.next(fast, usual);
                count += usize::from(lane == Lane::Fast);
                lanes.spend(lane, 10);
            }
            count
        };
        // Half of the time, or as much as there are newcomers.
        assert_eq!((count(1, 100), count(9, 1), count(1, 0)), (200, 360, 400));
    }

    #[test]
    fn what_slow_newcomers_took_is_given_back_though_each_is_gone_at_once() {
        let mut lanes = Lanes::default();
        let mut taken = [0, 0];
        for _ in 0..100 {
            // A newcomer comes each 9 s, and is gone after one match of 33 s.
            if lanes.next(1, 5) == Lane::Fast {
                lanes.spend(Lane::Fast, 33);
                taken[0] += 33;
            }
            for _ in 0..9 {
                assert_eq!(lanes.next(0, 6), Lane::Usual);
                lanes.spend(Lane::Usual, 1);
                taken[1] += 1;
            }
        }
        assert!(taken[0] <= taken[1] + 33, "{taken:?}");
    }
}
