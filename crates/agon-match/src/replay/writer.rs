//! Writes a replay while the referee plays the match, and copies of replays without what bots
//! wrote, for people who are not their authors. A ladder server publishes these.

use std::io::{self, Write};

use agon_core::{BotInfo, Evidence, Fault, Player, codec::put_varint};
use agon_games::any::{AnyAnswers, AnyGame};
use agon_games::file::MAX_CARRIED;
use thiserror::Error;

use crate::replay::blocks::{BlockRef, StepsBuffer, Table};
use crate::replay::contents::{
    Diagnosis, End, Ending, FaultTally, Void, header_text, record, renamed,
};
use crate::replay::file::{Damage, MAX_FAULTS, Problem, Replay};
use crate::replay::format::{
    BlockKind, END_MAGIC, MAGIC, MAX_STREAM, Packer, VERSION, write_block,
};

/// A block ends when its answers take this many bytes.
///
/// They compress well, and a crash loses only a few.
const BLOCK_BYTES: usize = 64 << 10;

/// A block also ends after this many steps, if they are an eighth of the match.
///
/// So short matches get short blocks.
const BLOCK_STEPS: u64 = 128;

/// Faults are written at the latest when they take this many bytes.
const FAULT_BYTES: usize = 1 << 20;

/// The reason why a replay cannot be written.
#[derive(Debug, Error)]
pub enum WriteError {
    /// The output refused it, or a part is too large.
    #[error("cannot write the replay: {0}")]
    Io(#[from] io::Error),
    /// The replay to copy is damaged.
    #[error(transparent)]
    Damage(#[from] Damage),
    /// The game's rules or position cannot be written as text.
    #[error("cannot write the match into the replay: {0}")]
    Json(#[from] serde_json::Error),
}

/// Writes a replay block by block, so that the file of a killed process can be read.
///
/// The same match gives the same bytes. Nothing in the file depends on time or place, except the
/// diagnosis of bots with processes.
#[derive(Debug)]
pub struct Writer<W: Write> {
    out: W,
    table: Table,
    block: StepsBuffer,
    faults: Vec<u8>,
    keys: KeySpacing,
    void: Option<Void>,
    /// Bytes that faults may still use.
    faults_left: usize,
    packer: Packer,
    /// The payload of the block being written, kept for reuse of its memory.
    payload: Vec<u8>,
}

impl<W: Write> Writer<W> {
    /// Starts the replay of a match that starts with the current state of `game`.
    pub fn new(out: W, game: &AnyGame, players: &[BotInfo]) -> Result<Writer<W>, WriteError> {
        Writer::continuing(out, game, players, 0)
    }

    /// Starts the replay of a match that continues another one from `game`.
    ///
    /// The bots have been asked in the other one's `steps_before` steps.
    pub fn continuing(
        mut out: W,
        game: &AnyGame,
        players: &[BotInfo],
        steps_before: u64,
    ) -> Result<Writer<W>, WriteError> {
        out.write_all(&MAGIC)?;
        out.write_all(&[VERSION])?;
        let mut packer = Packer::new()?;
        let keys = KeySpacing::after(&KeyFrame::of(game, 0, &mut packer)?, game);
        let mut writer = Writer {
            out,
            table: Table::new(),
            block: StepsBuffer::default(),
            faults: Vec::new(),
            faults_left: MAX_FAULTS,
            keys,
            void: None,
            packer,
            payload: Vec::new(),
        };
        writer.stream_block(BlockKind::Header, &header_text(game, players, steps_before)?)?;
        // A larger one is found in the store of the machine, or named by whoever verifies.
        if let Some(files) = game.kind().packed().filter(|files| files.len() <= MAX_CARRIED) {
            writer.payload.clear();
            writer.payload.extend_from_slice(files);
            writer.write(BlockKind::Game, 0, 0)?;
        }
        writer.out.flush()?;
        Ok(writer)
    }

    /// Appends a step: the answers, and the state that they led to.
    pub fn step(&mut self, answers: &AnyAnswers, after: &AnyGame) -> Result<(), WriteError> {
        self.block.push(answers, after.state_hash());
        self.keys.decisions += answers.len() as u64;
        let enough_steps = self.block.steps() >= BLOCK_STEPS.max(self.table.steps / 8);
        let key_wanted = self.keys.is_wanted(after);
        if enough_steps || key_wanted || self.block.answer_bytes() >= BLOCK_BYTES {
            self.end_block()?;
            if key_wanted && self.keys.is_affordable(&self.table) {
                self.key_frame(after)?;
            } else if key_wanted {
                self.keys.wait_longer();
            }
            self.out.flush()?;
        }
        Ok(())
    }

    /// Records a fault in detail, up to 256 MiB of faults: no reader accepts more.
    pub fn fault(&mut self, fault: &Fault) -> Result<(), WriteError> {
        let start = self.faults.len();
        serde_json::to_writer(&mut self.faults, fault)?;
        self.faults.push(b'\n');
        match self.faults_left.checked_sub(self.faults.len() - start) {
            Some(left) => self.faults_left = left,
            None => self.faults.truncate(start),
        }
        if self.faults.len() >= FAULT_BYTES { self.end_faults() } else { Ok(()) }
    }

    /// Sets the reason why the match does not count, if it does not. Call it before the end.
    pub fn set_void(&mut self, void: Option<Void>) {
        self.void = void;
    }

    /// Records costs and output of the bots. Call it at most once, after the last step.
    pub fn diagnosis(&mut self, diagnosis: &Diagnosis) -> Result<(), WriteError> {
        self.end_block()?;
        self.stream_block(BlockKind::Diagnosis, &serde_json::to_vec(diagnosis)?)
    }

    /// Ends the replay and returns the output.
    ///
    /// `faults` counts all faults, with details or without.
    pub fn finish(
        mut self,
        game: &AnyGame,
        end: End,
        faults: &[FaultTally],
    ) -> Result<W, WriteError> {
        self.end_block()?;
        let ending = Ending {
            end,
            steps: self.table.steps,
            turns: game.progress().turn,
            decisions: self.table.decisions,
            standing: game.standing(),
            faults: faults.to_vec(),
            void: self.void,
            state_hash: game.state_hash(),
        };
        self.stream_block(BlockKind::Ending, &serde_json::to_vec(&ending)?)?;
        let index_at = self.table.end;
        let index = self.table.index_payload();
        write_block(&mut self.out, index_at, BlockKind::Index, &index)?;
        self.out.write_all(&index_at.to_le_bytes())?;
        self.out.write_all(&END_MAGIC)?;
        self.out.flush()?;
        Ok(self.out)
    }

    /// Ends the file without an ending, as if the program had been killed after the last step.
    pub fn cut(mut self) -> Result<(), WriteError> {
        self.end_block()?;
        Ok(self.out.flush()?)
    }

    fn end_block(&mut self) -> Result<(), WriteError> {
        if self.block.steps() > 0 {
            let steps = self.block.steps();
            let decisions = self.block.decisions;
            self.payload.clear();
            self.block.put_payload(&mut self.packer, &mut self.payload)?;
            self.write(BlockKind::Steps, steps, decisions)?;
            self.block.restart_at(self.table.steps);
        }
        self.end_faults()
    }

    fn end_faults(&mut self) -> Result<(), WriteError> {
        if self.faults.is_empty() {
            return Ok(());
        }
        let faults = std::mem::take(&mut self.faults);
        self.stream_block(BlockKind::Faults, &faults)
    }

    fn key_frame(&mut self, game: &AnyGame) -> Result<(), WriteError> {
        let frame = KeyFrame::of(game, self.table.steps, &mut self.packer)?;
        let keys = KeySpacing::after(&frame, game);
        if frame.plain <= MAX_STREAM {
            self.payload = frame.payload;
            self.write(BlockKind::Key, 0, 0)?;
        }
        self.keys = keys;
        Ok(())
    }

    fn stream_block(&mut self, kind: BlockKind, plain: &[u8]) -> Result<(), WriteError> {
        self.payload.clear();
        self.packer.put(&mut self.payload, plain)?;
        self.write(kind, 0, 0)
    }

    /// Writes the block with this payload.
    fn write(&mut self, kind: BlockKind, steps: u64, decisions: u64) -> Result<(), WriteError> {
        let length = write_block(&mut self.out, self.table.end, kind, &self.payload)?;
        self.table.add(kind, length, steps, decisions);
        self.keys.bytes += length;
        Ok(())
    }
}

/// A position that will be written to a file.
struct KeyFrame {
    payload: Vec<u8>,
    /// Bytes of the position before compression.
    plain: usize,
}

impl KeyFrame {
    /// Makes the key frame after `step` steps.
    ///
    /// A key frame that is too large gets no payload: then seeking just takes longer.
    fn of(game: &AnyGame, step: u64, packer: &mut Packer) -> Result<KeyFrame, WriteError> {
        let position = game.position_bytes().map_err(io::Error::other)?;
        let mut payload = Vec::new();
        if position.len() <= MAX_STREAM {
            put_varint(&mut payload, step);
            payload.extend_from_slice(&game.state_hash().to_le_bytes());
            packer.put(&mut payload, &position)?;
        }
        Ok(KeyFrame { payload, plain: position.len() })
    }
}

/// Decides where key frames go. It depends only on the match, so its bytes are always the same.
///
/// Work is counted in decisions, some 40 ns each in the slowest game. A turn has other costs as
/// well, such as growth or cellular automata. They grow with the board, and so with the size of
/// the position.
#[derive(Debug)]
struct KeySpacing {
    /// Bytes of the last key frame, stored and plain: the best estimate for the next.
    stored: u64,
    plain: u64,
    /// The turn of the last key frame; decisions and bytes since then.
    turn: u64,
    decisions: u64,
    bytes: u64,
    /// The work since the last key frame after which the next one is wanted.
    wanted: u64,
}

impl KeySpacing {
    /// The work after which a key frame is wanted: it limits a seek to some 20 ms.
    const WORK: u64 = 500_000;
    /// Bytes of a position that cost about as much per turn as one decision.
    const BYTES_PER_WORK: u64 = 32;

    /// Starts after this frame of `game`.
    fn after(frame: &KeyFrame, game: &AnyGame) -> KeySpacing {
        let stored = frame.payload.len() as u64;
        let plain = frame.plain as u64;
        let turn = game.progress().turn;
        KeySpacing { stored, plain, turn, decisions: 0, bytes: 0, wanted: Self::WORK }
    }

    fn is_wanted(&self, game: &AnyGame) -> bool {
        let turns = game.progress().turn.saturating_sub(self.turn);
        self.decisions + turns * self.plain / Self::BYTES_PER_WORK >= self.wanted
    }

    /// Returns whether the file can afford another key frame.
    ///
    /// Key frames may take half of a file below one byte per decision, and a third of any other.
    fn is_affordable(&self, table: &Table) -> bool {
        let file_is_small = table.end + self.stored <= table.decisions;
        self.bytes >= 2 * self.stored || (file_is_small && self.bytes >= self.stored)
    }

    /// Postpones the next key frame, which would cost too much now.
    ///
    /// The next check is much later, so that blocks do not end at each step.
    fn wait_longer(&mut self) {
        self.wanted += self.wanted / 2;
    }
}

impl Replay {
    /// Returns a copy without what bots wrote: their stderr, the evidence of their faults, and what
    /// their decisions cost. `keeps` names the players of whom all stays.
    ///
    /// Faults stay with their kinds and one sentence each. The copy of a replay without a result
    /// has none either.
    pub fn redacted(&self, keeps: impl Fn(Player) -> bool) -> Result<Vec<u8>, WriteError> {
        self.copied(|replay, block, packer| match block.kind {
            BlockKind::Faults => {
                let faults = replay.faults_of(block)?;
                Ok(Some(packed(packer, &redacted_faults(faults, &keeps)?)?))
            }
            BlockKind::Diagnosis => {
                let Some(Diagnosis { mut bots }) = replay.diagnosis()? else { return Ok(None) };
                bots.retain(|bot| keeps(bot.player));
                if bots.is_empty() {
                    return Ok(None);
                }
                let text = serde_json::to_vec(&Diagnosis { bots })?;
                Ok(Some(packed(packer, &text)?))
            }
            _ => Ok(Some(replay.table().payload(replay.file(), block)?.to_vec())),
        })
    }

    /// Returns a copy with other payloads; `copy` leaves a block out if it returns `None`.
    fn copied(
        &self,
        copy: impl Fn(&Replay, &BlockRef, &mut Packer) -> Result<Option<Vec<u8>>, WriteError>,
    ) -> Result<Vec<u8>, WriteError> {
        let mut out = MAGIC.to_vec();
        out.push(VERSION);
        let mut table = Table::new();
        let mut packer = Packer::new()?;
        for block in &self.table().blocks {
            let Some(payload) = copy(self, block, &mut packer)? else { continue };
            let length = write_block(&mut out, table.end, block.kind, &payload)?;
            table.add(block.kind, length, block.steps, block.decisions);
        }
        if table.of_kind(BlockKind::Ending).next().is_some() {
            let index = table.index_payload();
            write_block(&mut out, table.end, BlockKind::Index, &index)?;
            out.extend_from_slice(&table.end.to_le_bytes());
            out.extend_from_slice(&END_MAGIC);
        }
        Ok(out)
    }

    /// Returns the text of the header.
    fn header_stream(&self) -> Result<Vec<u8>, Damage> {
        let block = &self.table().blocks[0];
        self.table().stream(self.file(), block, MAX_STREAM)
    }

    /// Returns a copy in which the bots have other names, in order of player number.
    ///
    /// # Panics
    /// If there are fewer names than players.
    pub fn renamed(&self, names: &[String]) -> Result<Vec<u8>, WriteError> {
        self.copied(|replay, block, packer| match block.kind {
            BlockKind::Header => {
                let text = renamed(&replay.header_stream()?, names)?;
                Ok(Some(packed(packer, &text)?))
            }
            _ => Ok(Some(replay.table().payload(replay.file(), block)?.to_vec())),
        })
    }

    /// Returns what the file says of the match, whoever it was copied for: all but the names of the
    /// bots, what they wrote, and evidence of faults.
    ///
    /// It is the same for a replay and its copies ([`Replay::redacted`], [`Replay::renamed`]).
    pub fn record(&self) -> Result<Vec<u8>, Damage> {
        let mut out = MAGIC.to_vec();
        out.push(VERSION);
        let mut add = |kind: BlockKind, payload: &[u8]| {
            out.push(kind as u8);
            out.extend_from_slice(&(payload.len() as u64).to_le_bytes());
            out.extend_from_slice(payload);
        };
        for block in &self.table().blocks {
            match block.kind {
                BlockKind::Header => {
                    let text = record(&self.header_stream()?);
                    let damage = || block.damage(Problem::Malformed("the header cannot be read"));
                    add(block.kind, &text.map_err(|_| damage())?);
                }
                BlockKind::Faults | BlockKind::Diagnosis | BlockKind::Index => {}
                _ => add(block.kind, self.table().payload(self.file(), block)?),
            }
        }
        Ok(out)
    }

    fn faults_of(&self, block: &BlockRef) -> Result<Vec<Fault>, Damage> {
        let text = self.table().stream(self.file(), block, MAX_FAULTS)?;
        let faults: Result<Vec<Fault>, _> =
            serde_json::Deserializer::from_slice(&text).into_iter().collect();
        faults.map_err(|_| block.damage(Problem::Malformed("a fault cannot be read")))
    }
}

fn redacted_faults(
    faults: Vec<Fault>,
    keeps: &impl Fn(Player) -> bool,
) -> Result<Vec<u8>, WriteError> {
    let mut text = Vec::new();
    for mut fault in faults {
        if !keeps(fault.player) {
            // How a process ended is no secret, and says what went wrong.
            let Evidence { exit_status, signal, unit, .. } = fault.evidence;
            fault.evidence = Evidence { exit_status, signal, unit, ..Evidence::default() };
        }
        serde_json::to_writer(&mut text, &fault)?;
        text.push(b'\n');
    }
    Ok(text)
}

fn packed(packer: &mut Packer, plain: &[u8]) -> Result<Vec<u8>, WriteError> {
    let mut payload = Vec::new();
    packer.put(&mut payload, plain)?;
    Ok(payload)
}
