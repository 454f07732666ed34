//! Temporary folders that programs write to. They are removed after the programs have ended.

use std::fs::{DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::remove_folder;

/// A folder that a program could write to, at least in parts.
///
/// Dropping this removes the folder in any state. [`folders_left`] reports folders that could not
/// be removed.
#[derive(Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// Makes a new folder in `place` with a random name after `prefix`.
    ///
    /// `mode` has its permissions, such as `0o700`.
    pub fn create(place: &Path, prefix: &str, mode: u32) -> io::Result<Folder> {
        let permissions = Permissions::from_mode(mode);
        let made =
            tempfile::Builder::new().prefix(prefix).permissions(permissions).tempdir_in(place)?;
        // Only one of the two must remove it.
        Ok(Folder(made.keep()))
    }

    /// Makes such a folder after `announce` has heard its path: so somebody else can remove it even
    /// if this process is killed at once.
    pub fn create_announced(
        place: &Path,
        prefix: &str,
        mode: u32,
        announce: impl Fn(&Path) -> io::Result<()>,
    ) -> io::Result<Folder> {
        let mut name = tempfile::Builder::new();
        // So many that no other folder ever has this name: it would be removed.
        let made = name.prefix(prefix).rand_bytes(24).make_in(place, |path| {
            announce(path)?;
            DirBuilder::new().mode(mode).create(path)
        })?;
        Ok(Folder(made.into_temp_path().keep()?))
    }

    /// Returns its path.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if let Err(error) = remove_folder(&self.0) {
            note(format!("{}: {error}", self.0.display()));
        }
    }
}

/// Takes the reports on folders that could not be removed, for a person: path and reason.
pub fn folders_left() -> Vec<String> {
    std::mem::take(&mut *left())
}

/// Reports a folder that could not be removed.
pub(crate) fn note(folder: String) {
    left().push(folder);
}

fn left() -> MutexGuard<'static, Vec<String>> {
    static LEFT: Mutex<Vec<String>> = Mutex::new(Vec::new());
    // The list stays valid even if a thread panicked while it held the lock.
    LEFT.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::{cell::RefCell, fs};

    use super::*;

    #[test]
    fn a_folder_is_announced_before_it_is_there() {
        let dir = tempfile::tempdir().unwrap();
        let heard = RefCell::new(None);
        let announce = |path: &Path| {
            assert!(!path.exists());
            *heard.borrow_mut() = Some(path.to_owned());
            Ok(())
        };
        let folder = Folder::create_announced(dir.path(), "fox-", 0o700, announce).unwrap();
        assert_eq!(heard.borrow().as_deref(), Some(folder.path()));
        assert_eq!(fs::metadata(folder.path()).unwrap().permissions().mode() & 0o777, 0o700);
        drop(folder);
        let refuse = |_: &Path| Err(io::Error::other("no"));
        assert!(Folder::create_announced(dir.path(), "fox-", 0o700, refuse).is_err());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_folder_is_for_its_owner_and_goes() {
        let dir = tempfile::tempdir().unwrap();
        let [one, other] =
            [0o700, 0o700].map(|mode| Folder::create(dir.path(), "fox-", mode).unwrap());
        assert_ne!(one.path(), other.path());
        assert_eq!(fs::metadata(one.path()).unwrap().permissions().mode() & 0o777, 0o700);
        fs::create_dir(one.path().join("a")).unwrap();
        let path = one.path().to_owned();
        assert!(path.starts_with(dir.path()));
        drop(one);
        assert!(!path.exists() && other.path().exists());
    }

    #[test]
    fn what_is_left_is_told_once() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::create(dir.path(), "fox-", 0o700).unwrap();
        let path = folder.path().to_owned();
        // It is no folder any more, so it must not be removed.
        fs::remove_dir(&path).unwrap();
        fs::write(&path, "").unwrap();
        drop(folder);
        let of_path =
            || folders_left().into_iter().find(|text| text.starts_with(&*path.to_string_lossy()));
        assert!(of_path().unwrap().contains("Not a directory"));
        assert_eq!(of_path(), None);
    }
}
