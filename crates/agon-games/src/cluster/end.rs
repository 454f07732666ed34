//! [`End`]: how a game ended, who won, and the reason in words. It is part of the state and of
//! positions.

use agon_core::{Outcome, Player};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::opponent;

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// A run that is long enough and longer than the opponent's longest.
    Run {
        /// Whose run it is.
        winner: Player,
        /// Number of pellets in it.
        length: u32,
    },
    /// Both players have equally long runs; the winner has more pellets of its run's colour on the
    /// board.
    EqualRunsMorePellets {
        /// Who has more pellets.
        winner: Player,
        /// Number of pellets in each run.
        length: u32,
    },
    /// Equally long runs and equally many pellets of their colours: a tie.
    EqualRuns {
        /// Number of pellets in each run.
        length: u32,
    },
    /// A player had none left to draw at the start of its turn.
    OutOfPellets {
        /// Who had none left.
        loser: Player,
    },
    /// A player gave the game up, or its bot committed a fault.
    Forfeit {
        /// Who forfeited.
        loser: Player,
    },
    /// A player answered something that the rules do not allow.
    Illegal {
        /// Who broke the rules.
        loser: Player,
    },
    /// The last round is over: a tie.
    RoundLimit,
}

impl End {
    /// The winner, unless it is a tie.
    pub fn winner(self) -> Option<Player> {
        match self {
            End::Run { winner, .. } | End::EqualRunsMorePellets { winner, .. } => Some(winner),
            End::OutOfPellets { loser } | End::Forfeit { loser } | End::Illegal { loser } => {
                Some(opponent(loser))
            }
            End::EqualRuns { .. } | End::RoundLimit => None,
        }
    }

    /// The outcome in words.
    pub(crate) fn outcome(self) -> Outcome {
        let winners = self.winner().map_or_else(|| Player::all(2).collect(), |winner| vec![winner]);
        Outcome::new(winners, self.reason())
    }

    fn reason(self) -> String {
        match self {
            End::Run { length, .. } => format!("a run of {length}"),
            End::EqualRunsMorePellets { length, .. } => {
                format!("both have a run of {length}, the winner more pellets of its color")
            }
            End::EqualRuns { length } => {
                format!("both have a run of {length} and as many pellets of its color")
            }
            End::OutOfPellets { .. } => "the opponent is out of pellets".into(),
            End::Forfeit { .. } => "the opponent forfeited".into(),
            End::Illegal { .. } => "the opponent broke the rules".into(),
            End::RoundLimit => "no run before the last round was over".into(),
        }
    }

    /// A number for each value, from 1.
    pub(crate) fn code(self) -> u64 {
        let (kind, player, length) = match self {
            End::Run { winner, length } => (1, winner.0, length),
            End::EqualRunsMorePellets { winner, length } => (2, winner.0, length),
            End::EqualRuns { length } => (3, 0, length),
            End::OutOfPellets { loser } => (4, loser.0, 0),
            End::Forfeit { loser } => (5, loser.0, 0),
            End::Illegal { loser } => (6, loser.0, 0),
            End::RoundLimit => (7, 0, 0),
        };
        kind | u64::from(player) << 8 | u64::from(length) << 24
    }

    /// The player that it names, if any. In a position written by hand this player may not exist.
    pub(crate) fn named(self) -> Option<Player> {
        match self {
            End::Run { winner, .. } | End::EqualRunsMorePellets { winner, .. } => Some(winner),
            End::OutOfPellets { loser } | End::Forfeit { loser } | End::Illegal { loser } => {
                Some(loser)
            }
            End::EqualRuns { .. } | End::RoundLimit => None,
        }
    }
}
