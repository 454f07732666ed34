//! The memory that the arena and the child process with a bot's library share.
//!
//! Everything in it is atomic: whatever the other side does to it, and whenever, reading gives some number.

use std::{
    io,
    os::fd::OwnedFd,
    sync::{
        Arc,
        atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering::Relaxed},
    },
};

use memmap2::{MmapOptions, MmapRaw};
use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, ftruncate, memfd_create};

/// How many cells fit; larger batches go in several parts.
pub(super) const CAPACITY: usize = 1 << 15;

/// One cell's question and answer.
#[repr(C)]
pub(super) struct Slot {
    /// The cell's memory, before and after.
    memory: AtomicU64,
    env: [AtomicU8; 9],
    energy: AtomicU8,
    action: AtomicU8,
}

/// What a bot's function is asked about one cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Question {
    pub(super) env: [u8; 9],
    pub(super) energy: u8,
    pub(super) memory: u64,
}

/// What it answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reply {
    pub(super) action: u8,
    pub(super) memory: u64,
}

impl Slot {
    pub(super) fn put_question(&self, question: Question) {
        self.memory.store(question.memory, Relaxed);
        self.energy.store(question.energy, Relaxed);
        for (slot, mark) in self.env.iter().zip(question.env) {
            slot.store(mark, Relaxed);
        }
    }

    pub(super) fn question(&self) -> Question {
        let env = std::array::from_fn(|i| self.env[i].load(Relaxed));
        Question { env, energy: self.energy.load(Relaxed), memory: self.memory.load(Relaxed) }
    }

    pub(super) fn put_reply(&self, reply: Reply) {
        self.memory.store(reply.memory, Relaxed);
        self.action.store(reply.action, Relaxed);
    }

    pub(super) fn reply(&self) -> Reply {
        Reply { action: self.action.load(Relaxed), memory: self.memory.load(Relaxed) }
    }
}

/// The whole area. Before reading what the other side wrote, wait for its message through a pipe: that orders
/// the accesses of both.
#[repr(C)]
pub(super) struct Layout {
    /// How many slots are answered: the slot of this number is being decided.
    pub(super) decided: AtomicU32,
    pub(super) slots: [Slot; CAPACITY],
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
        let map = MmapOptions::new().len(size_of::<Layout>()).map_raw(file)?;
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
