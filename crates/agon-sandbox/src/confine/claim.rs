//! Claims a user for a box: no other box of this machine runs as that user at the same time.
//!
//! Each number has a file in a folder of the user who shares out: root, or a user who has others
//! (`sub_ids`). Whoever holds the lock of the file has the user,
//! whichever arena it belongs to. The kernel releases the lock when the last process of the box is
//! dead, however it ended.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::{fs, io, os::unix::fs::DirBuilderExt, path::Path, sync::Arc};

use rustix::fs::{FlockOperation, Mode, OFlags, flock, fstat, open, openat};
use rustix::io::Errno;

/// Numbers of unused users: <https://systemd.io/UIDS-GIDS/> leaves these free.
const SPARE: std::ops::Range<u32> = 60578..61178;

/// The folder of the locks, and another one for machines on which nobody may write to `/run`.
const FOLDERS: [&str; 2] = ["/run/agon-users", "/tmp/agon-users"];

/// A user that belongs to a box.
#[derive(Clone, Debug)]
pub(super) struct Claim {
    pub(super) user: u32,
    lock: Arc<OwnedFd>,
}

impl Claim {
    /// Claims a free user. The search starts at a number that `near` decides.
    ///
    /// # Errors
    /// If all are taken, or nobody can be sure which are.
    pub(super) fn of_free(near: u32) -> io::Result<Claim> {
        Claim::in_folder(&folder()?, SPARE, near)
    }

    /// Claims a free user of a range by the locks in a folder.
    pub(super) fn in_folder(
        folder: &OwnedFd,
        range: std::ops::Range<u32>,
        near: u32,
    ) -> io::Result<Claim> {
        let count = range.end - range.start;
        for more in 0..count {
            let user = range.start + near.wrapping_add(more) % count;
            let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let file = openat(folder, user.to_string(), flags, Mode::from_raw_mode(0o600))?;
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return Ok(Claim { user, lock: Arc::new(file) }),
                Err(Errno::WOULDBLOCK) => {}
                Err(error) => return Err(error.into()),
            }
        }
        // The same error as that of too many processes: others have to end first.
        Err(Errno::AGAIN.into())
    }

    /// Makes a claim of its received parts.
    pub(super) fn new(user: u32, lock: OwnedFd) -> Claim {
        Claim { user, lock: Arc::new(lock) }
    }
}

impl AsFd for Claim {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.lock.as_fd()
    }
}

/// Returns whether the spare users exist here: in a namespace of users they may have no meaning.
pub(super) fn are_mapped() -> bool {
    let covered = |map: &str| {
        fs::read_to_string(map).is_ok_and(|map| map.lines().any(|line| covers(line, &SPARE)))
    };
    covered("/proc/self/uid_map") && covered("/proc/self/gid_map")
}

/// Returns whether a line of a map, "first outside count", has all of these users.
fn covers(line: &str, users: &std::ops::Range<u32>) -> bool {
    let numbers: Vec<u64> =
        line.split_whitespace().filter_map(|number| number.parse().ok()).collect();
    let &[first, _, count] = numbers.as_slice() else { return false };
    first <= users.start.into() && first.saturating_add(count) >= users.end.into()
}

/// Opens the folder of the locks, and makes it if it is missing.
fn folder() -> io::Result<OwnedFd> {
    let place = FOLDERS.into_iter().map(Path::new).find(|folder| {
        let _ = fs::DirBuilder::new().mode(0o700).create(folder);
        folder.symlink_metadata().is_ok()
    });
    let place = place.ok_or_else(|| {
        io::Error::other(format!("neither {} nor {} can be made", FOLDERS[0], FOLDERS[1]))
    })?;
    open_private(place, 0)
}

/// Opens a folder that a user alone may change.
pub(super) fn open_private(place: &Path, user: u32) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = open(place, flags, Mode::empty())?;
    let facts = fstat(&folder)?;
    if facts.st_uid != user || facts.st_mode & 0o022 != 0 {
        let what = format!("{} is open to other users; remove it", place.display());
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, what));
    }
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_belongs_to_one_box_until_its_last_copy_is_gone() {
        if !rustix::process::geteuid().is_root() {
            return;
        }
        let one = Claim::of_free(7).unwrap();
        let other = Claim::of_free(7).unwrap();
        assert_ne!(one.user, other.user);
        assert!(SPARE.contains(&one.user) && SPARE.contains(&other.user));
        let copy = Claim::new(one.user, one.as_fd().try_clone_to_owned().unwrap());
        let number = one.user;
        drop(one);
        assert_ne!(Claim::of_free(number - SPARE.start).unwrap().user, number);
        drop(copy);
        assert_eq!(Claim::of_free(number - SPARE.start).unwrap().user, number);
    }

    #[test]
    fn a_folder_of_somebody_else_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let open = dir.path().join("open");
        fs::DirBuilder::new().create(&open).unwrap();
        fs::set_permissions(&open, std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
        assert!(open_private(&open, 0).unwrap_err().to_string().contains("is open to other"));
        std::os::unix::fs::symlink(&open, dir.path().join("link")).unwrap();
        assert!(open_private(&dir.path().join("link"), 0).is_err());
    }

    #[test]
    fn maps_of_users_are_read() {
        assert!(covers("         0          0 4294967295", &SPARE));
        assert!(covers("0 100000 65536", &SPARE));
        assert!(!covers("0 1000 1", &SPARE));
        assert!(!covers("60579 1 600", &SPARE) && !covers("0 0 60600", &SPARE));
    }
}
