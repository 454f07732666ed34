//! Single elimination, a format of tournaments: one loss eliminates a bot.
//!
//! Double elimination takes its main bracket from here.

use super::{
    Format, Next, Row, Ties,
    bracket::{Bracket, Node, Source, round_name},
    bracket_order,
};
use crate::{Entrant, Games, History, PairingId};

/// Single elimination with seeding; byes go to the best.
#[derive(Clone, Debug)]
pub struct Elimination(Bracket);

impl Elimination {
    /// Makes a bracket of all of `seeding`, best first.
    pub fn new(seeding: Vec<Entrant>, games: Games, ties: Ties) -> Elimination {
        let mut nodes = Vec::new();
        winners(&mut nodes, seeding.len(), true);
        Elimination(Bracket { seeding, nodes, games, ties })
    }
}

/// Adds the rounds of a bracket, and returns the nodes of each round.
pub(super) fn winners(nodes: &mut Vec<Node>, entrants: usize, knocks_out: bool) -> Vec<Vec<usize>> {
    let size = entrants.max(2).next_power_of_two();
    let mut sources: Vec<Source> = bracket_order(size).into_iter().map(Source::Seed).collect();
    let mut rounds = Vec::new();
    while sources.len() > 1 {
        let round = rounds.len();
        let pairings = sources.len() / 2;
        let mut here = Vec::new();
        for (pairing, pair) in (0..).zip(sources.chunks(2)) {
            here.push(nodes.len());
            nodes.push(Node {
                id: PairingId { round: round as u32, group: 0, pairing },
                name: round_name(pairings, round + 1),
                sources: [pair[0], pair[1]],
                knocks_out,
                stage: round as u32,
                second_chance: None,
            });
        }
        sources = here.iter().map(|&node| Source::Winner(node)).collect();
        rounds.push(here);
    }
    rounds
}

impl Format for Elimination {
    fn next(&self, history: &History) -> Next {
        self.0.next(history)
    }

    /// All but the champion lose once.
    fn planned(&self) -> Option<u64> {
        Some(self.0.planned(1))
    }

    fn standing(&self, history: &History) -> Vec<Row> {
        self.0.standing(history)
    }
}
