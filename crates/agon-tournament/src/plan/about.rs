//! What a plan tells of a tournament and its bots beside the schedule: titles, authors, notes, and
//! which bots are out.
//!
//! Nothing here is in the plan's digest ([`super::Plan::digest`]): a note may be added, or a bot
//! withdrawn, while the tournament goes on.

use agon_text::MAX_NAME;
use serde::{Deserialize, Serialize};

use super::toml_table::{Item, Section};

/// The most bytes of `notes`, `note` and reasons.
const MAX_TEXT: usize = 4096;

/// What a plan tells of the tournament as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PlanAbout {
    /// The name of the tournament.
    pub title: Option<String>,
    /// What readers of the report should know.
    pub notes: Option<String>,
    /// What happens to bots that cannot be opened.
    pub missing: Missing,
}

/// What happens to bots that cannot be opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Missing {
    /// They are not scheduled. One that has played already forfeits its open matches.
    #[default]
    Skip,
    /// They are scheduled, and forfeit all matches.
    Forfeit,
    /// The tournament does not begin.
    Stop,
}

/// What a plan tells of a bot.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BotAbout {
    /// Who wrote it.
    pub author: Option<String>,
    /// What readers should know of it.
    pub note: Option<String>,
    /// Why it takes no further part. It is not opened, and forfeits its open matches.
    pub out: Option<Out>,
    /// Whether the plan says `public`, which older versions of Agon needed for volunteers. It
    /// means nothing any more.
    #[serde(skip_serializing)]
    pub is_public: bool,
}

/// Why a bot takes no further part in a tournament. The reason is a sentence of the organiser.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Out {
    /// Its results count, but it has no place in the table.
    Disqualified(String),
    /// It keeps its place in the table.
    Withdrawn(String),
}

impl Out {
    /// Returns it in words: `disqualified: copied from a friend`.
    pub fn words(&self) -> String {
        match self {
            Out::Disqualified(reason) => format!("disqualified: {reason}"),
            Out::Withdrawn(reason) => format!("withdrawn: {reason}"),
        }
    }

    /// Returns whether the bot has no place in the table.
    pub fn is_disqualified(&self) -> bool {
        matches!(self, Out::Disqualified(_))
    }
}

impl PlanAbout {
    pub(super) fn read(top: &mut Section<'_>) -> PlanAbout {
        let words =
            [("skip", Missing::Skip), ("forfeit", Missing::Forfeit), ("stop", Missing::Stop)];
        PlanAbout {
            title: text(top, "title", MAX_NAME),
            notes: text(top, "notes", MAX_TEXT),
            missing: top.get("missing").and_then(|item| item.word(&words)).unwrap_or_default(),
        }
    }
}

impl BotAbout {
    /// Reads `author`, `note`, `public`, `disqualified` and `withdrawn` of a `[[bot]]`.
    pub(super) fn read(table: &mut Section<'_>) -> BotAbout {
        let author = text(table, "author", MAX_NAME);
        let note = text(table, "note", MAX_TEXT);
        let disqualified = text(table, "disqualified", MAX_TEXT);
        let withdrawn = text(table, "withdrawn", MAX_TEXT);
        if disqualified.is_some() && withdrawn.is_some() {
            table.problem("a bot is either `disqualified` or `withdrawn`");
        }
        let out = disqualified.map(Out::Disqualified).or(withdrawn.map(Out::Withdrawn));
        let is_public = table.boolean("public").unwrap_or_default();
        BotAbout { author, note, out, is_public }
    }

    /// Returns whether nothing is told.
    pub(super) fn is_empty(&self) -> bool {
        *self == BotAbout::default()
    }
}

/// Reads a text that is not empty, of at most `most` bytes.
fn text(section: &mut Section<'_>, key: &'static str, most: usize) -> Option<String> {
    let item = section.get(key)?;
    let text = item.string()?;
    check(&item, key, &text, most);
    Some(text)
}

fn check(item: &Item<'_>, key: &str, text: &str, most: usize) {
    if text.trim().is_empty() {
        item.problem(format!("`{key}` is empty: leave it out, or write a text"));
    }
    if text.len() > most {
        item.problem(format!("`{key}` has {} bytes, and {most} are the most", text.len()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_older_versions_saved_of_a_public_bot_is_read_and_not_written() {
        let saved = r#"{"author":"Ada","note":null,"out":null,"is_public":true}"#;
        let about: BotAbout = serde_json::from_str(saved).unwrap();
        assert!(about.is_public && about.author.as_deref() == Some("Ada"));
        assert!(!serde_json::to_string(&about).unwrap().contains("public"));
    }
}
