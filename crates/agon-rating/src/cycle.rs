//! Cycles, which no rating can show: A beats B, B beats C, and C beats A.
//!
//! Reports of tournaments warn of them.

use serde::Serialize;

use crate::{HeadToHead, graph::circles};

/// Players who each beat the next one; the last one beats the first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cycle {
    /// At least three players; the smallest number is first.
    pub players: Vec<usize>,
    /// The confidence of the least certain of its legs.
    ///
    /// See [`Meetings::confidence`](crate::Meetings::confidence).
    pub confidence: f64,
    /// The score, from 0 to 1, of each player against the next one.
    pub scores: Vec<f64>,
}

/// Returns at most `limit` cycles, the shortest first, then the most certain.
///
/// Each leg is a win with at least this `confidence`, such as 0.95. The search covers all cycles of
/// three. If players beat each other in a circle without any cycle of three, it reports one of
/// their shortest.
///
/// Each leg is tested on its own, by a two-sided test. Among many pairs some legs appear by chance,
/// and in large fields so do cycles of them. [`cycle_confidence`] is high enough to avoid that.
pub fn cycles(results: &HeadToHead, confidence: f64, limit: usize) -> Vec<Cycle> {
    let legs = Legs::new(results, confidence);
    let next: Vec<Vec<usize>> =
        legs.beats.iter().map(|list| list.iter().map(|leg| leg.0).collect()).collect();
    let circle = circles(&next);
    let mut short = vec![false; circle.iter().max().map_or(0, |last| last + 1)];
    let mut found = legs.triples(limit, |player| short[circle[player]] = true);
    found.extend(
        shortest_cycles(&next, &circle, &short).into_iter().filter_map(|path| legs.cycle(path)),
    );
    found.sort_by(order);
    found.truncate(limit);
    found
}

/// Returns the confidence of legs that makes cycles by chance rare.
///
/// If all players are equally strong, at most one tournament in twenty has a cycle by chance. The
/// value is 0.95 for up to 18 players and more for more. A leg with confidence 1 - α appears by
/// chance, in a given direction, with a probability of at most α / 2. There are nᵏ / k ways through
/// k players, so at most (nα / 2)ᵏ / k of them are cycles on average. The sum over all k from 3 on
/// is 0.047 for nα = 0.9.
pub fn cycle_confidence(players: usize) -> f64 {
    1.0 - (0.9 / players.max(1) as f64).min(0.05)
}

fn order(one: &Cycle, other: &Cycle) -> std::cmp::Ordering {
    let by_length = one.players.len().cmp(&other.players.len());
    by_length
        .then(other.confidence.total_cmp(&one.confidence))
        .then(one.players.cmp(&other.players))
}

impl Cycle {
    /// Returns a sentence for a report.
    pub fn warning(&self, name: impl Fn(usize) -> String) -> String {
        let legs = self.scores.iter().enumerate().map(|(at, score)| {
            let next = self.players[(at + 1) % self.players.len()];
            format!("{} beats {} ({:.0} %)", name(self.players[at]), name(next), 100.0 * score)
        });
        // Rounded up, so that it is never less than it is.
        let chance = ((1000.0 * (1.0 - self.confidence)).ceil() / 10.0).max(0.1);
        format!(
            "{}: no order of strength fits all of these results. Between equal opponents, a result \
             as one-sided as any of them has a probability of at most {chance:.1} %.",
            legs.collect::<Vec<_>>().join(", "),
        )
    }
}

/// Significant wins.
struct Legs {
    /// The players that each player beat, in order, with confidence and score.
    beats: Vec<Vec<(usize, f64, f64)>>,
}

impl Legs {
    fn new(results: &HeadToHead, confidence: f64) -> Legs {
        let players = results.pairs.iter().map(|pair| pair.other + 1).max().unwrap_or(0);
        let mut beats = vec![Vec::new(); players];
        for pair in results.pairs.iter().flat_map(|&pair| [pair, pair.reversed()]) {
            let certain = pair.confidence();
            if certain >= confidence && pair.ahead > pair.behind {
                beats[pair.one].push((pair.other, certain, pair.score()));
            }
        }
        beats
            .iter_mut()
            .for_each(|list: &mut Vec<(usize, f64, f64)>| list.sort_unstable_by_key(|leg| leg.0));
        Legs { beats }
    }

    fn leg(&self, from: usize, to: usize) -> Option<(f64, f64)> {
        let at = self.beats[from].binary_search_by_key(&to, |leg| leg.0).ok()?;
        Some((self.beats[from][at].1, self.beats[from][at].2))
    }

    fn cycle(&self, players: Vec<usize>) -> Option<Cycle> {
        let legs: Option<Vec<(f64, f64)>> = (0..players.len())
            .map(|at| self.leg(players[at], players[(at + 1) % players.len()]))
            .collect();
        let legs = legs?;
        let confidence = legs.iter().map(|leg| leg.0).fold(1.0, f64::min);
        Some(Cycle { players, confidence, scores: legs.iter().map(|leg| leg.1).collect() })
    }

    /// Returns the best cycles of three; `member` gets a player of each, even of those left out.
    fn triples(&self, limit: usize, mut member: impl FnMut(usize)) -> Vec<Cycle> {
        let mut found = Vec::new();
        for (one, beaten) in self.beats.iter().enumerate() {
            for &(two, ..) in beaten.iter().filter(|leg| leg.0 > one) {
                for &(three, ..) in self.beats[two].iter().filter(|leg| leg.0 > one) {
                    if self.leg(three, one).is_some() {
                        member(one);
                        found.extend(self.cycle(vec![one, two, three]));
                    }
                }
                // There may be millions; only the best are wanted.
                if found.len() > 2 * limit + 10_000 {
                    found.sort_by(order);
                    found.truncate(limit);
                }
            }
        }
        found
    }
}

/// Returns a shortest cycle in each circle of players that is not `done`.
fn shortest_cycles(next: &[Vec<usize>], circle: &[usize], done: &[bool]) -> Vec<Vec<usize>> {
    let mut best: Vec<Option<Vec<usize>>> = vec![None; done.len()];
    for start in (0..next.len()).filter(|&start| !done[circle[start]]) {
        let shortest = &mut best[circle[start]];
        if let Some(path) = around(next, start)
            && shortest.as_ref().is_none_or(|other| path.len() < other.len())
        {
            *shortest = Some(path);
        }
    }
    best.into_iter().flatten().collect()
}

/// Finds a shortest way from `start` back to it over greater numbers only, breadth first.
fn around(next: &[Vec<usize>], start: usize) -> Option<Vec<usize>> {
    let mut from = vec![usize::MAX; next.len()];
    let mut queue = std::collections::VecDeque::from([start]);
    while let Some(node) = queue.pop_front() {
        for &to in next[node].iter().filter(|&&to| to >= start) {
            if to == start {
                let mut path = vec![node];
                while path[path.len() - 1] != start {
                    path.push(from[path[path.len() - 1]]);
                }
                path.reverse();
                return Some(path);
            }
            if from[to] == usize::MAX {
                from[to] = node;
                queue.push_back(to);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Record;

    fn beats(one: usize, other: usize, wins: usize, losses: usize) -> Vec<Record> {
        [vec![Record::win(one, other); wins], vec![Record::win(other, one); losses]].concat()
    }

    fn found(records: &[Vec<Record>], limit: usize) -> Vec<Cycle> {
        cycles(&HeadToHead::new(&records.concat()).unwrap(), 0.95, limit)
    }

    #[test]
    fn stone_paper_scissors_is_found_and_said() {
        let cycles = found(&[beats(1, 0, 10, 0), beats(0, 2, 15, 5), beats(2, 1, 30, 2)], 10);
        assert_eq!(cycles.len(), 1);
        assert_eq!(cycles[0].players, [0, 2, 1]);
        let name = |player: usize| ["stone", "paper", "scissors"][player].to_owned();
        assert_eq!(
            cycles[0].warning(name),
            "stone beats scissors (75 %), scissors beats paper (94 %), paper beats stone (100 %): \
             no order of strength fits all of these results. Between equal opponents, a result as \
             one-sided as any of them has a probability of at most 4.2 %."
        );
    }

    #[test]
    fn a_leg_that_may_be_chance_makes_no_cycle() {
        assert_eq!(found(&[beats(1, 0, 10, 0), beats(0, 2, 11, 9), beats(2, 1, 30, 2)], 10), []);
        assert_eq!(found(&[beats(0, 1, 10, 0), beats(0, 2, 15, 5), beats(1, 2, 30, 2)], 10), []);
    }

    #[test]
    fn the_most_certain_cycle_is_first_and_only_as_many_as_wanted() {
        let weak = [beats(0, 1, 8, 1), beats(1, 2, 8, 1), beats(2, 0, 8, 1)];
        let strong = [beats(3, 4, 20, 0), beats(4, 5, 20, 0), beats(5, 3, 20, 0)];
        let all = [weak, strong].concat();
        let players: Vec<_> = found(&all, 10).into_iter().map(|cycle| cycle.players).collect();
        assert_eq!(players, [[3, 4, 5], [0, 1, 2]]);
        assert_eq!(found(&all, 1).len(), 1);
    }

    #[test]
    fn a_longer_cycle_is_found_where_there_is_none_of_three() {
        let ring: Vec<_> = (0..5).map(|at| beats(at, (at + 1) % 5, 10, 0)).collect();
        let triple = [beats(6, 5, 9, 0), beats(5, 7, 9, 0), beats(7, 6, 9, 0), beats(0, 5, 9, 0)];
        let cycles = found(&[&ring[..], &triple[..]].concat(), 10);
        let players: Vec<_> = cycles.into_iter().map(|cycle| cycle.players).collect();
        assert_eq!(players, [vec![5, 7, 6], vec![0, 1, 2, 3, 4]]);
    }
}
