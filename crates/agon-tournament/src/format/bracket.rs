//! Brackets: matches whose entrants are the winners and losers of other matches.

use std::collections::BTreeMap;

use super::{Next, Row};
use crate::{Entrant, Games, History, Pairing, PairingId, history::Tally};

/// What is done when a decision is needed and points are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ties {
    /// How often another set of matches is played, on new seeds; after that whoever stands first in
    /// the plan wins.
    pub more: u32,
}

/// Where an entrant of a node comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// A place of the seeding, from 0; a bye behind the last one.
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
    /// Whether the loser is out.
    pub(super) knocks_out: bool,
    /// How far one comes who goes out here; greater is further.
    pub(super) stage: u32,
    /// The node decides only if the second entrant of this earlier one, its two entrants being the
    /// same, has won it.
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

/// Who comes to a place of a bracket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slot {
    Unknown,
    Nobody,
    One(Entrant),
}

/// A node as far as it is known.
#[derive(Clone, Copy, Debug)]
struct Solved {
    comers: [Slot; 2],
    winner: Slot,
    loser: Slot,
    /// Which of the two won.
    side: Option<usize>,
    /// The node is skipped.
    skipped: bool,
    by_seed: bool,
}

impl Bracket {
    pub(super) fn next(&self, history: &History) -> Next {
        let tallies = history.tallies();
        let solved = self.solve(&tallies);
        let mut wave = Vec::new();
        for (node, solved) in self.nodes.iter().zip(&solved) {
            let [Slot::One(a), Slot::One(b)] = solved.comers else { continue };
            if solved.skipped || solved.side.is_some() {
                continue;
            }
            wave.push(match tallies.get(&node.id) {
                Some(tally) => tally.pairing.again(tally.called, self.games),
                // Where the number of matches is odd, whoever has the first seat once more
                // alternates.
                None if (node.id.round + node.id.pairing) % 2 == 1 => {
                    Pairing::new(node.id, vec![b, a], self.games)
                }
                None => Pairing::new(node.id, vec![a, b], self.games),
            });
        }
        Next::wave(wave)
    }

    /// Matches in all, without ties, if all but one lose so often.
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
            let comer = |source: Source| match source {
                Source::Seed(place) => {
                    self.seeding.get(place).map_or(Slot::Nobody, |&e| Slot::One(e))
                }
                Source::Winner(node) => solved[node].winner,
                Source::Loser(node) => solved[node].loser,
            };
            let comers = node.sources.map(comer);
            let next = match node.second_chance.map(|first| solved[first]) {
                Some(first) if first.side.is_none() => Solved::open(comers),
                Some(first) if first.side == Some(0) => {
                    Solved { skipped: true, ..Solved::won(first.comers, 0) }
                }
                _ => self.decide(comers, tallies.get(&node.id)),
            };
            solved.push(next);
        }
        solved
    }

    fn decide(&self, comers: [Slot; 2], tally: Option<&Tally>) -> Solved {
        match comers {
            [Slot::Unknown, _] | [_, Slot::Unknown] => Solved::open(comers),
            [_, Slot::Nobody] => Solved::won(comers, 0),
            [Slot::Nobody, _] => Solved::won(comers, 1),
            [Slot::One(a), Slot::One(b)] => {
                let Some(tally) = tally.filter(|tally| tally.is_complete()) else {
                    return Solved::open(comers);
                };
                let first = usize::from(tally.pairing.entrants[0] != a);
                match tally.points[first].cmp(&tally.points[1 - first]) {
                    std::cmp::Ordering::Greater => Solved::won(comers, 0),
                    std::cmp::Ordering::Less => Solved::won(comers, 1),
                    std::cmp::Ordering::Equal
                        if tally.called > self.games.count(2) * self.ties.more =>
                    {
                        let side = usize::from(self.seed_of(b) < self.seed_of(a));
                        Solved { by_seed: true, ..Solved::won(comers, side) }
                    }
                    std::cmp::Ordering::Equal => Solved::open(comers),
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
            // Whoever gets a second chance is not out yet.
            let goes_on = self
                .nodes
                .iter()
                .zip(&solved)
                .any(|(other, r)| other.second_chance == Some(at) && !r.skipped);
            let (Slot::One(loser), true, false) =
                (result.loser, node.knocks_out, result.skipped || goes_on)
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
    fn open(comers: [Slot; 2]) -> Solved {
        let unknown = Slot::Unknown;
        Solved {
            comers,
            winner: unknown,
            loser: unknown,
            side: None,
            skipped: false,
            by_seed: false,
        }
    }

    fn won(comers: [Slot; 2], side: usize) -> Solved {
        let winner = comers[side];
        let loser = comers[1 - side];
        Solved { comers, winner, loser, side: Some(side), skipped: false, by_seed: false }
    }
}

/// The name of a round with so many pairings, number `round` from 1.
pub(super) fn round_name(pairings: usize, round: usize) -> String {
    match pairings {
        1 => "the final".to_owned(),
        2 => "the semi-final".to_owned(),
        4 => "the quarter-final".to_owned(),
        _ => format!("round {round}"),
    }
}
