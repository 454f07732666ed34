//! The form with which organisers set up an arena.

use super::{ArenaHead, BotRef, Tally, ZonedTime};

/// Something that can be chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// The value in the form.
    pub id: String,
    /// What people read.
    pub label: String,
    /// Whether it is chosen.
    pub on: bool,
}

/// A game with its presets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GameChoice {
    /// The game's name.
    pub id: String,
    /// What the game is about, in a sentence; may be empty.
    pub about: String,
    /// Names of its presets.
    pub presets: Vec<String>,
}

/// Who can read the sources of bots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sources {
    /// Only their author and organisers; value `secret`.
    #[default]
    Secret,
    /// Everybody, once the arena is over; value `after`.
    After,
    /// Everybody at once; value `open`.
    Open,
}

impl Sources {
    /// All choices.
    pub const ALL: [Sources; 3] = [Sources::Secret, Sources::After, Sources::Open];

    /// Returns the value in the form.
    pub fn id(self) -> &'static str {
        match self {
            Sources::Secret => "secret",
            Sources::After => "after",
            Sources::Open => "open",
        }
    }

    /// Returns what people read.
    pub fn words(self) -> &'static str {
        match self {
            Sources::Secret => "only their author and organisers",
            Sources::After => "everybody, after the end",
            Sources::Open => "everybody, at once",
        }
    }
}

/// Which number of a rating decides ranks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RankedBy {
    /// The lower end of its interval; value `lower_end`.
    #[default]
    LowerEnd,
    /// The rating itself; value `rating`.
    Rating,
}

impl RankedBy {
    /// All choices.
    pub const ALL: [RankedBy; 2] = [RankedBy::LowerEnd, RankedBy::Rating];

    /// Returns the value in the form.
    pub fn id(self) -> &'static str {
        match self {
            RankedBy::LowerEnd => "lower_end",
            RankedBy::Rating => "rating",
        }
    }

    /// Returns what people read.
    pub fn words(self) -> &'static str {
        match self {
            RankedBy::LowerEnd => "the lower end of the rating's interval: proven strength",
            RankedBy::Rating => "the rating",
        }
    }
}

/// What is in the fields of the form; texts as they were typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArenaValues {
    /// Field `slug`, of new arenas only; if it is empty, the server makes one of the title.
    pub slug: String,
    /// Field `title`.
    pub title: String,
    /// Field `about`.
    pub about: String,
    /// Field `game`.
    pub game: String,
    /// Field `preset`.
    pub preset: String,
    /// Field `settings`: `name = value`, one a line, instead of what the preset says.
    pub settings: String,
    /// Field `players`: how many bots meet in a match.
    pub players: String,
    /// Field `time_ms`: thinking time of a decision in milliseconds; empty for the game's own.
    pub time_ms: String,
    /// Field `memory_mib`: memory of a bot in MiB; empty for no limit.
    pub memory_mib: String,
    /// Field `strict`: whether bots play only where they can be confined fully.
    pub is_strict: bool,
    /// Field `named`: whether bots learn whom they meet.
    pub is_named: bool,
    /// Fields `begin` (local time) and `begin_zone`.
    pub begin: Option<ZonedTime>,
    /// Fields `deadline` and `deadline_zone`.
    pub deadline: Option<ZonedTime>,
    /// Fields `freeze` and `freeze_zone`.
    pub freeze: Option<ZonedTime>,
    /// Field `sources`.
    pub sources: Sources,
    /// Field `per_day`: hand-ins of an author in a day.
    pub per_day: String,
    /// Field `ranked_by`.
    pub ranked_by: RankedBy,
    /// Field `ranked_after`: matches before a version has a rank; empty for the usual number.
    pub ranked_after: String,
    /// Field `final_games`: how often those meet in the final who play together; empty for none.
    pub final_games: String,
    /// Field `final_most`: how many bots of authors are in the final at most.
    pub final_most: String,
    /// Field `final_minutes`: how long its seed is computed.
    pub final_minutes: String,
}

/// What is wrong with a field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldError {
    /// The name of the field.
    pub field: String,
    /// What is wrong, and what to do, in sentences.
    pub text: String,
}

/// An author with a later deadline than others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extension {
    /// The name for signing in.
    pub name: String,
    /// The name for people.
    pub shown: String,
    /// Until when this author can hand in.
    pub until: ZonedTime,
}

/// The form with which organisers set up an arena.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ArenaForm {
    /// The arena; `None` for a new one.
    pub arena: Option<ArenaHead>,
    /// What is in the fields.
    pub values: ArenaValues,
    /// What is wrong.
    pub errors: Vec<FieldError>,
    /// Games that can be chosen.
    pub games: Vec<GameChoice>,
    /// Fields `language`: allowed languages.
    pub languages: Vec<Choice>,
    /// Fields `boss`: Agon's bots that play along, in the order of `games`.
    pub bosses: Vec<Vec<Choice>>,
    /// Whether game and settings can no longer change, because the arena exists.
    pub game_is_fixed: bool,
    /// Authors with a later deadline.
    pub extensions: Vec<Extension>,
    /// Bots whose names look alike, in groups.
    pub alike: Vec<Vec<BotRef>>,
    /// Bots that get much less against another one than all other results say.
    pub lopsided: Vec<Lopsided>,
}

/// A bot that gets much less against another one than all other results say.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lopsided {
    /// The bot that loses.
    pub loser: BotRef,
    /// The bot that wins.
    pub winner: BotRef,
    /// Results of their versions that play, seen from the loser.
    pub tally: Tally,
    /// The points that the loser should have by all other results.
    pub expected: f64,
}
