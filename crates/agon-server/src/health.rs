//! Whether the server can do its work, which `/readyz` reports; problems for administrators; the
//! room on the disk with its folder.
//!
//! If there is little room, the server accepts and plays nothing, so that what has begun can end
//! and be written. Even to read, SQLite needs some room for its own files. So a reserve lies in
//! the folder, which the server gives up if it starts on a full disk.

use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::{collections::VecDeque, io, os::unix::fs::OpenOptionsExt, time::Duration};

use parking_lot::Mutex;
use rustix::fs::{FallocateFlags, fallocate, statvfs};
use tokio::time::timeout;
use tracing::{error, info};

use crate::{shared::Shared, store::now};

/// How long the database may take to answer.
const PATIENCE: Duration = Duration::from_secs(2);

/// Returns why the server cannot do its work; nothing if it can. Everybody may read it.
pub(crate) async fn troubles(shared: &Shared) -> Vec<&'static str> {
    let mut troubles = Vec::new();
    match timeout(PATIENCE, shared.store.fact("secret")).await {
        Ok(Ok(_)) => {}
        Ok(Err(error)) => {
            error!("the server is not ready: {error}");
            troubles.push("the database does not answer");
        }
        Err(_) => troubles.push("the database does not answer in time"),
    }
    if shared.trouble.load(Ordering::Relaxed) {
        troubles.push("results cannot be written; Organise → Server shows why");
    }
    if shared.disk.is_low() {
        troubles.push(FULL);
    }
    if !shared.is_player_alive() {
        troubles.push("the thread that plays has ended; start the server again");
    }
    if shared.is_ending() {
        troubles.push("the server stops");
    }
    troubles
}

/// How many problems are kept.
const PROBLEMS: usize = 100;

/// Problems of the server itself, for its administrators.
#[derive(Debug, Default)]
pub(crate) struct Problems(Mutex<VecDeque<Problem>>);

/// A problem of the server itself.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    /// When it was last there.
    pub(crate) at: i64,
    pub(crate) place: &'static str,
    pub(crate) text: String,
    pub(crate) count: u64,
}

impl Problems {
    /// Notes a problem.
    pub(crate) fn note(&self, place: &'static str, text: &str) {
        let mut problems = self.0.lock();
        let text =
            agon_core::text::escape_lines(agon_core::text::name::cut(text, 2_000)).into_owned();
        let known = problems.iter().position(|known| known.place == place && known.text == text);
        let count = known.and_then(|at| problems.remove(at)).map_or(0, |known| known.count);
        if count == 0 {
            info!(place, text, "a problem");
        }
        problems.push_front(Problem { at: now(), place, text, count: count + 1 });
        problems.truncate(PROBLEMS);
    }

    /// Returns all problems, the last one first.
    pub(crate) fn all(&self) -> Vec<Problem> {
        self.0.lock().iter().cloned().collect()
    }
}

/// What an operator should know and do if there is little room.
pub(crate) const FULL: &str = "the disk is full: pages are shown, but nothing is accepted or \
    played until there is room";

/// The file in the folder that is given up on a full disk.
const RESERVE: &str = "reserve";

/// Its size in bytes.
const RESERVE_BYTES: u64 = 4 << 20;

/// With less room than this, in bytes, the server accepts and plays nothing.
const LEAST: u64 = 64 << 20;

/// On a small disk it is this part of the disk: an eighth.
const PART: u64 = 8;

/// The disk with the server's folder.
#[derive(Debug)]
pub(crate) struct Disk {
    folder: PathBuf,
    is_low: AtomicBool,
}

/// The room on a disk, in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    pub(crate) free: u64,
    pub(crate) total: u64,
}

impl Room {
    /// Returns whether the server should accept nothing.
    fn is_low(self) -> bool {
        self.free < self.least()
    }

    /// Returns the room without which the server accepts nothing.
    pub(crate) fn least(self) -> u64 {
        LEAST.min(self.total / PART)
    }
}

impl Disk {
    /// Looks at the disk with a folder. Gives up the reserve if there is no room.
    pub(crate) fn new(folder: &Path) -> Disk {
        let disk = Disk { folder: folder.to_owned(), is_low: AtomicBool::new(false) };
        if disk.room().is_ok_and(Room::is_low) {
            disk.is_low.store(true, Ordering::Relaxed);
            // It may be gone already.
            let _ = fs::remove_file(folder.join(RESERVE));
        }
        disk
    }

    /// Returns the room on it.
    pub(crate) fn room(&self) -> io::Result<Room> {
        let found = statvfs(&self.folder)?;
        let bytes = |blocks: u64| blocks.saturating_mul(found.f_frsize);
        Ok(Room { free: bytes(found.f_bavail), total: bytes(found.f_blocks) })
    }

    /// Returns whether there is so little room that the server accepts and plays nothing.
    pub(crate) fn is_low(&self) -> bool {
        self.is_low.load(Ordering::Relaxed)
    }

    /// Returns what an operator should know and do if there is little room.
    pub(crate) fn warning(&self) -> String {
        let free = self.room().map_or(0, |room| room.free) >> 20;
        let folder = self.folder.display();
        format!("{FULL} ({free} MiB are left where {folder} is)")
    }

    /// Notes the room, and returns whether there is little.
    pub(crate) fn note(&self, room: Room) -> bool {
        self.is_low.store(room.is_low(), Ordering::Relaxed);
        room.is_low()
    }

    /// Makes the reserve if there is room for it.
    pub(crate) fn fill_reserve(&self, room: Room) -> io::Result<()> {
        let path = self.folder.join(RESERVE);
        let rest = Room { free: room.free.saturating_sub(RESERVE_BYTES), ..room };
        if rest.is_low() || fs::metadata(&path).is_ok_and(|file| file.len() >= RESERVE_BYTES) {
            return Ok(());
        }
        let file: File = OpenOptions::new().create(true).append(true).mode(0o600).open(&path)?;
        Ok(fallocate(&file, FallocateFlags::empty(), 0, RESERVE_BYTES)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_disks_have_a_smaller_limit() {
        let room = |free: u64, total: u64| Room { free: free << 20, total: total << 20 };
        assert!(room(63, 100_000).is_low() && !room(65, 100_000).is_low());
        assert!(room(5, 48).is_low() && !room(7, 48).is_low());
    }

    #[test]
    fn the_reserve_is_made_once() {
        let folder = tempfile::tempdir().unwrap();
        let disk = Disk::new(folder.path());
        let room = Room { free: 1 << 40, total: 1 << 40 };
        disk.fill_reserve(room).unwrap();
        disk.fill_reserve(room).unwrap();
        let path = folder.path().join(RESERVE);
        assert_eq!(fs::metadata(&path).unwrap().len(), RESERVE_BYTES);
        fs::remove_file(&path).unwrap();
        disk.fill_reserve(Room { free: LEAST, total: 1 << 40 }).unwrap();
        assert!(!path.exists(), "there is no room for it");
    }
}
