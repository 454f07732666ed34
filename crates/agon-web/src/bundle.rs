//! The files of the page, compiled into the program `agon`.
//!
//! `agon-show` serves them to browsers and writes them for `agon web export`. Reports of
//! tournaments that contain a viewer copy them, too.

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

/// Returns what to do if `agon.wasm` was built before there was this game.
pub fn remedy_without(game: &str) -> Option<String> {
    let games = RECORD.lines().find_map(|line| line.strip_prefix("games = "))?;
    let is_known = games.trim_matches('"').split(' ').any(|known| known == game);
    (!is_known).then(|| {
        format!(
            "the viewer for browsers was built without {game}, so the page shows nothing: `cargo \
             xtask web` builds it again, which needs clang; then build Agon again"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_that_the_viewer_lacks_gets_a_remedy() {
        assert_eq!(remedy_without("cluster"), None);
        assert!(remedy_without("liarspit").unwrap().contains("`cargo xtask web`"));
    }
}
