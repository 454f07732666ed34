//! What the arena and the bot say to each other, for safe Rust: all `unsafe` code of the bot is in
//! this folder.
//!
//! A batch of decisions is one call of the bot. Here it becomes a call of [`Bot::decide`] for each
//! decision.
#![allow(unsafe_code, dead_code)]

mod answers;
mod decision;
mod entry;
mod front;
mod random;
pub mod records;
mod start;

pub use answers::Behind;
pub use decision::Decision;
pub use random::Random;
pub use start::Start;

/// A bot: `struct Bot` in `lib.rs` implements this.
pub trait Player: Send + 'static {
    /// A match begins.
    fn new(start: &Start<'_>) -> Self;

    /// Answers one decision. What an answer needs beside its record goes `behind` the answers.
    fn decide(&mut self, seen: &Decision<'_>, behind: &mut Behind<'_>) -> records::Answer;
}

/// A struct of numbers as they lie in memory.
///
/// # Safety
/// It is `repr(C)`, every bit pattern is a value of it, and there is no padding between its fields.
pub unsafe trait Record: Copy {}

// SAFETY: numbers are what records are made of.
unsafe impl Record for u8 {}
// SAFETY: as above.
unsafe impl Record for u16 {}

/// Records that lie in memory.
fn read<T: Record>(bytes: &[u8]) -> &[T] {
    let start = bytes.as_ptr().cast::<T>();
    let gap = start.align_offset(std::mem::align_of::<T>());
    assert_eq!(gap, 0, "records of a question are aligned");
    // SAFETY: the place is aligned, as many records as fit lie there, and any bytes are records.
    unsafe { std::slice::from_raw_parts(start, bytes.len() / std::mem::size_of::<T>()) }
}

/// The bytes of records.
fn bytes_of<T: Record>(records: &[T]) -> &[u8] {
    // SAFETY: records have no padding, so that all their bytes are written.
    unsafe { std::slice::from_raw_parts(records.as_ptr().cast(), std::mem::size_of_val(records)) }
}
