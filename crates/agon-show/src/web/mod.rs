//! The viewer in a browser: a page that `agon-web-host` serves, and files for other web servers.
//!
//! | item | contents |
//! | --- | --- |
//! | [`ReplayPage`] | a page with a replay, for `agon watch --web` and `--board` |
//! | [`export`] | the page and replays as files, for `agon web export` |
//! | `live` | a match that pages follow while it is played, and orders that people give in them |
//! | `server` | starts and instructs `agon-web-host`, the program that serves pages |

mod live;
mod server;

use std::path::{Path, PathBuf};
use std::{collections::BTreeSet, fs, thread};

use agon_arena::{Notice, Tell};
use agon_core::text::escape_json;
use agon_match::replay::Replay;
use agon_view::paint::ThemeName;
use agon_web::bundle::{self, File};
use agon_web::dialogue::Guest;
use anyhow::{Context, Result, bail};
use serde::Serialize;
use server::{CHECK_INTERVAL, Content, Server, open_browser, theme_query};

use crate::WebOptions;
use crate::result_file::engine_files;

pub(crate) use live::Live;

/// Refuses `--port` and `--no-open` if nothing is shown in a browser.
pub fn refuse(options: &WebOptions) -> Result<()> {
    if *options != WebOptions::default() {
        bail!("--port and --no-open are for what is watched in a browser: add `--view web`");
    }
    Ok(())
}

/// The name of the list of replays beside the page, from which a person chooses one.
const LIST: &str = "replays.json";

/// A replay beside the page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Entry {
    /// Its path from the page.
    file: String,
    game: String,
    players: Vec<String>,
    steps: u64,
}

/// Reads a replay for the list. Its path has its own name, or a similar one if that is in `taken`.
/// Of a game that pages do not know, the bytes are messages that show it.
fn read(path: &Path, taken: &mut BTreeSet<String>, tell: Tell<'_>) -> Result<(Entry, Vec<u8>)> {
    let context = || format!("cannot show {}", path.display());
    let mut bytes = agon_files::input::read_regular(path).with_context(context)?;
    let replay = Replay::open(bytes.clone()).with_context(context)?;
    let header = replay.header();
    let mut ending = "agon";
    if let Some(shown) = bundle::scenes(&replay, &bytes).with_context(context)? {
        if let Some(problem) = shown.problem {
            tell(Notice::Note(format!(
                "the page shows only a part of {}: {problem}",
                path.display()
            )));
        }
        (bytes, ending) = (shown.messages, "scenes");
    }
    let entry = Entry {
        file: format!("replays/{}", name_for(path, ending, taken)),
        game: header.game.clone(),
        players: header.players.iter().map(|bot| bot.name.clone()).collect(),
        steps: replay.steps(),
    };
    Ok((entry, bytes))
}

/// Returns a name that is safe in an address and on every file system.
fn name_for(path: &Path, ending: &str, taken: &mut BTreeSet<String>) -> String {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let stem: String = stem.chars().map(|c| if plain(c) { c } else { '-' }).collect();
    let numbered = (2..).map(|number| format!("{stem}-{number}.{ending}"));
    let mut names = std::iter::once(format!("{stem}.{ending}")).chain(numbered);
    names.find(|name| taken.insert(name.to_lowercase())).expect("there are endless numbers")
}

/// A page with a replay. Dropping this ends it.
pub struct ReplayPage {
    server: Server,
    /// The address of the page.
    pub address: String,
}

impl ReplayPage {
    /// Serves a replay on this port, or any free one.
    pub fn serve(
        replay: &Path,
        theme: Option<ThemeName>,
        patterns: bool,
        port: Option<u16>,
        tell: Tell<'_>,
    ) -> Result<ReplayPage> {
        let (entry, bytes) = read(replay, &mut BTreeSet::new(), tell)?;
        let list = serde_json::to_vec(&[&entry])?;
        let query = format!("?replay={}{}", entry.file, theme_query(theme, patterns));
        let files = [
            File { name: LIST, media_type: "application/json", contents: &list },
            File { name: &entry.file, media_type: "application/octet-stream", contents: &bytes },
        ];
        let content = Content { files: &files, ..Content::default() };
        let server = Server::start(content, port, tell)?;
        let address = server.address(&query);
        Ok(ReplayPage { server, address })
    }

    /// Serves a replay to the official board of its game, which is a page at another address.
    pub fn serve_board(
        replay: &Path,
        theme: Option<ThemeName>,
        board: &str,
        port: Option<u16>,
        tell: Tell<'_>,
    ) -> Result<ReplayPage> {
        let board = board.trim_end_matches('/');
        let origin = origin(board).with_context(|| format!("--board={board}"))?;
        let context = || format!("cannot show {}", replay.display());
        let opened = Replay::open_file(replay).with_context(context)?;
        let match_files = engine_files(&opened, theme.unwrap_or_default());
        let [id, game, events] = match_files.with_context(context)?;
        let name = format!("games/{id}");
        let lines = format!("{name}/events");
        let files = [
            File { name: &name, media_type: "application/json", contents: game.as_bytes() },
            File { name: &lines, media_type: "application/jsonl", contents: events.as_bytes() },
        ];
        let guest = Some(Guest { origin: origin.to_owned(), lines: lines.clone() });
        let content = Content { files: &files, guest, ..Content::default() };
        let server = Server::start(content, port, tell)?;
        let own = server.address("");
        let address = format!("{board}/?engine={}&game={id}", own.trim_end_matches('/'));
        Ok(ReplayPage { server, address })
    }

    /// Opens the page in the person's browser, if there is one.
    pub fn open_browser(&self) {
        open_browser(&self.address);
    }

    /// Waits until `is_over`.
    pub fn wait(&self, is_over: impl Fn() -> bool) -> Result<()> {
        while !is_over() {
            if let Some(why) = self.server.lost() {
                bail!(why);
            }
            thread::sleep(CHECK_INTERVAL);
        }
        Ok(())
    }
}

/// Returns scheme, host and port of an address, as browsers name the origin of a page.
fn origin(address: &str) -> Result<&str> {
    let (scheme, rest) = address.split_once("://").unwrap_or_default();
    let host = rest.split('/').next().unwrap_or_default();
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-.:[]".contains(c);
    if !["http", "https"].contains(&scheme) || host.is_empty() || !host.chars().all(is_plain) {
        bail!("expected the address of a page, such as http://localhost:5173");
    }
    Ok(&address[..scheme.len() + "://".len() + host.len()])
}

/// Writes the page with replays into a folder.
pub fn export(folder: &Path, files: &[PathBuf], tell: Tell<'_>) -> Result<()> {
    let mut taken = BTreeSet::new();
    let read = |file: &PathBuf| read(file, &mut taken, tell);
    let replays = files.iter().map(read).collect::<Result<Vec<_>>>()?;
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
    Ok(write(LIST, &escape_json(&serde_json::to_vec_pretty(&entries)?))?)
}

/// Checks that a folder is new, empty, or an earlier export.
fn refuse_others(folder: &Path) -> Result<()> {
    if !folder.exists() || folder.join(LIST).is_file() {
        return Ok(());
    }
    let mut entries =
        fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    if entries.next().is_some() {
        bail!("{} holds other things; name a folder that is new or empty", folder.display());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain_and_differ() {
        let mut taken = BTreeSet::new();
        let mut name = |path: &str| name_for(Path::new(path), "agon", &mut taken);
        assert_eq!(name("games/night.agon"), "night.agon");
        assert_eq!(name("other/Night.agon"), "Night-2.agon");
        assert_eq!(name("ä?b c.agon"), "--b-c.agon");
    }
}
