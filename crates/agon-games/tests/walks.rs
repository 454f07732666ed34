//! The hashes of scripted games in `data/GAME.walk`: compared, or recorded after a change of rules.
//!
//! Their seeds are plain, so they show that matches of older versions still end as they did.

use std::{env, fs, path::Path};

/// Compares the lines of a file with what they are today: `today` returns the hash that the walk of
/// a line has, or `None` for a line without a walk. The hash is the last word of its line.
///
/// `AGON_RECORD=1` writes the hashes of today instead.
#[track_caller]
pub(crate) fn agree(file: &str, mut today: impl FnMut(&str) -> Option<String>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(file);
    let text = fs::read_to_string(&path).unwrap();
    let mut lines = Vec::new();
    let mut differing = Vec::new();
    for line in text.lines() {
        let hash = if line.starts_with('#') { None } else { today(line) };
        let (Some(hash), Some((walk, recorded))) = (hash, line.rsplit_once(' ')) else {
            lines.push(line.to_owned());
            continue;
        };
        if hash != recorded {
            differing.push(format!("{line}: now {hash}"));
        }
        lines.push(format!("{walk} {hash}"));
    }
    if env::var_os("AGON_RECORD").is_some() {
        fs::write(&path, lines.join("\n") + "\n").unwrap();
        return;
    }
    assert!(
        differing.is_empty(),
        "{file} has other hashes:\n{}\nIf the rules were meant to change: `AGON_RECORD=1 \
         AGON_TESTS_COMPLETE=1 cargo test -p agon-games walks` writes these",
        differing.join("\n")
    );
}
