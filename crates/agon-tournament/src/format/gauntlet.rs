//! The gauntlet, a format of tournaments: a few bots each meet all others.

use super::{Format, Next, Row, table};
use crate::{Entrant, Games, History, Pairing, PairingId};

/// Each of a few bots meets each bot that is not one of them.
#[derive(Clone, Debug)]
pub struct Gauntlet {
    runners: Vec<Entrant>,
    others: Vec<Entrant>,
    games: Games,
}

impl Gauntlet {
    /// Makes a gauntlet of `runners` against all others of `entrants`.
    pub fn new(entrants: usize, runners: &[Entrant], games: Games) -> Gauntlet {
        let mut runners = runners.to_vec();
        runners.sort_unstable();
        runners.dedup();
        let others = Entrant::all(entrants)
            .into_iter()
            .filter(|entrant| !runners.contains(entrant))
            .collect();
        Gauntlet { runners, others, games }
    }
}

impl Format for Gauntlet {
    fn next(&self, history: &History) -> Next {
        if !history.waves.is_empty() {
            return Next::Finished;
        }
        let mut wave = Vec::new();
        for (round, &other) in (0..).zip(&self.others) {
            for (pairing, &runner) in (0..).zip(&self.runners) {
                let mut entrants = vec![runner, other];
                // If the number of matches is odd, the two sides take turns in having the first
                // seat once more.
                entrants.rotate_left((round + pairing) as usize % 2);
                let id = PairingId { round, group: 0, pairing };
                wave.push(Pairing::new(id, entrants, self.games));
            }
        }
        Next::wave(wave)
    }

    fn planned(&self) -> Option<u64> {
        Some((self.runners.len() * self.others.len()) as u64 * u64::from(self.games.count(2)))
    }

    /// Ranks by share of points, because runners play more matches than the others.
    fn standing(&self, history: &History) -> Vec<Row> {
        table::by_share(history, self.runners.len() + self.others.len())
    }
}
