//! What a backup says of itself.

use std::{fs, io, path::Path};

use agon_match::spec::Digest;
use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};

use super::replace_file;

/// The file that makes a backup complete.
pub(super) const MANIFEST: &str = "manifest.json";

/// The form of backups that this program knows.
const FORMAT: u32 = 1;

/// What a backup says of itself.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Manifest {
    /// The form of the backup.
    format: u32,
    /// The version of the program that made it.
    pub(super) agon: String,
    /// The form of the database.
    pub(super) schema: i64,
    /// When the database was copied, in milliseconds since 1970 (UTC).
    pub(super) made: i64,
    /// The server whose backup it is: a digest of its secret.
    pub(super) server: Digest,
    /// The folder with the copy.
    pub(super) copy: String,
    /// The digest of the database.
    pub(super) database: Digest,
    /// The files of the folder `keys`.
    pub(super) keys: Vec<KeyFile>,
    /// How many blobs the database names.
    pub(super) blobs: u64,
    /// Those of them that were missing or damaged already, in words.
    pub(super) missing: Vec<String>,
}

/// A file of the folder `keys`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct KeyFile {
    pub(super) name: String,
    pub(super) digest: Digest,
}

impl Manifest {
    /// Begins a manifest.
    pub(super) fn new(made: i64, copy: &str, database: Digest, server: Digest) -> Manifest {
        Manifest {
            format: FORMAT,
            agon: env!("CARGO_PKG_VERSION").to_owned(),
            schema: 0,
            made,
            server,
            copy: copy.to_owned(),
            database,
            keys: Vec::new(),
            blobs: 0,
            missing: Vec::new(),
        }
    }

    /// Reads the manifest of a backup; `None` if there is no complete one.
    ///
    /// # Errors
    /// If it cannot be read, or a newer program made it.
    pub(super) fn read(backup: &Path) -> Result<Option<Manifest>> {
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
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn write(&self, backup: &Path) -> Result<()> {
        let text = serde_json::to_string_pretty(self).context("the manifest")? + "\n";
        replace_file(&backup.join(MANIFEST), text.as_bytes())
    }
}
