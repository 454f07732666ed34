//! The ladder, a format of tournaments: matches without end, or until a limit is reached.

use std::{cell::RefCell, cmp::Reverse};

use agon_core::{Purpose, Rng, Seed};

use super::{Format, Matchmaker, Next, Row, matchmaker::Field, table};
use crate::{Entrant, Games, History, Pairing, PairingId};

/// How a ladder is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LadderRules {
    /// How many bots there are.
    pub entrants: usize,
    /// How many play together.
    pub size: usize,
    /// Groups of a wave: the matchmaker sees results only after each wave.
    pub wave: u32,
    /// The ladder ends when this many matches have been scheduled; `None` for never.
    pub limit: Option<u64>,
    /// A bot that is more matches than this behind the average gets into the next groups.
    pub floor: u32,
    /// Matches of a group.
    pub games: Games,
    /// The tournament's seed.
    pub seed: Seed,
}

/// A ladder in waves of a fixed number of groups.
#[derive(Debug)]
pub struct Ladder {
    rules: LadderRules,
    // It caches what it learned from earlier waves, which changes no result.
    matchmaker: RefCell<Box<dyn Matchmaker>>,
}

impl Ladder {
    /// Makes a ladder whose groups `matchmaker` chooses.
    pub fn new(rules: LadderRules, matchmaker: Box<dyn Matchmaker>) -> Ladder {
        Ladder { rules, matchmaker: RefCell::new(matchmaker) }
    }

    /// Returns the entrants that are further behind the average than the floor, furthest first.
    fn starving(&self, calls: &[u32]) -> Vec<Entrant> {
        let sum: u64 = calls.iter().map(|&calls| u64::from(calls)).sum();
        let behind = |entrant: &Entrant| {
            let own = u64::from(calls[entrant.index()]) + u64::from(self.rules.floor);
            calls.len() as u64 * own < sum
        };
        let mut starving: Vec<Entrant> =
            Entrant::all(calls.len()).into_iter().filter(behind).collect();
        starving.sort_by_key(|entrant| calls[entrant.index()]);
        starving
    }

    fn group(&self, matchmaker: &mut dyn Matchmaker, calls: &[u32], rng: &mut Rng) -> Vec<Entrant> {
        let starving = self.starving(calls);
        let field = Field { calls, starving: &starving, size: self.rules.size };
        let mut group = matchmaker.group(&field, rng);
        // Starving entrants that are left out take the places of those with the most matches.
        let mut places: Vec<usize> = (0..group.len()).collect();
        places.sort_by_key(|&place| Reverse(calls[group[place].index()]));
        let left_out: Vec<Entrant> =
            starving.into_iter().filter(|entrant| !group.contains(entrant)).collect();
        for (place, entrant) in places.into_iter().zip(left_out) {
            if calls[entrant.index()] < calls[group[place].index()] {
                group[place] = entrant;
            }
        }
        // Seats are random, since the order of a group says something about its members.
        rng.shuffle(&mut group);
        group
    }
}

impl Format for Ladder {
    fn next(&self, history: &History) -> Next {
        let LadderRules { entrants, limit, games, seed, .. } = self.rules;
        let round = history.waves.len() as u32;
        let mut called: u64 = history.all().map(|played| u64::from(played.pairing.count)).sum();
        let mut calls = history.calls(entrants);
        let mut rng = seed.stream(Purpose::Order, 0x1ADD_0000_0000 + u64::from(round));
        let mut matchmaker = self.matchmaker.borrow_mut();
        matchmaker.start(history, entrants);
        let mut wave = Vec::new();
        for pairing in 0..self.rules.wave {
            if limit.is_some_and(|limit| called >= limit) {
                break;
            }
            let group = self.group(&mut **matchmaker, &calls, &mut rng);
            let pairing = Pairing::new(PairingId { round, group: 0, pairing }, group, games);
            called += u64::from(pairing.count);
            pairing.entrants.iter().for_each(|entrant| calls[entrant.index()] += pairing.count);
            matchmaker.called(&pairing);
            wave.push(pairing);
        }
        Next::wave(wave)
    }

    /// Returns the limit, rounded up to whole pairings.
    fn planned(&self) -> Option<u64> {
        let LadderRules { limit, games, size, .. } = self.rules;
        Some(limit?.next_multiple_of(u64::from(games.count(size)).max(1)))
    }

    fn standing(&self, history: &History) -> Vec<Row> {
        table::by_rating(history, self.rules.entrants)
    }
}
