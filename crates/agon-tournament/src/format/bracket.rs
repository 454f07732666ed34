//! Brackets: matches whose entrants are the winners and losers of other matches.
//!
//! Single and double elimination are brackets of different shapes.

use std::collections::BTreeMap;

use super::{Next, Row};
use crate::{Entrant, Games, History, Pairing, PairingId, history::Tally};

/// What happens if a decision is needed and points are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ties {
    /// How often another set of matches is played, on new seeds. After that the one that comes
    /// first in the seeding wins.
    pub more: u32,
}

/// Where an entrant of a node comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// A place of the seeding, from 0; a place after the last one is a bye.
    Seed(usize),
    /// The winner of an earlier node.
    Winner(usize),
    /// The loser of an earlier node.
    Loser(usize),
}

/// A pairing of a bracket.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) id: PairingId,
    /// What it is called: "the final".
    pub(super) name: String,
    pub(super) sources: [Source; 2],
    /// Whether the loser is eliminated.
    pub(super) knocks_out: bool,
    /// How far a bot came that is eliminated here; greater is further.
    pub(super) stage: u32,
    /// For a second final, the first one, with the same two entrants. The second one is played only
    /// if the second entrant won the first.
    pub(super) second_chance: Option<usize>,
}

/// Nodes, each after the ones it depends on; the last one makes the champion.
#[derive(Clone, Debug)]
pub(super) struct Bracket {
    pub(super) seeding: Vec<Entrant>,
    pub(super) nodes: Vec<Node>,
    pub(super) games: Games,
    pub(super) ties: Ties,
}

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
    winner: Slot,
    loser: Slot,
    /// Which of the two won.
    side: Option<usize>,
    /// The node is skipped.
    skipped: bool,
    /// Points were equal, and the seeding decided.
    by_seed: bool,
}

impl Bracket {
    pub(super) fn next(&self, history: &History) -> Next {
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

    /// Returns the number of all matches, without ties, if all but one lose this often.
    pub(super) fn planned(&self, defeats: u64) -> u64 {
        defeats * (self.seeding.len() as u64).saturating_sub(1) * u64::from(self.games.count(2))
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
                Source::Winner(node) => solved[node].winner,
                Source::Loser(node) => solved[node].loser,
            };
            let entrants = node.sources.map(entrant_of);
            let next = match node.second_chance.map(|first| solved[first]) {
                Some(first) if first.side.is_none() => Solved::open(entrants),
                Some(first) if first.side == Some(0) => {
                    Solved { skipped: true, ..Solved::won(first.entrants, 0) }
                }
                _ => self.decide(entrants, tallies.get(&node.id)),
            };
            solved.push(next);
        }
        solved
    }

    fn decide(&self, entrants: [Slot; 2], tally: Option<&Tally>) -> Solved {
        match entrants {
            [Slot::Unknown, _] | [_, Slot::Unknown] => Solved::open(entrants),
            [_, Slot::Nobody] => Solved::won(entrants, 0),
            [Slot::Nobody, _] => Solved::won(entrants, 1),
            [Slot::One(a), Slot::One(b)] => {
                let Some(tally) = tally.filter(|tally| tally.is_complete()) else {
                    return Solved::open(entrants);
                };
                let first = usize::from(tally.pairing.entrants[0] != a);
                match tally.points[first].cmp(&tally.points[1 - first]) {
                    std::cmp::Ordering::Greater => Solved::won(entrants, 0),
                    std::cmp::Ordering::Less => Solved::won(entrants, 1),
                    std::cmp::Ordering::Equal
                        if tally.called > self.games.count(2) * self.ties.more =>
                    {
                        let side = usize::from(self.seed_of(b) < self.seed_of(a));
                        Solved { by_seed: true, ..Solved::won(entrants, side) }
                    }
                    std::cmp::Ordering::Equal => Solved::open(entrants),
                }
            }
        }
    }

    pub(super) fn standing(&self, history: &History) -> Vec<Row> {
        let solved = self.solve(&history.tallies());
        let totals = super::table::totals(history, self.seeding.len(), 0);
        let last = solved.last().map(|node| node.winner);
        let mut stages = BTreeMap::new();
        for (at, (node, result)) in self.nodes.iter().zip(&solved).enumerate() {
            // A bot with a second chance is not eliminated yet.
            let continues = self
                .nodes
                .iter()
                .zip(&solved)
                .any(|(other, r)| other.second_chance == Some(at) && !r.skipped);
            let (Slot::One(loser), true, false) =
                (result.loser, node.knocks_out, result.skipped || continues)
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
            let played = total.played;
            let half_points = total.points;
            Row { entrant, place: 0, played, half_points, tie_breaks: Vec::new(), reason }
        });
        let far = |row: &Row| match (last, stages.get(&row.entrant)) {
            (Some(Slot::One(champion)), _) if champion == row.entrant => (2, 0),
            (_, Some(&(stage, _))) => (0, stage),
            _ => (1, 0),
        };
        super::table::place(rows.collect(), |a, b| far(b).cmp(&far(a)))
    }
}

impl Solved {
    fn open(entrants: [Slot; 2]) -> Solved {
        let unknown = Slot::Unknown;
        Solved {
            entrants,
            winner: unknown,
            loser: unknown,
            side: None,
            skipped: false,
            by_seed: false,
        }
    }

    fn won(entrants: [Slot; 2], side: usize) -> Solved {
        let winner = entrants[side];
        let loser = entrants[1 - side];
        Solved { entrants, winner, loser, side: Some(side), skipped: false, by_seed: false }
    }
}

/// Returns the name of a round with this many pairings; `round` is its number, from 1.
pub(super) fn round_name(pairings: usize, round: usize) -> String {
    match pairings {
        1 => "the final".to_owned(),
        2 => "the semi-final".to_owned(),
        4 => "the quarter-final".to_owned(),
        _ => format!("round {round}"),
    }
}
