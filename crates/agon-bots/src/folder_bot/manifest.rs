//! Reads the manifest of a folder, and proposes one where there is none.

use std::fs;
use std::path::{Path, PathBuf};

use agon_core::text::check_name;
use agon_games::GameId;
use agon_match::spec::{BotManifest, MANIFEST};

use super::FolderError;
use crate::open_beneath::read_small;

/// Reads the manifest of a folder.
///
/// # Errors
/// If there is none, or it says something wrong. The error proposes a manifest, for `game` if that
/// is known.
pub(crate) fn read_for(folder: &Path, game: Option<GameId>) -> Result<BotManifest, FolderError> {
    let path = folder.join(MANIFEST);
    let wrong = |why: String| FolderError::of_settings(&path, why);
    let text = read_small(folder, Path::new(MANIFEST)).map_err(|error| wrong(error.to_string()))?;
    let missing = || {
        FolderError::Manifest(format!(
            "the folder `{}` has no {MANIFEST}, which says how to play the bot in it; write one \
             there, such as:\n\n{}",
            folder.display(),
            example(folder, game)
        ))
    };
    let text = text.ok_or_else(missing)?;
    let manifest: BotManifest = toml::from_str(&text).map_err(|error| wrong(error.to_string()))?;
    for (key, value) in
        [("name", &manifest.name), ("author", &manifest.author), ("language", &manifest.language)]
    {
        let checked = value.as_deref().map_or(Ok(()), check_name);
        checked.map_err(|error| wrong(format!("{key}: {error}")))?;
    }
    if manifest.name.as_deref().is_some_and(|name| name.trim().is_empty()) {
        return Err(wrong("name is empty; leave it out to use the folder's".to_owned()));
    }
    for name in ["jsonl", "http"] {
        if manifest.run.starts_with(&format!("{name}:")) {
            let why = format!("run starts with `{name}:`; write protocol = \"{name}\" instead");
            return Err(wrong(why));
        }
    }
    if manifest.run.trim().is_empty() {
        return Err(wrong("run is empty; name a file or a command line".to_owned()));
    }
    Ok(manifest)
}

/// Reads the manifest of a folder, whatever its game is.
pub(crate) fn read(folder: &Path) -> Result<BotManifest, FolderError> {
    read_for(folder, None)
}

/// Returns a manifest that may fit the files of a folder.
fn example(folder: &Path, game: Option<GameId>) -> String {
    let [first, others @ ..] = GameId::OWN.map(|id| id.meta().id);
    let game = match game {
        Some(game) => format!("\"{}\"", game.meta().id),
        None => format!("\"{first}\"  # or {}", others.join(", ")),
    };
    let (protocol, run) = guess(folder);
    format!(
        "    game = {game}\n    protocol = \"{protocol}\"  # jsonl: JSON Lines; \
         game: the game's own\n    run = \"{run}\""
    )
}

/// Guesses the protocol, and what to run.
fn guess(folder: &Path) -> (&'static str, String) {
    let mut names: Vec<PathBuf> = fs::read_dir(folder)
        .map(|entries| entries.flatten().map(|entry| entry.file_name().into()).collect())
        .unwrap_or_default();
    // The usual names first.
    names.sort_by_key(|name| {
        let stem = name.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        (!["bot", "main", "run", "agent"].contains(&stem), name.clone())
    });
    let starts = [
        ("py", "jsonl", "python3 "),
        ("js", "jsonl", "node "),
        ("rb", "jsonl", "ruby "),
        ("sh", "jsonl", "sh "),
        ("c", "game", ""),
        ("cpp", "game", ""),
        ("wasm", "game", ""),
        ("clj", "game", ""),
    ];
    for name in &names {
        let ending = name.extension().and_then(|ending| ending.to_str());
        let start = starts.iter().find(|(known, ..)| Some(*known) == ending);
        if let (Some((_, protocol, start)), Some(name)) = (start, name.to_str())
            && !name.contains(['"', '\\', ' '])
        {
            return (protocol, format!("{start}{name}"));
        }
    }
    ("jsonl", "./bot".to_owned())
}
