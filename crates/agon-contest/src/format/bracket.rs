//! Brackets: matches whose entrants are the winners and losers of other matches.
//!
//! Single elimination, where one loss eliminates a bot, and double elimination, where two do, are
//! brackets of different shapes.

use std::{cmp::Ordering, collections::BTreeMap};

use super::{Format, Next, Row};
use crate::{Entrant, Games, History, Pairing, PairingId, pairing::Tally};

/// What happens if a decision is needed and points are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ties {
    /// How often another set of matches is played, on new seeds. After that the one that comes
    /// first in the seeding wins.
    pub more: u32,
}

/// Where an entrant of a node comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// A place of the seeding, from 0; a place after the last one is a bye.
    Seed(usize),
    /// The winner of an earlier node.
    Winner(usize),
    /// The loser of an earlier node.
    Loser(usize),
}

/// A pairing of a bracket.
#[derive(Clone, Debug)]
struct Node {
    id: PairingId,
    /// What it is called: "the final".
    name: String,
    sources: [Source; 2],
    /// Whether the loser is eliminated.
    knocks_out: bool,
    /// How far a bot came that is eliminated here; greater is further.
    stage: u32,
    /// For a second final, the first one, with the same two entrants. The second one is played only
    /// if the second entrant won the first.
    second_chance: Option<usize>,
}

impl Node {
    /// Makes a node whose loser is eliminated.
    fn new(id: PairingId, name: String, sources: [Source; 2], stage: u32) -> Node {
        Node { id, name, sources, knocks_out: true, stage, second_chance: None }
    }
}

/// An elimination: nodes, each after the ones it depends on; the last one makes the champion.
#[derive(Clone, Debug)]
pub struct Bracket {
    /// Who takes part, best first.
    seeding: Vec<Entrant>,
    nodes: Vec<Node>,
    /// How often all but the champion lose.
    defeats: u64,
    games: Games,
    ties: Ties,
}

/// The group of a pairing id that stands for the losers' bracket; the main bracket has 0.
const LOSERS: u32 = 1;
/// The group of a pairing id that stands for the final.
const FINAL: u32 = 2;

/// Who has a place of a bracket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slot {
    Unknown,
    Nobody,
    One(Entrant),
}

/// A node as far as it is known.
#[derive(Clone, Copy, Debug)]
struct Solved {
    entrants: [Slot; 2],
    /// Which of the two won.
    side: Option<usize>,
    /// The node is skipped.
    skipped: bool,
    /// Points were equal, and the seeding decided.
    by_seed: bool,
}

impl Solved {
    fn new(entrants: [Slot; 2], side: Option<usize>) -> Solved {
        Solved { entrants, side, skipped: false, by_seed: false }
    }

    fn winner(&self) -> Slot {
        self.side.map_or(Slot::Unknown, |side| self.entrants[side])
    }

    fn loser(&self) -> Slot {
        self.side.map_or(Slot::Unknown, |side| self.entrants[1 - side])
    }
}

impl Bracket {
    /// Makes a single elimination of all of `seeding`, best first. Byes go to the best.
    pub fn single(seeding: Vec<Entrant>, games: Games, ties: Ties) -> Bracket {
        let mut nodes = Vec::new();
        winners(&mut nodes, seeding.len());
        Bracket { seeding, nodes, defeats: 1, games, ties }
    }

    /// Makes a double elimination: losers continue in a bracket of their own. Its winner meets the
    /// winner of the main bracket in the final.
    ///
    /// With `reset` the final is played again if the bot that had lost once wins it, so that one
    /// loss eliminates nobody.
    pub fn double(seeding: Vec<Entrant>, reset: bool, games: Games, ties: Ties) -> Bracket {
        let mut nodes = Vec::new();
        let rounds = winners(&mut nodes, seeding.len());
        for node in &mut nodes {
            node.name = format!("round {} of the winners", node.id.round + 1);
            node.knocks_out = false;
        }
        let last = rounds[rounds.len() - 1][0];
        let (losers, stage) = losers(&mut nodes, &rounds);
        // With two entrants there is no losers' bracket: the loser goes straight to the final.
        let other = losers.map_or(Source::Loser(last), Source::Winner);
        let first_final = nodes.len();
        let id = |round| PairingId { round, group: FINAL, pairing: 0 };
        let sources = [Source::Winner(last), other];
        nodes.push(Node::new(id(0), "the final".to_owned(), sources, stage));
        if reset {
            let sources = [Source::Winner(first_final), Source::Loser(first_final)];
            let second = Node::new(id(1), "the second final".to_owned(), sources, stage);
            nodes.push(Node { second_chance: Some(first_final), ..second });
        }
        Bracket { seeding, nodes, defeats: 2, games, ties }
    }

    fn seed_of(&self, entrant: Entrant) -> usize {
        self.seeding
            .iter()
            .position(|&other| other == entrant)
            .expect("entrants come from the seeding")
    }

    fn solve(&self, tallies: &BTreeMap<PairingId, Tally>) -> Vec<Solved> {
        let mut solved: Vec<Solved> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let entrant_of = |source: Source| match source {
                Source::Seed(place) => {
                    self.seeding.get(place).map_or(Slot::Nobody, |&e| Slot::One(e))
                }
                Source::Winner(node) => solved[node].winner(),
                Source::Loser(node) => solved[node].loser(),
            };
            let entrants = node.sources.map(entrant_of);
            let next = match node.second_chance.map(|first| solved[first]) {
                Some(first) if first.side.is_none() => Solved::new(entrants, None),
                Some(first) if first.side == Some(0) => {
                    Solved { skipped: true, ..Solved::new(first.entrants, Some(0)) }
                }
                _ => self.decide(entrants, tallies.get(&node.id)),
            };
            solved.push(next);
        }
        solved
    }

    fn decide(&self, entrants: [Slot; 2], tally: Option<&Tally>) -> Solved {
        match entrants {
            [Slot::Unknown, _] | [_, Slot::Unknown] => Solved::new(entrants, None),
            [_, Slot::Nobody] => Solved::new(entrants, Some(0)),
            [Slot::Nobody, _] => Solved::new(entrants, Some(1)),
            [Slot::One(a), Slot::One(b)] => {
                let Some(tally) = tally.filter(|tally| tally.is_complete()) else {
                    return Solved::new(entrants, None);
                };
                let first = usize::from(tally.pairing.entrants[0] != a);
                match tally.points[first].cmp(&tally.points[1 - first]) {
                    Ordering::Greater => Solved::new(entrants, Some(0)),
                    Ordering::Less => Solved::new(entrants, Some(1)),
                    Ordering::Equal if tally.called > self.games.count(2) * self.ties.more => {
                        let side = usize::from(self.seed_of(b) < self.seed_of(a));
                        Solved { by_seed: true, ..Solved::new(entrants, Some(side)) }
                    }
                    Ordering::Equal => Solved::new(entrants, None),
                }
            }
        }
    }
}

impl Format for Bracket {
    fn next(&self, history: &History) -> Next {
        let tallies = history.tallies();
        let solved = self.solve(&tallies);
        let mut wave = Vec::new();
        for (node, solved) in self.nodes.iter().zip(&solved) {
            let [Slot::One(a), Slot::One(b)] = solved.entrants else { continue };
            if solved.skipped || solved.side.is_some() {
                continue;
            }
            wave.push(match tallies.get(&node.id) {
                Some(tally) => tally.pairing.again(tally.called, self.games),
                // If the number of matches is odd, the two places take turns in having the first
                // seat once more.
                None if (node.id.round + node.id.pairing) % 2 == 1 => {
                    Pairing::new(node.id, vec![b, a], self.games)
                }
                None => Pairing::new(node.id, vec![a, b], self.games),
            });
        }
        Next::wave(wave)
    }

    /// All but the champion lose once or twice. In a double elimination the champion and the second
    /// may lose once each instead.
    fn planned(&self) -> Option<u64> {
        let losers = (self.seeding.len() as u64).saturating_sub(1);
        Some(self.defeats * losers * u64::from(self.games.count(2)))
    }

    fn standing(&self, history: &History) -> Vec<Row> {
        let solved = self.solve(&history.tallies());
        let totals = super::totals(history, self.seeding.len(), 0);
        let last = solved.last().map(Solved::winner);
        let mut stages = BTreeMap::new();
        for (at, (node, result)) in self.nodes.iter().zip(&solved).enumerate() {
            // A bot with a second chance is not eliminated yet.
            let continues = self
                .nodes
                .iter()
                .zip(&solved)
                .any(|(other, r)| other.second_chance == Some(at) && !r.skipped);
            let (Slot::One(loser), true, false) =
                (result.loser(), node.knocks_out, result.skipped || continues)
            else {
                continue;
            };
            let how = if result.by_seed { ", level on points, by the seeding" } else { "" };
            stages.insert(loser, (node.stage, format!("lost in {}{how}", node.name)));
        }
        let rows = self.seeding.iter().map(|&entrant| {
            let total = totals[entrant.index()];
            let reason = match (last, stages.get(&entrant)) {
                (Some(Slot::One(champion)), _) if champion == entrant => "won the final".to_owned(),
                (_, Some((_, reason))) => reason.clone(),
                _ => "still in".to_owned(),
            };
            Row { reason, ..super::row(entrant, total, Vec::new()) }
        });
        let far = |row: &Row| match (last, stages.get(&row.entrant)) {
            (Some(Slot::One(champion)), _) if champion == row.entrant => (2, 0),
            (_, Some(&(stage, _))) => (0, stage),
            _ => (1, 0),
        };
        super::place(rows.collect(), |a, b| far(b).cmp(&far(a)))
    }
}

/// Adds the rounds of a bracket, and returns the nodes of each round.
fn winners(nodes: &mut Vec<Node>, entrants: usize) -> Vec<Vec<usize>> {
    let size = entrants.max(2).next_power_of_two();
    let mut sources: Vec<Source> = bracket_order(size).into_iter().map(Source::Seed).collect();
    let mut rounds = Vec::new();
    while sources.len() > 1 {
        let round = rounds.len();
        let pairings = sources.len() / 2;
        let mut here = Vec::new();
        for (pairing, pair) in (0..).zip(sources.chunks(2)) {
            here.push(nodes.len());
            let id = PairingId { round: round as u32, group: 0, pairing };
            let name = round_name(pairings, round + 1);
            nodes.push(Node::new(id, name, [pair[0], pair[1]], id.round));
        }
        sources = here.iter().map(|&node| Source::Winner(node)).collect();
        rounds.push(here);
    }
    rounds
}

/// Adds the losers' bracket, and returns its last node and the next stage.
///
/// In turns, the remaining losers meet each other, and then the next losers of the main bracket.
/// The latter come in reverse order, or moved on by half, so that rematches come late.
fn losers(nodes: &mut Vec<Node>, rounds: &[Vec<usize>]) -> (Option<usize>, u32) {
    let mut left: Vec<Source> = rounds[0].iter().map(|&node| Source::Loser(node)).collect();
    let mut round = 0;
    let mut play = |pairs: Vec<[Source; 2]>| {
        let mut here = Vec::new();
        for (pairing, sources) in (0..).zip(pairs) {
            here.push(Source::Winner(nodes.len()));
            let id = PairingId { round, group: LOSERS, pairing };
            nodes.push(Node::new(id, format!("round {} of the losers", round + 1), sources, round));
        }
        round += 1;
        here
    };
    for (number, fallen) in rounds[1..].iter().enumerate() {
        left = play(left.chunks(2).map(|pair| [pair[0], pair[1]]).collect());
        let mut fallen = fallen.clone();
        if number % 2 == 0 {
            fallen.reverse();
        } else {
            let half = fallen.len() / 2;
            fallen.rotate_left(half);
        }
        let pairs = fallen.iter().zip(&left).map(|(&fallen, &left)| [Source::Loser(fallen), left]);
        left = play(pairs.collect());
    }
    let last = match left[..] {
        [Source::Winner(node)] => Some(node),
        _ => None,
    };
    (last, round)
}

/// Returns the name of a round with this many pairings; `round` is its number, from 1.
fn round_name(pairings: usize, round: usize) -> String {
    match pairings {
        1 => "the final".to_owned(),
        2 => "the semi-final".to_owned(),
        4 => "the quarter-final".to_owned(),
        _ => format!("round {round}"),
    }
}

/// Returns the seed, from 0, at each place of a bracket of `size` (a power of two).
///
/// The best two meet in the final, the best four in the semi-finals, and so on. The best meet the
/// weakest first.
pub fn bracket_order(size: usize) -> Vec<usize> {
    let mut order = vec![0];
    while order.len() < size {
        let next = order.len() * 2;
        order = order.into_iter().flat_map(|seed| [seed, next - 1 - seed]).collect();
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_meet_late() {
        assert_eq!(bracket_order(1), [0]);
        assert_eq!(bracket_order(8), [0, 7, 3, 4, 1, 6, 2, 5]);
    }
}
