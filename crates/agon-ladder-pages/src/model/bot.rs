//! Parts of models that are about bots.

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
