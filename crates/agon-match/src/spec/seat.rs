//! The seats of a match spec: built-in bots, bots in a store, and bots of this machine.

use std::{borrow::Cow, collections::BTreeMap, fmt, str::FromStr};

use agon_games::GameId;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _, ser::Error as _};
use thiserror::Error;

use crate::spec::SpecError;

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
    pub fn reason(&self) -> SpecError {
        let LocalSeat { text, why } = self;
        SpecError(format!("`{text}` plays on this machine only: {}", why.words()))
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

/// The BLAKE3 digest of some bytes, as `b3sum` prints it: 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

/// Text that is no digest.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("a digest has 64 digits of 0-9 and a-f")]
pub struct NoDigest;

impl Digest {
    /// Returns the digest of some bytes.
    pub fn of(bytes: &[u8]) -> Digest {
        Digest(*blake3::hash(bytes).as_bytes())
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl FromStr for Digest {
    type Err = NoDigest;

    fn from_str(text: &str) -> Result<Digest, NoDigest> {
        // One spelling only: the text is also the name of a file.
        if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
            return Err(NoDigest);
        }
        let hash = blake3::Hash::from_hex(text).map_err(|_| NoDigest)?;
        Ok(Digest(*hash.as_bytes()))
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Digest, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}

impl JsonSchema for Digest {
    fn schema_name() -> Cow<'static, str> {
        "Digest".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A BLAKE3 digest, as `b3sum` prints it.",
            "type": "string",
            "pattern": "^[0-9a-f]{64}$",
        })
    }
}

/// The name of the file.
pub const MANIFEST: &str = "agon.toml";

/// How a bot that is a folder is built and run.
///
/// Paths and commands start in the folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BotManifest {
    /// The game that the bot plays.
    pub game: GameId,
    /// The bot's name; the name of the folder if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Who wrote the bot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// The programming language, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The protocol that the program speaks.
    #[serde(default)]
    pub protocol: BotProtocol,
    /// The files that belong to the bot, as names of files and folders or patterns with `*`; all
    /// files of the folder if there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// A shell line that builds the bot, before its first match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub build: Option<String>,
    /// A file of the bot, or the command line that starts it, as `agon play` takes them.
    pub run: String,
}

/// The protocol of a bot's program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum BotProtocol {
    /// The game's own: its text protocol, functions in C, WebAssembly or Clojure.
    #[default]
    Game,
    /// JSON Lines.
    Jsonl,
    /// HTTP: the program is a web server.
    Http,
}

impl BotProtocol {
    /// Returns what stands in front of the command line, where `agon play` takes it.
    pub fn prefix(self) -> &'static str {
        match self {
            BotProtocol::Game => "",
            BotProtocol::Jsonl => "jsonl:",
            BotProtocol::Http => "http:",
        }
    }
}

impl BotManifest {
    /// Returns the bot as the text that `agon play` takes in the folder.
    pub fn spec(&self) -> String {
        format!("{}{}", self.protocol.prefix(), self.run)
    }

    /// Takes the text that `agon play` takes in the folder apart: the protocol, and what to run.
    pub fn protocol_and_run(spec: &str) -> (BotProtocol, &str) {
        let named = [BotProtocol::Jsonl, BotProtocol::Http].into_iter();
        let mut found = named.filter_map(|one| Some((one, spec.strip_prefix(one.prefix())?)));
        found.next().unwrap_or((BotProtocol::Game, spec))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_has_one_text() {
        let digest = Digest::of(b"agon");
        let text = digest.to_string();
        assert_eq!(text, blake3::hash(b"agon").to_string());
        assert_eq!(text.parse(), Ok(digest));
        for bad in ["", "abc", &text.to_uppercase(), &text[1..], &format!("{text}0"), "../x"] {
            assert_eq!(bad.parse::<Digest>(), Err(NoDigest), "{bad}");
        }
        assert_eq!(serde_json::to_string(&digest).unwrap(), format!("\"{text}\""));
        assert!(serde_json::from_str::<Digest>("\"xyz\"").is_err());
    }
}
