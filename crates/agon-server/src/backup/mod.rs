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
//! | `files` | small files and folders, synced and private |

mod files;
mod make;
mod manifest;
mod restore;

use std::{
    fs::{self, File, OpenOptions},
    io,
    os::unix::fs::OpenOptionsExt,
    path::Path,
};

use anyhow::{Result, ensure};

pub(crate) use make::make;
pub(crate) use restore::restore;

/// The database in a server's folder and in a copy.
const DATABASE: &str = "agon.db";

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
