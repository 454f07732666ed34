//! Writes the page with replays as files for any web server, for `agon web export`.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use agon_arena::{Notice, Tell};
use agon_text::{escape, escape_json};
use agon_web::bundle;
use anyhow::{Context, Result, bail};

use super::listing;

/// Writes the page with replays into a folder.
///
/// # Errors
/// If a file is no replay, or the folder cannot be written or holds other things.
pub fn export(folder: &Path, files: &[PathBuf], tell: Tell<'_>) -> Result<()> {
    let mut taken = BTreeSet::new();
    let read = |file: &PathBuf| listing::read(file, &mut taken);
    let replays = files.iter().map(read).collect::<Result<Vec<_>>>()?;
    refuse_others(folder)?;
    let games: BTreeSet<_> = replays.iter().map(|(entry, _)| escape(&entry.game)).collect();
    let remedies = games.iter().filter_map(|game| bundle::remedy_without(game));
    remedies.for_each(|remedy| tell(Notice::Note(remedy)));
    let write = |name: &str, contents: &[u8]| {
        let path = folder.join(name);
        agon_files::write(&path, contents)
    };
    let below = folder.join("replays");
    if below.exists() {
        fs::remove_dir_all(&below)
            .with_context(|| format!("cannot replace {}", below.display()))?;
    }
    fs::create_dir_all(&below).with_context(|| format!("cannot create {}", below.display()))?;
    for file in bundle::FILES {
        write(file.name, file.contents)?;
    }
    for (entry, bytes) in &replays {
        write(&entry.file, bytes)?;
    }
    let entries: Vec<_> = replays.iter().map(|(entry, _)| entry).collect();
    Ok(write(listing::FILE, &escape_json(&serde_json::to_vec_pretty(&entries)?))?)
}

/// Checks that a folder is new, empty, or an earlier export.
fn refuse_others(folder: &Path) -> Result<()> {
    if !folder.exists() || folder.join(listing::FILE).is_file() {
        return Ok(());
    }
    let mut entries =
        fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    if entries.next().is_some() {
        bail!("{} holds other things; name a folder that is new or empty", folder.display());
    }
    Ok(())
}
