//! [`GameId`], a game that this program knows: one of Agon's own, one that a program from outside
//! has [registered](GameId::register), or one from a file.
//!
//! A game from a file is called by its name and its digest, `tron@3f2a…`. So everything that names
//! a game names its exact rules, and no file can pass for another game.

use std::sync::{OnceLock, PoisonError, RwLock, RwLockReadGuard};
use std::{borrow::Cow, fmt, str::FromStr};

use agon_core::{Meta, did_you_mean, text::escape};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use thiserror::Error;

use crate::any::{GameKind, kind_of};
use crate::file::FileKind;

/// A game that this program knows. In files it is the game's name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GameId(u16);

/// The games from outside, in the order of their numbers, which come after those of Agon's own.
static REGISTERED: RwLock<Vec<&'static dyn GameKind>> = RwLock::new(Vec::new());

/// Opens a game from a file, by its name with digest: of the bytes that a replay carries, or else
/// from the store of this machine.
pub type OpenFile = fn(&str, Option<&[u8]>) -> Result<&'static FileKind, String>;

static OPEN_FILE: OnceLock<OpenFile> = OnceLock::new();

/// The most games from outside. They live as long as the program.
const MAX_REGISTERED: usize = 256;

macro_rules! define_ids {
    ({} $($game:ident => pub mod $module:ident;)*) => {
        /// The numbers of Agon's own games.
        enum Own {
            $($game,)*
        }

        #[allow(non_upper_case_globals, reason = "they are called like the types of the games")]
        impl GameId {
            $(
                #[doc = concat!(
                    "[`crate::", stringify!($module), "::", stringify!($game), "`]"
                )]
                pub const $game: GameId = GameId(Own::$game as u16);
            )*

            /// Agon's own games, in order of their names.
            pub const OWN: [GameId; [$(GameId::$game),*].len()] = [$(GameId::$game),*];
        }
    };
}

crate::for_each_game! { [define_ids] }

/// Runs `$body` with the type `$G` bound to the one of Agon's own games that `$id` names.
///
/// # Panics
/// If it is a game from outside.
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
            other => panic!("{other} is none of Agon's own games"),
        }
    };
}

impl GameId {
    /// Returns all games that this program knows: Agon's own, then those from outside.
    pub fn all() -> Vec<GameId> {
        let known = GameId::OWN.len() + registered().len();
        (0..known).map(|number| GameId(number as u16)).collect()
    }

    /// Returns the names of all games that this program knows, for messages.
    pub fn names() -> String {
        let names: Vec<&str> = GameId::all().iter().map(|id| id.meta().id).collect();
        names.join(", ")
    }

    /// Checks that a text can be the name of a game: it stands in command lines, files and code.
    ///
    /// # Errors
    /// Says which names can.
    pub fn check_name(name: &str) -> Result<(), RegisterError> {
        let starts_well = name.starts_with(|first: char| first.is_ascii_lowercase());
        let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if starts_well && name.len() <= MAX_NAME && name.chars().all(fits) {
            return Ok(());
        }
        let name = escape(name);
        Err(RegisterError(format!(
            "`{name}` is no name for a game: lower-case letters, digits and `-` are, from a letter \
             on, at most {MAX_NAME}"
        )))
    }

    /// Makes a game from outside known to this program, for as long as it runs.
    ///
    /// # Errors
    /// If its name is no name of a game, or belongs to another one.
    pub fn register(kind: &'static dyn GameKind) -> Result<GameId, RegisterError> {
        let name = kind.meta().id;
        GameId::check_name(name)?;
        let mut registered = REGISTERED.write().unwrap_or_else(PoisonError::into_inner);
        let own = GameId::OWN.into_iter().map(|id| id.meta().id);
        if own.chain(registered.iter().map(|kind| kind.meta().id)).any(|known| known == name) {
            return Err(RegisterError(format!("there is another game called `{name}`")));
        }
        if registered.len() == MAX_REGISTERED {
            return Err(RegisterError(format!("more than {MAX_REGISTERED} games from outside")));
        }
        registered.push(kind);
        Ok(GameId((GameId::OWN.len() + registered.len() - 1) as u16))
    }

    /// Makes a game from a file known to this program.
    ///
    /// # Errors
    /// If its name belongs to another game, or there are too many games.
    pub fn of_file(kind: &'static FileKind) -> Result<GameId, RegisterError> {
        let name = kind.meta().name();
        GameId::check_name(name)?;
        if GameId::OWN.into_iter().any(|id| id.meta().id == name) {
            return Err(RegisterError(format!("`{name}` is the name of one of Agon's own games")));
        }
        let mut registered = REGISTERED.write().unwrap_or_else(PoisonError::into_inner);
        let id = kind.meta().id;
        let known = registered.iter().position(|known| known.meta().id == id);
        let place = known.unwrap_or(registered.len());
        if place >= MAX_REGISTERED {
            return Err(RegisterError(format!("more than {MAX_REGISTERED} games from outside")));
        }
        if known.is_none() {
            registered.push(kind);
        }
        Ok(GameId((GameId::OWN.len() + place) as u16))
    }

    /// Says how games from files are opened that this program does not know yet.
    pub fn open_files_with(open: OpenFile) {
        OPEN_FILE.get_or_init(|| open);
    }

    /// Returns the game of this name. One from a file may be in `archive`, and is opened from there
    /// if the digest is right.
    ///
    /// # Errors
    /// If this program does not know it and cannot open it.
    pub fn named(name: &str, archive: Option<&[u8]>) -> Result<GameId, UnknownGame> {
        let all = GameId::all();
        if let Some(known) = all.iter().find(|id| id.meta().id == name) {
            return Ok(*known);
        }
        if let (true, Some(open)) = (name.contains('@'), OPEN_FILE.get()) {
            let opened = open(name, archive).map_err(UnknownGame)?;
            return GameId::of_file(opened).map_err(|error| UnknownGame(error.to_string()));
        }
        let hint = match did_you_mean(name, all.iter().map(|id| id.meta().id)) {
            Some(name) => format!("; did you mean `{name}`?"),
            None => format!(" (there are: {})", GameId::names()),
        };
        Err(UnknownGame(format!("there is no game `{}`{hint}", escape(name))))
    }

    /// Returns the game.
    // Inlined, it would compile all games again in each crate above.
    #[inline(never)]
    pub fn kind(self) -> &'static dyn GameKind {
        match usize::from(self.0).checked_sub(GameId::OWN.len()) {
            Some(place) => registered()[place],
            None => with_game!(self, G => kind_of::<G>()),
        }
    }

    /// Returns the game's facts.
    pub fn meta(self) -> Meta {
        self.kind().meta()
    }
}

fn registered() -> RwLockReadGuard<'static, Vec<&'static dyn GameKind>> {
    REGISTERED.read().unwrap_or_else(PoisonError::into_inner)
}

/// The most characters of a game's name.
const MAX_NAME: usize = 32;

/// Why a game from outside cannot be registered.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct RegisterError(String);

impl fmt::Debug for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.meta().id)
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
        GameId::named(text, None)
    }
}

impl Serialize for GameId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.meta().id)
    }
}

impl<'de> Deserialize<'de> for GameId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<GameId, D::Error> {
        let name = Cow::<str>::deserialize(deserializer)?;
        name.parse().map_err(de::Error::custom)
    }
}

impl JsonSchema for GameId {
    fn schema_name() -> Cow<'static, str> {
        "GameId".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "description": "The name of a game.", "type": "string" })
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
        let all = GameId::OWN.map(|id| id.meta().id).join(", ");
        assert!(message("chess").contains(&all));
    }
}
