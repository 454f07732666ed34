//! Copies of the whole folder, made while the server runs, and back.
//!
//! A backup is a folder:
//!
//! | in it | what |
//! | --- | --- |
//! | `manifest.json` | names the complete copy; written last, in one go |
//! | `copy-TIME/agon.db` | a copy of the database as it was at one moment |
//! | `copy-TIME/keys` | the files of the server's `keys` |
//! | `blobs` | every blob that the copy of the database names, and older ones |
//! | `lock` | keeps a second backup out |
//!
//! A `copy-TIME` that the manifest does not name was interrupted, or has been replaced.
//!
//! | module | contents |
//! | --- | --- |
//! | `manifest` | [`Manifest`](manifest::Manifest) |
//! | `make` | from a server's folder to a backup |
//! | `restore` | from a backup to a server's folder |

mod make;
mod manifest;
mod restore;

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::Path,
};

use agon_match::spec::Digest;
use anyhow::{Context, Result, ensure};
use tokio::runtime::{Builder, Runtime};

pub(crate) use make::make;
pub(crate) use restore::restore;

use crate::durable;

/// The folder of blobs, in a server's folder and in a backup.
const BLOBS: &str = "blobs";

/// The folder with keys, in a server's folder and in a copy.
const KEYS: &str = "keys";

/// The file in a server's folder that is there while it is restored.
const RESTORING: &str = "restoring";

/// The file in a server's folder that a backup locks, so that nothing is removed meanwhile.
const KEPT: &str = "backup.lock";

/// Checks that the restore of a server's folder was not interrupted.
///
/// # Errors
/// If it was.
pub(crate) fn check_is_whole(data: &Path) -> Result<()> {
    let shown = data.display();
    ensure!(
        !data.join(RESTORING).exists(),
        "the restore of {shown} was interrupted; empty the folder and restore it again"
    );
    Ok(())
}

/// Returns what runs the little that waits for a database on a server.
fn runtime() -> io::Result<Runtime> {
    Builder::new_current_thread().enable_all().build()
}

/// Keeps blobs in a server's folder from being removed until the return value is dropped. Waits
/// for those that are being removed.
fn keep_blobs(data: &Path) -> io::Result<File> {
    let file = lock_file(data)?;
    file.lock_shared()?;
    Ok(file)
}

/// Returns the right to remove blobs in a server's folder; `None` while a backup is made.
///
/// # Errors
/// If the file cannot be used.
pub(crate) fn may_remove_blobs(data: &Path) -> io::Result<Option<File>> {
    let file = lock_file(data)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(fs::TryLockError::WouldBlock) => Ok(None),
        Err(fs::TryLockError::Error(error)) => Err(error),
    }
}

fn lock_file(data: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).append(true).mode(0o600).open(data.join(KEPT))
}

/// Makes a folder that only its owner may use, with those above it.
fn make_folder(path: &Path) -> Result<()> {
    let made = durable::folder(path);
    made.with_context(|| format!("the folder {} cannot be made", path.display()))
}

/// Returns the names in a folder, in order; none if there is no such folder.
fn names_in(path: &Path) -> Result<Vec<String>> {
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
fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    let write = || -> io::Result<()> {
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
        file.write_all(bytes)?;
        file.sync_all()
    };
    write().with_context(|| format!("{} cannot be written", path.display()))
}

/// Puts a file in the place of the one that was there, in one step.
fn replace_file(path: &Path, bytes: &[u8]) -> Result<()> {
    let part = path.with_extension("part");
    // One that was interrupted.
    let _ = fs::remove_file(&part);
    write_file(&part, bytes)?;
    let place = || -> io::Result<()> {
        fs::rename(&part, path)?;
        durable::sync(path.parent().unwrap_or(path))
    };
    place().with_context(|| format!("{} cannot be written", path.display()))
}

/// Returns the digest of a file.
fn digest_of(path: &Path) -> Result<Digest> {
    let read = || -> io::Result<String> {
        let mut hasher = blake3::Hasher::new();
        hasher.update_reader(File::open(path)?)?;
        Ok(hasher.finalize().to_hex().to_string())
    };
    let text = read().with_context(|| format!("{} cannot be read", path.display()))?;
    Ok(text.parse()?)
}
