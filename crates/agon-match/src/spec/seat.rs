//! The seats of a match spec: built-in bots, bots in a store, and bots of this machine.

use std::{borrow::Cow, collections::BTreeMap};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize, Serializer, ser::Error};
use thiserror::Error;

use crate::spec::Digest;

/// A seat of a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Seat {
    /// The bot's name in this match.
    pub name: String,
    /// Which bot plays.
    pub bot: SeatBot,
}

/// Which bot sits in a seat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SeatBot {
    /// A bot that comes with the game.
    Builtin(BuiltinSeat),
    /// A bot whose files are in a store.
    Blob(BlobSeat),
    /// A bot of this machine. It never leaves the process: it cannot be written as JSON.
    #[serde(skip_deserializing, serialize_with = "refuse")]
    Local(LocalSeat),
}

/// A bot that comes with the game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BuiltinSeat {
    /// Its name among the game's bots.
    pub bot: String,
    /// Its parameters; those that are missing have their defaults.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub params: BTreeMap<String, String>,
    /// Its version: another one may answer differently.
    pub version: u32,
}

/// A bot whose files are in a store, packed as a bundle (`agon_arena::Bundle`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BlobSeat {
    /// The bundle.
    pub digest: Digest,
    /// A shell line that builds the bot in the folder of its files; `None` if nothing is built.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build: Option<String>,
    /// The bot as `agon play` takes it, with paths that start in the folder of its files:
    /// `jsonl:python3 fox.py`, `fox.c`.
    pub run: String,
    /// The program that has to be on the machine, such as `python3`; `None` if none has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runtime: Option<String>,
}

/// A bot of this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalSeat {
    /// The bot as it was typed.
    pub text: String,
    /// Why it cannot play elsewhere.
    pub why: Why,
}

/// Why a bot can play on this machine only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// A person sits at a screen of this machine.
    Person,
    /// A program waits at an address, which other machines may not reach.
    Address,
    /// Its files are here and in no store.
    Files,
}

/// Why a match cannot be played on another machine.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NotPortable {
    /// A bot is of this machine.
    #[error("`{text}` plays on this machine only: {}", .why.words())]
    Seat {
        /// The bot as it was typed.
        text: String,
        /// Why.
        why: Why,
    },
    /// The sandbox shows a folder of this machine.
    #[error("bots may read or write {0}, which is a path of this machine")]
    Path(String),
    /// Bots get a variable of this machine's environment.
    #[error("bots get the environment variable {0} of this machine")]
    Variable(String),
}

impl Why {
    fn words(self) -> &'static str {
        match self {
            Why::Person => "a person sits at its screen",
            Why::Address => "the program waits at an address of this machine's network",
            Why::Files => "its files are here; pack them into a store first",
        }
    }
}

impl LocalSeat {
    /// Returns why the bot cannot play on another machine.
    pub fn reason(&self) -> NotPortable {
        NotPortable::Seat { text: self.text.clone(), why: self.why }
    }
}

fn refuse<S: Serializer>(seat: &LocalSeat, _: S) -> Result<S::Ok, S::Error> {
    Err(S::Error::custom(seat.reason()))
}

impl JsonSchema for LocalSeat {
    fn schema_name() -> Cow<'static, str> {
        "LocalSeat".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        // No JSON is one.
        false.into()
    }
}
