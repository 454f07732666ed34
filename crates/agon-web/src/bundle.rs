//! The files of the page, compiled into the program `agon`.
//!
//! `agon-show` serves them to browsers and writes them for `agon web export`. Reports of
//! tournaments that contain a viewer copy them, and ladders serve them. All of them give pages
//! [`scenes`] instead of replays of games that pages do not know.

use agon_core::BotInfo;
use agon_games::GameId;
use agon_match::replay::{ReadError, Replay};

use crate::{live, message};

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
pub const FILES: [File<'static>; 5] = [
    File {
        name: "index.html",
        media_type: "text/html; charset=utf-8",
        contents: include_bytes!("../web/index.html"),
    },
    File {
        name: "agon.css",
        media_type: "text/css; charset=utf-8",
        contents: include_bytes!("../web/agon.css"),
    },
    File {
        name: "agon.js",
        media_type: "text/javascript; charset=utf-8",
        contents: include_bytes!("../web/agon.js"),
    },
    File {
        name: "icon.svg",
        media_type: "image/svg+xml",
        contents: include_bytes!("../web/icon.svg"),
    },
    File {
        name: "agon.wasm",
        media_type: "application/wasm",
        contents: include_bytes!("../web/agon.wasm"),
    },
];

/// The record of the build of `agon.wasm`.
const RECORD: &str = include_str!("../web/bundle.toml");

/// Returns whether `agon.wasm` has the rules of a game. Of others, pages show what they are sent.
pub fn knows(game: &str) -> bool {
    let games = RECORD.lines().find_map(|line| line.strip_prefix("games = "));
    games.unwrap_or_default().trim_matches('"').split(' ').any(|known| known == game)
}

/// The most bytes about the states of a replay in [`scenes`], which a page holds in memory.
const MAX_SCENES: usize = 64 << 20;

/// What shows a replay in a page that does not know its game.
#[derive(Debug)]
pub struct Scenes {
    /// The messages for the page, with the replay itself.
    pub messages: Vec<u8>,
    /// Why they do not show all of it.
    pub problem: Option<String>,
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
    // Nobody plays, so nobody has a view of their own.
    let bots = header.players.iter().map(|bot| BotInfo::new(&bot.name, ""));
    let bots: Vec<BotInfo> = bots.collect();
    let mut cursor = replay.cursor(game.kind())?;
    let mut messages = live::begin_shown(cursor.game(), &bots, 0);
    let mut problem = None;
    while problem.is_none() && cursor.step() < replay.steps() {
        if messages.len() > MAX_SCENES {
            problem = Some(format!("step {} is the last that fits", cursor.step()));
            break;
        }
        let answers = cursor.frame().map(|frame| frame.given.clone());
        match answers.and_then(|answers| cursor.advance().map(|_| answers)) {
            Ok(answers) => messages.extend(live::step_shown(&answers, cursor.game(), &bots)),
            Err(error) => problem = Some(error.to_string()),
        }
    }
    messages.extend(message::message(message::REPLAY, file));
    messages.extend(live::end());
    Ok(Some(Scenes { messages, problem }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_viewer_knows_the_games_that_it_was_built_with() {
        assert!(knows("cluster") && !knows("liarspit") && !knows(""));
    }
}
