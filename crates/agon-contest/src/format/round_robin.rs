//! The round robin, where everybody meets everybody, and the gauntlet, where a few bots each meet
//! all others.
//!
//! If more than two play together, a balanced design has groups in which every two entrants meet
//! about equally often.

use agon_core::{Purpose, Rng, Seed};

use super::{Format, Next, Row};
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
        super::by_points(history, self.entrants)
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
        let mut others = Entrant::all(entrants);
        others.retain(|entrant| !runners.contains(entrant));
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
        super::by_share(history, self.runners.len() + self.others.len())
    }
}

/// The number of changes that a search tries, and the number of starts for each number of blocks.
const CHANGES: u64 = 60_000;
const STARTS: usize = 4;

/// For balance, up to this many more blocks are tried than all need to meet.
const MORE_BLOCKS: usize = 11;

/// A cyclic design: a few blocks of entrants, each turned through all entrants (every member plus
/// 1, plus 2, ..., modulo their number).
///
/// So every entrant plays equally often, and has every seat equally often. The blocks are chosen so
/// that the numbers of meetings differ as little as possible. How often two meet depends only on
/// their distance on the circle, so there is little to count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Design {
    entrants: usize,
    blocks: Blocks,
}

/// Members of each block.
type Blocks = Vec<Vec<usize>>;

impl Design {
    /// Makes a design with `rounds` blocks.
    ///
    /// With `None` it has the fewest blocks with which all meet, and no two meet more than once
    /// more often than any other two. If no design is found that is so even, it is the evenest one.
    ///
    /// # Panics
    /// If `size` is not from 2 to `entrants`.
    pub fn new(entrants: usize, size: usize, rounds: Option<usize>, seed: Seed) -> Design {
        assert!((2..=entrants).contains(&size), "groups of 2 to {entrants}");
        if size == entrants {
            let blocks = vec![(0..entrants).collect(); rounds.unwrap_or(1)];
            return Design { entrants, blocks };
        }
        let mut rng = seed.stream(Purpose::Order, 0xDE51);
        if let Some(rounds) = rounds {
            return Design { entrants, blocks: evenest(entrants, size, rounds, &mut rng) };
        }
        let mut best: Option<(u32, Blocks)> = None;
        // With fewer, some would never meet.
        let fewest = (entrants / 2).div_ceil(size * (size - 1) / 2);
        for rounds in fewest..=4 * fewest + MORE_BLOCKS {
            let all_meet = best.as_ref().is_some_and(|(badness, _)| *badness < u32::MAX);
            if all_meet && rounds > fewest + MORE_BLOCKS {
                break;
            }
            if best.is_some() && !may_be_even(entrants, size, rounds) {
                continue;
            }
            let blocks = evenest(entrants, size, rounds, &mut rng);
            let (least, most) = extremes(&by_distance(entrants, &blocks));
            if least > 0 && most - least <= 1 {
                return Design { entrants, blocks };
            }
            // A pair that never meets is worse than any unevenness.
            let badness = if least == 0 { u32::MAX } else { most - least };
            if best.as_ref().is_none_or(|(other, _)| badness < *other) {
                best = Some((badness, blocks));
            }
        }
        let (_, blocks) = best.expect("at least one number of blocks was tried");
        Design { entrants, blocks }
    }

    /// Returns the groups, a round for each block. If a block has all entrants, its round is one
    /// group.
    pub fn rounds(&self) -> Vec<Vec<Vec<Entrant>>> {
        let turned = |block: &Vec<usize>, by: usize| {
            block.iter().map(|&member| Entrant::from_index((member + by) % self.entrants)).collect()
        };
        let turns =
            |block: &Vec<usize>| if block.len() == self.entrants { 1 } else { self.entrants };
        let round = |block: &Vec<usize>| (0..turns(block)).map(|by| turned(block, by)).collect();
        self.blocks.iter().map(round).collect()
    }
}

/// Returns the fewest and the most times that two entrants meet in some groups.
pub fn meetings(entrants: usize, groups: &[Vec<Entrant>]) -> (u32, u32) {
    let mut counts = vec![0u32; entrants * entrants];
    for group in groups {
        for (at, a) in group.iter().enumerate() {
            for b in &group[at + 1..] {
                let (low, high) = (a.min(b).index(), a.max(b).index());
                counts[low * entrants + high] += 1;
            }
        }
    }
    let pairs = (0..entrants).flat_map(|a| (a + 1..entrants).map(move |b| (a, b)));
    let counts: Vec<u32> = pairs.map(|(a, b)| counts[a * entrants + b]).collect();
    extremes(&counts)
}

fn extremes(counts: &[u32]) -> (u32, u32) {
    (counts.iter().copied().min().unwrap_or(0), counts.iter().copied().max().unwrap_or(0))
}

/// Returns how often two entrants at distance 1, 2, ... on the circle meet.
fn by_distance(entrants: usize, blocks: &[Vec<usize>]) -> Vec<u32> {
    let mut counts = vec![0; entrants / 2];
    blocks.iter().for_each(|block| add(&mut counts, entrants, block));
    counts
}

fn add(counts: &mut [u32], entrants: usize, block: &[usize]) {
    for (at, &a) in block.iter().enumerate() {
        for &b in &block[at + 1..] {
            let (at, by) = distance(entrants, a, b);
            counts[at] += by;
        }
    }
}

/// Returns the index of two members' distance, and how often they meet. Opposite members meet
/// twice, since the block comes past them from both ends.
fn distance(entrants: usize, one: usize, other: usize) -> (usize, u32) {
    let distance = one.abs_diff(other);
    let distance = distance.min(entrants - distance);
    (distance - 1, if 2 * distance == entrants { 2 } else { 1 })
}

/// Returns whether this many blocks could have all distances equally often, or once more. It looks
/// only at the numbers.
fn may_be_even(entrants: usize, size: usize, rounds: usize) -> bool {
    let all = rounds * size * (size - 1) / 2;
    let distances = entrants.div_ceil(2) - 1;
    (0..=2 * all / entrants + 1).any(|least| {
        // Opposite ones meet an even number of times, and each meeting is one of two turns.
        let opposite = if entrants.is_multiple_of(2) { least.div_ceil(2) } else { 0 };
        let others = all.checked_sub(opposite);
        others.is_some_and(|others| (distances * least..=distances * (least + 1)).contains(&others))
    })
}

/// Returns the evenest blocks that a search finds.
fn evenest(entrants: usize, size: usize, rounds: usize, rng: &mut Rng) -> Blocks {
    let mut best: Option<(u32, Blocks)> = None;
    for _ in 0..STARTS {
        let mut search = Search::new(entrants, size, rounds, rng);
        let spread = search.run(rng);
        if best.as_ref().is_none_or(|(least, _)| spread < *least) {
            best = Some((spread, search.blocks));
        }
        if spread <= 1 {
            break;
        }
    }
    best.map(|(_, blocks)| blocks).unwrap_or_default()
}

/// A search for even blocks. It changes one member at a time. Changes may make the meetings less
/// even, but by less and less ("threshold accepting", Dueck & Scheuer 1990).
struct Search {
    entrants: usize,
    blocks: Blocks,
    /// How often two meet, by distance.
    counts: Vec<u32>,
    /// The sum of squares of the meetings of all pairs, in units of half the entrants.
    unevenness: u64,
}

impl Search {
    /// Starts with random blocks.
    fn new(entrants: usize, size: usize, rounds: usize, rng: &mut Rng) -> Search {
        let mut members: Vec<usize> = (0..entrants).collect();
        let mut draw = |_| {
            rng.shuffle(&mut members);
            members[..size].to_vec()
        };
        let blocks: Blocks = (0..rounds).map(&mut draw).collect();
        let counts = by_distance(entrants, &blocks);
        let mut search = Search { entrants, blocks, counts, unevenness: 0 };
        search.unevenness = (0..search.counts.len()).map(|at| search.square(at)).sum();
        search
    }

    /// Makes the blocks evener, and returns by how much the most and the fewest meetings differ
    /// then.
    fn run(&mut self, rng: &mut Rng) -> u32 {
        let size = self.blocks[0].len();
        // Large fields take longer for each change, and are not even anyway.
        let changes = (CHANGES * 8 / size as u64).max(1000);
        let mut least = self.spread();
        let mut best = self.blocks.clone();
        for left in (0..changes).rev() {
            if least <= 1 {
                break;
            }
            let allowed = 8 * size as u64 * left / changes;
            if self.change(rng, allowed) {
                let spread = self.spread();
                if spread < least {
                    least = spread;
                    best.clone_from(&self.blocks);
                }
            }
        }
        self.blocks = best;
        least
    }

    /// Tries another member in some place. Returns whether that has made the blocks evener.
    fn change(&mut self, rng: &mut Rng, allowed: u64) -> bool {
        let block = rng.index(self.blocks.len());
        let new = rng.index(self.entrants);
        let at = rng.index(self.blocks[block].len());
        if self.blocks[block].contains(&new) {
            return false;
        }
        let before = self.unevenness;
        let old = self.replace(block, at, new);
        if self.unevenness > before + allowed {
            self.replace(block, at, old);
        }
        self.unevenness < before
    }

    /// Puts a member into a place, and returns the one that was there.
    fn replace(&mut self, block: usize, at: usize, new: usize) -> usize {
        let old = self.blocks[block][at];
        for other in 0..self.blocks[block].len() {
            if other != at {
                let other = self.blocks[block][other];
                self.count(old, other, |count, by| count - by);
                self.count(new, other, |count, by| count + by);
            }
        }
        self.blocks[block][at] = new;
        old
    }

    fn count(&mut self, one: usize, other: usize, change: impl Fn(u32, u32) -> u32) {
        let (at, by) = distance(self.entrants, one, other);
        let before = self.square(at);
        self.counts[at] = change(self.counts[at], by);
        self.unevenness = self.unevenness + self.square(at) - before;
    }

    /// Returns what the meetings at a distance add to the unevenness. There are half as many pairs
    /// of opposite members.
    fn square(&self, at: usize) -> u64 {
        let pairs = if 2 * (at + 1) == self.entrants { 1 } else { 2 };
        pairs * u64::from(self.counts[at]).pow(2)
    }

    fn spread(&self) -> u32 {
        let (least, most) = extremes(&self.counts);
        most - least
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(entrants: usize, size: usize, groups: usize, met: (u32, u32)) {
        let all: Vec<_> = Design::new(entrants, size, None, Seed(1)).rounds().concat();
        assert_eq!((all.len(), meetings(entrants, &all)), (groups, met));
        for seat in 0..size {
            let mut there = vec![0; entrants];
            all.iter().for_each(|group| there[group[seat].index()] += 1);
            if size < entrants {
                assert!(there.iter().all(|&count| count == there[0]), "seat {seat}: {there:?}");
            }
        }
    }

    #[test]
    fn designs_that_are_known_to_be_perfect_are_found() {
        // The Fano plane, the projective plane of order 3, a Steiner system S(2, 3, 13).
        check(7, 3, 7, (1, 1));
        check(13, 4, 13, (1, 1));
        check(13, 3, 26, (1, 1));
        // All but one: everybody is left out once.
        check(5, 4, 5, (3, 3));
        check(4, 4, 1, (1, 1));
    }

    #[test]
    fn large_fields_meet_too() {
        agon_testkit::slow!();
        for (entrants, size) in [(64, 4), (100, 3), (120, 8), (200, 20)] {
            let start = std::time::Instant::now();
            let all: Vec<_> = Design::new(entrants, size, None, Seed(1)).rounds().concat();
            let (least, most) = meetings(entrants, &all);
            eprintln!(
                "{entrants} in groups of {size}: {} groups, {least} to {most}, {:?}",
                all.len(),
                start.elapsed()
            );
            assert!(least >= 1 && most <= least + 6, "{entrants} in {size}: {least} to {most}");
        }
    }

    #[test]
    fn other_numbers_are_nearly_even() {
        for size in 3..=8 {
            for entrants in size + 1..=40 {
                let all: Vec<_> = Design::new(entrants, size, None, Seed(1)).rounds().concat();
                let (least, most) = meetings(entrants, &all);
                assert!(least >= 1 && most - least <= 1, "{entrants} in {size}: {least} to {most}");
            }
        }
    }
}
