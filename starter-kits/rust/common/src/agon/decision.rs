//! What is asked.

use std::{mem::size_of, ops::Deref};

use super::{
    front::{Bytes, Question as Front},
    read,
    records::Question,
    Record,
};

/// One decision of a question. Fields are those of its record, [`Question`].
#[derive(Clone, Copy, Debug)]
pub struct Decision<'a> {
    /// All of the question: offsets count from its front.
    message: &'a [u8],
    front: &'a Front,
    /// The record, and what belongs to it right behind.
    record: &'a [u8],
}

impl<'a> Decision<'a> {
    /// All decisions of a question.
    pub(super) fn all(message: &'a [u8]) -> impl ExactSizeIterator<Item = Decision<'a>> {
        let front = &read::<Front>(message)[0];
        let stride = front.stride as usize;
        let records = &message[size_of::<Front>()..][..front.decisions as usize * stride];
        records.chunks_exact(stride).map(move |record| Decision {
            message,
            front,
            record,
        })
    }

    /// Your player's number, from 0.
    pub fn player(&self) -> u32 {
        self.front.player
    }

    /// The turn of the game, from 0.
    pub fn turn(&self) -> u64 {
        self.front.turn
    }

    /// The step of the match, from 0.
    pub fn step(&self) -> u64 {
        self.front.step
    }

    /// So many records or numbers at an offset of the question.
    pub fn array<T: Record>(&self, offset: u32, count: usize) -> &'a [T] {
        read(&self.message[offset as usize..][..count * size_of::<T>()])
    }

    /// The bytes that a record refers to; none is not the same as an empty string.
    pub fn bytes(&self, Bytes { offset, length }: Bytes) -> Option<&'a [u8]> {
        (offset != 0).then(|| self.array(offset, length as usize))
    }

    /// Records that follow right behind that of the decision.
    pub fn following<T: Record>(&self) -> &'a [T] {
        read(&self.record[size_of::<Question>()..])
    }
}

impl Deref for Decision<'_> {
    type Target = Question;

    fn deref(&self) -> &Question {
        &read(self.record)[0]
    }
}
