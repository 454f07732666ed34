//! The memory that the arena shares with a batch bot's child process.
//!
//! It has room for a question and its answers. The arena's side is atomic: reading gives some
//! number, whatever the other side does meanwhile. Before you read the other side's bytes, wait for
//! its message through a pipe. The message orders the accesses of both.

use std::os::fd::{AsRawFd, OwnedFd};
use std::{io, sync::Arc, sync::atomic::AtomicU64, sync::atomic::Ordering::Relaxed};

use memmap2::{MmapOptions, MmapRaw};
use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, ftruncate, memfd_create};

/// Bytes of room for a question. Untouched pages take no memory.
///
/// The largest question about a single decision is one of amoebas. It has all data of a world, at
/// most 256 MiB, and the function of one amoeba.
pub(crate) const QUESTION_ROOM: usize = 320 << 20;

/// Bytes of room for answers.
pub(crate) const ANSWER_ROOM: usize = 256 << 20;

/// Bytes of room for the message before the first question.
const START_ROOM: usize = 16 << 20;

const SIZE: usize = START + START_ROOM;

/// Offsets of the answers, and of the message before the first question.
const ANSWERS: usize = QUESTION_ROOM;
const START: usize = ANSWERS + ANSWER_ROOM;

const WORD: usize = size_of::<AtomicU64>();

/// The area, mapped.
#[derive(Debug)]
pub struct Area(MmapRaw);

impl Area {
    /// Makes an area and the descriptor that a child maps.
    pub(crate) fn create() -> io::Result<(Area, Arc<OwnedFd>)> {
        let file = memfd_create("agon-bot", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?;
        ftruncate(&file, SIZE as u64)?;
        // A bot that made the file shorter would kill the arena with SIGBUS.
        fcntl_add_seals(&file, SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL)?;
        Ok((Area::map(&file)?, Arc::new(file)))
    }

    /// Maps the area of a descriptor made by [`Area::create`].
    pub(super) fn map(file: &OwnedFd) -> io::Result<Area> {
        Ok(Area(MmapOptions::new().len(SIZE).map_raw(file.as_raw_fd())?))
    }

    /// Returns the start of the question, for code that runs the bot.
    ///
    /// Its answers go to [`Area::answers`].
    pub fn question(&self) -> *mut u8 {
        self.0.as_mut_ptr()
    }

    /// Returns the start of the answers.
    pub fn answers(&self) -> *mut u8 {
        self.0.as_mut_ptr().wrapping_add(ANSWERS)
    }

    /// Returns the question, for a child that has its length and has not answered yet.
    ///
    /// # Panics
    /// If the room is smaller.
    pub fn read_question(&self, length: usize) -> &[u8] {
        assert!(length <= QUESTION_ROOM, "the arena knows how much room there is");
        self.told(0, length)
    }

    /// Writes the first bytes of the answers, for a child.
    ///
    /// # Panics
    /// If the room is smaller.
    pub fn write_answers(&self, bytes: &[u8]) {
        assert!(bytes.len() <= ANSWER_ROOM, "the arena told how much room there is");
        self.write(ANSWERS, bytes);
    }

    /// Returns the message before the first question, for the child.
    ///
    /// # Panics
    /// If the room is smaller.
    pub(super) fn start(&self, length: usize) -> &[u8] {
        assert!(length <= START_ROOM, "the arena knows how much room there is");
        self.told(START, length)
    }

    /// Returns the arena's bytes at `offset`, for the child; both ends are within the area.
    #[allow(unsafe_code)]
    fn told(&self, offset: usize, length: usize) -> &[u8] {
        // SAFETY: the bytes are mapped as long as the area lives. The arena writes them before it
        // sends their length. It writes them again only after the child has answered; the first
        // message never while this child runs.
        unsafe { std::slice::from_raw_parts(self.0.as_ptr().wrapping_add(offset), length) }
    }

    /// Writes the message before the first question.
    ///
    /// # Panics
    /// If the room is smaller.
    pub(super) fn tell_start(&self, message: &[u8]) {
        assert!(message.len() <= START_ROOM, "the first message fits the shared memory");
        self.write(START, message);
    }

    /// Writes the question and sets the first `zeros` bytes of the answers to zero.
    ///
    /// # Panics
    /// If the room is smaller.
    pub(crate) fn ask(&self, question: &[u8], zeros: usize) {
        assert!(question.len() <= QUESTION_ROOM, "a question fits the shared memory");
        assert!(zeros <= ANSWER_ROOM, "answers fit the shared memory");
        self.write(0, question);
        let words = &self.words()[ANSWERS / WORD..][..zeros.div_ceil(WORD)];
        words.iter().for_each(|word| word.store(0, Relaxed));
    }

    /// Writes at an offset that leaves enough room.
    #[allow(unsafe_code)]
    fn write(&self, offset: usize, bytes: &[u8]) {
        assert!(offset + bytes.len() <= SIZE, "it fits the shared memory");
        // SAFETY: the place is mapped and writable. `bytes` is other memory, because Rust has
        // borrowed it. Nothing in this process reads the place meanwhile: `told` is for children.
        // The other process may change the bytes, at its own loss; megabytes of single atomic words
        // would not prevent it.
        unsafe {
            let place = self.0.as_mut_ptr().wrapping_add(offset);
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), place, bytes.len());
        }
    }

    /// Reads the first `length` bytes of the answers into `out`, which is emptied first.
    ///
    /// # Panics
    /// If the room is smaller.
    pub(crate) fn answered(&self, length: usize, out: &mut Vec<u8>) {
        assert!(length <= ANSWER_ROOM, "answers fit the shared memory");
        out.clear();
        out.resize(length.next_multiple_of(WORD), 0);
        for (word, bytes) in
            self.words()[ANSWERS / WORD..].iter().zip(out.as_chunks_mut::<WORD>().0)
        {
            *bytes = word.load(Relaxed).to_ne_bytes();
        }
        out.truncate(length);
    }

    #[allow(unsafe_code)]
    fn words(&self) -> &[AtomicU64] {
        // SAFETY: the mapping is `SIZE` bytes long, page-aligned, readable and writable, and lives
        // as long as `self`; the seals keep the file from becoming shorter. Every bit pattern is a
        // valid `AtomicU64`, which may change behind a shared reference.
        unsafe { std::slice::from_raw_parts(self.0.as_ptr().cast::<AtomicU64>(), SIZE / WORD) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_can_change_the_size_under_the_arena() {
        let (area, file) = Area::create().unwrap();
        assert!(ftruncate(&*file, 0).is_err());
        assert!(ftruncate(&*file, 1 << 30).is_err());
        assert!(
            fcntl_add_seals(&*file, SealFlags::WRITE).is_err(),
            "nor take away the right to write"
        );
        area.ask(b"question", 8);
    }

    #[test]
    fn a_child_reads_and_writes_what_the_arena_does() {
        let (area, file) = Area::create().unwrap();
        let child = Area::map(&file).unwrap();
        area.ask(b"what do you do?", 12);
        assert_eq!(child.read_question(15), b"what do you do?");
        child.write_answers(b"this and that");
        let mut answered = Vec::new();
        area.answered(13, &mut answered);
        assert_eq!(answered, b"this and that");
    }

    #[test]
    fn the_first_message_is_not_overwritten_by_a_question() {
        let (area, _) = Area::create().unwrap();
        area.tell_start(b"hello");
        area.ask(&[7; 100], 100);
        assert_eq!(area.start(5), b"hello");
    }

    #[test]
    fn answers_are_gone_with_the_next_question() {
        let (area, _) = Area::create().unwrap();
        let first = &area.words()[ANSWERS / WORD];
        let mut answered = vec![1, 2, 3];
        first.store(u64::MAX, Relaxed);
        area.answered(3, &mut answered);
        assert_eq!(answered, [255; 3]);
        area.ask(&[], 1);
        area.answered(9, &mut answered);
        assert_eq!(answered, [0; 9]);
    }
}
