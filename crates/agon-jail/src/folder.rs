//! Folders that are made for programs, and removed after them.

use std::{
    fs::Permissions,
    io,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use crate::remove_folder;

/// A folder for a program that could write to it, or to what is in it. It is removed when this is
/// dropped, whatever the program has made of it; if that cannot be, [`folders_left`] tells it.
#[derive(Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// Makes a folder in `place` whose name begins with `prefix`, and that nobody could have made
    /// before. `mode` says who may do what with it, as in `0o700`.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn create(place: &Path, prefix: &str, mode: u32) -> io::Result<Folder> {
        let permissions = Permissions::from_mode(mode);
        let made =
            tempfile::Builder::new().prefix(prefix).permissions(permissions).tempdir_in(place)?;
        // Only one of both removes it.
        Ok(Folder(made.keep()))
    }

    /// Where it is.
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

/// Takes what could not be removed of folders for programs so far: path and reason of each, so that
/// a person can be told.
pub fn folders_left() -> Vec<String> {
    std::mem::take(&mut *left())
}

/// Notes such a folder.
pub(crate) fn note(folder: String) {
    left().push(folder);
}

fn left() -> MutexGuard<'static, Vec<String>> {
    static LEFT: Mutex<Vec<String>> = Mutex::new(Vec::new());
    // A list is valid whatever happened to a thread that held the lock.
    LEFT.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

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
        // Not a folder any more, so that it is not to be removed.
        fs::remove_dir(&path).unwrap();
        fs::write(&path, "").unwrap();
        drop(folder);
        let of_path =
            || folders_left().into_iter().find(|text| text.starts_with(&*path.to_string_lossy()));
        assert!(of_path().unwrap().contains("Not a directory"));
        assert_eq!(of_path(), None);
    }
}
