//! Opens a replay file, and reads its header, blocks of steps, faults and result.
//!
//! The commands of `agon replay`, the viewer and replay sessions open files with it.

use std::io::{self, Read};
use std::{fmt, fs, path::Path, sync::Arc};

use agon_core::{DecodeError, Fault, Meta, SetupError};
use agon_games::any::{AnyGame, GameKind, PositionError};
use agon_games::{GameId, UnknownGame};
use serde_json::Value;
use thiserror::Error;

use crate::replay::blocks::{BlockRef, Steps, Table, only_stream};
use crate::replay::contents::{Diagnosis, Ending, Header};
use crate::replay::format::{
    BlockKind, FIRST_BLOCK, MAGIC, MAX_STREAM, VERSION, read_block, take_hash, take_number,
    take_stream,
};

/// The most bytes of a result's text; that with the most players takes some 100 KB.
const MAX_RESULT: usize = 16 << 20;

/// The most bytes of the diagnosis' text; a referee keeps 16 MiB of the bots' output.
const MAX_DIAGNOSIS: usize = 64 << 20;

/// The most bytes of all faults' texts together.
pub(crate) const MAX_FAULTS: usize = MAX_STREAM;

/// A replay in memory, opened but not yet played.
///
/// A truncated or damaged file opens if its header is good. [`steps`](Replay::steps) then counts
/// the readable steps, and [`damage`](Replay::damage) describes the problem. Clones share the file.
#[derive(Clone, Debug)]
pub struct Replay(Arc<Contents>);

#[derive(Debug)]
struct Contents {
    file: Vec<u8>,
    header: Header,
    table: Table,
    ending: Option<Ending>,
}

impl Replay {
    /// Opens a replay from the bytes of its file.
    pub fn open(file: impl Into<Vec<u8>>) -> Result<Replay, OpenError> {
        let file = file.into();
        let rest = file.strip_prefix(&MAGIC).ok_or(OpenError::NotAReplay)?;
        let version = *rest.first().ok_or(OpenError::Header(Problem::Truncated))?;
        if version != VERSION {
            return Err(OpenError::Version { found: version, known: VERSION });
        }
        let header = match read_block(&file, FIRST_BLOCK).map_err(OpenError::Header)? {
            (BlockKind::Header, payload) => {
                only_stream(payload, MAX_STREAM).map_err(OpenError::Header)?
            }
            _ => return Err(OpenError::Header(Problem::Malformed("the first block is no header"))),
        };
        let header = serde_json::from_slice(&header).map_err(OpenError::HeaderText)?;
        let table = Table::of_file(&file);
        let mut contents = Contents { file, header, table, ending: None };
        contents.read_ending();
        Ok(Replay(Arc::new(contents)))
    }

    /// Opens the replay in a file.
    pub fn open_file(path: impl AsRef<Path>) -> Result<Replay, OpenError> {
        // A device such as /dev/zero has no end, and opening a pipe waits for a writer.
        let metadata = fs::metadata(&path)?;
        if !metadata.is_file() {
            return Err(
                io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file").into()
            );
        }
        let length = usize::try_from(metadata.len()).unwrap_or(usize::MAX);
        let mut file = fs::File::open(&path)?;
        // Another kind of file may be larger than all memory.
        let mut bytes = vec![0; length.min(MAGIC.len())];
        file.read_exact(&mut bytes)?;
        if bytes != MAGIC {
            return Err(OpenError::NotAReplay);
        }
        file.read_to_end(&mut bytes)?;
        Replay::open(bytes)
    }

    /// Returns the header, which describes the match.
    pub fn header(&self) -> &Header {
        &self.0.header
    }

    /// Returns the game. One from a file is opened from the replay itself, if it carries the file.
    ///
    /// # Errors
    /// If this program does not know the game and cannot open it.
    pub fn game(&self) -> Result<GameId, UnknownGame> {
        GameId::named(&self.0.header.game, self.carried())
    }

    /// Returns the file of the game, if the replay carries it.
    pub fn carried(&self) -> Option<&[u8]> {
        let block = self.0.table.of_kind(BlockKind::Game).next()?;
        self.0.table.payload(&self.0.file, block).ok()
    }

    /// Returns the number of readable steps.
    pub fn steps(&self) -> u64 {
        self.0.table.steps
    }

    /// Returns the number of answers in these steps.
    pub fn decisions(&self) -> u64 {
        self.0.table.decisions
    }

    /// Returns the end of the match; `None` if the file ends before it.
    pub fn result(&self) -> Option<&Ending> {
        self.0.ending.as_ref()
    }

    /// Returns the damage that showed when the file was opened.
    ///
    /// [`verify`](Replay::verify) reads the whole file.
    pub fn damage(&self) -> Option<Damage> {
        self.0.table.damage
    }

    /// Returns the faults with details, in the order in which they happened.
    pub fn faults(&self) -> Result<Vec<Fault>, Damage> {
        let mut faults = Vec::new();
        let mut left = MAX_FAULTS;
        for block in self.0.table.of_kind(BlockKind::Faults) {
            let text = self.0.table.stream(&self.0.file, block, left)?;
            left -= text.len();
            for fault in serde_json::Deserializer::from_slice(&text).into_iter() {
                let mut fault: Fault = fault
                    .map_err(|_| block.damage(Problem::Malformed("a fault cannot be read")))?;
                fault.escape();
                faults.push(fault);
            }
        }
        Ok(faults)
    }

    /// Returns costs and output of the bots.
    ///
    /// `None` if no bot had a process, an older Agon recorded the file, or the file ends early.
    pub fn diagnosis(&self) -> Result<Option<Diagnosis>, Damage> {
        let Some(block) = self.0.table.of_kind(BlockKind::Diagnosis).next() else {
            return Ok(None);
        };
        let text = self.0.table.stream(&self.0.file, block, MAX_DIAGNOSIS)?;
        let unreadable = |_| block.damage(Problem::Malformed("the diagnosis cannot be read"));
        let mut diagnosis: Diagnosis = serde_json::from_slice(&text).map_err(unreadable)?;
        diagnosis.escape();
        Ok(Some(diagnosis))
    }

    /// Returns the first state.
    ///
    /// # Errors
    /// If it is a replay of another game or of another version of its rules, or the match cannot be
    /// set up.
    pub fn start(&self, kind: &'static dyn GameKind) -> Result<AnyGame, ReadError> {
        let rules = self.rules(kind)?;
        let seed = self.0.header.seed;
        let game = match &self.0.header.start {
            None => kind.start(&rules, self.0.header.players.len(), seed)?,
            Some(start) => {
                kind.start_from_json(&rules, seed, start.get()).map_err(|error| match error {
                    PositionError::Unreadable(error) => unreadable("start position", &error),
                    PositionError::Unfit(error) => error.into(),
                })?
            }
        };
        let header = self.0.header.players.len();
        let players = game.players();
        if header != players {
            return Err(ReadError::Unfit(format!(
                "the header names {header} players, but the start position is one of {players}"
            )));
        }
        let expected = self.0.header.state_hash;
        let found = game.state_hash();
        if expected != found {
            return Err(Difference {
                step: 0,
                kind: DifferenceKind::Hash { expected, found, bytes: 8 },
            }
            .into());
        }
        Ok(game)
    }

    /// Returns the step of the last key frame up to `step`.
    ///
    /// [`cursor_at`](Replay::cursor_at) starts there if the key frame is good.
    pub fn key_before(&self, step: u64) -> Option<u64> {
        self.keys().map(|key| key.first).rfind(|&first| first <= step)
    }

    /// The bytes of the file.
    pub(crate) fn file(&self) -> &[u8] {
        &self.0.file
    }

    /// The blocks of the file.
    pub(crate) fn table(&self) -> &Table {
        &self.0.table
    }

    pub(crate) fn keys(&self) -> impl DoubleEndedIterator<Item = &BlockRef> {
        self.0.table.of_kind(BlockKind::Key)
    }

    /// Returns the hash and the encoded position of a key frame.
    fn key_contents(&self, block: &BlockRef) -> Result<(u64, Vec<u8>), Damage> {
        let payload = self.0.table.payload(&self.0.file, block)?;
        read_key(payload, block.first).map_err(|problem| block.damage(problem))
    }

    /// Returns whether a key frame holds exactly this state of the match.
    pub(crate) fn key_holds(&self, block: &BlockRef, game: &AnyGame) -> Result<bool, ReadError> {
        let (hash, position) = self.key_contents(block)?;
        // Writing a position is much faster than setting one up. An older version may have written
        // it differently.
        let same_bytes = game.position_bytes().is_ok_and(|bytes| bytes == position);
        if same_bytes && hash == game.state_hash() {
            return Ok(true);
        }
        Ok(self.key_frame(game.kind(), block)? == *game)
    }

    /// Returns the state in a key frame.
    pub(crate) fn key_frame(
        &self,
        kind: &'static dyn GameKind,
        block: &BlockRef,
    ) -> Result<AnyGame, ReadError> {
        let rules = self.rules(kind)?;
        let (hash, position) = self.key_contents(block)?;
        let game = kind.start_from_bytes(&rules, self.0.header.seed, &position);
        let game = game.map_err(|error| match error {
            PositionError::Unreadable(_) => {
                block.damage(Problem::Malformed("a position cannot be read")).into()
            }
            PositionError::Unfit(error) => ReadError::from(error),
        })?;
        if game.state_hash() != hash || game.players() != self.0.header.players.len() {
            return Err(Difference { step: block.first, kind: DifferenceKind::KeyFrame }.into());
        }
        Ok(game)
    }

    /// Returns the block with step `step`, which must exist.
    pub(crate) fn steps_block(&self, step: u64) -> Result<Steps, Damage> {
        let blocks = &self.0.table.blocks;
        let index = blocks.partition_point(|block| block.first.saturating_add(block.steps) <= step);
        let block = &blocks[index];
        let steps =
            Steps::read(self.0.table.payload(&self.0.file, block)?).map_err(|p| block.damage(p))?;
        let head = (steps.head.first, steps.head.steps, steps.head.decisions);
        if head != (block.first, block.steps, block.decisions) {
            return Err(block.damage(Problem::Malformed("the index and a block of steps disagree")));
        }
        Ok(steps)
    }

    /// Describes damage in the block with step `step`.
    pub(crate) fn damage_at(&self, step: u64, problem: Problem) -> Damage {
        let block =
            self.0.table.blocks.iter().rfind(|block| block.first <= step && block.steps > 0);
        Damage {
            offset: block.map_or(FIRST_BLOCK, |block| block.offset),
            good_steps: step,
            problem,
        }
    }

    /// Returns the settings of the match, if it is one of this game under the rules here.
    fn rules(&self, kind: &dyn GameKind) -> Result<Value, ReadError> {
        let Header { game, rules_version, rules, .. } = &self.0.header;
        let Meta { id, rules_version: known, .. } = kind.meta();
        if game != id {
            return Err(ReadError::Unfit(format!("this is a replay of {game}, not of {id}")));
        }
        if *rules_version != known {
            return Err(ReadError::Unfit(format!(
                "this replay was played under rules version {rules_version} of {game}; this Agon \
                 plays version {known}, so it cannot show it; use an Agon whose `agon --version` \
                 names {game} {rules_version}"
            )));
        }
        kind.read_rules(rules.get()).map_err(|error| unreadable("rules", &error))
    }
}

impl Contents {
    fn read_ending(&mut self) {
        let Some(block) = self.table.of_kind(BlockKind::Ending).next() else { return };
        let malformed = Problem::Malformed("the result cannot be read");
        let text = self.table.stream(&self.file, block, MAX_RESULT);
        let ending = text.and_then(|text| {
            let ending = serde_json::from_slice(&text).ok();
            // Any more players would have no numbers.
            let fits = |ending: &Ending| ending.standing.players.len() <= self.header.players.len();
            ending.filter(fits).ok_or_else(|| block.damage(malformed))
        });
        match ending {
            Ok(mut ending) => {
                ending.escape();
                self.ending = Some(ending);
            }
            Err(damage) => self.table.damage = Some(damage),
        }
    }
}

fn read_key(mut payload: &[u8], first: u64) -> Result<(u64, Vec<u8>), Problem> {
    let input = &mut payload;
    if take_number(input)? != first {
        return Err(Problem::Malformed("a key frame is of another step"));
    }
    let hash = take_hash(input)?;
    let position = take_stream(input, MAX_STREAM)?;
    if !input.is_empty() {
        return Err(Problem::Malformed("a key frame is too long"));
    }
    Ok((hash, position))
}

fn unreadable(what: &'static str, error: &dyn fmt::Display) -> ReadError {
    ReadError::Unfit(format!("the header's {what} cannot be read: {error}"))
}

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
    /// It is a replay of another game or of other rules, or its rules or start position are not
    /// those of the game.
    #[error("{0}")]
    Unfit(String),
    /// The match cannot be set up.
    #[error("the match cannot be set up: {0}")]
    Setup(#[from] SetupError),
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
