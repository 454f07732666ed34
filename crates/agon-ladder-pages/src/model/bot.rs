//! Parts of models that are about bots.

/// A bot, as lists and links name it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BotRef {
    /// The bot's part of addresses.
    pub slug: String,
    /// Its name.
    pub name: String,
    /// The version meant: the active one, or the one that played; 0 if there is none.
    pub version: u32,
    /// The name of its author; empty for a boss.
    pub author: String,
    /// Whether it is one of Agon's own bots, which play along as milestones.
    pub boss: bool,
}

/// A rating in Elo points, with its interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rating {
    /// The best estimate.
    pub elo: f64,
    /// The lower end of the 95 % interval; `None` if no result holds it.
    pub low: Option<f64>,
    /// The upper end; `None` if no result holds it.
    pub high: Option<f64>,
}

/// Wins, ties and losses against one opponent in matches of two, or in pairs of larger ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Matches won.
    pub wins: u64,
    /// Matches tied.
    pub ties: u64,
    /// Matches lost.
    pub losses: u64,
}

impl Tally {
    /// Returns the number of all matches.
    pub fn total(self) -> u64 {
        self.wins.saturating_add(self.ties).saturating_add(self.losses)
    }
}

/// Faults of one kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FaultCount {
    /// The kind in words: `did not answer in time`.
    pub kind: String,
    /// How many there were.
    pub count: u64,
    /// A match with one of them.
    pub example: Option<u64>,
}

/// Output of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Log {
    /// What it is: `stderr in match 7`.
    pub title: String,
    /// The text; it may have any characters.
    pub text: String,
    /// How many bytes at its beginning were left out.
    pub cut: u64,
    /// The match it comes from.
    pub number: Option<u64>,
}

/// Whether a bot plays, and why not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum BotState {
    /// It plays.
    #[default]
    Plays,
    /// None of its versions is ready.
    NoVersion,
    /// Agon stopped it because it keeps failing, or its author did; the reason.
    Paused(String),
    /// Its author's account is disabled.
    Disabled,
    /// An organiser disqualified it; the reason.
    Disqualified(String),
}

/// How far a version is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VersionState {
    /// It waits for its build.
    #[default]
    Queued,
    /// It is being built.
    Building,
    /// It is being examined.
    Checking,
    /// It can play.
    Ready,
    /// It could not be built, or did not pass the examination.
    Failed,
    /// It played, and a newer version took its place.
    Retired,
    /// An organiser disqualified it.
    Disqualified,
}

impl VersionState {
    /// Returns the state in a word.
    pub fn words(self) -> &'static str {
        match self {
            VersionState::Queued => "queued",
            VersionState::Building => "building",
            VersionState::Checking => "checking",
            VersionState::Ready => "ready",
            VersionState::Failed => "failed",
            VersionState::Retired => "retired",
            VersionState::Disqualified => "disqualified",
        }
    }
}

/// How an examination went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExaminationStatus {
    /// No problem was found.
    Passed,
    /// Something may lose matches.
    Warning,
    /// Something is wrong.
    Failed,
    /// There was nothing to examine.
    #[default]
    NotApplicable,
}

/// One line of the report of `agon check`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Examination {
    /// Its number.
    pub number: u8,
    /// What it is about: `first answer`.
    pub topic: String,
    /// How it went.
    pub status: ExaminationStatus,
    /// What was found, in a sentence with code in backticks.
    pub found: String,
    /// What a compiler or the bot wrote about it; may be empty.
    pub output: String,
    /// What to do about it.
    pub remedy: Option<String>,
}
