//! Checks the size of the folders that a program may write to. The supervisor ends a program that
//! exceeds it.
//!
//! They are the folders for questions and answers, and the scratch folder without mounts.

use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};
use std::{io, path::Path};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, open, openat, statat};
use rustix::io::Errno;

use crate::Exceeded;

/// The minimum time between two checks of the size.
const SIZE_INTERVAL: Duration = Duration::from_millis(20);

/// The share of the time that checks may take, as a divisor.
const PART: u32 = 10;

/// The least bytes that count for an entry. Otherwise there could be very many.
const ENTRY: u64 = 16 << 10;

/// The deepest nesting of folders: a check keeps that many open.
const DEEPEST: usize = 128;

/// A folder with a limit.
#[derive(Debug)]
pub(super) struct Bounded {
    /// A descriptor, not a path: in a root of its own a program may move the folders above.
    folder: OwnedFd,
    limit: u64,
    /// The time of the next check.
    next: Instant,
}

impl Bounded {
    /// Opens a folder that may hold `limit` bytes, before a program could get at it.
    pub(super) fn open(path: impl AsRef<Path>, limit: u64) -> io::Result<Bounded> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let folder = open(path.as_ref(), flags, Mode::empty())?;
        Ok(Bounded { folder, limit, next: Instant::now() })
    }

    /// Checks once more, after the program.
    pub(super) fn exceeded_at_end(&mut self) -> Option<Exceeded> {
        self.next = Instant::now();
        self.exceeded()
    }

    /// Checks now and then for too many bytes, or for something that cannot be examined.
    pub(super) fn exceeded(&mut self) -> Option<Exceeded> {
        let begun = Instant::now();
        if begun < self.next {
            return None;
        }
        let exceeded = look(&self.folder, self.limit).unwrap_or_else(|error| {
            // Something that cannot be examined is too much.
            Some(Exceeded::Unseen { error: error.raw_os_error() })
        });
        self.next = Instant::now() + SIZE_INTERVAL.max(begun.elapsed() * PART);
        exceeded
    }
}

/// Examines a folder until the limit is exceeded.
///
/// It follows no paths, because they can be longer than the kernel allows.
fn look(folder: impl AsFd, limit: u64) -> rustix::io::Result<Option<Exceeded>> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    // Each within the one before.
    let mut folders = vec![Dir::new(openat(folder, ".", flags, Mode::empty())?)?];
    let mut used = 0;
    while let Some(folder) = folders.last_mut() {
        let Some(entry) = folder.read().transpose()? else {
            folders.pop();
            continue;
        };
        let name = entry.file_name();
        if name == c"." || name == c".." {
            continue;
        }
        let facts = match statat(folder.fd()?, name, AtFlags::SYMLINK_NOFOLLOW) {
            // It has been removed since it was listed.
            Err(Errno::NOENT) => continue,
            facts => facts?,
        };
        used += u64::try_from(facts.st_blocks).map_or(0, |blocks| blocks * 512).max(ENTRY);
        if used > limit {
            return Ok(Some(Exceeded::Files { used, limit }));
        }
        if FileType::from_raw_mode(facts.st_mode) != FileType::Directory {
            continue;
        }
        let inner = match openat(folder.fd()?, name, flags, Mode::empty()) {
            Err(Errno::NOENT) => continue,
            inner => inner?,
        };
        if folders.len() > DEEPEST {
            return Ok(Some(Exceeded::Depth { limit: DEEPEST as u64 }));
        }
        folders.push(Dir::new(inner)?);
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::{os::unix::fs::PermissionsExt, path::PathBuf};

    use rustix::fs::mkdirat;

    use super::*;
    use crate::Folder;

    fn folder() -> Folder {
        Folder::create(&std::env::temp_dir(), "agon-test-", 0o700).unwrap()
    }

    #[test]
    fn what_is_in_folders_counts() {
        let folder = folder();
        let mut bounded = Bounded::open(folder.path(), 100_000).unwrap();
        fs::create_dir_all(folder.path().join("a/b")).unwrap();
        fs::write(folder.path().join("a/b/c"), vec![1; 50_000]).unwrap();
        assert_eq!(bounded.exceeded(), None);
        fs::write(folder.path().join("d"), vec![1; 100_000]).unwrap();
        bounded.next += SIZE_INTERVAL * 1000;
        assert_eq!(bounded.exceeded(), None, "it is not looked at each time");
        bounded.next = Instant::now();
        let exceeded = bounded.exceeded();
        assert!(
            matches!(exceeded, Some(Exceeded::Files { used, limit: 100_000 }) if used > 100_000),
            "{exceeded:?}"
        );
    }

    #[test]
    fn empty_files_count_as_well() {
        let folder = folder();
        for n in 0..20 {
            fs::write(folder.path().join(n.to_string()), "").unwrap();
        }
        assert_eq!(look(open_here(&folder), 20 * ENTRY).unwrap(), None);
        let exceeded = look(open_here(&folder), 20 * ENTRY - 1).unwrap();
        assert_eq!(exceeded, Some(Exceeded::Files { used: 20 * ENTRY, limit: 20 * ENTRY - 1 }));
    }

    fn open_here(folder: &Folder) -> OwnedFd {
        Bounded::open(folder.path(), 0).unwrap().folder
    }

    /// Makes nested folders of this name, and returns the innermost.
    fn chain(folder: &Folder, name: &str, length: usize) -> OwnedFd {
        (0..length).fold(open_here(folder), |within, _| {
            mkdirat(&within, name, Mode::RWXU).unwrap();
            openat(&within, name, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()).unwrap()
        })
    }

    #[test]
    fn what_has_a_path_that_is_too_long_counts() {
        let folder = folder();
        let last = chain(&folder, &"q".repeat(250), 20);
        let file = openat(&last, "file", OFlags::CREATE | OFlags::WRONLY, Mode::RUSR).unwrap();
        rustix::io::write(&file, &vec![1; 300_000]).unwrap();
        let exceeded = look(open_here(&folder), 200_000).unwrap();
        assert!(matches!(exceeded, Some(Exceeded::Files { .. })), "{exceeded:?}");
    }

    #[test]
    fn folders_may_be_this_deep_and_no_deeper() {
        for (depth, expected) in
            [(DEEPEST, None), (DEEPEST + 1, Some(Exceeded::Depth { limit: DEEPEST as u64 }))]
        {
            let folder = folder();
            chain(&folder, "d", depth);
            assert_eq!(look(open_here(&folder), 1 << 30).unwrap(), expected, "{depth}");
        }
    }

    #[test]
    fn a_folder_is_looked_at_wherever_it_is_moved() {
        let dir = folder();
        let [before, after] = ["before", "after"].map(|name| dir.path().join(name));
        fs::create_dir(&before).unwrap();
        let mut bounded = Bounded::open(&before, 100_000).unwrap();
        fs::write(before.join("file"), vec![1; 200_000]).unwrap();
        fs::rename(before, after).unwrap();
        assert!(matches!(bounded.exceeded(), Some(Exceeded::Files { .. })));
    }

    #[test]
    fn what_cannot_be_looked_at_is_too_much() {
        let folder = folder();
        let closed: PathBuf = folder.path().join("closed");
        fs::create_dir(&closed).unwrap();
        fs::set_permissions(&closed, Permissions::from_mode(0o000)).unwrap();
        // Root sees everything.
        let expected = match fs::read_dir(&closed) {
            Ok(_) => None,
            Err(_) => Some(Exceeded::Unseen { error: Errno::ACCESS.raw_os_error() }),
        };
        assert_eq!(Bounded::open(folder.path(), 1 << 30).unwrap().exceeded(), expected);
    }
}
