//! Scores, places and the outcome of a match.
//!
//! Games compute them; results, tournaments and the viewer use them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Player;

/// How the players stand, in order of player number.
#[derive(Default, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Standing {
    /// One entry per player.
    pub players: Vec<PlayerStanding>,
    /// Set once the game is over.
    pub outcome: Option<Outcome>,
}

/// How one player stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlayerStanding {
    /// 1 for the best; equal players share a place, and the next place is skipped as in sports.
    pub place: u32,
    /// The number that a person would want to see first; the game says what it counts.
    pub score: i64,
    /// Further numbers with their names, such as `("cells", 12)`; those the places depend on come
    /// first.
    pub measures: Vec<(String, i64)>,
    /// Whether the player is out of the game.
    pub out: bool,
}

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Outcome {
    /// The winners: one, or all who tie for the first place. Empty after a match of one player
    /// alone, which nobody wins.
    pub winners: Vec<Player>,
    /// Why the game ended this way, as the end of a sentence: "most cells after 500 turns".
    pub reason: String,
}

impl Standing {
    /// Places players by `rank`: greater is better, equal ranks share a place.
    ///
    /// `players` holds score, measures and out of each player; places are filled in.
    ///
    /// # Panics
    /// If the lengths differ.
    pub fn ranked<R: Ord>(
        mut players: Vec<PlayerStanding>,
        ranks: &[R],
        outcome: Option<Outcome>,
    ) -> Standing {
        assert_eq!(players.len(), ranks.len(), "one rank per player");
        for (player, rank) in players.iter_mut().zip(ranks) {
            player.place = 1 + ranks.iter().filter(|&other| other > rank).count() as u32;
        }
        Standing { players, outcome }
    }

    /// Returns the players in first place.
    pub fn leaders(&self) -> Vec<Player> {
        let first = |&(_, p): &(usize, &PlayerStanding)| p.place == 1;
        self.players.iter().enumerate().filter(first).map(|(i, _)| Player::from_index(i)).collect()
    }
}

impl PlayerStanding {
    /// Makes a standing with a score and named measures. [`Standing::ranked`] sets the place.
    pub fn new(score: i64, measures: &[(&str, i64)], out: bool) -> PlayerStanding {
        let measures = measures.iter().map(|&(name, value)| (name.to_owned(), value)).collect();
        PlayerStanding { place: 0, score, measures, out }
    }
}

impl Outcome {
    /// Makes an outcome with one or more winners.
    ///
    /// # Panics
    /// If there is no winner. If no player won, all who played to the end tie, or there was only
    /// [one player](Outcome::alone).
    pub fn new(winners: Vec<Player>, reason: impl Into<String>) -> Outcome {
        assert!(!winners.is_empty(), "an outcome names at least one winner");
        Outcome { winners, reason: reason.into() }
    }

    /// Makes the outcome of a match of one player, which has no winner.
    pub fn alone(reason: impl Into<String>) -> Outcome {
        Outcome { winners: Vec::new(), reason: reason.into() }
    }

    /// Returns the outcome as a sentence.
    ///
    /// Examples are "alice wins: most cells after 500 turns", "tie: as many cells (alice, bob)" and
    /// "no winner: one player alone, after 500 turns".
    pub fn sentence<'n>(&self, name: impl Fn(Player) -> &'n str) -> String {
        if self.winners.is_empty() {
            return format!("no winner: {}", self.reason);
        }
        let names = self.winners.iter().map(|&winner| name(winner)).collect::<Vec<_>>().join(", ");
        if self.is_tie() {
            format!("tie: {} ({names})", self.reason)
        } else {
            format!("{names} wins: {}", self.reason)
        }
    }

    /// Returns whether several players share the first place.
    pub fn is_tie(&self) -> bool {
        self.winners.len() > 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_ranks_share_a_place_and_skip_the_next() {
        let players = vec![PlayerStanding::new(0, &[], false); 4];
        let standing = Standing::ranked(players, &[5, 9, 5, 1], None);
        let places: Vec<u32> = standing.players.iter().map(|p| p.place).collect();
        assert_eq!(places, [2, 1, 2, 4]);
        assert_eq!(standing.leaders(), [Player(1)]);
    }

    #[test]
    fn a_tie_names_all_its_winners() {
        let name = |player: Player| ["alice", "bob"][player.index()];
        let sentence =
            |winners: &[Player]| Outcome::new(winners.to_vec(), "most cells").sentence(name);
        assert_eq!(sentence(&[Player(1)]), "bob wins: most cells");
        assert_eq!(sentence(&[Player(0), Player(1)]), "tie: most cells (alice, bob)");
    }

    #[test]
    fn nobody_wins_alone() {
        let outcome = Outcome::alone("one player alone, after 5 turns");
        assert!(outcome.winners.is_empty() && !outcome.is_tie());
        assert_eq!(outcome.sentence(|_| "alice"), "no winner: one player alone, after 5 turns");
    }
}
