//! Answers to the decisions of a batch, without the type of their game.

use std::{any::Any, fmt, ops::Range};

use agon_core::{Codec, DecodeError, Game};
use serde_json::Value;

use crate::jsonl::JsonGame;

/// A list of answers of a game of any kind: one for each decision of a batch, in the same order.
///
/// [`GameKind::no_answers`](super::GameKind::no_answers) makes an empty list.
pub struct AnyAnswers(Box<dyn AnswerList>);

impl AnyAnswers {
    pub(super) fn of_list(list: impl AnswerList) -> AnyAnswers {
        AnyAnswers(Box::new(list))
    }

    /// Wraps the answers of a game.
    pub fn of<G: JsonGame>(answers: Vec<G::Answer>) -> AnyAnswers {
        AnyAnswers(Box::new(List::<G>(answers)))
    }

    /// Returns the answers as their own type; `None` if they are of another game.
    pub fn as_slice<G: Game>(&self) -> Option<&[G::Answer]> {
        let list: &dyn Any = &*self.0;
        list.downcast_ref::<List<G>>().map(|list| &list.0[..])
    }

    /// Returns the number of answers.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.len() == 0
    }

    /// Makes this a list of `count` default answers. Keeps its memory.
    pub fn reset(&mut self, count: usize) {
        self.0.reset(count);
    }

    /// Returns all of them, to be filled in.
    pub fn as_mut(&mut self) -> AnswersMut<'_> {
        let count = self.len();
        AnswersMut { list: &mut *self.0, first: 0, count }
    }

    /// Returns some of them, to be filled in.
    ///
    /// # Panics
    /// If there are fewer.
    pub fn part_mut(&mut self, range: Range<usize>) -> AnswersMut<'_> {
        assert!(range.start <= range.end && range.end <= self.len(), "{range:?} is no part");
        AnswersMut { list: &mut *self.0, first: range.start, count: range.len() }
    }

    /// Returns a copy of some of them.
    ///
    /// # Panics
    /// If there are fewer.
    #[must_use]
    pub fn part(&self, range: Range<usize>) -> AnyAnswers {
        AnyAnswers(self.0.part(range))
    }

    /// Makes an answer a copy of one of another list.
    ///
    /// # Panics
    /// If there is no such answer, or the list is of another game.
    pub fn copy_one(&mut self, at: usize, from: &AnyAnswers, place: usize) {
        self.0.copy_one(at, &*from.0, place);
    }

    /// Appends the answers in the form of replays, without their number.
    pub fn encode(&self, out: &mut Vec<u8>) {
        self.0.encode(0..self.len(), out);
    }

    /// Makes this a list of `count` answers from the front of `input`, in the form of replays.
    ///
    /// # Errors
    /// If the bytes end too early or mean nothing; then the list has the answers before.
    pub fn decode(&mut self, count: u64, input: &mut &[u8]) -> Result<(), DecodeError> {
        self.0.decode(count, input)
    }

    /// Returns how many of some answers are neither the default nor what stands for a bot that has
    /// ended.
    ///
    /// # Panics
    /// If there are fewer.
    pub fn count_own(&self, range: Range<usize>) -> usize {
        self.0.count_own(range)
    }

    /// Returns an answer as JSON, in the form of scenarios and exports.
    ///
    /// # Panics
    /// If there is no such answer.
    pub fn json(&self, at: usize) -> Value {
        self.0.json(at)
    }

    /// Returns the reply of the JSON Lines protocol that stands for an answer. `None` for answers
    /// that no bot can give in this protocol, such as faults.
    ///
    /// # Panics
    /// If there is no such answer.
    pub fn reply(&self, at: usize) -> Option<Value> {
        self.0.reply(at)
    }

    /// Returns an answer, to be printed with `{:?}`.
    ///
    /// # Panics
    /// If there is no such answer.
    pub fn debug(&self, at: usize) -> &dyn fmt::Debug {
        self.0.debug(at)
    }

    /// Returns about how many bytes of memory they take.
    pub fn memory(&self) -> usize {
        self.0.memory()
    }

    pub(super) fn list(&self) -> &dyn AnswerList {
        &*self.0
    }
}

impl Clone for AnyAnswers {
    fn clone(&self) -> AnyAnswers {
        self.part(0..self.len())
    }
}

impl fmt::Debug for AnyAnswers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl PartialEq for AnyAnswers {
    fn eq(&self, other: &AnyAnswers) -> bool {
        self.0.is_equal(&*other.0)
    }
}

/// Some answers of a batch, which a bot fills in.
#[derive(Debug)]
pub struct AnswersMut<'a> {
    list: &'a mut dyn AnswerList,
    first: usize,
    count: usize,
}

impl AnswersMut<'_> {
    /// Returns the number of answers.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns the same answers for a shorter time.
    pub fn reborrow(&mut self) -> AnswersMut<'_> {
        AnswersMut { list: &mut *self.list, first: self.first, count: self.count }
    }

    /// Returns some of them.
    ///
    /// # Panics
    /// If there are fewer.
    pub fn part(&mut self, range: Range<usize>) -> AnswersMut<'_> {
        assert!(range.start <= range.end && range.end <= self.count, "{range:?} is no part");
        let first = self.first + range.start;
        AnswersMut { list: &mut *self.list, first, count: range.len() }
    }

    /// Returns the answers as their own type.
    ///
    /// # Panics
    /// If they are of another game.
    pub fn of_game<G: Game>(&mut self) -> &mut [G::Answer] {
        let range = self.range();
        let list: &mut dyn Any = &mut *self.list;
        let list = list.downcast_mut::<List<G>>();
        &mut list.unwrap_or_else(|| panic!("these are no answers of {}", G::META.id)).0[range]
    }

    /// Appends the answers in the form of replays, without their number.
    pub fn encode(&self, out: &mut Vec<u8>) {
        self.list.encode(self.range(), out);
    }

    /// Takes an answer from a reply of the JSON Lines protocol.
    ///
    /// # Errors
    /// If it is no reply of this game; the answer then stays what it was.
    ///
    /// # Panics
    /// If there is no such answer.
    pub fn set_reply(&mut self, at: usize, reply: &str) -> serde_json::Result<()> {
        assert!(at < self.count, "there is no answer {at}");
        self.list.set_reply(self.first + at, reply)
    }

    /// Takes an answer from JSON in the form of scenarios.
    ///
    /// # Errors
    /// If it is no answer of this game; the answer then stays what it was.
    ///
    /// # Panics
    /// If there is no such answer.
    pub fn set_json(&mut self, at: usize, answer: &str) -> serde_json::Result<()> {
        assert!(at < self.count, "there is no answer {at}");
        self.list.set_json(self.first + at, answer)
    }

    /// Makes all of them what stands for the answers of a bot that has ended.
    pub fn forfeit(&mut self) {
        self.list.forfeit(self.range(), false);
    }

    /// Does the same to those that are still the default.
    pub fn forfeit_missing(&mut self) {
        self.list.forfeit(self.range(), true);
    }

    /// Takes all of them from a list.
    ///
    /// # Panics
    /// If the list has another length, or is of another game.
    pub fn copy_from(&mut self, other: &AnyAnswers) {
        assert_eq!(self.count, other.len(), "one answer per decision");
        self.list.copy_from(self.first, &*other.0);
    }

    fn range(&self) -> Range<usize> {
        self.first..self.first + self.count
    }
}

/// What [`AnyAnswers`] can do, for one game.
pub(super) trait AnswerList: Any + fmt::Debug + Send + Sync {
    fn len(&self) -> usize;
    fn reset(&mut self, count: usize);
    fn part(&self, range: Range<usize>) -> Box<dyn AnswerList>;
    fn encode(&self, range: Range<usize>, out: &mut Vec<u8>);
    fn decode(&mut self, count: u64, input: &mut &[u8]) -> Result<(), DecodeError>;
    fn is_equal(&self, other: &dyn AnswerList) -> bool;
    fn count_own(&self, range: Range<usize>) -> usize;
    fn json(&self, at: usize) -> Value;
    fn reply(&self, at: usize) -> Option<Value>;
    fn debug(&self, at: usize) -> &dyn fmt::Debug;
    fn memory(&self) -> usize;
    fn set_reply(&mut self, at: usize, reply: &str) -> serde_json::Result<()>;
    fn set_json(&mut self, at: usize, answer: &str) -> serde_json::Result<()>;
    fn forfeit(&mut self, range: Range<usize>, only_missing: bool);
    fn copy_from(&mut self, first: usize, other: &dyn AnswerList);
    fn copy_one(&mut self, at: usize, from: &dyn AnswerList, place: usize);
}

/// The answers of one game.
pub(super) struct List<G: Game>(pub(super) Vec<G::Answer>);

impl<G: Game> List<G> {
    /// Returns a list as what it is.
    ///
    /// # Panics
    /// If it is of another game.
    pub(super) fn of(list: &dyn AnswerList) -> &[G::Answer] {
        let list: &dyn Any = list;
        let list = list.downcast_ref::<List<G>>();
        &list.unwrap_or_else(|| panic!("these are no answers of {}", G::META.id)).0
    }
}

impl<G: Game> fmt::Debug for List<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<G: JsonGame> AnswerList for List<G> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn reset(&mut self, count: usize) {
        self.0.clear();
        self.0.resize(count, G::Answer::default());
    }

    fn part(&self, range: Range<usize>) -> Box<dyn AnswerList> {
        Box::new(List::<G>(self.0[range].to_vec()))
    }

    fn encode(&self, range: Range<usize>, out: &mut Vec<u8>) {
        G::Answer::encode_all(&self.0[range], out);
    }

    fn decode(&mut self, count: u64, input: &mut &[u8]) -> Result<(), DecodeError> {
        self.0.clear();
        G::Answer::decode_all(input, count, &mut self.0)
    }

    fn is_equal(&self, other: &dyn AnswerList) -> bool {
        self.0 == List::<G>::of(other)
    }

    fn count_own(&self, range: Range<usize>) -> usize {
        let default = G::Answer::default();
        let forfeit = G::forfeit();
        self.0[range].iter().filter(|&answer| *answer != default && *answer != forfeit).count()
    }

    fn json(&self, at: usize) -> Value {
        serde_json::to_value(&self.0[at]).expect("answers survive JSON")
    }

    fn reply(&self, at: usize) -> Option<Value> {
        let reply = G::reply_for(self.0[at].clone())?;
        Some(serde_json::to_value(reply).expect("replies survive JSON"))
    }

    fn debug(&self, at: usize) -> &dyn fmt::Debug {
        &self.0[at]
    }

    fn memory(&self) -> usize {
        let flat = size_of_val(&self.0[..]);
        if !std::mem::needs_drop::<G::Answer>() {
            return flat;
        }
        // What they own is larger than its written form, but not by much.
        let mut written = Vec::new();
        G::Answer::encode_all(&self.0, &mut written);
        flat + 4 * written.len()
    }

    fn set_reply(&mut self, at: usize, reply: &str) -> serde_json::Result<()> {
        self.0[at] = G::answer_from(serde_json::from_str(reply)?);
        Ok(())
    }

    fn set_json(&mut self, at: usize, answer: &str) -> serde_json::Result<()> {
        self.0[at] = serde_json::from_str(answer)?;
        Ok(())
    }

    fn forfeit(&mut self, range: Range<usize>, only_missing: bool) {
        let default = G::Answer::default();
        for answer in &mut self.0[range] {
            if !only_missing || *answer == default {
                *answer = G::forfeit();
            }
        }
    }

    fn copy_from(&mut self, first: usize, other: &dyn AnswerList) {
        let other = List::<G>::of(other);
        self.0[first..first + other.len()].clone_from_slice(other);
    }

    fn copy_one(&mut self, at: usize, from: &dyn AnswerList, place: usize) {
        self.0[at] = List::<G>::of(from)[place].clone();
    }
}
