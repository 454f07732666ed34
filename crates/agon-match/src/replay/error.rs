//! Errors of reading a replay: other files, damage, and states that differ from the recorded ones.

use std::io;

use agon_core::{DecodeError, SetupError};
use thiserror::Error;

/// A problem at some place in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Problem {
    /// The file ends within a block.
    #[error("the file ends here, within a block")]
    Truncated,
    /// The file ends between blocks, without a result, because its writer was killed.
    #[error("the file ends here, without a result; whoever recorded it was stopped")]
    Unfinished,
    /// The index is missing or wrong, although everything up to the result is there.
    ///
    /// Or something follows the index.
    #[error("the index, which must end the file, is damaged")]
    Index,
    /// A block's checksum does not fit its bytes.
    #[error("the checksum does not fit")]
    Checksum,
    /// There is no such kind of block.
    #[error("there are no blocks of kind {0}")]
    UnknownBlock(u8),
    /// The checksum fits, but the contents make no sense.
    #[error("{0}")]
    Malformed(&'static str),
}

/// The place of the damage, and the usable part of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("damaged at byte {offset}: {problem}; good for {good_steps} steps")]
pub struct Damage {
    /// The start of the damaged block, in bytes from the start of the file.
    pub offset: u64,
    /// Steps that can be read before the damage.
    pub good_steps: u64,
    /// The problem.
    #[source]
    pub problem: Problem,
}

/// The reason why a file cannot be opened as a replay at all.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum OpenError {
    /// It could not be read.
    #[error("cannot read the replay: {0}")]
    Io(#[from] io::Error),
    /// The file is something else.
    #[error("this is no replay of Agon (the first bytes are not those of one)")]
    NotAReplay,
    /// It was written by a later version.
    #[error("this replay has format version {found}; this Agon reads version {known}")]
    Version {
        /// The file's version.
        found: u8,
        /// The version that can be read.
        known: u8,
    },
    /// The header is damaged: without it nothing can be read.
    #[error("the replay's header is damaged: {0}")]
    Header(Problem),
    /// The header's text cannot be read.
    #[error("the replay's header cannot be read: {0}")]
    HeaderText(serde_json::Error),
}

/// The reason why a state of a replay cannot be shown.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The file is damaged.
    #[error(transparent)]
    Damaged(#[from] Damage),
    /// It is a replay of another game.
    #[error("this is a replay of {found}, not of {expected}")]
    OtherGame {
        /// The game in the file.
        found: String,
        /// The game that it was read as.
        expected: &'static str,
    },
    /// It was played under other rules, which might lead to other states.
    #[error(
        "this replay was played under rules version {found} of {game}; this Agon plays version \
         {known}, so it cannot show it; use an Agon whose `agon --version` names {game} \
         {found}"
    )]
    OtherRules {
        /// The game.
        game: &'static str,
        /// The version in the file.
        found: u32,
        /// The version of this program.
        known: u32,
    },
    /// Rules or start position in the header are not those of the game.
    #[error("the header's {what} cannot be read: {source}")]
    Header {
        /// `rules` or `start`.
        what: &'static str,
        /// The problem.
        source: serde_json::Error,
    },
    /// The match cannot be set up.
    #[error("the match cannot be set up: {0}")]
    Setup(#[from] SetupError),
    /// The start position has another number of players than the header.
    #[error("the header names {header} players, but the start position is one of {game}")]
    Players {
        /// Players in the header.
        header: usize,
        /// Players of the position.
        game: usize,
    },
    /// There is no such step.
    #[error("there is no state after {step} steps: the replay has {steps} steps")]
    NoSuchStep {
        /// The requested state, as the number of steps before it.
        step: u64,
        /// Steps in the file.
        steps: u64,
    },
    /// The file's contents do not follow from the rules.
    #[error(transparent)]
    Differs(#[from] Difference),
}

/// The place where a replay differs from the states that its answers lead to.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("step {step}: {kind}")]
pub struct Difference {
    /// Steps played before the difference appeared.
    pub step: u64,
    /// The kind of difference.
    #[source]
    pub kind: DifferenceKind,
}

/// A kind of difference between a replay and the rules.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DifferenceKind {
    /// The state after the step has another hash.
    #[error(
        "the state's hash is {found:#0width$x}, the replay says {expected:#0width$x}",
        width = 2 + 2 * .bytes
    )]
    Hash {
        /// The hash in the file: its low bytes.
        expected: u64,
        /// The hash of the state that the answers lead to: as many bytes.
        found: u64,
        /// The number of bytes that were compared.
        bytes: usize,
    },
    /// The game asks for another number of decisions.
    #[error("the game asks for {found} decisions, the replay has {expected} answers")]
    Decisions {
        /// Answers in the file.
        expected: u64,
        /// Decisions the game asks for.
        found: u64,
    },
    /// An answer cannot be read.
    #[error("answer {answer}: {source}")]
    Answer {
        /// The answer's place in the batch.
        answer: u64,
        /// The problem with it.
        source: DecodeError,
    },
    /// A key frame holds another state than the one that the steps lead to.
    #[error("the key frame holds another state")]
    KeyFrame,
    /// The match ended differently.
    #[error("the recorded result has another {0}")]
    Result(&'static str),
}
