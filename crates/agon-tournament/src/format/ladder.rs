//! A ladder: matches without end, or until a number of them is played.

use std::{cmp::Reverse, fmt::Debug};

use agon_core::{Purpose, Rng, Seed};

use super::{Format, Next, Row, table};
use crate::{Entrant, Games, History, Pairing, PairingId};

/// What a matchmaker knows.
#[derive(Clone, Debug)]
pub struct Field<'a> {
    /// The waves before this one, complete.
    pub history: &'a History,
    /// Matches that each entrant has been called to, those of this wave included.
    pub calls: &'a [u32],
    /// How many play together.
    pub size: usize,
}

/// Chooses who plays next on a ladder.
pub trait Matchmaker: Debug + Send {
    /// `field.size` different entrants. It depends on the field and the stream only.
    fn group(&self, field: &Field<'_>, rng: &mut Rng) -> Vec<Entrant>;
}

/// Draws among those who have played least, so that all play equally often, or one group more or less.
#[derive(Clone, Copy, Debug)]
pub struct RandomMatchmaker;

impl Matchmaker for RandomMatchmaker {
    fn group(&self, field: &Field<'_>, rng: &mut Rng) -> Vec<Entrant> {
        let mut entrants = Entrant::all(field.calls.len());
        rng.shuffle(&mut entrants);
        entrants.sort_by_key(|entrant| field.calls[entrant.index()]);
        entrants.truncate(field.size);
        // In random seats: the ones with fewer matches would else come first.
        rng.shuffle(&mut entrants);
        entrants
    }
}

/// A ladder in waves of a fixed number of groups.
#[derive(Debug)]
pub struct Ladder {
    /// How many bots there are.
    pub entrants: usize,
    /// How many play together.
    pub size: usize,
    /// Groups of a wave: the matchmaker sees results only after each wave.
    pub wave: u32,
    /// The ladder ends when so many matches have been called for; `None` for never.
    pub limit: Option<u64>,
    /// Nobody is left behind the average by more than so many matches: then it is set into the next groups.
    pub floor: u32,
    /// Matches of a group.
    pub games: Games,
    /// The tournament's seed.
    pub seed: Seed,
    /// Who chooses.
    pub matchmaker: Box<dyn Matchmaker>,
}

impl Ladder {
    fn group(&self, history: &History, calls: &[u32], rng: &mut Rng) -> Vec<Entrant> {
        let field = Field { history, calls, size: self.size };
        let mut group = self.matchmaker.group(&field, rng);
        let sum: u64 = calls.iter().map(|&calls| u64::from(calls)).sum();
        let count = calls.len() as u64;
        let starves = |entrant: &Entrant| {
            let own = u64::from(calls[entrant.index()]) + u64::from(self.floor);
            count * own < sum && !group.contains(entrant)
        };
        let mut starving: Vec<Entrant> = Entrant::all(calls.len()).into_iter().filter(starves).collect();
        starving.sort_by_key(|entrant| calls[entrant.index()]);
        // They take the places of those who have played most.
        let mut places: Vec<usize> = (0..group.len()).collect();
        places.sort_by_key(|&place| Reverse(calls[group[place].index()]));
        for (place, entrant) in places.into_iter().zip(starving) {
            if calls[entrant.index()] < calls[group[place].index()] {
                group[place] = entrant;
            }
        }
        group
    }
}

impl Format for Ladder {
    fn next(&self, history: &History) -> Next {
        let round = history.waves.len() as u32;
        let mut called: u64 = history.all().map(|played| u64::from(played.pairing.count)).sum();
        let mut calls = history.calls(self.entrants);
        let mut rng = self.seed.stream(Purpose::Order, 0x1ADD_0000_0000 + u64::from(round));
        let mut wave = Vec::new();
        for pairing in 0..self.wave {
            if self.limit.is_some_and(|limit| called >= limit) {
                break;
            }
            let group = self.group(history, &calls, &mut rng);
            let pairing = Pairing::new(PairingId { round, group: 0, pairing }, group, self.games);
            called += u64::from(pairing.count);
            pairing.entrants.iter().for_each(|entrant| calls[entrant.index()] += pairing.count);
            wave.push(pairing);
        }
        Next::wave(wave)
    }

    /// The limit, rounded up to whole pairings.
    fn planned(&self) -> Option<u64> {
        Some(self.limit?.next_multiple_of(u64::from(self.games.count(self.size)).max(1)))
    }

    fn standing(&self, history: &History) -> Vec<Row> {
        table::by_share(history, self.entrants)
    }
}
