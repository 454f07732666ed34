//! Types of the starter kits, generated from the JSON Schemas of the games' messages.

mod csharp;
mod go;
mod java;
mod model;
mod schema;
mod text;
mod typescript;

use std::fs;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::{kits, run::root};
use model::Messages;

/// Writes the file of a language with the types of a game.
type Write = fn(&Messages) -> String;

/// The languages: a kit, its file in the folder of a game, and what writes that.
const KITS: [(&str, &str, Write); 4] = [
    ("csharp", "Game.cs", csharp::file),
    ("go", "messages.go", go::file),
    ("java", "Game.java", java::file),
    ("typescript", "messages.d.ts", typescript::file),
];

/// Writes all files.
pub(crate) fn write() -> Result<()> {
    for (path, text) in files()? {
        let file = root().join(&path);
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(file, text).with_context(|| format!("cannot write {path}"))?;
    }
    Ok(())
}

/// Compares all files with their schemas.
///
/// # Errors
/// If one is out of date.
pub(crate) fn check() -> Result<()> {
    for (path, text) in files()? {
        if fs::read_to_string(root().join(&path)).unwrap_or_default() != text {
            bail!("{path} is out of date; run `cargo xtask generate`");
        }
    }
    Ok(())
}

/// Returns the paths below the root, and the contents.
fn files() -> Result<Vec<(String, String)>> {
    let mut files = Vec::new();
    for game in kits::games()? {
        let path = format!("docs/schemas/{game}.schema.json");
        let text = fs::read_to_string(root().join(&path)).with_context(|| path.clone())?;
        let json: Value = serde_json::from_str(&text).with_context(|| path.clone())?;
        let messages = schema::read(&game, &json).with_context(|| path.clone())?;
        for (kit, file, write) in KITS {
            files.push((format!("starter-kits/{kit}/games/{game}/{file}"), write(&messages)));
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests;
