//! Small files and folders that survive a loss of power and that nobody else may read.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::Path,
};

use agon_match::spec::Digest;
use anyhow::{Context, Result};

use crate::durable;
pub(super) use crate::durable::sync;

/// Makes a folder that only its owner may use, with those above it.
pub(super) fn folder(path: &Path) -> Result<()> {
    let made = durable::folder(path);
    made.with_context(|| format!("the folder {} cannot be made", path.display()))
}

/// Returns the names in a folder, in order; none if there is no such folder.
pub(super) fn names(path: &Path) -> Result<Vec<String>> {
    let read = || -> io::Result<Vec<String>> {
        let name =
            |entry: io::Result<fs::DirEntry>| Ok(entry?.file_name().to_string_lossy().into_owned());
        let mut names: Vec<String> = fs::read_dir(path)?.map(name).collect::<io::Result<_>>()?;
        names.sort_unstable();
        Ok(names)
    };
    match read() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        names => names.with_context(|| format!("{} cannot be read", path.display())),
    }
}

/// Writes a new file that only its owner may read.
pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let write = || -> io::Result<()> {
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
        file.write_all(bytes)?;
        file.sync_all()
    };
    write().with_context(|| format!("{} cannot be written", path.display()))
}

/// Puts a file in the place of the one that was there, in one step.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> Result<()> {
    let part = path.with_extension("part");
    // One that was interrupted.
    let _ = fs::remove_file(&part);
    write(&part, bytes)?;
    let place = || -> io::Result<()> {
        fs::rename(&part, path)?;
        sync(path.parent().unwrap_or(path))
    };
    place().with_context(|| format!("{} cannot be written", path.display()))
}

/// Returns the digest of a file.
pub(super) fn digest(path: &Path) -> Result<Digest> {
    let read = || -> io::Result<String> {
        let mut hasher = blake3::Hasher::new();
        hasher.update_reader(File::open(path)?)?;
        Ok(hasher.finalize().to_hex().to_string())
    };
    let text = read().with_context(|| format!("{} cannot be read", path.display()))?;
    Ok(text.parse()?)
}
