//! Double elimination, a format of tournaments: two losses eliminate a bot.

use super::{
    Format, Next, Row, Ties,
    bracket::{Bracket, Node, Source},
    elimination::winners,
};
use crate::{Entrant, Games, History, PairingId};

/// Double elimination: losers continue in a bracket of their own. Its winner meets the winner of
/// the main bracket in the final.
#[derive(Clone, Debug)]
pub struct DoubleElimination(Bracket);

/// The group of a pairing id that stands for the losers' bracket; the main bracket has 0.
const LOSERS: u32 = 1;
/// The group of a pairing id that stands for the final.
const FINAL: u32 = 2;

impl DoubleElimination {
    /// Makes the brackets of all of `seeding`, best first.
    ///
    /// With `reset` the final is played again if the bot that had lost once wins it, so that one
    /// loss eliminates nobody.
    pub fn new(seeding: Vec<Entrant>, reset: bool, games: Games, ties: Ties) -> DoubleElimination {
        let mut nodes = Vec::new();
        let rounds = winners(&mut nodes, seeding.len(), false);
        for node in &mut nodes {
            node.name = format!("round {} of the winners", node.id.round + 1);
        }
        let last = rounds[rounds.len() - 1][0];
        let (losers, stage) = losers(&mut nodes, &rounds);
        // With two entrants there is no losers' bracket: the loser goes straight to the final.
        let other = losers.map_or(Source::Loser(last), Source::Winner);
        let first_final = nodes.len();
        let id = |round| PairingId { round, group: FINAL, pairing: 0 };
        nodes.push(Node {
            id: id(0),
            name: "the final".to_owned(),
            sources: [Source::Winner(last), other],
            knocks_out: true,
            stage,
            second_chance: None,
        });
        if reset {
            nodes.push(Node {
                id: id(1),
                name: "the second final".to_owned(),
                sources: [Source::Winner(first_final), Source::Loser(first_final)],
                knocks_out: true,
                stage,
                second_chance: Some(first_final),
            });
        }
        DoubleElimination(Bracket { seeding, nodes, games, ties })
    }
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
            nodes.push(Node {
                id: PairingId { round, group: LOSERS, pairing },
                name: format!("round {} of the losers", round + 1),
                sources,
                knocks_out: true,
                stage: round,
                second_chance: None,
            });
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

impl Format for DoubleElimination {
    fn next(&self, history: &History) -> Next {
        self.0.next(history)
    }

    /// All but the champion lose twice, or the champion and the second lose once each.
    fn planned(&self) -> Option<u64> {
        Some(self.0.planned(2))
    }

    fn standing(&self, history: &History) -> Vec<Row> {
        self.0.standing(history)
    }
}
