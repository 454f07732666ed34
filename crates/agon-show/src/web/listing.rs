//! The list of replays beside the page, `replays.json`, from which a person chooses one.
//!
//! A served page has one replay, an exported page has many.

use std::{collections::BTreeSet, path::Path};

use agon_replay::Replay;
use anyhow::{Context, Result};
use serde::Serialize;

/// The name of the list.
pub(super) const FILE: &str = "replays.json";

/// A replay beside the page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Entry {
    /// Its path from the page.
    pub(super) file: String,
    pub(super) game: String,
    players: Vec<String>,
    steps: u64,
}

/// Reads a replay for the list. Its path has its own name, or a similar one if that is in `taken`.
///
/// # Errors
/// If it cannot be read, or is no replay.
pub(super) fn read(path: &Path, taken: &mut BTreeSet<String>) -> Result<(Entry, Vec<u8>)> {
    let context = || format!("cannot show {}", path.display());
    let bytes = agon_text::read_regular(path).with_context(context)?;
    let replay = Replay::open(bytes.clone()).with_context(context)?;
    let header = replay.header();
    let entry = Entry {
        file: format!("replays/{}", name_for(path, taken)),
        game: header.game.clone(),
        players: header.players.iter().map(|bot| bot.name.clone()).collect(),
        steps: replay.steps(),
    };
    Ok((entry, bytes))
}

/// Returns a name that is safe in an address and on every file system.
fn name_for(path: &Path, taken: &mut BTreeSet<String>) -> String {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let stem: String = stem.chars().map(|c| if plain(c) { c } else { '-' }).collect();
    let numbered = (2..).map(|number| format!("{stem}-{number}.agon"));
    let mut names = std::iter::once(format!("{stem}.agon")).chain(numbered);
    names.find(|name| taken.insert(name.to_lowercase())).expect("there are endless numbers")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain_and_differ() {
        let mut taken = BTreeSet::new();
        let mut name = |path: &str| name_for(Path::new(path), &mut taken);
        assert_eq!(name("games/night.agon"), "night.agon");
        assert_eq!(name("other/Night.agon"), "Night-2.agon");
        assert_eq!(name("ä?b c.agon"), "--b-c.agon");
    }
}
