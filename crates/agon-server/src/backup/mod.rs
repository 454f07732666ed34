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

mod make;
mod restore;

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::{os::unix::fs::OpenOptionsExt, path::Path};

use agon_match::spec::Digest;
use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};
use tokio::runtime::{Builder, Runtime};

use crate::durable;

pub(crate) use make::make;
pub(crate) use restore::restore;

/// The folder of blobs, in a server's folder and in a backup.
const BLOBS: &str = "blobs";

/// The folder with keys, in a server's folder and in a copy.
const KEYS: &str = "keys";

/// The file in a server's folder that is there while it is restored.
const RESTORING: &str = "restoring";

/// The file in a server's folder that a backup locks, so that nothing is removed meanwhile.
const KEPT: &str = "backup.lock";

/// Checks that the restore of a server's folder was not interrupted.
pub(crate) fn check_is_whole(data: &Path) -> Result<()> {
    let shown = data.display();
    ensure!(
        !data.join(RESTORING).exists(),
        "the restore of {shown} was interrupted; empty the folder and restore it again"
    );
    Ok(())
}

/// Returns what runs the little that waits for a database on a server.
pub(crate) fn runtime() -> io::Result<Runtime> {
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

/// The file that makes a backup complete.
const MANIFEST: &str = "manifest.json";

/// The form of backups that this program knows.
const FORMAT: u32 = 1;

/// What a backup says of itself.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    /// The form of the backup.
    format: u32,
    /// The version of the program that made it.
    agon: String,
    /// The form of the database.
    schema: i64,
    /// When the database was copied, in milliseconds since 1970 (UTC).
    made: i64,
    /// The server whose backup it is: a digest of its secret.
    server: Digest,
    /// The folder with the copy.
    copy: String,
    /// The digest of the database.
    database: Digest,
    /// The files of the folder `keys`.
    keys: Vec<KeyFile>,
    /// How many blobs the database names.
    blobs: u64,
    /// Those of them that were missing or damaged already, in words.
    missing: Vec<String>,
}

/// A file of the folder `keys`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeyFile {
    name: String,
    digest: Digest,
}

impl Manifest {
    /// Reads the manifest of a backup; `None` if there is no complete one.
    fn read(backup: &Path) -> Result<Option<Manifest>> {
        let path = backup.join(MANIFEST);
        let shown = path.display().to_string();
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error).context(shown),
        };
        let value: serde_json::Value =
            serde_json::from_str(&text).with_context(|| format!("{shown} is damaged"))?;
        match value.get("format").and_then(serde_json::Value::as_u64) {
            Some(format) if format == u64::from(FORMAT) => {}
            Some(_) => bail!("another version of Agon made {shown}; use that one"),
            None => bail!("{shown} is damaged: it names no format"),
        }
        let manifest: Manifest =
            serde_json::from_value(value).with_context(|| format!("{shown} is damaged"))?;
        let names = manifest.keys.iter().map(|key| key.name.as_str());
        for name in names.chain([manifest.copy.as_str()]) {
            // Nothing outside of the backup is read or written.
            let is_plain = !name.is_empty() && !name.starts_with('.') && !name.contains('/');
            ensure!(is_plain, "{shown} is damaged: it names the file `{}`", name.escape_debug());
        }
        Ok(Some(manifest))
    }

    /// Makes a backup complete.
    fn write(&self, backup: &Path) -> Result<()> {
        let text = serde_json::to_string_pretty(self).context("the manifest")? + "\n";
        replace_file(&backup.join(MANIFEST), text.as_bytes())
    }
}
