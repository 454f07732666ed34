//! The page and replays as files for any server of static files.

use std::{collections::BTreeSet, fs, io::Write, path::Path};

use agon_text::escape_json;
use agon_web::bundle;
use anyhow::{Context, Result, bail};

use super::listing;
use crate::cli::WebExportArgs;

/// Writes the page with replays into a folder.
///
/// # Errors
/// If a file is no replay, or the folder cannot be written or holds other things.
pub(crate) fn export(args: &WebExportArgs, out: &mut impl Write) -> Result<()> {
    let folder = &args.folder;
    let mut taken = BTreeSet::new();
    let replays = args
        .files
        .iter()
        .map(|file| listing::read(file, &mut taken))
        .collect::<Result<Vec<_>>>()?;
    refuse_others(folder)?;
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
    write(listing::FILE, &escape_json(&serde_json::to_vec_pretty(&entries)?))?;
    let count = match replays.len() {
        1 => "1 replay".to_owned(),
        count => format!("{count} replays"),
    };
    writeln!(out, "{}: the page and {count}, for any web server", folder.display())?;
    Ok(())
}

/// A folder may be new, empty, or what was exported before.
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
