//! What the text of an arena is made of.

/// What the text of an arena is made of. Texts of people may have any characters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArenaGuide {
    /// The name of the site.
    pub site: String,
    /// Scheme and host of the server: `https://agon.example`.
    pub base: String,
    /// The arena's name in addresses.
    pub slug: String,
    /// Its name for people.
    pub title: String,
    /// What the organisers say about it; may be empty.
    pub about: String,
    /// In which part of its life it is, in a word or two.
    pub phase: String,
    /// The name of its game.
    pub game: String,
    /// The version of its rules.
    pub rules_version: u32,
    /// What the game is about, in a sentence.
    pub summary: String,
    /// The game's page in Markdown.
    pub page: String,
    /// The settings of the game.
    pub settings: Vec<Setting>,
    /// The limits of bots.
    pub limits: Limits,
    /// When the arena began or begins, with the time zone.
    pub begin: Option<String>,
    /// Until when authors can hand in, with the time zone.
    pub deadline: Option<String>,
    /// When matches end, with the time zone.
    pub freeze: Option<String>,
    /// Who can read sources, in a sentence.
    pub sources: String,
    /// What decides ranks, in sentences.
    pub ranks: String,
    /// Agon's bots that play along.
    pub bosses: Vec<String>,
    /// The starter kits of the languages that are allowed, not none.
    pub kits: Vec<Kit>,
    /// A complete bot in one file.
    pub starter: Option<Starter>,
}

/// A setting of the game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Setting {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
    /// What it means; may be empty.
    pub meaning: String,
}

/// The limits of bots.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// CPU time for an answer in milliseconds, beside the time for the start.
    pub time_ms: u64,
    /// Timeouts in a row that end a bot's part in a match.
    pub strikes: Option<u64>,
    /// Memory of a bot.
    pub memory_mib: u64,
    /// The number of players in a match.
    pub players: u64,
    /// After how many turns a match ends, if not before.
    pub turns: Option<u64>,
    /// The game's word for a turn.
    pub turn: String,
    /// Versions of an author within 24 hours.
    pub daily: u64,
    /// The most files of a version.
    pub files: u64,
    /// Their most bytes.
    pub bytes: u64,
}

/// A starter kit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kit {
    /// Its name for `agon new`.
    pub id: String,
    /// The name of the language.
    pub language: String,
    /// How its bots are built; may be empty.
    pub build: String,
    /// The files that it writes.
    pub files: Vec<String>,
}

/// A complete bot in one file, which the server completes by its starter kit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Starter {
    /// The name of the starter kit.
    pub kit: String,
    /// The name of the file.
    pub file: String,
    /// What is in it.
    pub code: String,
}
