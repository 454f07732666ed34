//! From a server's folder to a backup.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::{os::unix::fs::OpenOptionsExt, path::Path, process::ExitCode};

use agon_arena::BlobStore;
use agon_console::serve_options::BackupOptions;
use agon_match::spec::Digest;
use anyhow::{Context, Result, bail, ensure};

use super::{
    BLOBS, FORMAT, KEYS, KeyFile, MANIFEST, Manifest, digest_of, keep_blobs, make_folder, names_in,
    runtime, write_file,
};
use crate::database::copy::{Copy, copy};
use crate::database::{FILE, Place, check_ladder, id, save};
use crate::{logs::say, store::now};

/// What the names of folders with a copy begin with.
const COPY: &str = "copy-";

/// Copies a server's folder.
pub(crate) fn make(options: &BackupOptions) -> Result<ExitCode> {
    let BackupOptions { data, database, backup } = options;
    let shown = backup.display();
    check_ladder(data)?;
    super::check_is_whole(data)?;
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
    let manifest = fill(data, &source, backup, &name, made, is_sure, before.as_ref());
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
fn fill(
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
    let part = Path::new(MANIFEST).with_extension("part").display().to_string();
    for name in &names {
        let is_own = name.starts_with(COPY)
            || [MANIFEST, BLOBS, "lock", part.as_str()].contains(&name.as_str());
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
