//! The page on which authors hand in.

use super::{ArenaHead, BotRef, Choice, Time, ZonedTime};

/// A language of the editor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LanguageChoice {
    /// Its identifier: `python`.
    pub id: String,
    /// Its name: `Python 3.11`.
    pub name: String,
}

/// What an author may still do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Quota {
    /// Hand-ins left today.
    pub left: u32,
    /// Hand-ins of a day.
    pub per_day: u32,
    /// When the next hand-in is possible, if none is left.
    pub next: Option<Time>,
    /// The largest size of all files, in bytes.
    pub bytes: u64,
    /// The most files.
    pub files: u32,
}

/// A command for a shell, with what it does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShellStep {
    /// What it does, in a sentence.
    pub words: String,
    /// The command.
    pub command: String,
}

/// The page on which authors hand in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HandIn {
    /// The arena.
    pub arena: ArenaHead,
    /// The author's bot; `None` before the first version.
    pub bot: Option<BotRef>,
    /// Why nobody can hand in now, in a sentence.
    pub closed: Option<String>,
    /// Why the bot stays paused, in sentences, if it does.
    pub stopped: Option<String>,
    /// The author's own deadline, if it is not that of the arena.
    pub until: Option<ZonedTime>,
    /// What is wrong with what was handed in just now, in sentences.
    pub error: Option<String>,
    /// The address of a page with the rules of the game; may be empty.
    pub game_rules: String,
    /// Languages of the editor.
    pub languages: Vec<LanguageChoice>,
    /// The identifier of the chosen language.
    pub language: String,
    /// The name of the file in the editor: `bot.py`.
    pub file: String,
    /// What is in the editor: the starter kit, the last version, or what was just sent.
    pub code: String,
    /// Where the code comes from: `the starter kit`, `your version 6`; may be empty.
    pub origin: String,
    /// Whether the code was just sent, and is neither a version nor a starter kit.
    pub is_sent: bool,
    /// What names drafts in the author's browser: account and arena. The script keeps in the tab
    /// what is typed, and brings it back until it is handed in.
    pub draft: String,
    /// Why the editor did not open the latest version, which its text would replace.
    pub replaces: Option<String>,
    /// The name of a new bot, as it was just sent.
    pub name: String,
    /// What changed, as it was just sent.
    pub message: String,
    /// Opponents of a trial match.
    pub opponents: Vec<Choice>,
    /// What the author may still do.
    pub quota: Quota,
    /// How to hand in from a shell; may be empty.
    pub shell: Vec<ShellStep>,
}
