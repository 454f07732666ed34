//! The memory that the arena and the child process with a bot's library share.
//!
//! Everything in it is atomic: whatever the other side does to it, and whenever, reading gives some number.

use std::{
    io,
    os::fd::{AsRawFd, OwnedFd},
    sync::{
        Arc,
        atomic::{AtomicU32, AtomicU64, Ordering::Relaxed},
    },
};

use agon_games::cellhack::protocol::{ANSWER_LEN, QUESTION_LEN};
use memmap2::{MmapOptions, MmapRaw};
use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, ftruncate, memfd_create};

/// How many cells fit; larger batches go in several parts.
pub(super) const CAPACITY: usize = 1 << 15;

/// The whole area. Before reading what the other side wrote, wait for its message through a pipe: that orders
/// the accesses of both.
#[repr(C)]
pub(super) struct Layout {
    /// How many cells are answered: the cell of this number is being decided.
    pub(super) decided: AtomicU32,
    /// The game's question records.
    pub(super) questions: [Record<{ QUESTION_LEN / 8 }>; CAPACITY],
    /// The game's answer records.
    pub(super) answers: [Record<{ ANSWER_LEN / 8 }>; CAPACITY],
}

/// A record of so many times eight bytes.
#[repr(transparent)]
pub(super) struct Record<const WORDS: usize>([AtomicU64; WORDS]);

impl<const WORDS: usize> Record<WORDS> {
    /// The bytes.
    pub(super) fn get<const LEN: usize>(&self) -> [u8; LEN] {
        const { assert!(LEN == 8 * WORDS, "a record is a whole number of words") };
        let mut bytes = [0; LEN];
        for (word, bytes) in self.0.iter().zip(bytes.chunks_exact_mut(8)) {
            bytes.copy_from_slice(&word.load(Relaxed).to_ne_bytes());
        }
        bytes
    }

    /// Changes the bytes.
    pub(super) fn put<const LEN: usize>(&self, bytes: &[u8; LEN]) {
        const { assert!(LEN == 8 * WORDS, "a record is a whole number of words") };
        for (word, bytes) in self.0.iter().zip(bytes.as_chunks().0) {
            word.store(u64::from_ne_bytes(*bytes), Relaxed);
        }
    }
}

/// The area, mapped.
#[derive(Debug)]
pub(super) struct Area(MmapRaw);

impl Area {
    /// Makes an area, and the descriptor by which a child gets at it.
    pub(super) fn create() -> io::Result<(Area, Arc<OwnedFd>)> {
        let file = memfd_create("agon-bot", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?;
        ftruncate(&file, size_of::<Layout>() as u64)?;
        // A bot that made the file shorter would kill the arena with SIGBUS.
        fcntl_add_seals(&file, SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL)?;
        Ok((Area::map(&file)?, Arc::new(file)))
    }

    /// Maps the area of a descriptor made by [`Area::create`].
    pub(super) fn map(file: &OwnedFd) -> io::Result<Area> {
        let map = MmapOptions::new().len(size_of::<Layout>()).map_raw(file.as_raw_fd())?;
        Ok(Area(map))
    }

    /// The content.
    #[allow(unsafe_code)]
    pub(super) fn layout(&self) -> &Layout {
        // SAFETY: the mapping is as long as `Layout`, page-aligned, readable and writable, and lives as long as
        // `self`; the seals keep the file from becoming shorter. `Layout` consists of atomics (and padding) only,
        // for which every bit pattern is valid and which may change behind a shared reference.
        unsafe { &*self.0.as_ptr().cast::<Layout>() }
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
        assert!(fcntl_add_seals(&*file, SealFlags::WRITE).is_err(), "nor take away the right to write");
        area.layout().decided.store(7, Relaxed);
    }

    #[test]
    fn both_sides_see_the_same_bytes() {
        let (area, file) = Area::create().unwrap();
        let other = Area::map(&file).unwrap();
        let question: [u8; QUESTION_LEN] = std::array::from_fn(|i| i as u8);
        area.layout().questions[CAPACITY - 1].put(&question);
        assert_eq!(other.layout().questions[CAPACITY - 1].get(), question);
    }
}
