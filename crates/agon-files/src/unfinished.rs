//! Removes incomplete files if the program ends early.
//!
//! `whole` registers each file here while it is written. `agon` calls [`discard_unfinished`] before
//! it ends early, such as after Ctrl-C.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

/// Files that are not complete yet.
#[derive(Debug)]
struct Unfinished {
    paths: BTreeSet<PathBuf>,
    /// Whether the program is about to end, so that it must not start any more files.
    closed: bool,
}

static UNFINISHED: Mutex<Unfinished> =
    Mutex::new(Unfinished { paths: BTreeSet::new(), closed: false });

fn unfinished() -> MutexGuard<'static, Unfinished> {
    // The set stays valid even if a thread panicked while it held the lock.
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes all incomplete files, for a process that is about to end without dropping them.
///
/// Afterwards no file can be started or completed.
pub fn discard_unfinished() {
    let mut all = unfinished();
    all.closed = true;
    for path in std::mem::take(&mut all.paths) {
        // It may not exist yet, or not any more.
        let _ = fs::remove_file(path);
    }
}

/// Makes a file that is removed if the program ends early.
pub(crate) fn begin<T>(
    make: impl FnOnce() -> io::Result<(PathBuf, T)>,
) -> io::Result<(PathBuf, T)> {
    // Under the lock: otherwise a file made during `discard_unfinished` would stay.
    let mut all = unfinished();
    if all.closed {
        return Err(ending());
    }
    let (path, made) = make()?;
    all.paths.insert(path.clone());
    Ok((path, made))
}

/// Completes a file, under the lock, so that it is not removed meanwhile.
pub(crate) fn complete(path: &Path, finish: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
    let mut all = unfinished();
    if all.closed {
        return Err(ending());
    }
    finish()?;
    all.paths.remove(path);
    Ok(())
}

/// Removes a file that will not be completed.
pub(crate) fn discard(path: &Path) {
    if unfinished().paths.remove(path) {
        let _ = fs::remove_file(path);
    }
}

fn ending() -> io::Error {
    io::Error::new(io::ErrorKind::Interrupted, "the program is being ended")
}
