//! Writable folders of the machine with a size limit: folders for questions and answers, and the
//! scratch folder where there are no mounts.

use std::{
    io,
    os::fd::{AsFd, OwnedFd},
    path::Path,
    time::{Duration, Instant},
};

use rustix::{
    fs::{AtFlags, Dir, FileType, Mode, OFlags, open, openat, statat},
    io::Errno,
};

use crate::Exceeded;

/// The minimum time between two checks of the size.
const SIZE_INTERVAL: Duration = Duration::from_millis(20);

/// Looking may take this part of the time.
const PART: u32 = 10;

/// What an entry takes at least: otherwise there could be very many.
const ENTRY: u64 = 16 << 10;

/// How many folders there may be within each other: as many are open while they are looked at.
const DEEPEST: usize = 128;

/// A folder with a limit.
#[derive(Debug)]
pub(super) struct Bounded {
    /// Not its path: in a root of its own a program may move the folders above.
    folder: OwnedFd,
    limit: u64,
    /// When to check again.
    next: Instant,
}

impl Bounded {
    /// A folder that may hold `limit` bytes. A program that could get at this must not run yet.
    pub(super) fn open(path: impl AsRef<Path>, limit: u64) -> io::Result<Bounded> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let folder = open(path.as_ref(), flags, Mode::empty())?;
        Ok(Bounded { folder, limit, next: Instant::now() })
    }

    /// Whether there is more than there may be, or something that cannot be looked at; now and
    /// then.
    pub(super) fn exceeded(&mut self) -> Option<Exceeded> {
        let begun = Instant::now();
        if begun < self.next {
            return None;
        }
        let exceeded = look(&self.folder, self.limit).unwrap_or_else(|error| {
            // What cannot be looked at is too much.
            Some(Exceeded::Unseen { error: error.raw_os_error() })
        });
        self.next = Instant::now() + SIZE_INTERVAL.max(begun.elapsed() * PART);
        exceeded
    }
}

/// Looks at a folder until there is too much, if there is. No paths are followed: they can be
/// longer than the kernel takes.
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
            // Somebody has removed it since it was listed.
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
    use std::{
        fs::{self, Permissions},
        os::unix::fs::PermissionsExt,
        path::PathBuf,
    };

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

    /// Makes folders of this name within each other; the last.
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
