//! Imagined bots on a real ladder: the ladder chooses who meets whom, and hidden strengths decide.

use std::collections::HashMap;

use agon_core::{Purpose, Rng, Seed};
use agon_ladder::{Entrant, Ladder, Played, VersionId, next_skill};
use agon_rating::{ELO_PER_NAT, Skill};
use anyhow::{Context, Result};

/// When the first match begins: 2026-09-01, in milliseconds since 1970 (UTC).
pub(super) const BEGIN: i64 = 1_788_220_800_000;

/// How long the season has lasted: 80 days.
const SPAN: i64 = 80 * 24 * 3_600_000;

/// The spread of the bots' strengths, in Elo points.
const SPREAD: f64 = 250.0;

/// Matches of a hundred that are ties.
const TIES: u64 = 4;

/// A bot.
#[derive(Clone, Debug)]
pub(super) struct Bot {
    pub(super) id: u64,
    pub(super) owner: u64,
    pub(super) name: String,
    /// The index of its last version that has entered.
    pub(super) active: usize,
    /// How long it thinks in a match, in microseconds.
    thinks_us: u64,
}

/// A version of a bot.
#[derive(Clone, Debug)]
pub(super) struct Version {
    pub(super) id: u64,
    /// The index of its bot.
    pub(super) bot: usize,
    /// From 1.
    pub(super) number: u32,
    /// The match before which it enters.
    pub(super) from: u64,
    /// Nobody knows it but the results.
    strength: f64,
    pub(super) entrant: Entrant,
    /// Wins, ties, losses.
    pub(super) results: [u64; 3],
}

/// A match that was played.
#[derive(Clone, Debug)]
pub(super) struct Fought {
    pub(super) number: u64,
    pub(super) seed: u64,
    pub(super) at: i64,
    pub(super) ms: u64,
    pub(super) turns: u64,
    /// Indices of versions in order of seats.
    pub(super) versions: [usize; 2],
    pub(super) places: [u32; 2],
    /// Their ratings afterwards.
    pub(super) ratings: [f64; 2],
}

/// All bots, and the ladder.
pub(super) struct World {
    pub(super) bots: Vec<Bot>,
    /// In the order in which they enter.
    pub(super) versions: Vec<Version>,
    /// How many have entered.
    entered: usize,
    ladder: Ladder,
    rng: Rng,
    number: u64,
    matches: u64,
    /// Indices of versions by id.
    known: HashMap<u64, usize>,
}

impl World {
    /// Makes bots with one to three versions each.
    pub(super) fn new(bots: usize, matches: u64, seed: u64) -> World {
        let mut rng = Seed::plain(seed).stream(Purpose::Sample, 0);
        let mut world = World {
            bots: Vec::new(),
            versions: Vec::new(),
            entered: 0,
            ladder: Ladder::new(2, Seed(seed)),
            rng: Seed::plain(seed).stream(Purpose::Sample, 1),
            number: 0,
            matches,
            known: HashMap::new(),
        };
        for number in 0..bots {
            world.add_bot(number, &mut rng);
        }
        world.versions.sort_by_key(|version| (version.from, version.bot, version.number));
        world.known =
            world.versions.iter().enumerate().map(|(at, version)| (version.id, at)).collect();
        world
    }

    fn add_bot(&mut self, number: usize, rng: &mut Rng) {
        let (id, owner) = (fresh_id(rng), fresh_id(rng));
        let thinks_us = 10_000 + rng.below(70_000);
        let name = format!("bot {}", number + 1);
        self.bots.push(Bot { id, owner, name, active: 0, thinks_us });
        let mut strength = SPREAD * normal(rng);
        let count = match rng.below(100) {
            0..60 => 1,
            60..85 => 2,
            _ => 3,
        };
        // Later versions come in the middle of the season.
        let mut from: Vec<u64> =
            (1..count).map(|_| self.matches / 10 + rng.below(self.matches * 8 / 10 + 1)).collect();
        from.sort_unstable();
        from.insert(0, 0);
        for (at, from) in from.into_iter().enumerate() {
            let id = fresh_id(rng);
            self.versions.push(Version {
                id,
                bot: number,
                number: at as u32 + 1,
                from,
                strength,
                entrant: Entrant::new(VersionId(id), owner),
                results: [0; 3],
            });
            strength += rng.below(100) as f64 - 20.0;
        }
    }

    /// Has the versions enter that come before the next match, and returns their indices.
    pub(super) fn enter(&mut self) -> Vec<usize> {
        let first = self.entered;
        while let Some(next) = self.versions.get(self.entered) {
            if next.from > self.number {
                break;
            }
            let (at, bot) = (self.entered, next.bot);
            if next.number > 1 {
                let before = self.bots[bot].active;
                let old = self.ladder.leave(self.versions[before].entrant.id);
                let old = old.unwrap_or_else(|| self.versions[before].entrant.clone());
                let skill = next_skill(old.skill);
                let mean_us = old.mean_us;
                let next = Entrant::new(self.versions[at].entrant.id, old.owner);
                self.versions[at].entrant = Entrant { skill, mean_us, ..next };
            }
            self.ladder.enter(self.versions[at].entrant.clone());
            self.bots[bot].active = at;
            self.entered += 1;
        }
        (first..self.entered).collect()
    }

    /// Plays the next match; `None` at the end of the season.
    pub(super) fn fight(&mut self) -> Result<Option<Fought>> {
        if self.number == self.matches {
            return Ok(None);
        }
        self.number += 1;
        let players = self.ladder.next(self.number).context("nobody can play: take more bots")?;
        self.ladder.begun(&players);
        let versions = [0, 1].map(|seat| self.known[&players[seat].0]);
        let places = self.result(versions);
        let thinking = versions.map(|at| {
            let usual = self.bots[self.versions[at].bot].thinks_us;
            usual * (80 + self.rng.below(41)) / 100
        });
        let wall_us = thinking[0] + thinking[1] + 5_000;
        let changed = self.ladder.played(&Played {
            players,
            places: places.to_vec(),
            wall_us,
            thinking_us: thinking.to_vec(),
        })?;
        for entrant in changed {
            let at = self.known[&entrant.id.0];
            self.versions[at].entrant = entrant;
        }
        for (seat, &at) in versions.iter().enumerate() {
            let kind = 1 + places[seat].cmp(&places[1 - seat]) as isize;
            self.versions[at].results[kind as usize] += 1;
        }
        Ok(Some(Fought {
            number: self.number,
            seed: fresh_id(&mut self.rng),
            at: time(self.number, self.matches),
            ms: wall_us / 1_000,
            turns: 20 + self.rng.below(60),
            versions,
            places,
            ratings: versions.map(|at| elo(&self.versions[at].entrant.skill)),
        }))
    }

    fn result(&mut self, versions: [usize; 2]) -> [u32; 2] {
        if self.rng.chance(TIES, 100) {
            return [1, 1];
        }
        let [one, other] = versions.map(|at| self.versions[at].strength);
        let wins = 1.0 / (1.0 + libm::pow(10.0, (other - one) / 400.0));
        if unit(&mut self.rng) < wins { [1, 2] } else { [2, 1] }
    }
}

/// Returns when a match is played.
pub(super) fn time(number: u64, matches: u64) -> i64 {
    BEGIN + (SPAN as i128 * i128::from(number) / i128::from(matches.max(1))) as i64
}

/// Returns the rating that the server shows.
fn elo(skill: &Skill) -> f64 {
    1_500.0 + (skill.mu - Skill::default().mu) / Skill::NAT * ELO_PER_NAT
}

/// Ids as the server chooses them: 53 bits.
fn fresh_id(rng: &mut Rng) -> u64 {
    rng.bits() >> 11
}

/// Draws a number from 0 to 1.
fn unit(rng: &mut Rng) -> f64 {
    (rng.bits() >> 11) as f64 / (1u64 << 53) as f64
}

/// Draws a number that is nearly normal.
fn normal(rng: &mut Rng) -> f64 {
    (0..12).map(|_| unit(rng)).sum::<f64>() - 6.0
}
