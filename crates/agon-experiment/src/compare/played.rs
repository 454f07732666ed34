//! What a comparison keeps of a match in its journal, and the replay that comes with it.

use std::collections::BTreeMap;

use agon_core::{Fault, FaultKind, Player};
use agon_match::MatchResult;
use agon_match::spec::MatchOutcome;
use serde::{Deserialize, Serialize};

use super::trial::Placed;

/// All that a comparison needs to know of a match. With it in the journal, a comparison that
/// continues need not play the match again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Played {
    /// Places in order of seats; the smallest is the best.
    pub places: Vec<u32>,
    /// Turns of the game.
    pub turns: u64,
    /// Steps.
    pub steps: u64,
    /// Answers of all bots.
    pub decisions: u64,
    /// The hash of the last state.
    #[serde(with = "agon_replay::hex")]
    pub state_hash: u64,
    /// How often the match was void before.
    #[serde(default)]
    pub void: u32,
    /// Faults by seat. Seats without faults are left out.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub faults: BTreeMap<usize, SeatFaults>,
}

/// The faults of one bot in one match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeatFaults {
    /// How often each kind occurred.
    pub kinds: BTreeMap<FaultKind, u64>,
    /// The first one in detail.
    pub first: Option<Fault>,
}

/// A match that just ended, with its replay if one is wanted.
#[derive(Clone, Debug)]
pub struct Arrival {
    /// What is kept of it.
    pub played: Played,
    /// Its replay.
    pub replay: Option<Vec<u8>>,
}

impl Arrival {
    /// Takes from an outcome what a comparison needs.
    pub fn new(outcome: &MatchOutcome, replay: Option<Vec<u8>>) -> Arrival {
        let played = Played::new(&outcome.result, outcome.void.len() as u32);
        Arrival { played, replay }
    }
}

impl Placed for Arrival {
    fn places(&self) -> Vec<u32> {
        self.played.places.clone()
    }
}

impl Played {
    fn new(result: &MatchResult, void: u32) -> Played {
        let faults = |(seat, player): (usize, Player)| {
            let kinds = result.players[seat].faults.clone();
            let first = result.faults.iter().find(|fault| fault.player == player).cloned();
            (!kinds.is_empty()).then_some((seat, SeatFaults { kinds, first }))
        };
        Played {
            places: result.standing.players.iter().map(|player| player.place).collect(),
            turns: result.turns,
            steps: result.steps,
            decisions: result.decisions,
            state_hash: result.state_hash,
            void,
            faults: Player::all(result.players.len()).enumerate().filter_map(faults).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_journal_keeps_every_detail() {
        let kinds = BTreeMap::from([(FaultKind::Crash, 2)]);
        let faults = BTreeMap::from([(1, SeatFaults { kinds, first: None })]);
        let hash = u64::MAX - 7;
        let quiet = Played {
            places: vec![2, 1],
            turns: 9,
            steps: 10,
            decisions: 20,
            state_hash: hash,
            void: 0,
            faults: BTreeMap::new(),
        };
        for played in [Played { void: 1, faults, ..quiet.clone() }, quiet] {
            let text = serde_json::to_string(&played).unwrap();
            assert_eq!(serde_json::from_str::<Played>(&text).unwrap(), played, "{text}");
        }
    }
}
