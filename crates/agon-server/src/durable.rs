//! Files and folders that survive a loss of power and that nobody else may read.

use std::{
    fs::{DirBuilder, File},
    io::{self, Write},
    os::unix::fs::DirBuilderExt,
    path::Path,
};

use tempfile::NamedTempFile;

/// Makes a folder that only its owner may use, with those above it.
///
/// # Errors
/// If it cannot be made.
pub(crate) fn folder(path: &Path) -> io::Result<()> {
    let is_missing = |path: &&Path| !path.as_os_str().is_empty() && !path.exists();
    let missing = path.ancestors().take_while(is_missing).count();
    DirBuilder::new().recursive(true).mode(0o700).create(path)?;
    // A folder's name is in the folder above it.
    path.canonicalize()?.ancestors().skip(1).take(missing).try_for_each(sync)
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
///
/// # Errors
/// If the disk does not take it.
pub(crate) fn sync(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt};

    use super::*;

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
