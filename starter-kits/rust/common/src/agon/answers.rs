//! What is answered.

use std::mem::size_of;

use super::{bytes_of, front::Bytes, records::Answer, Record};

/// The place behind the answers, for what they refer to.
#[derive(Debug)]
pub struct Behind<'a> {
    room: &'a mut [u8],
    written: usize,
}

impl<'a> Behind<'a> {
    /// Room for so many answers, and what is behind them.
    pub(super) fn new(room: &'a mut [u8], answers: usize) -> Behind<'a> {
        Behind {
            room,
            written: answers * size_of::<Answer>(),
        }
    }

    /// Writes the answer to a decision.
    pub(super) fn answer(&mut self, number: usize, answer: Answer) {
        self.room[number * size_of::<Answer>()..][..size_of::<Answer>()]
            .copy_from_slice(bytes_of(&[answer]));
    }

    /// How many bytes are written.
    pub(super) fn written(&self) -> u32 {
        self.written as u32
    }

    /// Appends records, and returns where they begin. The arena gives room for what it finds
    /// sensible.
    pub fn append<T: Record>(&mut self, records: &[T]) -> u32 {
        let start = self.written;
        let bytes = bytes_of(records);
        let room = self.room.get_mut(start..start + bytes.len());
        room.expect("an answer is longer than the arena has room for")
            .copy_from_slice(bytes);
        self.written += bytes.len();
        start as u32
    }

    /// Appends bytes, and returns what a record has to say of them.
    pub fn bytes(&mut self, bytes: &[u8]) -> Bytes {
        Bytes {
            offset: self.append(bytes),
            length: bytes.len() as u32,
        }
    }
}
