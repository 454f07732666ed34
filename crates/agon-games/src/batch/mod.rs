//! Questions and answers as flat memory, for bots that are native libraries or WebAssembly modules.
//!
//! A batch is one question: the record [`Question`], then a fixed number of bytes per decision,
//! then the data that offsets in these point to. The answers are one fixed record per decision, in
//! the same order, then the data that their offsets point to. All numbers are little-endian.
//! Records are laid out like C structs, with their padding named. A game's `batch.rs` defines its
//! records with the macro `record!`; the C header and the Rust module of the starter kit are
//! generated from them.
//!
//! The hosts in `agon-bots` set the answer records to zero before they ask. The first byte of an
//! answered record is not zero. So the answers that a bot wrote before it crashed still count.

#![warn(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    clippy::cast_lossless,
    reason = "answers are foreign bytes, whose numbers must not change unnoticed"
)]

mod header;
mod record;
mod rust;

use agon_core::{Decision, Game, Player};

pub(crate) use record::record;

pub use header::{BOT_H, Constant, Group, Header, Value, bot_h, char, hex, number};
pub use record::{Element, Field, FieldLayout, Layout, Record};
pub use rust::rust_front;

/// The version of this interface; a bot returns it from its function `agon_abi`.
pub const ABI: u32 = 1;

record! {
    /// The front of every question.
    pub struct Question = "agon_question" {
        /// How many decisions are wanted: records that follow, and answers.
        decisions: u32,
        /// Whose decisions these are, from 0.
        player: u32,
        /// The step of the match, from 0. A large batch may come in several questions, all with the
        /// same step.
        step: u64,
        /// The turn of the game, from 0.
        turn: u64,
        /// Bytes of the fixed part of each decision; the first one begins right behind this record.
        stride: u32,
        /// 0.
        reserved: u32,
    }
}

record! {
    /// Bytes elsewhere in the same message. Offset 0 stands for none at all, as opposed to an empty
    /// string.
    pub struct Bytes = "agon_bytes" {
        /// Where they begin, counted from the front of the question or of the answers.
        offset: u32,
        /// How many there are.
        length: u32,
    }
}

impl Bytes {
    /// No bytes at all.
    pub const NONE: Bytes = Bytes { offset: 0, length: 0 };

    /// Appends bytes to a message that is not empty, and returns their place.
    pub fn append(bytes: &[u8], message: &mut Vec<u8>) -> Bytes {
        let offset = in_message(message.len());
        message.extend_from_slice(bytes);
        Bytes { offset, length: in_message(bytes.len()) }
    }

    /// Returns the bytes of `message` that this refers to; `Ok(None)` for none.
    ///
    /// # Errors
    /// If it is outside of the message; the text says so.
    pub fn of(self, message: &[u8]) -> Result<Option<&[u8]>, String> {
        if self == Bytes::NONE {
            return Ok(None);
        }
        let Bytes { offset, length } = self;
        if offset == 0 {
            return Err(format!("{length} bytes at offset 0, which stands for none"));
        }
        let start = offset as usize;
        let bytes = start.checked_add(length as usize).and_then(|end| message.get(start..end));
        let outside = || {
            format!("{length} bytes at {offset}, outside of the {} bytes written", message.len())
        };
        bytes.map(Some).ok_or_else(outside)
    }
}

/// Narrows an offset or a length within a message.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the arena asks what is far shorter than 4 GiB, and whatever is longer in parts"
)]
fn in_message(bytes: usize) -> u32 {
    bytes as u32
}

/// Appends an array of numbers to a message, at a multiple of 8, and returns its offset.
pub(crate) fn append_array<E: Element>(
    elements: impl IntoIterator<Item = E>,
    message: &mut Vec<u8>,
) -> u32 {
    message.resize(message.len().next_multiple_of(8), 0);
    let start = message.len();
    for element in elements {
        let at = message.len();
        message.resize(at + E::SIZE, 0);
        element.put(&mut message[at..]);
    }
    in_message(start)
}

/// Why an answer of a batch cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unusable {
    /// The bot has not written the answer.
    Unanswered,
    /// The answer means nothing; the text says why, and what it counts as.
    Garbage(String),
}

/// A game whose questions and answers have a form as flat memory.
///
/// Decisions of a batch are independent, so a host may ask any part of a batch as a question of its
/// own.
pub trait Batch: Game {
    /// The game's C header.
    const HEADER: Header;

    /// Whether the records are the game's own. Games of the [`kit`](crate::kit) share theirs; no
    /// files are generated for them.
    const HAS_OWN_FORM: bool = true;

    /// Fuel that a WebAssembly bot gets for each decision, about one unit an instruction. Where the
    /// game's rules speak of time, 100 ms are 250 million units: what a processor of 2.5 GHz does
    /// at one instruction a cycle.
    const FUEL: u64;

    /// Appends everything after the record [`Question`], and returns the stride. ([`question`]
    /// writes that record.)
    ///
    /// Offsets count from the front of `out`. All decisions are of one player.
    fn write_decisions(&self, decisions: &[Decision], out: &mut Vec<u8>) -> usize;

    /// The record of an answer.
    type AnswerRecord: Record;

    /// Returns the room for a bot's answers to these decisions, in bytes: the records and all the
    /// data that sensible answers append.
    fn answer_room(&self, decisions: &[Decision]) -> usize {
        decisions.len() * Self::AnswerRecord::SIZE
    }

    /// Returns the answer to a decision from its record, and what is wrong with it, if anything.
    ///
    /// `answered` is all that the bot has written; offsets in the record count from its front.
    fn read_answer(
        &self,
        decision: Decision,
        record: Self::AnswerRecord,
        answered: &[u8],
    ) -> (Self::Answer, Option<String>);

    /// Reads what a bot wrote. `answers` has one entry per decision, each the default before.
    ///
    /// `answered` is the room for answers, up to the length that the bot returned. Calls `unusable`
    /// once with the index of every decision whose answer is missing (and stays default) or bad, in
    /// ascending order.
    fn read_answers(
        &self,
        decisions: &[Decision],
        answered: &[u8],
        answers: &mut [Self::Answer],
        unusable: &mut dyn FnMut(usize, Unusable),
    ) {
        let mut records = answered.chunks_exact(Self::AnswerRecord::SIZE);
        for (i, (place, &decision)) in answers.iter_mut().zip(decisions).enumerate() {
            let Some(record) = records.next().filter(|record| record[0] != 0) else {
                unusable(i, Unusable::Unanswered);
                continue;
            };
            let (answer, wrong) = self.read_answer(decision, Record::get(record), answered);
            *place = answer;
            if let Some(wrong) = wrong {
                unusable(i, Unusable::Garbage(wrong));
            }
        }
    }
}

/// Writes the question about `decisions`, all of one player, into `out`, which is emptied first.
///
/// # Panics
/// If there are no decisions, or one of them is not wanted now.
pub fn question<G: Batch>(game: &G, step: u64, decisions: &[Decision], out: &mut Vec<u8>) {
    out.clear();
    out.resize(Question::SIZE, 0);
    let stride = game.write_decisions(decisions, out);
    let Player(player) = decisions[0].player;
    let front = Question {
        decisions: in_message(decisions.len()),
        player: player.into(),
        step,
        turn: game.progress().turn,
        stride: in_message(stride),
        reserved: 0,
    };
    front.put(&mut out[..Question::SIZE]);
}

/// Appends a record for each decision, and returns its size. `question` may append data, to which
/// its record then points.
pub(crate) fn write_records<R: Record>(
    decisions: &[Decision],
    out: &mut Vec<u8>,
    mut question: impl FnMut(Decision, &mut Vec<u8>) -> R,
) -> usize {
    let mut at = out.len();
    out.resize(at + decisions.len() * R::SIZE, 0);
    for &decision in decisions {
        let record = question(decision, out);
        record.put(&mut out[at..at + R::SIZE]);
        at += R::SIZE;
    }
    R::SIZE
}
