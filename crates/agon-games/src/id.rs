//! The closed set of games.

use std::{fmt, str::FromStr};

use agon_core::{Game, Meta, did_you_mean};
use agon_text::escape;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A game of Agon.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum GameId {
    /// [`crate::amoebas::Amoebas`]
    Amoebas,
    /// [`crate::binfection::Binfection`]
    Binfection,
    /// [`crate::cellhack::Cellhack`]
    Cellhack,
    /// [`crate::cluster::Cluster`]
    Cluster,
    /// [`crate::rezzo::Rezzo`]
    Rezzo,
}

/// Runs `$body` with the type `$G` bound to the game that `$id` names.
#[macro_export]
macro_rules! with_game {
    ($id:expr, $G:ident => $body:expr) => {
        match $id {
            $crate::GameId::Amoebas => {
                type $G = $crate::amoebas::Amoebas;
                $body
            }
            $crate::GameId::Binfection => {
                type $G = $crate::binfection::Binfection;
                $body
            }
            $crate::GameId::Cellhack => {
                type $G = $crate::cellhack::Cellhack;
                $body
            }
            $crate::GameId::Cluster => {
                type $G = $crate::cluster::Cluster;
                $body
            }
            $crate::GameId::Rezzo => {
                type $G = $crate::rezzo::Rezzo;
                $body
            }
        }
    };
}

impl GameId {
    /// All games, in order of their names.
    pub const ALL: [GameId; 5] =
        [GameId::Amoebas, GameId::Binfection, GameId::Cellhack, GameId::Cluster, GameId::Rezzo];

    /// The game's facts.
    pub fn meta(self) -> Meta {
        with_game!(self, G => G::META)
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
            UnknownGame { name: text.to_owned(), suggestion: did_you_mean(text, ids) }
        })
    }
}

/// A name that no game has.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("there is no game `{}`{}", escape(name), match .suggestion {
    Some(s) => format!("; did you mean `{s}`?"),
    None => format!(" (there are: {})", GameId::ALL.map(|id| id.meta().id).join(", ")),
})]
pub struct UnknownGame {
    /// The name given.
    pub name: String,
    /// The game that was probably meant.
    pub suggestion: Option<&'static str>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        for id in GameId::ALL {
            assert_eq!(id.to_string().parse(), Ok(id));
        }
    }

    #[test]
    fn unknown_games_get_a_suggestion() {
        let message = |name: &str| name.parse::<GameId>().unwrap_err().to_string();
        assert_eq!(message("reezo"), "there is no game `reezo`; did you mean `rezzo`?");
        assert!(message("x\n✓ proven").starts_with("there is no game `x\\n"), "no line of its own");
        assert!(message("chess").contains("amoebas, binfection, cellhack, cluster, rezzo"));
    }
}
