//! Removes folders that programs could write to.
//!
//! A program can nest folders very deeply. Their path may be too long for the kernel, recursion may
//! exceed the stack, and open folders may exceed the limit of descriptors. So nothing here is
//! recursive or follows a path: a folder within a folder is moved to the top, and emptied there.

use std::ffi::{CStr, CString};
use std::os::fd::{AsFd, OwnedFd};
use std::{io, path::Path};

use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Mode, OFlags, chmodat, fchmod, fstat, openat, renameat, rmdir,
    unlinkat,
};
use rustix::{io::Errno, path::Arg};

/// Removes a folder that a program could write to.
///
/// It works even if the program has denied its owner access to folders in it. No process may use
/// the folder any more. Links are not followed. A missing folder is no error.
///
/// # Errors
/// If something cannot be removed. Everything else is removed all the same.
pub fn remove_folder(path: &Path) -> io::Result<()> {
    let top = match open(CWD, path) {
        Err(Errno::NOENT) => return Ok(()),
        top => top?,
    };
    let trouble = Removal::of_all(top);
    match rmdir(path) {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(error) => Err(trouble.unwrap_or(error).into()),
    }
}

/// Removes everything in a folder that a program could write to, in the same way.
pub fn empty_folder(path: &Path) -> io::Result<()> {
    let top = open(CWD, path)?;
    Removal::of_all(top).map_or(Ok(()), |trouble| Err(trouble.into()))
}

/// The removal of the contents of a folder.
struct Removal {
    top: OwnedFd,
    /// The next name for a folder that is moved to the top.
    name: u64,
    /// Folders at the top that have to be emptied.
    waiting: Vec<CString>,
    /// The number of removed things, which shows progress.
    removed: u64,
    /// The first error.
    trouble: Option<Errno>,
}

/// The level of the folder that is being emptied.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Top,
    Below,
}

impl Removal {
    /// Removes everything that can be removed from a folder, and returns the first error.
    fn of_all(top: OwnedFd) -> Option<Errno> {
        let mut removal = Removal { top, name: 0, waiting: Vec::new(), removed: 0, trouble: None };
        // Repeated as long as it helps: things that did not fit may fit when others are gone.
        loop {
            let removed = removal.removed;
            removal.trouble = None;
            removal.pass();
            if removal.removed == removed {
                return removal.trouble;
            }
        }
    }

    /// Removes everything that can be removed now.
    fn pass(&mut self) {
        let emptied = Dir::read_from(&self.top).and_then(|top| self.empty(top, Level::Top));
        self.note(emptied);
        while let Some(name) = self.waiting.pop() {
            let emptied = open(&self.top, &*name)
                .and_then(Dir::new)
                .and_then(|folder| self.empty(folder, Level::Below))
                .and_then(|()| unlinkat(&self.top, &*name, AtFlags::REMOVEDIR));
            self.count(emptied);
        }
    }

    /// Removes all files and empty folders of a folder; the other folders wait at the top.
    fn empty(&mut self, mut folder: Dir, level: Level) -> rustix::io::Result<()> {
        while let Some(entry) = folder.read() {
            let entry = entry?;
            let name = entry.file_name();
            if name == c"." || name == c".." {
                continue;
            }
            let within = folder.fd()?;
            if entry.file_type() != FileType::Directory {
                match unlinkat(within, name, AtFlags::empty()) {
                    // Some file systems do not list the types of entries.
                    Err(Errno::ISDIR) => {}
                    unlinked => {
                        self.count(unlinked);
                        continue;
                    }
                }
            }
            match unlinkat(within, name, AtFlags::REMOVEDIR) {
                Err(_) if level == Level::Top => self.waiting.push(name.to_owned()),
                Err(_) => {
                    let moved = self.move_up(within, name);
                    self.note(moved);
                }
                removed => self.count(removed),
            }
        }
        Ok(())
    }

    /// Moves a folder to the top, where it waits.
    fn move_up(&mut self, folder: impl AsFd, name: &CStr) -> rustix::io::Result<()> {
        let mut is_open = false;
        loop {
            let new =
                CString::new(self.name.to_string()).expect("there is no zero byte in a number");
            match renameat(&folder, name, &self.top, &*new) {
                Ok(()) => {
                    self.waiting.push(new);
                    return Ok(());
                }
                // The program has used that name.
                Err(Errno::EXIST | Errno::NOTEMPTY | Errno::NOTDIR) => self.name += 1,
                // Moving a folder requires that its owner can access it.
                Err(Errno::ACCESS) if !is_open => {
                    chmodat(&folder, name, Mode::RWXU, AtFlags::empty())?;
                    is_open = true;
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Counts a removal.
    fn count(&mut self, removed: rustix::io::Result<()>) {
        self.removed += u64::from(removed.is_ok());
        self.note(removed);
    }

    /// Notes an error.
    fn note(&mut self, result: rustix::io::Result<()>) {
        if let Err(error) = result
            && error != Errno::NOENT
        {
            self.trouble.get_or_insert(error);
        }
    }
}

/// Opens a folder to empty it, even if its owner has no access. A link is no folder.
fn open(within: impl AsFd, name: impl Arg + Copy) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = match openat(&within, name, flags, Mode::empty()) {
        // Only a folder is refused like this, so no link can be followed.
        Err(Errno::ACCESS) => {
            chmodat(&within, name, Mode::RWXU, AtFlags::empty())?;
            openat(&within, name, flags, Mode::empty())?
        }
        folder => folder?,
    };
    if !Mode::from_raw_mode(fstat(&folder)?.st_mode).contains(Mode::RWXU) {
        // If it cannot be opened, its contents cannot be removed, and that is noted.
        let _ = fchmod(&folder, Mode::RWXU);
    }
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::{path::PathBuf, thread};

    use rustix::fs::mkdirat;
    use tempfile::TempDir;

    use super::*;

    /// More levels than fit into a path, or than may be open at a time.
    const DEEP: usize = 5_000;

    fn open_in(within: impl AsFd, name: &str) -> OwnedFd {
        open(within, name).unwrap()
    }

    /// Makes nested folders and returns the innermost.
    fn chain(within: OwnedFd, name: &str, length: usize) -> OwnedFd {
        (0..length).fold(within, |folder, _| {
            mkdirat(&folder, name, Mode::RWXU).unwrap();
            open_in(folder, name)
        })
    }

    /// Removes a folder on a stack that is too small for recursion.
    fn remove(path: PathBuf) -> io::Result<()> {
        let builder = thread::Builder::new().stack_size(256 << 10);
        builder.spawn(move || remove_folder(&path)).unwrap().join().unwrap()
    }

    fn dir() -> (TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("folder");
        fs::create_dir(&folder).unwrap();
        (dir, folder)
    }

    #[test]
    fn folders_are_removed_however_deep() {
        agon_testkit::slow!();
        let (_yard, folder) = dir();
        let end = chain(open_in(CWD, folder.to_str().unwrap()), "d", DEEP);
        for name in ["a", "b"] {
            openat(&end, name, OFlags::CREATE | OFlags::WRONLY, Mode::RUSR).unwrap();
        }
        remove(folder.clone()).unwrap();
        assert!(!folder.exists());
    }

    #[test]
    fn many_folders_side_by_side_are_removed() {
        let (_yard, folder) = dir();
        for n in 0..300 {
            fs::create_dir_all(folder.join(format!("{n}/x/{n}/y"))).unwrap();
            fs::write(folder.join(format!("{n}/x/file")), "").unwrap();
        }
        remove(folder.clone()).unwrap();
        assert!(!folder.exists());
    }

    #[test]
    fn names_of_the_programs_own_are_no_obstacle() {
        let (_yard, folder) = dir();
        for name in ["a/x/y", "1/x/y", "3"] {
            fs::create_dir_all(folder.join(name)).unwrap();
        }
        for name in ["0", "2"] {
            fs::write(folder.join(name), "").unwrap();
        }
        // Names that block a move to the top: these folders are not empty.
        for n in 4..20 {
            fs::create_dir_all(folder.join(format!("{n}/{n}/{n}/{n}"))).unwrap();
        }
        remove(folder.clone()).unwrap();
        assert!(!folder.exists());
    }

    #[test]
    fn closed_folders_are_removed_as_well() {
        let (_yard, folder) = dir();
        let paths = ["a/b/c", "a/b", "a", ""].map(|name| folder.join(name));
        fs::create_dir_all(&paths[0]).unwrap();
        fs::write(paths[1].join("file"), "").unwrap();
        for (path, mode) in paths.iter().zip([0o000, 0o444, 0o100, 0o000]) {
            fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
        }
        remove(folder.clone()).unwrap();
        assert!(!folder.exists());
    }

    #[test]
    fn links_are_removed_and_not_followed() {
        let (dir, folder) = dir();
        let kept = dir.path().join("kept");
        fs::create_dir(&kept).unwrap();
        fs::write(kept.join("file"), "").unwrap();
        fs::create_dir(folder.join("a")).unwrap();
        for link in ["link", "a/link"] {
            symlink(&kept, folder.join(link)).unwrap();
        }
        remove(folder.clone()).unwrap();
        assert!(!folder.exists() && kept.join("file").exists());
        symlink(&kept, &folder).unwrap();
        let error = remove(folder.clone()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotADirectory);
        assert!(kept.join("file").exists());
    }

    #[test]
    fn what_is_not_there_need_not_be_removed() {
        let (dir, _) = dir();
        remove(dir.path().join("none")).unwrap();
    }

    #[test]
    fn what_cannot_be_removed_is_told() {
        // Not even root removes these.
        let error = remove(PathBuf::from("/proc/self/fdinfo")).unwrap_err();
        let is_root = rustix::process::geteuid().is_root();
        let expected = if is_root { Errno::PERM } else { Errno::ACCESS };
        assert_eq!(error.raw_os_error(), Some(expected.raw_os_error()));
    }
}
