//! Name, kind and digest of a bot in a match, as replays, reports and tables show them.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is known about a bot that plays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BotInfo {
    /// Its name in this match.
    pub name: String,
    /// What a person would type to have it play again; may be empty.
    pub spec: String,
    /// How it is run: `builtin`, `program`, `human` and so on.
    pub kind: String,
    /// A digest of the program that played, if there is one.
    pub digest: Option<String>,
    /// What the digest covers; `None` where there is none, and in what older versions of Agon have
    /// recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub covers: Option<Coverage>,
    /// The version of a built-in bot; `None` for others, and in what older versions of Agon have
    /// recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<u32>,
}

/// What the digest of a bot covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Coverage {
    /// Nothing: there is no digest, and nobody knows what played.
    None,
    /// One file.
    File,
    /// The files that its text names. It may read more than these.
    Files,
    /// The files that its text names, and all that is in their folders.
    Folder,
}

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Coverage::None => "none",
            Coverage::File => "file",
            Coverage::Files => "files",
            Coverage::Folder => "folder",
        })
    }
}

impl BotInfo {
    /// Makes the info of a bot of which only name and kind are known.
    pub fn new(name: impl Into<String>, kind: impl Into<String>) -> BotInfo {
        BotInfo {
            name: name.into(),
            spec: String::new(),
            kind: kind.into(),
            digest: None,
            covers: None,
            version: None,
        }
    }

    /// Returns a short text that identifies the content of the bot: the version of a built-in bot,
    /// or the beginning of a digest with its coverage. Empty if nothing is known.
    pub fn identity(&self) -> String {
        let digest = self.digest.as_deref().map(|digest| digest.get(..12).unwrap_or(digest));
        match (self.version, digest, self.covers) {
            (Some(version), _, _) => format!("version {version}"),
            (None, Some(digest), Some(covers)) => format!("{digest} ({covers})"),
            (None, Some(digest), None) => digest.to_owned(),
            (None, None, _) => String::new(),
        }
    }
}
