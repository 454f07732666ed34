//! Finds the [`Shortage`] behind an error of the system.

use std::path::{Path, PathBuf};
use std::{fmt, fs, io, os::unix::fs::MetadataExt};

use agon_match::bot::Shortage;
use agon_sandbox::StartError;
use rustix::fs::statvfs;
use rustix::process::{Resource, getrlimit};
use thiserror::Error;

/// A file system with less free space than this is full: no question fits there.
const FULL: u64 = 64 << 10;

/// A bot that has written more than this to a full disk is to blame itself.
const MAX_OWN_BYTES: u64 = 16 << 20;

/// The depth to which folders are searched for that, and the entries read in each.
const DEEPEST: u32 = 8;
const ENTRIES: usize = 10_000;

/// The resource that is lacking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lack {
    /// File descriptors of the arena.
    Files,
    /// File descriptors of the machine.
    FilesOfAll,
    Memory,
    /// Processes and threads.
    Processes,
    Disk,
    /// Unknown: the process that starts programs has ended.
    Starter,
    /// A folder or a file that existed when the bots were read.
    Gone,
}

/// A missing folder or file that existed when a bot was read and that its start needs.
#[derive(Debug, Error)]
#[error("{0} is not there any more")]
pub(crate) struct Gone(pub(crate) String);

/// Returns the shortage behind an error, if there is one; `what` failed.
pub(crate) fn behind(error: &io::Error, what: impl fmt::Display) -> Option<Shortage> {
    Some(shortage(what.to_string(), lack(error)?, error.to_string()))
}

/// Returns the shortage of a full disk that a bot should have written to.
///
/// `folder` is the arena's. `None` if the disk is not full, or the bot itself has filled it.
pub(crate) fn of_disk(folder: &Path) -> Option<Shortage> {
    let space = statvfs(folder).ok()?;
    let bytes = space.f_bavail.saturating_mul(space.f_frsize);
    let entries = space.f_favail;
    // Some file systems do not count their entries.
    let is_full = bytes < FULL || space.f_files > 0 && entries == 0;
    if !is_full || used(folder, DEEPEST) > MAX_OWN_BYTES {
        return None;
    }
    let what = format!("a bot cannot write its answer below {}", parent(folder).display());
    let said = format!("{bytes} bytes and {entries} entries are free");
    Some(shortage(what, Lack::Disk, said))
}

/// Returns the shortage of memory in which the system has killed a process.
pub(crate) fn of_memory(what: impl fmt::Display) -> Shortage {
    let said = "the system ended a process to get memory".to_owned();
    shortage(what.to_string(), Lack::Memory, said)
}

fn shortage(what: String, lack: Lack, said: String) -> Shortage {
    Shortage { what, said, remedy: lack.to_string() }
}

/// What a person can do about it.
impl fmt::Display for Lack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Lack::Files => {
                let limit = getrlimit(Resource::Nofile).current;
                let limit = limit.map_or("so many".to_owned(), |limit| limit.to_string());
                write!(
                    f,
                    "the arena may have {limit} files open at a time: `ulimit -n 4096` allows \
                     more, fewer matches at a time (-j) need less"
                )
            }
            Lack::FilesOfAll => f.write_str(
                "too many files are open on this machine: end other \
                programs",
            ),
            Lack::Memory => f.write_str("end other programs, or play fewer matches at a time (-j)"),
            Lack::Processes => f.write_str(
                "no more processes or threads may be started: `ulimit -u` tells how many there may \
                 be; end others, or play fewer matches at a time (-j)",
            ),
            Lack::Disk => f.write_str(
                "the disk is full, or your share of it: make room, or set TMPDIR to a folder on \
                 another one",
            ),
            Lack::Starter => f.write_str("was it killed, or is the machine short of memory?"),
            Lack::Gone => f.write_str(
                "was it moved or removed meanwhile? Put it back, and go on \
                or start anew",
            ),
        }
    }
}

/// Returns the bytes of a folder's contents, down to `depth` folders below.
fn used(folder: &Path, depth: u32) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().take(ENTRIES);
    let each = |entry: fs::DirEntry| {
        let own = entry.metadata().map_or(0, |facts| facts.blocks() * 512);
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_folder && depth > 0 { own + used(&entry.path(), depth - 1) } else { own }
    };
    entries.map(each).sum()
}

/// Returns the folder that contains it.
fn parent(folder: &Path) -> PathBuf {
    folder.parent().unwrap_or(folder).to_owned()
}

fn lack(error: &io::Error) -> Option<Lack> {
    if let Some(number) = error.raw_os_error() {
        return match number {
            libc::EMFILE | libc::ETOOMANYREFS => Some(Lack::Files),
            libc::ENFILE => Some(Lack::FilesOfAll),
            libc::ENOMEM => Some(Lack::Memory),
            libc::EAGAIN => Some(Lack::Processes),
            libc::ENOSPC | libc::EDQUOT => Some(Lack::Disk),
            _ => None,
        };
    }
    if error.get_ref()?.is::<Gone>() {
        return Some(Lack::Gone);
    }
    match error.get_ref()?.downcast_ref::<StartError>()? {
        StartError::Launcher { source, .. } | StartError::Failed { source, .. } => lack(source),
        StartError::Lost => Some(Lack::Starter),
        _ => None,
    }
}

/// Returns whether an error is a shortage of something that a bot can take from others.
pub(crate) fn may_be_a_bots_fault(error: &io::Error) -> bool {
    matches!(lack(error), Some(Lack::FilesOfAll | Lack::Processes))
}

/// Returns how often the system has killed a process for lack of memory.
pub(crate) fn killed_for_memory() -> u64 {
    let text = fs::read_to_string("/proc/vmstat").unwrap_or_default();
    let count = text.lines().find_map(|line| line.strip_prefix("oom_kill "));
    count.and_then(|count| count.trim().parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shortages_are_told_with_a_remedy() {
        let told = |number| {
            let error = io::Error::from_raw_os_error(number);
            behind(&error, "`bot` cannot be started").map(|shortage| shortage.to_string())
        };
        for (number, part) in [
            (libc::EMFILE, "`ulimit -n 4096` allows more"),
            (libc::ENFILE, "on this machine"),
            (libc::ENOMEM, "fewer matches at a time (-j)"),
            (libc::EAGAIN, "`ulimit -u`"),
            (libc::ENOSPC, "TMPDIR"),
            (libc::EDQUOT, "your share"),
        ] {
            let text = told(number).unwrap();
            assert!(text.starts_with("`bot` cannot be started: ") && text.contains(part), "{text}");
        }
        for number in [libc::ENOENT, libc::EACCES, libc::ENOEXEC, libc::E2BIG, libc::ETXTBSY] {
            assert_eq!(told(number), None);
        }
    }

    #[test]
    fn a_shortage_is_found_behind_what_starts_programs() {
        let failed = |number| StartError::Failed {
            what: "there may be no more processes".to_owned(),
            source: io::Error::from_raw_os_error(number),
        };
        let text = behind(&io::Error::other(failed(libc::EAGAIN)), "x").unwrap().to_string();
        assert!(text.starts_with("x: there may be no more processes: Resource"), "{text}");
        assert_eq!(behind(&io::Error::other(failed(libc::EPERM)), "x"), None);
        assert!(behind(&io::Error::other(StartError::Lost), "x").is_some());
    }

    #[test]
    fn a_disk_with_room_is_not_full() {
        assert_eq!(of_disk(&std::env::temp_dir()), None);
    }
}
