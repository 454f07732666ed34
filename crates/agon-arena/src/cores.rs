//! Shares the processor cores out among the matches of this process.
//!
//! `agon play`, `agon check` and the workers of a pool keep a match with its bots on one core.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::{io, path::Path};

use agon_bots::{BotKind, BotSpec};
use agon_games::any::GameKind;
use agon_match::pin;
use rustix::fs::OFlags;

/// The folder in which the Agons of a machine lock the cores that they use.
const LOCKS: &str = "/tmp/agon-cores";

/// The cores that this process knows, by their numbers.
static CORES: Mutex<Vec<Core>> = Mutex::new(Vec::new());

/// The core that comes first if all are alike; in containers, processes often have the same number.
static FIRST: LazyLock<usize> = LazyLock::new(|| getrandom::u32().unwrap_or(0) as usize);

#[derive(Debug, Default)]
struct Core {
    /// The matches of this process there.
    matches: usize,
    /// Its file, which is locked while there are some; `None` before the first match, or if there
    /// can be none.
    file: Option<File>,
}

impl Core {
    /// Adds a match if that needs no other Agon's core.
    fn add_free(&mut self, folder: &Path, core: usize) -> bool {
        if self.file.is_none() {
            self.file = lock_file(folder, core).ok();
        }
        let is_free = self.matches > 0 || self.file.as_ref().is_none_or(|f| f.try_lock().is_ok());
        self.matches += usize::from(is_free);
        is_free
    }
}

/// Opens the file that stands for a core, for all users of the machine.
fn lock_file(folder: &Path, core: usize) -> io::Result<File> {
    if DirBuilder::new().mode(0o777).create(folder).is_ok() {
        // All users may make files there, and remove only their own.
        fs::set_permissions(folder, fs::Permissions::from_mode(0o1777))?;
    }
    let path = folder.join(core.to_string());
    // A link or a pipe that somebody has put there must not lead elsewhere, or wait.
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32;
    let open = |options: &mut OpenOptions| options.custom_flags(flags).open(&path);
    open(OpenOptions::new().read(true))
        .or_else(|_| open(OpenOptions::new().write(true).create_new(true).mode(0o644)))
}

/// A processor core on which a match stays, until the lease is dropped.
#[derive(Debug)]
pub struct CoreLease {
    core: usize,
}

impl CoreLease {
    /// Takes the core that has the fewest matches; `None` if the system does not report its cores.
    pub fn take() -> Option<CoreLease> {
        let cores = pin::cores().ok()?;
        CoreLease::among(&cores)
    }

    /// Takes the one of these cores that has the fewest matches of this process, and among equal
    /// ones one that no other Agon of the machine uses.
    pub(crate) fn among(cores: &[usize]) -> Option<CoreLease> {
        CoreLease::by_locks(Path::new(LOCKS), cores)
    }

    fn by_locks(folder: &Path, cores: &[usize]) -> Option<CoreLease> {
        let mut all = CORES.lock().unwrap_or_else(PoisonError::into_inner);
        let count = all.len().max(cores.iter().max()? + 1);
        all.resize_with(count, Core::default);
        let least = cores.iter().map(|&core| all[core].matches).min()?;
        let in_turn = (0..cores.len()).map(|n| cores[FIRST.wrapping_add(n) % cores.len()]);
        let best: Vec<usize> = in_turn.filter(|&core| all[core].matches == least).collect();
        let free = best.iter().find(|&&core| all[core].add_free(folder, core));
        let core = free.copied().unwrap_or_else(|| {
            all[best[0]].matches += 1;
            best[0]
        });
        Some(CoreLease { core })
    }

    /// Returns the number of the core.
    pub fn core(&self) -> usize {
        self.core
    }
}

impl Drop for CoreLease {
    fn drop(&mut self) {
        let mut all = CORES.lock().unwrap_or_else(PoisonError::into_inner);
        let core = &mut all[self.core];
        core.matches -= 1;
        if let (0, Some(file)) = (core.matches, &core.file) {
            // Otherwise the end of this process unlocks it.
            let _ = file.unlock();
        }
    }
}

/// Takes a processor core for a match. Built-in bots and people need no core of their own, unless
/// the rules come from a file.
///
/// A question to a program and its answer are ten times quicker on one core.
pub fn core_for<'a>(
    kind: &dyn GameKind,
    bots: impl IntoIterator<Item = &'a BotSpec>,
) -> Option<CoreLease> {
    let needs_core = |spec: &BotSpec| !matches!(spec.kind(), BotKind::Builtin | BotKind::Human);
    let is_wanted = kind.packed().is_some() || bots.into_iter().any(needs_core);
    if is_wanted { CoreLease::take() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_agons_are_avoided() {
        let cores = [9_011, 9_012, 9_013];
        let folder = tempfile::tempdir().unwrap();
        let theirs = [9_011, 9_013].map(|core| lock_file(folder.path(), core).unwrap());
        theirs.iter().for_each(|file| file.lock().unwrap());
        let take = || CoreLease::by_locks(folder.path(), &cores).unwrap();
        let (first, second) = (take(), take());
        assert_eq!(first.core(), 9_012);
        assert_ne!(second.core(), 9_012, "its own matches are on different cores first");
        // Another process sees the lock while there are matches.
        let other = lock_file(folder.path(), 9_012).unwrap();
        assert!(other.try_lock().is_err());
        drop(first);
        other.try_lock().unwrap();
        theirs[0].unlock().unwrap();
        drop(second);
        assert_eq!(take().core(), 9_011);
    }

    #[test]
    fn what_lies_at_the_place_of_a_lock_does_no_harm() {
        let folder = tempfile::tempdir().unwrap();
        let [link, pipe] = ["9021", "9022"].map(|name| folder.path().join(name));
        std::os::unix::fs::symlink(folder.path().join("elsewhere"), link).unwrap();
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, 0o600.into()).unwrap();
        let lease = CoreLease::by_locks(folder.path(), &[9_021]);
        assert_eq!(lease.map(|lease| lease.core()), Some(9_021));
        assert!(CoreLease::by_locks(folder.path(), &[9_022]).is_some());
        assert!(!folder.path().join("elsewhere").exists());
        assert!(CoreLease::by_locks(Path::new("/proc/nowhere"), &[9_023]).is_some());
    }

    #[test]
    fn matches_spread_over_the_cores() {
        // Numbers that no other test leases.
        let cores = [9_001, 9_002, 9_003];
        let folder = tempfile::tempdir().unwrap();
        let take = || CoreLease::by_locks(folder.path(), &cores).unwrap();
        let leases = [take(), take(), take(), take()];
        let mut taken: Vec<usize> = leases.iter().map(CoreLease::core).collect();
        taken.sort_unstable();
        taken.dedup();
        assert_eq!(taken, cores);
        let [first, second, third, fourth] = leases;
        let free = second.core();
        drop(second);
        assert_eq!(take().core(), free);
        drop([first, third, fourth]);
        assert!(CoreLease::among(&[]).is_none());
    }
}
