//! Folders of the machine that a program may write to, of which the size is looked at: those for questions and answers,
//! and the scratch folder where mounts cannot be had.

use std::{
    fs::{self, DirBuilder, Permissions},
    io,
    os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// How often the size is looked at at most.
const LOOK: Duration = Duration::from_millis(20);

/// Looking may take this part of the time.
const PART: u32 = 10;

/// What an entry takes at least: otherwise there could be very many.
const ENTRY: u64 = 4096;

/// A folder with a limit.
#[derive(Debug)]
pub(super) struct Bounded {
    path: PathBuf,
    limit: u64,
    /// When to look again.
    next: Instant,
}

impl Bounded {
    /// A folder that may hold `limit` bytes.
    pub(super) fn new(path: impl Into<PathBuf>, limit: u64) -> Bounded {
        Bounded { path: path.into(), limit, next: Instant::now() }
    }

    /// How many bytes there are and how many there may be, if that is more; now and then.
    pub(super) fn exceeded(&mut self) -> Option<(u64, u64)> {
        let begun = Instant::now();
        if begun < self.next {
            return None;
        }
        let used = size(&self.path, self.limit);
        self.next = Instant::now() + LOOK.max(begun.elapsed() * PART);
        (used > self.limit).then_some((used, self.limit))
    }
}

/// A scratch folder, which is removed when this is dropped.
#[derive(Debug)]
pub(super) struct Scratch(PathBuf);

impl Scratch {
    /// Makes a folder that nobody else sees.
    pub(super) fn create() -> io::Result<Scratch> {
        let path = std::env::temp_dir().join(format!("agon-scratch-{}", std::process::id()));
        // Whoever had this number before may have been killed with the machine.
        remove_folder(&path);
        DirBuilder::new().mode(0o700).create(&path)?;
        Ok(Scratch(path))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        remove_folder(&self.0);
    }
}

/// Removes a folder that a program could write to, also if the program has closed folders in it to their owner. Nobody
/// may use it any more.
pub fn remove_folder(path: &Path) {
    if fs::remove_dir_all(path).is_ok() {
        return;
    }
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        // What cannot be opened stays until somebody clears up.
        let _ = fs::set_permissions(&folder, Permissions::from_mode(0o700));
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        folders.extend(
            entries
                .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
                .map(|entry| entry.path()),
        );
    }
    let _ = fs::remove_dir_all(path);
}

/// Bytes of a folder, counted until there are more than `most`. What cannot be looked at is too much.
fn size(folder: &Path, most: u64) -> u64 {
    let mut folders = vec![folder.to_owned()];
    let mut bytes = 0;
    while let Some(folder) = folders.pop() {
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) if is_gone(&error) => continue,
            Err(_) => return most.saturating_add(1),
        };
        for entry in entries.flatten() {
            let Ok(facts) = fs::symlink_metadata(entry.path()) else { continue };
            bytes += (facts.blocks() * 512).max(ENTRY);
            if facts.is_dir() {
                folders.push(entry.path());
            }
            if bytes > most {
                return bytes;
            }
        }
    }
    bytes
}

/// Whether somebody has removed a folder since it was seen.
fn is_gone(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_folders_counts_and_is_removed() {
        let scratch = Scratch::create().unwrap();
        let mut bounded = Bounded::new(scratch.path(), 100_000);
        fs::create_dir_all(scratch.path().join("a/b")).unwrap();
        fs::write(scratch.path().join("a/b/c"), vec![1; 50_000]).unwrap();
        assert_eq!(bounded.exceeded(), None);
        fs::write(scratch.path().join("d"), vec![1; 100_000]).unwrap();
        bounded.next += LOOK * 1000;
        assert_eq!(bounded.exceeded(), None, "it is not looked at each time");
        bounded.next = Instant::now();
        assert!(bounded.exceeded().is_some_and(|(used, limit)| used > limit && limit == 100_000));
        let path = scratch.path().to_owned();
        drop(scratch);
        assert!(!path.exists());
    }

    #[test]
    fn closed_folders_are_removed_as_well() {
        let scratch = Scratch::create_in_test("closed");
        let inner = scratch.path().join("a/b");
        fs::create_dir_all(inner.join("c")).unwrap();
        fs::set_permissions(&inner, Permissions::from_mode(0o000)).unwrap();
        fs::set_permissions(scratch.path().join("a"), Permissions::from_mode(0o000)).unwrap();
        let path = scratch.path().to_owned();
        drop(scratch);
        assert!(!path.exists());
    }

    impl Scratch {
        /// Tests run in one process.
        fn create_in_test(name: &str) -> Scratch {
            let path = std::env::temp_dir().join(format!("agon-scratch-{name}-{}", std::process::id()));
            fs::create_dir(&path).unwrap();
            Scratch(path)
        }
    }
}
