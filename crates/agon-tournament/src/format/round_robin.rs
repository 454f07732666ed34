//! The round robin, a format of tournaments: everybody meets everybody.

use agon_core::Seed;

use super::{Design, Format, Next, Row, table};
use crate::{Entrant, Games, History, Pairing, PairingId};

/// Every two entrants meet. In matches of more than two, all pairs meet equally often, as far as
/// possible.
#[derive(Clone, Debug)]
pub struct RoundRobin {
    entrants: usize,
    groups: Vec<Vec<Vec<Entrant>>>,
    games: Games,
}

impl RoundRobin {
    /// Makes pairs of all entrants, in rounds of the circle method: nobody is in two pairs of a
    /// round.
    pub fn pairs(entrants: usize, games: Games) -> RoundRobin {
        RoundRobin { entrants, groups: circle(&Entrant::all(entrants)), games }
    }

    /// Makes groups of `size` from a balanced design, with `rounds` groups for each seat of each
    /// entrant; `None` for as many as balance takes. With two seats this is [`RoundRobin::pairs`].
    ///
    /// # Panics
    /// If `size` is not from 2 to `entrants`.
    pub fn groups(
        entrants: usize,
        size: usize,
        rounds: Option<usize>,
        games: Games,
        seed: Seed,
    ) -> RoundRobin {
        if size == 2 {
            return RoundRobin::pairs(entrants, games);
        }
        let groups = Design::new(entrants, size, rounds, seed).rounds();
        RoundRobin { entrants, groups, games }
    }

    /// Returns the groups of each round.
    pub fn rounds(&self) -> &[Vec<Vec<Entrant>>] {
        &self.groups
    }
}

impl Format for RoundRobin {
    fn next(&self, history: &History) -> Next {
        if !history.waves.is_empty() {
            return Next::Finished;
        }
        let mut wave = Vec::new();
        for (round, groups) in (0..).zip(&self.groups) {
            for (pairing, entrants) in (0..).zip(groups) {
                let id = PairingId { round, group: 0, pairing };
                wave.push(Pairing::new(id, entrants.clone(), self.games));
            }
        }
        Next::wave(wave)
    }

    fn planned(&self) -> Option<u64> {
        let count = |group: &Vec<Entrant>| u64::from(self.games.count(group.len()));
        Some(self.groups.iter().flatten().map(count).sum())
    }

    fn standing(&self, history: &History) -> Vec<Row> {
        table::by_points(history, self.entrants)
    }
}

/// Returns the rounds of the circle method. The first member stays, and the others move on by a
/// place from round to round. With an odd number, the member opposite the empty place rests.
///
/// The distance in the list decides about the first seat, so that everybody has it in half of the
/// pairs, or one more or less.
pub(super) fn circle(members: &[Entrant]) -> Vec<Vec<Vec<Entrant>>> {
    let places = members.len().next_multiple_of(2);
    let moving = places.saturating_sub(1);
    let member_at = |round: usize, place: usize| match place {
        0 => 0,
        place => 1 + (place - 1 + round) % moving,
    };
    let round = |round: usize| {
        let pairs = (0..places / 2).map(|place| {
            let (a, b) = (member_at(round, place), member_at(round, places - 1 - place));
            (a.min(b), a.max(b))
        });
        let real = pairs.filter(|&(_, high)| high < members.len());
        let seated = real.map(|(low, high)| {
            let (first, second) = if (high - low) % 2 == 1 { (low, high) } else { (high, low) };
            vec![members[first], members[second]]
        });
        seated.collect()
    };
    if members.len() < 2 { Vec::new() } else { (0..moving).map(round).collect() }
}
