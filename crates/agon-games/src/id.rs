//! [`GameId`], the name of a game on command lines and in files, and
//! [`with_game!`](crate::with_game), which runs code with the type of the game that an id names.
//!
//! The set of games is closed: both follow from the list in `lib.rs`.

use std::{fmt, str::FromStr};

use agon_core::{Meta, did_you_mean, text::escape};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::any::{GameKind, kind_of};

macro_rules! define_ids {
    ({} $($game:ident => pub mod $module:ident;)*) => {
        /// A game of Agon.
        #[derive(
            Clone,
            Copy,
            Debug,
            PartialEq,
            Eq,
            PartialOrd,
            Ord,
            Hash,
            Serialize,
            Deserialize,
            JsonSchema,
        )]
        #[serde(rename_all = "lowercase")]
        pub enum GameId {
            $(
                #[doc = concat!(
                    "[`crate::", stringify!($module), "::", stringify!($game), "`]"
                )]
                $game,
            )*
        }

        impl GameId {
            /// All games, in order of their names.
            pub const ALL: [GameId; [$(GameId::$game),*].len()] = [$(GameId::$game),*];
        }
    };
}

crate::for_each_game! { [define_ids] }

/// Runs `$body` with the type `$G` bound to the game that `$id` names.
#[macro_export]
macro_rules! with_game {
    ($id:expr, $G:ident => $body:expr) => {
        $crate::for_each_game! { [$crate::match_game] ($id) $G ($body) }
    };
}

/// Expands to the `match` of [`with_game!`].
#[doc(hidden)]
#[macro_export]
macro_rules! match_game {
    ({ ($id:expr) $G:ident ($body:expr) } $($game:ident => pub mod $module:ident;)*) => {
        match $id {
            $(
                $crate::GameId::$game => {
                    type $G = $crate::$module::$game;
                    $body
                }
            )*
        }
    };
}

impl GameId {
    /// Returns the game.
    // Inlined, it would compile all games again in each crate above.
    #[inline(never)]
    pub fn kind(self) -> &'static dyn GameKind {
        with_game!(self, G => kind_of::<G>())
    }

    /// Returns the game's facts.
    pub fn meta(self) -> Meta {
        self.kind().meta()
    }
}

impl fmt::Display for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.meta().id)
    }
}

impl FromStr for GameId {
    type Err = UnknownGame;

    fn from_str(text: &str) -> Result<GameId, UnknownGame> {
        GameId::ALL.into_iter().find(|id| id.meta().id == text).ok_or_else(|| {
            let ids = GameId::ALL.map(|id| id.meta().id);
            let hint = match did_you_mean(text, ids) {
                Some(name) => format!("; did you mean `{name}`?"),
                None => format!(" (there are: {})", ids.join(", ")),
            };
            UnknownGame(format!("there is no game `{}`{hint}", escape(text)))
        })
    }
}

/// What is said about a name that no game has.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct UnknownGame(String);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_games_get_a_suggestion() {
        let message = |name: &str| name.parse::<GameId>().unwrap_err().to_string();
        assert_eq!(message("reezo"), "there is no game `reezo`; did you mean `rezzo`?");
        assert!(message("x\n✓ proven").starts_with("there is no game `x\\n"), "no line of its own");
        let all = GameId::ALL.map(|id| id.meta().id).join(", ");
        assert!(message("chess").contains(&all));
    }
}
