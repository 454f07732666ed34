//! The rules of an arena.

use super::{ArenaHead, BotRef, ZonedTime};

/// The rules of a game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GameRules {
    /// Its name.
    pub game: String,
    /// The rules as HTML that is shown as it is, with headings from `h2` on; may be empty.
    pub contents: String,
}

/// A setting of the game, or a limit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Setting {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
    /// What it means, with code in backticks; may be empty.
    pub meaning: String,
}

/// A language that bots can be written in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Language {
    /// Its name: `Python`.
    pub name: String,
    /// The version of compiler or runtime; may be empty.
    pub version: String,
    /// How sources are built, or what is special, with code in backticks; may be empty.
    pub note: String,
}

/// A starter kit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kit {
    /// Its language.
    pub language: String,
    /// The command that writes it into a new folder.
    pub command: String,
    /// The address of an archive; may be empty.
    pub download: String,
}

/// How far a final is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum FinalState {
    /// It comes after the season.
    #[default]
    Promised,
    /// Its seed is computed: how much of it, in percent.
    Drawing(u32),
    /// It is played in another arena.
    Played(ArenaLink),
}

/// An arena that a page leads to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArenaLink {
    /// Its part of addresses.
    pub slug: String,
    /// Its title.
    pub title: String,
}

/// The final of an arena.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Final {
    /// How far it is.
    pub state: FinalState,
    /// How often those meet who play together.
    pub games: u32,
    /// How many bots of authors it has at most.
    pub most: u32,
    /// How many minutes its seed takes on a typical machine.
    pub minutes: u64,
    /// The digest of the server's secret.
    pub pledge: String,
}

/// What an arena is the final of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FinalOf {
    /// The arena of the season.
    pub season: ArenaLink,
    /// How many matches it has.
    pub matches: u64,
    /// The seed.
    pub seed: String,
    /// How many minutes it took on a typical machine; 0 if it protects nobody.
    pub minutes: u64,
}

/// The rules of an arena.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// The arena.
    pub arena: ArenaHead,
    /// What the organisers say about it, in paragraphs; may be empty.
    pub about: String,
    /// What the game is about, in a sentence; may be empty.
    pub summary: String,
    /// The address of a page with the rules of the game; may be empty.
    pub game_rules: String,
    /// How many bots meet in a match: the least and the most.
    pub players: (u32, u32),
    /// Settings of the game.
    pub settings: Vec<Setting>,
    /// Limits of bots: time, memory, size.
    pub limits: Vec<Setting>,
    /// Allowed languages.
    pub languages: Vec<Language>,
    /// When the arena began or begins.
    pub begin: Option<ZonedTime>,
    /// When matches end, and the tables stay as they are.
    pub freeze: Option<ZonedTime>,
    /// Who can read sources, in a sentence.
    pub sources: String,
    /// What decides ranks, in sentences; may be empty.
    pub ranks: String,
    /// How many versions an author can hand in each day.
    pub per_day: u32,
    /// The final after the season.
    pub finals: Option<Final>,
    /// The season of which this is the final.
    pub final_of: Option<FinalOf>,
    /// Agon's bots that play along.
    pub bosses: Vec<BotRef>,
    /// Starter kits.
    pub kits: Vec<Kit>,
}
