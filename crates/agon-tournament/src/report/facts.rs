//! The parts `tournament` and `bots` of a report: the settings in the plan, and who plays.

use crate::{
    Plan, PlanBot,
    plan::{Absent, Out},
};
use agon_core::{Coverage, Seed};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

/// The settings of a tournament, from its plan.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Facts<'a> {
    /// The name of the tournament, if the plan gives one.
    pub title: Option<&'a str>,
    /// Notes of the organiser.
    pub notes: Option<&'a str>,
    /// The game's id.
    pub game: &'static str,
    /// The version of its rules in the program that made the report.
    pub rules_version: u32,
    /// All settings of the game.
    pub settings: &'a Map<String, Value>,
    /// The format, with its `kind` and its options.
    pub format: Value,
    /// The tournament's seed.
    pub seed: Seed,
    /// The number of players in a match; in groups, the most.
    pub players: usize,
    /// The number of matches of a pairing.
    pub matches: u32,
    /// Whether each seed is played with every rotation of the seats.
    pub mirrored: bool,
}

/// A bot of the tournament.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Bot<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its text in the plan.
    pub text: &'a str,
    /// A digest of its files, if there is one and it is known.
    pub digest: Option<String>,
    /// The coverage of the digest. It is `none` for running programs, and `null` for built-in bots
    /// and for results of an older Agon.
    pub covers: Option<Coverage>,
    /// The version of a built-in bot; `null` for others, and for results of an older Agon.
    pub version: Option<u32>,
    /// Who wrote it.
    pub author: Option<&'a str>,
    /// A note of the organiser.
    pub note: Option<&'a str>,
    /// Why it was disqualified. It has no place in the table, and is listed last.
    pub disqualified: Option<&'a str>,
    /// Why it was withdrawn. It keeps its place.
    pub withdrawn: Option<&'a str>,
}

/// A bot of the plan that cannot be opened.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AbsentBot<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its text in the plan.
    pub text: &'a str,
    /// Who wrote it.
    pub author: Option<&'a str>,
    /// A note of the organiser.
    pub note: Option<&'a str>,
    /// Why it cannot play.
    pub error: &'a str,
    /// Whether it is in the table all the same and has forfeited the matches that it had not
    /// played; otherwise it was left out.
    pub forfeits: bool,
}

impl<'a> AbsentBot<'a> {
    /// Returns the bots of a plan that cannot be opened.
    pub(crate) fn all(whole: &'a Plan, absent: &'a [Absent]) -> Vec<AbsentBot<'a>> {
        let find = |name: &str| whole.bots.iter().find(|bot| bot.name == name);
        let one = |Absent { name, error, forfeits }: &'a Absent| {
            let PlanBot { text, about, .. } = find(name)?;
            let author = about.author.as_deref();
            let note = about.note.as_deref();
            Some(AbsentBot { name, text, author, note, error, forfeits: *forfeits })
        };
        absent.iter().filter_map(one).collect()
    }
}

impl<'a> Facts<'a> {
    pub(crate) fn new(plan: &'a Plan) -> Facts<'a> {
        let meta = plan.game.meta();
        Facts {
            title: plan.about.title.as_deref(),
            notes: plan.about.notes.as_deref(),
            game: meta.id,
            rules_version: meta.rules_version,
            settings: &plan.settings,
            format: serde_json::to_value(&plan.format).expect("formats are plain data"),
            seed: plan.seed,
            players: plan.players,
            matches: plan.matches,
            mirrored: plan.mirrored,
        }
    }

    /// Returns the format in words: "round robin".
    pub fn format_words(&self) -> String {
        self.format["kind"].as_str().unwrap_or_default().replace('-', " ")
    }
}

impl<'a> Bot<'a> {
    /// Describes its content, if known: a built-in bot's version, or the digest's coverage.
    ///
    /// Empty if nothing is known.
    pub fn content(&self) -> String {
        match (self.version, self.covers) {
            (Some(version), _) => format!("version {version}"),
            (None, Some(covers)) => covers.to_string(),
            (None, None) => String::new(),
        }
    }

    /// Returns the bots in order of the plan.
    pub(crate) fn all(plan: &'a Plan) -> Vec<Bot<'a>> {
        let bot = |PlanBot { name, text, about, .. }: &'a PlanBot| {
            let (disqualified, withdrawn) = match &about.out {
                Some(Out::Disqualified(reason)) => (Some(reason.as_str()), None),
                Some(Out::Withdrawn(reason)) => (None, Some(reason.as_str())),
                None => (None, None),
            };
            Bot {
                name,
                text,
                digest: None,
                covers: None,
                version: None,
                author: about.author.as_deref(),
                note: about.note.as_deref(),
                disqualified,
                withdrawn,
            }
        };
        plan.bots.iter().map(bot).collect()
    }
}
