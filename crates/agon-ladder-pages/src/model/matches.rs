//! Matches: lists, and the page of one match.

use super::{ArenaHead, BotRef, FaultCount, Log, Paging, Time};

/// What became of a match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum MatchState {
    /// It counts.
    #[default]
    Played,
    /// It is being played.
    Running,
    /// It was not played to its end through no bot's fault; the reason.
    Void(String),
    /// An organiser annulled it; the reason.
    Annulled(String),
}

/// A bot in a match of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seat {
    /// The bot, with the version that played.
    pub bot: BotRef,
    /// Its place from 1; equal places are ties; 0 if there is none yet.
    pub place: u32,
    /// How many faults it made.
    pub faults: u64,
}

/// A match in a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MatchRow {
    /// The arena's slug.
    pub arena: String,
    /// The arena's title, for lists with several arenas; else empty.
    pub arena_title: String,
    /// Its number.
    pub number: u64,
    /// When it ended.
    pub at: Time,
    /// What became of it.
    pub state: MatchState,
    /// How many turns it had.
    pub turns: u64,
    /// Its bots, in the order of seats.
    pub seats: Vec<Seat>,
}

/// Which matches a list has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MatchFilter {
    /// Only those of this bot.
    pub bot: Option<BotRef>,
    /// Of these, only those against this bot.
    pub against: Option<BotRef>,
    /// Only those in which the bot committed a fault; without one, anybody.
    pub with_faults: bool,
}

/// The list of matches of an arena.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matches {
    /// The arena.
    pub arena: ArenaHead,
    /// Newest first.
    pub rows: Vec<MatchRow>,
    /// Which of all matches these are.
    pub filter: MatchFilter,
    /// The page of the list; a list of a bot or with faults only has no numbered pages.
    pub paging: Paging,
    /// The number of the match before which the page of such a list begins; `None` for the newest.
    pub before: Option<u64>,
    /// The number of the match before which its next page begins.
    pub older: Option<u64>,
}

/// A fault in a match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fault {
    /// The turn.
    pub turn: u64,
    /// The seat, from 0.
    pub seat: u32,
    /// What happened, in words: `did not answer in time`.
    pub kind: String,
    /// More about it.
    pub detail: String,
    /// What the bot wrote, or how it ended; empty if that is not for this viewer.
    pub evidence: String,
}

/// A bot in the page of a match.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MatchSeat {
    /// The bot, with the version that played.
    pub bot: BotRef,
    /// Its place from 1; equal places are ties; 0 if there is none yet.
    pub place: u32,
    /// Its score in the game; empty if the game has none.
    pub score: String,
    /// Its faults by kind.
    pub faults: Vec<FaultCount>,
    /// How long it thought in all, in microseconds; `None` if nobody measured.
    pub thinking: Option<u64>,
    /// Its slowest answer, in microseconds.
    pub slowest: Option<u64>,
    /// How the match changed its rating.
    pub change: Option<f64>,
    /// Whether it belongs to the viewer.
    pub own: bool,
}

/// Another match, and how it is related.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MatchLink {
    /// The number of the match.
    pub number: u64,
    /// Why it is named: `played again as check: same states`.
    pub words: String,
}

/// Whether a match has a replay.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ReplayState {
    /// It never had one.
    #[default]
    Never,
    /// Everybody who sees the page may have it.
    There,
    /// Those who are signed in may have it.
    ForMembers,
    /// It was removed.
    Removed {
        /// When.
        at: Time,
        /// Its digest.
        digest: String,
        /// Whether the reason is that an author was erased, and not its age.
        is_erased: bool,
    },
}

/// The page of a match.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MatchPage {
    /// The arena.
    pub arena: ArenaHead,
    /// The number of the match.
    pub number: u64,
    /// What became of it.
    pub state: MatchState,
    /// When it ended.
    pub at: Time,
    /// The seed; empty until the match is over.
    pub seed: String,
    /// How many turns it had.
    pub turns: u64,
    /// How long it took, in milliseconds.
    pub ms: u64,
    /// The worker that played it, and the percentage of the arena's limits in CPU time that bots
    /// had there; `None` if the server played it.
    pub machine: Option<(String, u32)>,
    /// The turn that the viewer shows at first.
    pub turn: Option<u64>,
    /// Its bots, in the order of seats.
    pub seats: Vec<MatchSeat>,
    /// The first faults, in order.
    pub faults: Vec<Fault>,
    /// How many faults are not listed.
    pub more_faults: u64,
    /// Whether there is a replay.
    pub replay: ReplayState,
    /// The entry of the public log with the result, and the address of the proof.
    pub proof: Option<(u64, String)>,
    /// Scheme and host of this server, `https://agon.example`, for links in other places.
    pub base: String,
    /// stderr of the viewer's own bots.
    pub logs: Vec<Log>,
    /// Matches that are related to this one.
    pub related: Vec<MatchLink>,
    /// The numbers of the matches before and after this one.
    pub neighbours: (Option<u64>, Option<u64>),
}
