//! Results of each pair of players.
//!
//! Reports of tournaments show them, and cycles are found in them.

use std::f64::consts::LN_2;

use libm::{exp, lgamma};

use crate::{RatingError, Record, graph::circles};

/// The results of all pairs of players who met, in matches of any number of players.
///
/// The player with the better place wins the meeting.
#[derive(Clone, Debug, PartialEq)]
pub struct HeadToHead {
    /// Each pair that met, once and in order, with `one` < `other`.
    pub pairs: Vec<Meetings>,
}

/// The meetings of two players, from the first one's point of view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meetings {
    /// The player with the counted wins.
    pub one: usize,
    /// The other player.
    pub other: usize,
    /// Matches in which `one` was placed before `other`.
    pub wins: u64,
    /// Matches in which both had the same place.
    pub ties: u64,
    /// Matches in which `other` was placed before `one`.
    pub losses: u64,
    /// Clusters, or matches on their own, in which `one` won more often than `other`.
    pub ahead: u64,
    /// Clusters, or matches on their own, in which `other` won more often than `one`.
    pub behind: u64,
}

impl HeadToHead {
    /// Counts all meetings, without the weights of matches.
    pub fn new(records: &[Record]) -> Result<HeadToHead, RatingError> {
        records.iter().enumerate().try_for_each(|(number, record)| record.check(number))?;
        // The meetings, each with its cluster or the number of its match, and 1, 0 or -1 for `one`.
        let mut meetings: Vec<(usize, usize, Result<u64, usize>, i64)> = Vec::new();
        for (number, record) in records.iter().enumerate() {
            let cluster = record.cluster.ok_or(number);
            let entries: Vec<(usize, u32)> =
                record.players.iter().copied().zip(record.places.iter().copied()).collect();
            for (at, &(player, place)) in entries.iter().enumerate() {
                for &(rival, behind) in &entries[at + 1..] {
                    let sign = i64::from(place < behind) - i64::from(place > behind);
                    let (one, other, sign) =
                        if player < rival { (player, rival, sign) } else { (rival, player, -sign) };
                    meetings.push((one, other, cluster, sign));
                }
            }
        }
        meetings.sort_unstable();
        let pairs = meetings.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)).map(|pair| {
            let count = |sign: i64| pair.iter().filter(|meeting| meeting.3 == sign).count() as u64;
            let nets = pair
                .chunk_by(|a, b| a.2 == b.2)
                .map(|c| c.iter().map(|m| m.3).sum::<i64>().signum());
            let mut ahead = 0;
            let mut behind = 0;
            for net in nets {
                ahead += u64::from(net > 0);
                behind += u64::from(net < 0);
            }
            let (one, other) = (pair[0].0, pair[0].1);
            Meetings {
                one,
                other,
                wins: count(1),
                ties: count(0),
                losses: count(-1),
                ahead,
                behind,
            }
        });
        Ok(HeadToHead { pairs: pairs.collect() })
    }

    /// Returns the meetings of two players, from `one`'s point of view; `None` if they never met.
    pub fn get(&self, one: usize, other: usize) -> Option<Meetings> {
        let key = (one.min(other), one.max(other));
        let at = self.pairs.binary_search_by_key(&key, |pair| (pair.one, pair.other)).ok()?;
        let pair = self.pairs[at];
        Some(if one == pair.one { pair } else { pair.reversed() })
    }
}

impl Meetings {
    /// Returns the same meetings from the other player's point of view.
    pub fn reversed(self) -> Meetings {
        Meetings {
            one: self.other,
            other: self.one,
            wins: self.losses,
            ties: self.ties,
            losses: self.wins,
            ahead: self.behind,
            behind: self.ahead,
        }
    }

    /// Returns wins and half the ties, as a share of all meetings.
    pub fn score(&self) -> f64 {
        (self.wins as f64 + self.ties as f64 / 2.0) / (self.wins + self.ties + self.losses) as f64
    }

    /// Returns the confidence that one of the two beats the other more often than the reverse.
    ///
    /// It is 1 minus the probability that equals have a result at least as one-sided as this, in
    /// either direction. It is the exact two-sided sign test over clusters, without those that have
    /// no winner. Of pairs of equals, at most 5 % have a confidence of 0.95 or more.
    pub fn confidence(&self) -> f64 {
        let more = self.ahead.max(self.behind);
        let less = self.ahead.min(self.behind);
        if more == less { 0.0 } else { 1.0 - 2.0 * at_least(more, less) }
    }
}

/// Returns the probability that a fair coin shows heads at least this often.
///
/// With n = heads + tails throws it is P(X ≥ heads) of a binomial X with probability ½.
fn at_least(heads: u64, tails: u64) -> f64 {
    if heads <= tails {
        return 1.0 - if heads == 0 { 0.0 } else { at_least(tails + 1, heads - 1) };
    }
    let (heads, all) = (heads as f64, (heads + tails) as f64);
    let choices = lgamma(all + 1.0) - lgamma(heads + 1.0) - lgamma(all - heads + 1.0);
    let mut count = heads;
    let mut term = exp(choices - all * LN_2);
    let mut sum = 0.0;
    // More than half of the throws: each term is less than the one before.
    while count <= all && term > sum * f64::EPSILON / 4.0 {
        sum += term;
        term *= (all - count) / (count + 1.0);
        count += 1.0;
    }
    sum
}

/// Players who each beat the next one; the last one beats the first.
#[derive(Clone, Debug, PartialEq)]
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

    #[test]
    fn pairs_of_larger_matches_are_counted() {
        let records = [Record::new(&[2, 0, 1], &[1, 2, 2]), Record::win(0, 2), Record::tie(1, 2)];
        let all = HeadToHead::new(&records).unwrap();
        let counts = |one, other| all.get(one, other).map(|m| (m.wins, m.ties, m.losses));
        assert_eq!(counts(0, 1), Some((0, 1, 0)));
        assert_eq!(counts(2, 0), Some((1, 0, 1)));
        assert_eq!(counts(1, 2), Some((0, 1, 1)));
        assert_eq!(counts(1, 3), None);
        assert_eq!(all.get(2, 1).map(|meetings| meetings.score()), Some(0.75));
    }

    #[test]
    fn confidence_is_the_two_sided_sign_test() {
        // 9 of 10: P(X ≥ 9) = P(X ≤ 1) = 11 / 1024.
        let records: Vec<Record> =
            (0..10).map(|i| if i == 3 { Record::win(1, 0) } else { Record::win(0, 1) }).collect();
        let all = HeadToHead::new(&records).unwrap();
        let pair = all.get(0, 1).unwrap();
        assert!((pair.confidence() - (1.0 - 22.0 / 1024.0)).abs() < 1e-12);
        assert_eq!(pair.reversed().confidence(), pair.confidence());
        let even = [Record::win(0, 1), Record::win(1, 0), Record::tie(0, 1)];
        for records in [&even[..], &even[..1]] {
            assert_eq!(HeadToHead::new(records).unwrap().pairs[0].confidence(), 0.0);
        }
    }

    #[test]
    fn at_most_one_pair_of_equals_in_twenty_is_told_apart() {
        for all in 6..=40u64 {
            let confidence = |ahead: u64| {
                let records: Vec<Record> = (0..all)
                    .map(|at| if at < ahead { Record::win(0, 1) } else { Record::win(1, 0) })
                    .collect();
                HeadToHead::new(&records).unwrap().pairs[0].confidence()
            };
            let least = (all / 2..=all).find(|&ahead| confidence(ahead) >= 0.95).unwrap();
            assert!(confidence(all - least) >= 0.95 && confidence(all - least + 1) < 0.95, "{all}");
            let told_apart = 2.0 * at_least(least, all - least);
            assert!(told_apart <= 0.05, "{all}: {told_apart}");
        }
    }

    #[test]
    fn tails_of_the_binomial_are_those_of_pascals_triangle() {
        for all in 1..=50u64 {
            let mut row = vec![1.0f64];
            for at in 0..all {
                row.push((row[at as usize] * (all - at) as f64 / (at + 1) as f64).round());
            }
            for heads in 0..=all {
                let exact = row[heads as usize..].iter().sum::<f64>() / (1u64 << all) as f64;
                assert!(
                    (at_least(heads, all - heads) / exact - 1.0).abs() < 1e-12,
                    "{heads} of {all}"
                );
            }
        }
        // Expected by the normal distribution, with half a step for continuity.
        assert!((at_least(501_000, 499_000) - 0.022_805).abs() < 1e-5);
    }

    #[test]
    fn a_cluster_has_one_voice() {
        let both =
            |cluster| [Record::win(0, 1).clustered(cluster), Record::win(0, 1).clustered(cluster)];
        let split =
            |cluster| [Record::win(0, 1).clustered(cluster), Record::win(1, 0).clustered(cluster)];
        let records = [both(1), split(2), both(7), split(3)].concat();
        let pair = HeadToHead::new(&records).unwrap().get(0, 1).unwrap();
        assert_eq!((pair.wins, pair.losses, pair.ahead, pair.behind), (6, 2, 2, 0));
        assert!((pair.confidence() - 0.5).abs() < 1e-12);
    }

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
