//! The files of the page, compiled into the program `agon`.
//!
//! `agon-show` serves them to browsers and writes them for `agon web export`. Reports of
//! tournaments that contain a viewer copy them, and ladders serve them. All of them give pages
//! [`scenes()`] instead of replays of games that pages do not know.

use agon_games::GameId;
use agon_match::replay::{ReadError, Replay};

use crate::scenes::{self, Scenes};

/// A file of the page, or one beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct File<'a> {
    /// Its name, or its path from the page.
    pub name: &'a str,
    /// Its media type.
    pub media_type: &'a str,
    /// Its contents.
    pub contents: &'a [u8],
}

/// All files of the page.
///
/// They are in one folder and refer to each other by name only, so the page works in any folder of
/// any server.
pub const FILES: [File<'static>; 6] = [
    file("index.html", "text/html; charset=utf-8", include_bytes!("../web/index.html")),
    file("agon.css", "text/css; charset=utf-8", include_bytes!("../web/agon.css")),
    file("agon.js", "text/javascript; charset=utf-8", include_bytes!("../web/agon.js")),
    file("worker.js", "text/javascript; charset=utf-8", include_bytes!("../web/worker.js")),
    file("icon.svg", "image/svg+xml", include_bytes!("../web/icon.svg")),
    file("agon.wasm", "application/wasm", include_bytes!("../web/agon.wasm")),
];

const fn file<'a>(name: &'a str, media_type: &'a str, contents: &'a [u8]) -> File<'a> {
    File { name, media_type, contents }
}

/// The record of the build of `agon.wasm`.
const RECORD: &str = include_str!("../web/bundle.toml");

/// Returns whether `agon.wasm` has the rules of a game. Of others, pages show what they are sent.
pub fn knows(game: &str) -> bool {
    let games = RECORD.lines().find_map(|line| line.strip_prefix("games = "));
    games.unwrap_or_default().trim_matches('"').split(' ').any(|known| known == game)
}

/// Plays a replay (`file`) of a game that pages do not know. `None` if they know it.
///
/// # Errors
/// If this program does not know the game either, or the match cannot be set up.
pub fn scenes(replay: &Replay, file: &[u8]) -> Result<Option<Scenes>, ReadError> {
    let header = replay.header();
    if knows(&header.game) {
        return Ok(None);
    }
    let game = header.game.parse::<GameId>();
    let game = game.map_err(|error| ReadError::Unfit(error.to_string()))?;
    scenes::of(replay, file, game).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_viewer_knows_the_games_that_it_was_built_with() {
        assert!(knows("cluster") && !knows("liarspit") && !knows(""));
    }
}
