//! A simulated server: some workers play the matches of a ladder among bots of known strength.

use std::collections::BTreeMap;

use agon_core::{Purpose, Rng, Seed};
use agon_ladder::{CountedResults, Entrant, Ladder, Played, VersionId};

/// A simulated bot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bot {
    /// Its true strength: logarithm of odds of winning.
    pub(crate) strength: f64,
    /// The time that it thinks in a match, in microseconds.
    pub(crate) us: u64,
    /// The time that its start takes, which nobody measures.
    pub(crate) start_us: u64,
    /// Where it is on the circle of styles, from 0 to 1; see [`World::styles`].
    pub(crate) style: f64,
}

impl Bot {
    pub(crate) fn new(strength: f64, us: u64) -> Bot {
        Bot { strength, us, start_us: 0, style: 0.0 }
    }
}

/// A ladder, the bots on it, and the workers that play its matches.
pub(crate) struct World {
    pub(crate) ladder: Ladder,
    pub(crate) bots: BTreeMap<VersionId, Bot>,
    /// All matches that ended, in order.
    pub(crate) played: Vec<Played>,
    /// The time of each bot in these.
    pub(crate) spent: BTreeMap<VersionId, u64>,
    workers: usize,
    /// The players of matches that run, by end and number.
    running: BTreeMap<(u64, u64), Vec<VersionId>>,
    /// The time, in microseconds.
    pub(crate) clock: u64,
    number: u64,
    rng: Rng,
    /// How much styles count: each is better against those a quarter of the circle before it.
    pub(crate) styles: f64,
    /// Who loses to whom on purpose.
    pub(crate) throws: Option<[VersionId; 2]>,
    /// Whether pairs are drawn at random, for comparison.
    pub(crate) is_random: bool,
}

impl World {
    /// Makes a world of `count` bots whose strengths have the deviation `spread`.
    pub(crate) fn new(count: u64, spread: f64, workers: usize, seed: u64) -> World {
        let mut world = World {
            ladder: Ladder::new(2, Seed::plain(seed)),
            bots: BTreeMap::new(),
            played: Vec::new(),
            spent: BTreeMap::new(),
            workers,
            running: BTreeMap::new(),
            clock: 0,
            number: 0,
            rng: Seed::plain(seed).stream(Purpose::Sample, 0),
            styles: 0.0,
            throws: None,
            is_random: false,
        };
        for _ in 0..count {
            let draw: f64 = (0..12).map(|_| uniform(&mut world.rng)).sum::<f64>() - 6.0;
            let us = 5_000 + world.rng.below(10_000);
            let style = (us % 1_000) as f64 / 1_000.0;
            world.add(Bot { style, ..Bot::new(spread * draw, us) });
        }
        world
    }

    pub(crate) fn add(&mut self, bot: Bot) -> VersionId {
        let id = VersionId(self.rng.bits());
        self.bots.insert(id, bot);
        self.ladder.enter(Entrant::new(id, id.0));
        id
    }

    /// Plays until `count` matches ended.
    pub(crate) fn run(&mut self, count: usize) {
        while self.played.len() < count {
            self.start_all();
            self.end_one();
        }
    }

    /// Plays until this time.
    pub(crate) fn run_until(&mut self, clock: u64) {
        while self.clock < clock {
            self.start_all();
            self.end_one();
        }
    }

    fn start_all(&mut self) {
        while self.running.len() < self.workers {
            let number = self.number;
            let players =
                if self.is_random { Some(self.random_pair()) } else { self.ladder.next(number) };
            let Some(players) = players else { break };
            self.ladder.begun(&players);
            let takes = |id: &VersionId| self.bots[id].us + self.bots[id].start_us;
            let us: u64 = players.iter().map(takes).sum();
            self.running.insert((self.clock + us, number), players);
            self.number += 1;
        }
    }

    fn random_pair(&mut self) -> Vec<VersionId> {
        let ids: Vec<VersionId> = self.bots.keys().copied().collect();
        let one = self.rng.index(ids.len());
        let other = (one + 1 + self.rng.index(ids.len() - 1)) % ids.len();
        vec![ids[one], ids[other]]
    }

    fn end_one(&mut self) {
        let ((clock, _), players) = self.running.pop_first().expect("matches run");
        self.clock = clock;
        let bots = [self.bots[&players[0]], self.bots[&players[1]]];
        let turn = std::f64::consts::TAU * (bots[0].style - bots[1].style);
        let lead = bots[0].strength - bots[1].strength + self.styles * libm::sin(turn);
        let chance = match self.throws {
            Some([loser, winner]) if players == [loser, winner] => 0.0,
            Some([loser, winner]) if players == [winner, loser] => 1.0,
            _ => 1.0 / (1.0 + libm::exp(-lead)),
        };
        let places = if uniform(&mut self.rng) < chance { vec![1, 2] } else { vec![2, 1] };
        let thinking_us = bots.map(|bot| bot.us).to_vec();
        let wall_us = bots.iter().map(|bot| bot.us + bot.start_us).sum();
        let played = Played { players, places, wall_us, thinking_us };
        for (&id, us) in played.players.iter().zip(&played.thinking_us) {
            *self.spent.entry(id).or_default() += us;
        }
        self.ladder.played(&played).expect("the result is right");
        self.played.push(played);
    }

    /// Counts all matches.
    pub(crate) fn results(&self) -> CountedResults {
        let mut counts: BTreeMap<(Vec<VersionId>, Vec<u32>), u64> = BTreeMap::new();
        for Played { players, places, .. } in &self.played {
            let mut both: Vec<_> = players.iter().copied().zip(places.iter().copied()).collect();
            both.sort_unstable();
            *counts.entry(both.into_iter().unzip()).or_default() += 1;
        }
        let mut results = CountedResults::default();
        for ((players, places), times) in counts {
            results.add(&players, &places, times).expect("the results are right");
        }
        results
    }
}

/// Draws a number from [0, 1).
fn uniform(rng: &mut Rng) -> f64 {
    (rng.bits() >> 11) as f64 / (1u64 << 53) as f64
}
