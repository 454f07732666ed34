//! Balanced groups: designs in which every two entrants meet about equally often.

use agon_core::{Purpose, Rng, Seed};

use crate::Entrant;

/// Up to so many candidates for a block all are tried, else as many drawn ones.
const CANDIDATES: u64 = 5_000;

/// How often blocks are chosen anew from another first one, if the meetings are not even.
const ATTEMPTS: usize = 8;

/// How many more blocks than are needed for all to meet are tried to get balance.
const MORE_BLOCKS: usize = 11;

/// A cyclic design: a few blocks of entrants, each turned through all entrants (every member plus 1, plus 2, ...,
/// modulo their number).
///
/// So every entrant plays equally often and has every seat equally often by construction; the blocks are chosen such
/// that every two meet as equally often as can be. How often two meet depends only on their distance on the circle,
/// so there is little to count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Design {
    entrants: usize,
    blocks: Blocks,
}

/// Members of each block.
type Blocks = Vec<Vec<usize>>;

impl Design {
    /// A design with `rounds` blocks; `None` for the fewest with which all meet and no two meet more than once more
    /// often than any other two. If none of some numbers of blocks is that even, it is the evenest of them.
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
        let candidates = candidates(entrants, size, &mut rng);
        if let Some(rounds) = rounds {
            return Design { entrants, blocks: choose(entrants, &candidates, rounds, &mut rng) };
        }
        let mut best: Option<(u32, Blocks)> = None;
        // With fewer, some would never meet.
        let fewest = (entrants / 2).div_ceil(size * (size - 1) / 2);

        for rounds in fewest..=4 * fewest + MORE_BLOCKS {
            let blocks = choose(entrants, &candidates, rounds, &mut rng);
            let meetings = by_distance(entrants, &blocks);
            let (least, most) = extremes(&meetings);
            if least > 0 && most - least <= 1 {
                return Design { entrants, blocks };
            }
            // A pair that never meets is worse than any unevenness.
            let badness = if least == 0 { u32::MAX } else { most - least };
            if best.as_ref().is_none_or(|(other, _)| badness < *other) {
                best = Some((badness, blocks));
            }
            let all_meet = best.as_ref().is_some_and(|(badness, _)| *badness < u32::MAX);
            if all_meet && rounds >= fewest + MORE_BLOCKS {
                break;
            }
        }
        let (_, blocks) = best.expect("at least one number of blocks was tried");
        Design { entrants, blocks }
    }

    /// The groups, a round for each block. Where a group is the whole field, it is a round of one group.
    pub fn rounds(&self) -> Vec<Vec<Vec<Entrant>>> {
        let turned = |block: &Vec<usize>, by: usize| {
            block.iter().map(|&member| Entrant::from_index((member + by) % self.entrants)).collect()
        };
        let turns = |block: &Vec<usize>| if block.len() == self.entrants { 1 } else { self.entrants };
        let round = |block: &Vec<usize>| (0..turns(block)).map(|by| turned(block, by)).collect();
        self.blocks.iter().map(round).collect()
    }
}

/// The fewest and the most times that two entrants meet in some groups.
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

/// How often two entrants at distance 1, 2, ... on the circle meet.
fn by_distance(entrants: usize, blocks: &[Vec<usize>]) -> Vec<u32> {
    let mut counts = vec![0; entrants / 2];
    blocks.iter().for_each(|block| add(&mut counts, entrants, block));
    counts
}

fn add(counts: &mut [u32], entrants: usize, block: &[usize]) {
    for (at, &a) in block.iter().enumerate() {
        for &b in &block[at + 1..] {
            let distance = a.abs_diff(b);
            let distance = distance.min(entrants - distance);
            // Opposite ones meet twice, since the block comes past them from both ends.
            counts[distance - 1] += if 2 * distance == entrants { 2 } else { 1 };
        }
    }
}

/// Blocks with member 0, which stand for all their turns.
fn candidates(entrants: usize, size: usize, rng: &mut Rng) -> Vec<Vec<usize>> {
    let (others, choose) = (entrants as u64 - 1, size as u64 - 1);
    let count = (0..choose).try_fold(1u64, |count, k| Some(count.checked_mul(others - k)? / (k + 1)));
    if count.is_some_and(|count| count <= CANDIDATES) {
        let mut all = Vec::new();
        extend(&mut vec![0], entrants, size, &mut all);
        return all;
    }
    let mut members: Vec<usize> = (1..entrants).collect();
    let draw = |_| {
        rng.shuffle(&mut members);
        let mut block: Vec<usize> = std::iter::once(0).chain(members[..size - 1].iter().copied()).collect();
        block.sort_unstable();
        block
    };
    // Each is looked at once per block and pass, with work that grows with the square of its size.
    let drawn = (CANDIDATES * 16 / (size * size) as u64).max(64);
    (0..drawn).map(draw).collect()
}

fn extend(block: &mut Vec<usize>, entrants: usize, size: usize, all: &mut Vec<Vec<usize>>) {
    if block.len() == size {
        all.push(block.clone());
        return;
    }
    let last = block[block.len() - 1];
    for member in last + 1..entrants {
        block.push(member);
        extend(block, entrants, size, all);
        block.pop();
    }
}

/// The evenest of a few choices of blocks.
fn choose(entrants: usize, candidates: &[Vec<usize>], rounds: usize, rng: &mut Rng) -> Blocks {
    let spread = |blocks: &Blocks| {
        let (least, most) = extremes(&by_distance(entrants, blocks));
        most - least
    };
    let mut chosen = Vec::new();
    let attempts = (200_000 / (candidates.len() * rounds)).clamp(1, ATTEMPTS);
    for attempt in 0..attempts {
        let start = if attempt == 0 { None } else { Some(rng.index(candidates.len())) };
        let next = improve(entrants, candidates, rounds, start);
        if attempt == 0 || spread(&next) < spread(&chosen) {
            chosen = next;
        }
        if spread(&chosen) <= 1 {
            break;
        }
    }
    chosen
}

/// Takes the best block again and again, then replaces blocks as long as that makes it evener.
fn improve(
    entrants: usize,
    candidates: &[Vec<usize>],
    rounds: usize,
    start: Option<usize>,
) -> Vec<Vec<usize>> {
    let mut counts = vec![0; entrants / 2];
    let mut chosen: Vec<usize> = Vec::new();
    for round in 0..rounds {
        let next = match start {
            Some(start) if round == 0 => start,
            _ => best(entrants, candidates, &counts),
        };
        add(&mut counts, entrants, &candidates[next]);
        chosen.push(next);
    }
    for _ in 0..4 {
        let mut better = false;
        for at in 0..chosen.len() {
            let others = chosen.iter().enumerate().filter(|&(other, _)| other != at);
            let others: Vec<Vec<usize>> = others.map(|(_, &block)| candidates[block].clone()).collect();
            let without = by_distance(entrants, &others);
            let next = best(entrants, candidates, &without);
            let badness = |block: usize| unevenness(entrants, &without, &candidates[block]);
            if badness(next) < badness(chosen[at]) {
                chosen[at] = next;
                better = true;
            }
        }
        if !better {
            break;
        }
    }
    chosen.into_iter().map(|block| candidates[block].clone()).collect()
}

fn best(entrants: usize, candidates: &[Vec<usize>], counts: &[u32]) -> usize {
    let badness = |&block: &usize| unevenness(entrants, counts, &candidates[block]);
    (0..candidates.len()).min_by_key(badness).expect("there is at least one block")
}

/// How uneven the meetings are with one more block: the sum of squares, then the spread. The sum of the counts is the
/// same for all blocks, up to opposite ones.
fn unevenness(entrants: usize, counts: &[u32], block: &[usize]) -> (u64, u32) {
    let mut counts = counts.to_vec();
    add(&mut counts, entrants, block);
    let (least, most) = extremes(&counts);
    (counts.iter().map(|&count| u64::from(count).pow(2)).sum(), most - least)
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
        for (entrants, size) in [(6, 3), (8, 3), (8, 4), (9, 4), (10, 4), (12, 4), (16, 4), (20, 5), (40, 4)]
        {
            let all: Vec<_> = Design::new(entrants, size, None, Seed(1)).rounds().concat();
            let (least, most) = meetings(entrants, &all);
            assert!(least >= 1 && most - least <= 1, "{entrants} in {size}: {least} to {most}");
        }
    }
}
