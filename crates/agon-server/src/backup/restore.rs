//! From a backup to a server's folder.

use std::{collections::BTreeSet, fs, path::Path, process::ExitCode};

use agon_arena::BlobStore;
use agon_console::serve_options::RestoreOptions;
use agon_match::spec::Digest;
use anyhow::{Context, Result, ensure};

use super::{
    BLOBS, KEYS, Manifest, RESTORING, digest_of, make_folder, names_in, runtime, write_file,
};
use crate::database::{FILE, Place, fill, finish, set_id};
use crate::{database::copy::Copy, durable, logs::say};

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
    let (agon, files) = (agon_core::text::escape(&manifest.agon), checked.whole.len());
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
    let (mut whole, mut problems) = (BTreeSet::new(), Vec::new());
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
    let (marker, place) = (data.join(RESTORING), backup.join(&checked.manifest.copy));
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
    let from = place.join(FILE);
    match database {
        Place::Folder(to) => {
            let copied = fs::copy(&from, to);
            copied.with_context(|| format!("{} cannot be written", to.display()))?;
            ensure!(
                digest_of(to)? == checked.manifest.database,
                "{} changed while it was restored; restore it again",
                from.display()
            );
        }
        // Below: the last step, so that a ladder in a database has all of its files.
        Place::Server(_) => {}
    }
    // All that was written so far, in one go.
    target.sync()?;
    if let Place::Server(address) = database
        && runtime()?.block_on(fill(&from, address, &set_id(data)?))?
    {
        say(&format!("the database {address} had an unfinished restore, which was replaced"));
    }
    let shown = marker.display();
    fs::remove_file(&marker).with_context(|| format!("{shown} cannot be removed"))?;
    durable::sync(data)?;
    // Only now: if anything above fails, another restore can use the same database.
    if let Place::Server(address) = database {
        runtime()?.block_on(finish(address))?;
    }
    Ok(())
}
