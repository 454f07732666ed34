//! Files and folders that survive a loss of power and that nobody else may read.

use std::fs::{self, DirBuilder, File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::{os::unix::ffi::OsStrExt, path::Path};

use tempfile::NamedTempFile;

/// Makes a folder that only its owner may use, with those above it.
pub(crate) fn folder(path: &Path) -> io::Result<()> {
    let is_missing = |path: &&Path| !path.as_os_str().is_empty() && !path.exists();
    let missing = path.ancestors().take_while(is_missing).count();
    DirBuilder::new().recursive(true).mode(0o700).create(path)?;
    // A folder's name is in the folder above it.
    path.canonicalize()?.ancestors().skip(1).take(missing).try_for_each(sync)
}

/// Closes the folder of a ladder to all others, whoever made it: with the keys and the database.
///
/// # Errors
/// If it belongs to somebody else, and others may enter it.
pub(crate) fn close(data: &Path) -> io::Result<()> {
    let keys = data.join("keys");
    let below = |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten();
    let is_table = |entry: &fs::DirEntry| entry.file_name().as_bytes().starts_with(b"agon.db");
    let tables = below(data).filter(is_table).map(|entry| (entry.path(), 0o600));
    let secrets = below(&keys).map(|entry| (entry.path(), 0o600));
    let folders = [(data.to_owned(), 0o700), (keys.clone(), 0o700)];
    for (path, mode) in folders.into_iter().chain(tables).chain(secrets) {
        // A new ladder has no keys yet.
        let Ok(facts) = fs::metadata(&path) else { continue };
        if facts.permissions().mode() & 0o777 & !mode != 0 {
            fs::set_permissions(&path, Permissions::from_mode(mode))?;
        }
    }
    Ok(())
}

/// Writes a new file, which is there as a whole or not at all.
///
/// # Errors
/// If it cannot be written, or there is one already.
pub(crate) fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(path);
    let mut file = NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist_noclobber(path).map_err(|error| error.error)?;
    sync(folder)
}

/// Has a file or the names in a folder survive a loss of power.
pub(crate) fn sync(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_others_could_enter_is_closed() {
        let place = tempfile::tempdir().unwrap();
        let data = place.path().join("data");
        fs::create_dir_all(data.join("keys")).unwrap();
        let files = ["agon.db", "agon.db-wal", "keys/log.key"].map(|name| data.join(name));
        for path in &files {
            fs::write(path, "x").unwrap();
            fs::set_permissions(path, Permissions::from_mode(0o644)).unwrap();
        }
        for path in [&data, &data.join("keys")] {
            fs::set_permissions(path, Permissions::from_mode(0o755)).unwrap();
        }
        close(&data).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&data), mode(&data.join("keys"))), (0o700, 0o700));
        assert!(files.iter().all(|path| mode(path) == 0o600));
        close(&place.path().join("new")).unwrap();
    }

    #[test]
    fn files_and_folders_are_secret_and_not_replaced() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("a/b");
        folder(&path).unwrap();
        folder(&path).unwrap();
        let file = path.join("file");
        write_new(&file, b"fox").unwrap();
        let taken = write_new(&file, b"hen").unwrap_err();
        assert_eq!(taken.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&file).unwrap(), b"fox");
        assert_eq!(fs::read_dir(&path).unwrap().count(), 1);
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(&file)), (0o700, 0o600));
        assert!(folder(&file).is_err());
    }
}
