//! Facts about a tournament.

use agon_core::Coverage;
use agon_tournament::Plan;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

/// What is played, as the plan has it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Facts<'a> {
    /// The game's id.
    pub game: &'static str,
    /// The version of its rules in the program that made the report.
    pub rules_version: u32,
    /// All settings of the game.
    pub settings: &'a Map<String, Value>,
    /// The format, with its `kind` and its options.
    pub format: Value,
    /// The tournament's seed.
    pub seed: u64,
    /// How many play together in a match; at most, in groups.
    pub players: usize,
    /// Matches of a pairing.
    pub matches: u32,
    /// Whether each seed is played with every rotation of the seats.
    pub mirrored: bool,
}

/// A bot of the tournament.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Bot<'a> {
    /// Its name.
    pub name: &'a str,
    /// As it stands in the plan.
    pub text: &'a str,
    /// A digest of what played, if there is one and it is known.
    pub digest: Option<String>,
    /// What the digest covers: `none` of running programs; `null` of built-in bots, and where an
    /// older version played.
    pub covers: Option<Coverage>,
    /// The version of a built-in bot; `null` of others, and where an older version played.
    pub version: Option<u32>,
}

impl<'a> Facts<'a> {
    pub(crate) fn new(plan: &'a Plan) -> Facts<'a> {
        let meta = plan.game.meta();
        Facts {
            game: meta.id,
            rules_version: meta.rules_version,
            settings: &plan.settings,
            format: serde_json::to_value(&plan.format).expect("formats are plain data"),
            seed: plan.seed.0,
            players: plan.players,
            matches: plan.matches,
            mirrored: plan.mirrored,
        }
    }

    /// The format in words: "round robin".
    pub fn format_words(&self) -> String {
        self.format["kind"].as_str().unwrap_or_default().replace('-', " ")
    }
}

impl<'a> Bot<'a> {
    /// What is known of its content, in a few words: the version of a built-in bot, what the digest
    /// covers. Empty if nothing is known.
    pub fn content(&self) -> String {
        match (self.version, self.covers) {
            (Some(version), _) => format!("version {version}"),
            (None, Some(covers)) => covers.to_string(),
            (None, None) => String::new(),
        }
    }

    /// The bots in order of the plan.
    pub(crate) fn all(plan: &'a Plan) -> Vec<Bot<'a>> {
        let bot = |name, text| Bot { name, text, digest: None, covers: None, version: None };
        plan.bots.iter().map(|entry| bot(&*entry.name, &*entry.text)).collect()
    }
}
