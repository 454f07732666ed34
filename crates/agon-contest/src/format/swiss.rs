//! The Swiss system, a format of tournaments: each round pairs bots with similar points, without
//! rematches.

use std::{cmp::Reverse, collections::BTreeMap};

use integer_blossom::min_weight_perfect_matching;

use super::{Format, Next, Row};
use crate::{Entrant, Games, History, Pairing, PairingId};

/// A fixed number of rounds, each of which pairs entrants with similar points.
///
/// Each round is a perfect matching of least cost. The costs, the most important first: second
/// meetings and second byes; differences of points, and a bye for somebody with many; unbalanced
/// first seats; and, within equal points, other pairs than the upper half against the lower half,
/// in order of the plan. The tie-breaks are Buchholz and Sonneborn-Berger.
#[derive(Clone, Debug)]
pub struct Swiss {
    entrants: usize,
    rounds: u32,
    games: Games,
}

/// An entrant before a round.
#[derive(Clone, Copy, Debug)]
struct Player {
    entrant: Entrant,
    points: u32,
    /// First seats less second seats, over the matches so far.
    balance: i32,
    /// Its number among the entrants with equal points, and how many these are.
    in_group: (usize, usize),
}

impl Swiss {
    /// Makes a tournament of `rounds` rounds; `None` for the fewest that leave only one bot without
    /// defeat.
    pub fn new(entrants: usize, rounds: Option<u32>, games: Games) -> Swiss {
        let fewest = entrants.max(2).next_power_of_two().ilog2();
        Swiss { entrants, rounds: rounds.unwrap_or(fewest), games }
    }

    /// Returns the half points for a bye: as many as for winning all matches of a pairing.
    fn bye(&self) -> u32 {
        2 * self.games.count(2)
    }

    /// Returns the entrants, best first.
    fn players(&self, history: &History) -> Vec<Player> {
        let totals = super::totals(history, self.entrants, self.bye());
        let player = |(entrant, total): (Entrant, super::Total)| Player {
            entrant,
            points: total.points,
            balance: 0,
            in_group: (0, 0),
        };
        let mut players: Vec<Player> =
            Entrant::all(self.entrants).into_iter().zip(totals).map(player).collect();
        for played in history.all().filter(|played| played.pairing.entrants.len() == 2) {
            for number in played.pairing.first..played.pairing.first + played.pairing.count {
                let seats = played.pairing.seats(number);
                players[seats[0].index()].balance += 1;
                players[seats[1].index()].balance -= 1;
            }
        }
        players.sort_by_key(|player| (Reverse(player.points), player.entrant));
        for group in players.chunk_by_mut(|one, other| one.points == other.points) {
            let size = group.len();
            (0..).zip(group).for_each(|(at, player)| player.in_group = (at, size));
        }
        players
    }

    /// Returns pairs of indices into `players`. The index after the last one stands for the bye.
    fn matching(
        &self,
        players: &[Player],
        met: &BTreeMap<(Entrant, Entrant), u32>,
    ) -> Vec<(usize, usize)> {
        let vertices = players.len().next_multiple_of(2);
        let scale = CostWeights::new(players, self.games.count(2) % 2 == 1);
        let mut costs = vec![0i128; vertices * vertices];
        for a in 0..players.len() {
            for b in a + 1..vertices {
                let other = players.get(b).map_or(players[a].entrant, |player| player.entrant);
                let times = met.get(&pair(players[a].entrant, other)).copied().unwrap_or(0);
                costs[a * vertices + b] = scale.cost(players, a, b, times);
            }
        }
        let mates = min_weight_perfect_matching(&costs, vertices);
        mates.into_iter().enumerate().filter(|&(a, b)| a < b).collect()
    }

    fn pairing(&self, id: PairingId, players: &[Player], (a, b): (usize, usize)) -> Pairing {
        let upper = players[a];
        let Some(&lower) = players.get(b) else {
            return Pairing::new(id, vec![upper.entrant], self.games);
        };
        // The one that had the first seat less often gets it. Between equals it is the better one,
        // in every other pairing.
        let is_odd = (id.round + id.pairing) % 2 == 1;
        let lower_first = upper.balance > lower.balance || upper.balance == lower.balance && is_odd;
        let mut entrants = vec![upper.entrant, lower.entrant];
        entrants.rotate_left(usize::from(lower_first));
        Pairing::new(id, entrants, self.games)
    }
}

/// Weights of the costs of a round. Each is greater than the sum of all lesser costs.
#[derive(Clone, Copy, Debug)]
struct CostWeights {
    seats_matter: bool,
    least_points: u32,
    seats: i128,
    points: i128,
    again: i128,
}

impl CostWeights {
    fn new(players: &[Player], seats_matter: bool) -> CostWeights {
        let count = players.len() as i128 + 1;
        let pairs = count / 2 + 1;
        let least = players.last().map_or(0, |player| player.points);
        let most = players.first().map_or(0, |player| player.points);
        let balance = players.iter().map(|player| player.balance.abs()).max().unwrap_or(0);
        let seats = count * count * pairs + 1;
        let points = seats * (i128::from(2 * balance).pow(2) * pairs + 1);
        let again = points * (i128::from(most - least).pow(2) * pairs + 1);
        CostWeights { seats_matter, least_points: least, seats, points, again }
    }

    fn cost(&self, players: &[Player], a: usize, b: usize, times: u32) -> i128 {
        let upper = players[a];
        let again = i128::from(times) * self.again;
        let Some(lower) = players.get(b) else {
            let above_last = (players.len() - 1 - a) as i128;
            return again + square(upper.points - self.least_points) * self.points + above_last;
        };
        let fold = if upper.points == lower.points {
            let ((a, size), (b, _)) = (upper.in_group, lower.in_group);
            square((b - a).abs_diff(size / 2) as u32)
        } else {
            (b - a) as i128
        };
        let seats = if self.seats_matter {
            square((upper.balance + lower.balance).unsigned_abs())
        } else {
            0
        };
        again + square(upper.points - lower.points) * self.points + seats * self.seats + fold
    }
}

fn square(number: u32) -> i128 {
    i128::from(number) * i128::from(number)
}

fn pair(a: Entrant, b: Entrant) -> (Entrant, Entrant) {
    (a.min(b), a.max(b))
}

/// Returns how often two have met. For an entrant with itself it is the number of its byes.
fn met(history: &History) -> BTreeMap<(Entrant, Entrant), u32> {
    let mut met = BTreeMap::new();
    for played in history.all() {
        if let (Some(&a), Some(&b)) =
            (played.pairing.entrants.first(), played.pairing.entrants.last())
        {
            *met.entry(pair(a, b)).or_insert(0) += 1;
        }
    }
    met
}

impl Format for Swiss {
    fn next(&self, history: &History) -> Next {
        let round = history.waves.len() as u32;
        if round >= self.rounds || self.entrants < 2 {
            return Next::Finished;
        }
        let players = self.players(history);
        let pairs = self.matching(&players, &met(history));
        let pairing =
            |(pairing, pair)| self.pairing(PairingId { round, group: 0, pairing }, &players, pair);
        Next::wave((0..).zip(pairs).map(pairing).collect())
    }

    fn planned(&self) -> Option<u64> {
        let pairs = self.entrants as u64 / 2;
        Some(u64::from(self.rounds) * pairs * u64::from(self.games.count(2)))
    }

    fn standing(&self, history: &History) -> Vec<Row> {
        let totals = super::totals(history, self.entrants, self.bye());
        let sums = super::opposition(history, &totals);
        let row = |entrant: Entrant| {
            let super::Opposition { buchholz, sonneborn } = sums[entrant.index()];
            let buchholz = ("Buchholz", buchholz as i64);
            let sonneborn = ("Sonneborn-Berger", sonneborn as i64);
            super::row(entrant, totals[entrant.index()], vec![buchholz, sonneborn])
        };
        let rows = Entrant::all(self.entrants).into_iter().map(row).collect();
        let key = |row: &Row| [row.half_points.into(), row.tie_breaks[0].1, row.tie_breaks[1].1];
        super::place(rows, |a, b| key(b).cmp(&key(a)))
    }
}
