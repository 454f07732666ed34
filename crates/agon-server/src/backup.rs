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

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::{os::unix::fs::OpenOptionsExt, path::Path, process::ExitCode};

use agon_arena::BlobStore;
use agon_console::serve_options::{BackupOptions, RestoreOptions};
use agon_match::spec::Digest;
use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};
use tokio::runtime::{Builder, Runtime};

use crate::database::copy::{Copy, copy};
use crate::database::{FILE, Place, check_ladder, fill, id, save, set_id};
use crate::{durable, logs::say, store::now};

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
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
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

/// The same while it is written.
const PART: &str = "manifest.part";

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

    /// Makes a backup complete: puts the manifest in the place of the one before, in one step.
    fn write(&self, backup: &Path) -> Result<()> {
        let text = serde_json::to_string_pretty(self).context("the manifest")? + "\n";
        let (path, part) = (backup.join(MANIFEST), backup.join(PART));
        // One that was interrupted.
        let _ = fs::remove_file(&part);
        write_file(&part, text.as_bytes())?;
        let placed = fs::rename(&part, &path).and_then(|()| durable::sync(backup));
        placed.with_context(|| format!("{} cannot be written", path.display()))
    }
}

/// What the names of folders with a copy begin with.
const COPY: &str = "copy-";

/// Copies a server's folder.
pub(crate) fn make(options: &BackupOptions) -> Result<ExitCode> {
    let BackupOptions { data, database, backup } = options;
    let shown = backup.display();
    check_ladder(data)?;
    check_is_whole(data)?;
    let source = Place::of(data, database)?;
    make_folder(backup)?;
    let inside = backup.canonicalize()?.starts_with(data.canonicalize()?);
    ensure!(!inside, "{shown} is inside the server's folder; name another place");
    let _lock = lock(backup)?;
    let before = Manifest::read(backup)?;
    // Blobs of an interrupted backup may be incomplete after a loss of power.
    let is_sure = tidy(backup, before.as_ref())?;
    let _kept = keep_blobs(data)?;
    let made = now();
    let name = format!("{COPY}{made}");
    let place = backup.join(&name);
    make_folder(&place)?;
    let manifest = copy_all(data, &source, backup, &name, made, is_sure, before.as_ref());
    let manifest = match manifest {
        Ok(manifest) => manifest,
        Err(error) => {
            // The backup before, if there is one, is as it was.
            let _ = fs::remove_dir_all(&place);
            return Err(error);
        }
    };
    tidy(backup, Some(&manifest))?;
    say(&format!("{shown} is a complete copy ({} files of bots and replays)", manifest.blobs));
    for missing in &manifest.missing {
        say(&format!("warning: missing or damaged in {}: {missing}", data.display()));
    }
    Ok(ExitCode::from(u8::from(!manifest.missing.is_empty())))
}

/// Copies everything, and completes the backup.
fn copy_all(
    data: &Path,
    database: &Place,
    backup: &Path,
    name: &str,
    made: i64,
    is_sure: bool,
    before: Option<&Manifest>,
) -> Result<Manifest> {
    let place = backup.join(name);
    let path = place.join(FILE);
    // The database first: whatever it names is there already.
    match database {
        Place::Folder(file) => copy(file, &path)?,
        Place::Server(address) => runtime()?.block_on(save(address, &path))?,
    }
    let database = Copy::open(&path)?;
    if let Some(id) = id(data)? {
        ensure!(
            database.fact("folder")? == Some(id),
            "the database does not belong to {}; name the one with which its server runs",
            data.display()
        );
    }
    let secret = database.fact("secret")?.context("the database has no secret")?;
    let server = Digest::of(secret.as_bytes());
    ensure!(
        before.is_none_or(|before| before.server == server),
        "{} has a backup of another server; name another folder",
        backup.display()
    );
    let keys = copy_keys(data, &place)?;
    let blobs = database.blobs()?;
    let mut manifest = Manifest {
        format: FORMAT,
        agon: env!("CARGO_PKG_VERSION").to_owned(),
        schema: database.schema()?,
        made,
        server,
        copy: name.to_owned(),
        database: digest_of(&path)?,
        keys,
        blobs: blobs.len() as u64,
        missing: Vec::new(),
    };
    let source = BlobStore::open(&data.join(BLOBS))?;
    make_folder(&backup.join(BLOBS))?;
    let target = BlobStore::open(&backup.join(BLOBS))?;
    for text in blobs {
        let digest: Digest = text.parse().with_context(|| format!("the digest {text}"))?;
        if is_sure && target.has(digest) {
            continue;
        }
        match source.get(digest) {
            Ok(bytes) => {
                target.put(&bytes).context("the backup cannot be written; is its disk full?")?;
            }
            Err(error) => manifest.missing.push(format!("{}: {error}", database.words(&text)?)),
        }
    }
    // All that was written so far, in one go.
    target.sync()?;
    manifest.write(backup)?;
    Ok(manifest)
}

/// Copies the keys, if the server has any.
fn copy_keys(data: &Path, place: &Path) -> Result<Vec<KeyFile>> {
    let names = names_in(&data.join(KEYS))?;
    if names.is_empty() {
        return Ok(Vec::new());
    }
    make_folder(&place.join(KEYS))?;
    let copy = |name: String| -> Result<Option<KeyFile>> {
        let path = data.join(KEYS).join(&name);
        if !path.is_file() || name.starts_with('.') {
            return Ok(None);
        }
        let bytes = fs::read(&path).with_context(|| format!("{}", path.display()))?;
        write_file(&place.join(KEYS).join(&name), &bytes)?;
        Ok(Some(KeyFile { name, digest: Digest::of(&bytes) }))
    };
    names.into_iter().filter_map(|name| copy(name).transpose()).collect()
}

/// Keeps other backups to this folder out.
fn lock(backup: &Path) -> Result<File> {
    let path = backup.join("lock");
    let open = OpenOptions::new().create(true).append(true).mode(0o600).open(&path);
    let file = open.with_context(|| format!("{} cannot be written", path.display()))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => {
            bail!("another backup to {} is being made; wait for its end", backup.display())
        }
        Err(TryLockError::Error(error)) => Err(error).context(path.display().to_string()),
    }
}

/// Removes copies that the manifest does not name. Returns whether no backup was interrupted.
///
/// # Errors
/// If the folder has other files.
fn tidy(backup: &Path, manifest: Option<&Manifest>) -> Result<bool> {
    let names = names_in(backup)?;
    for name in &names {
        let is_own =
            name.starts_with(COPY) || [MANIFEST, BLOBS, "lock", PART].contains(&name.as_str());
        ensure!(
            is_own,
            "{} has other files, such as `{}`; name a new folder",
            backup.display(),
            name.escape_debug()
        );
    }
    let mut is_sure = manifest.is_some();
    for name in names.iter().filter(|name| name.starts_with(COPY)) {
        if manifest.is_none_or(|manifest| manifest.copy != **name) {
            let path = backup.join(name);
            fs::remove_dir_all(&path).with_context(|| format!("{}", path.display()))?;
            is_sure = false;
        }
    }
    Ok(is_sure)
}

/// The most missing files that are listed.
const LISTED: usize = 50;

/// A backup that was checked.
struct Checked {
    manifest: Manifest,
    /// The blobs that are there and undamaged.
    whole: BTreeSet<Digest>,
    /// What is missing or damaged, in words.
    problems: Vec<String>,
}

/// Makes a server's folder from a backup.
pub(crate) fn restore(options: &RestoreOptions) -> Result<ExitCode> {
    let RestoreOptions { backup, data, database, incomplete } = options;
    let shown = data.display();
    ensure!(
        names_in(data)?.is_empty(),
        "{shown} is not empty; name a new folder, or empty this one"
    );
    let target = Place::of(data, database)?;
    let checked = check(backup)?;
    for problem in checked.problems.iter().take(LISTED) {
        say(&format!("missing or damaged: {problem}"));
    }
    let count = checked.problems.len();
    if count > LISTED {
        say(&format!("and {} more", count - LISTED));
    }
    if count > 0 && !incomplete {
        say("nothing was restored; `--incomplete` restores what there is");
        return Ok(ExitCode::from(1));
    }
    write(backup, data, &target, &checked)?;
    let manifest = &checked.manifest;
    let agon = agon_core::text::escape(&manifest.agon);
    let files = checked.whole.len();
    say(&format!("{shown} is restored ({files} files of bots and replays, by Agon {agon})"));
    Ok(ExitCode::from(u8::from(count > 0)))
}

/// Checks everything in a backup.
fn check(backup: &Path) -> Result<Checked> {
    let shown = backup.display();
    let manifest = Manifest::read(backup)?.with_context(|| {
        format!(
            "{shown} has no complete backup: it is another folder, or the backup was interrupted; \
             make it again with `agon serve backup`"
        )
    })?;
    let place = backup.join(&manifest.copy);
    let path = place.join(FILE);
    let damaged = |path: &Path| format!("{} is damaged; use another backup", path.display());
    ensure!(digest_of(&path)? == manifest.database, damaged(&path));
    for key in &manifest.keys {
        let path = place.join(KEYS).join(&key.name);
        ensure!(digest_of(&path)? == key.digest, damaged(&path));
    }
    let database = Copy::open(&path)?;
    let store = BlobStore::open(&backup.join(BLOBS))?;
    let mut whole = BTreeSet::new();
    let mut problems = Vec::new();
    for text in database.blobs()? {
        let digest: Digest = text.parse().with_context(|| format!("the digest {text}"))?;
        match store.get(digest) {
            Ok(_) => drop(whole.insert(digest)),
            Err(error) => problems.push(format!("{}: {error}", database.words(&text)?)),
        }
    }
    Ok(Checked { manifest, whole, problems })
}

/// Writes a checked backup to a new folder.
fn write(backup: &Path, data: &Path, database: &Place, checked: &Checked) -> Result<()> {
    make_folder(data)?;
    let marker = data.join(RESTORING);
    let place = backup.join(&checked.manifest.copy);
    // A server refuses the folder until it is complete.
    write_file(&marker, b"")?;
    durable::sync(data)?;
    let source = BlobStore::open(&backup.join(BLOBS))?;
    let target = BlobStore::open(&data.join(BLOBS))?;
    for &digest in &checked.whole {
        target.put(&source.get(digest)?)?;
    }
    if !checked.manifest.keys.is_empty() {
        make_folder(&data.join(KEYS))?;
    }
    for key in &checked.manifest.keys {
        let bytes = fs::read(place.join(KEYS).join(&key.name))?;
        write_file(&data.join(KEYS).join(&key.name), &bytes)?;
    }
    let (from, to) = (place.join(FILE), data.join(FILE));
    let copied = fs::copy(&from, &to);
    copied.with_context(|| format!("{} cannot be written", to.display()))?;
    ensure!(
        digest_of(&to)? == checked.manifest.database,
        "{} changed while it was restored; restore it again",
        from.display()
    );
    // All that was written so far, in one go.
    target.sync()?;
    // The last step, so that a ladder in a database has all of its files.
    if let Place::Server(address) = database {
        if runtime()?.block_on(fill(&to, address, &set_id(data)?))? {
            say(&format!("the database {address} had an unfinished restore, which was replaced"));
        }
        fs::remove_file(&to).with_context(|| format!("{} cannot be removed", to.display()))?;
        // Before the marker: a whole folder has no tables beside those of its database.
        durable::sync(data)?;
    }
    let shown = marker.display();
    fs::remove_file(&marker).with_context(|| format!("{shown} cannot be removed"))?;
    durable::sync(data)?;
    // Only now: if anything above fails, another restore can use the same database.
    if let Place::Server(_) = database {
        runtime()?.block_on(database.open(data))?;
    }
    Ok(())
}
