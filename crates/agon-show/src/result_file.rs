//! Result files in the formats of the games' original programs, which tools for those programs can
//! read; recordings of such programs as replays; and a [`Folder`] for them, which stays below the
//! current one if a bot's file names it.
//!
//! A Clojure file that `agon amoebas` runs may name such a folder. So it can write nowhere else.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Component, Path, PathBuf};
use std::{env, thread};

use agon_bots::unique_names;
use agon_core::{BotInfo, Game, Player, text::escape_lines, text::shown_name};
use agon_games::GameId;
use agon_games::amoebas::{Amoebas, stats};
use agon_games::any::{AnyAnswers, AnyGame};
use agon_games::battlesnake::{Battlesnake, recording};
use agon_games::binfection::{Binfection, ResultFile};
use agon_games::cellhack::{Cellhack, result_file};
use agon_games::scene::Ink;
use agon_match::replay::{Cursor, End, Replay, Writer};
use agon_match::{Control, MatchEvent, Observer, ObserverError, Played};
use agon_view::paint::{Rgb, Theme, ThemeName};
use anyhow::{Context, Result, anyhow, bail, ensure};
use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, mkdirat, openat2};
use rustix::io::Errno;
use serde_json::json;

/// Writes the result file of a replay of binfection, from the cursor's state on.
pub fn write_binfection(mut cursor: Cursor, names: &[String], out: &mut dyn Write) -> Result<()> {
    let mut file = ResultFile::new();
    file.push(cursor.game().of_game::<Binfection>().cells(), names);
    loop {
        let frame = cursor.frame()?;
        let game = frame.game.of_game::<Binfection>();
        let given = frame.given.as_slice::<Binfection>().expect("they are of its game");
        if !game.decisions().is_empty() && !given.is_empty() {
            let phases = game.phases(given);
            file.push(phases.moved, names);
            file.push(phases.grown, names);
        }
        if !cursor.advance()? {
            break;
        }
    }
    Ok(out.write_all(file.to_json().as_bytes())?)
}

/// The observer that writes the result file while a match is played.
///
/// It opens the file only when the match begins, so that a mistake in the command line does not
/// empty an older file.
#[derive(Debug)]
pub struct CellhackFile {
    path: PathBuf,
    names: Vec<String>,
    file: Option<BufWriter<File>>,
}

impl CellhackFile {
    /// Makes the result file of a match between players of these names.
    /// Fails if the path looks like a bot, which a forgotten NAME would overwrite.
    pub fn new(path: &Path, names: Vec<String>) -> Result<CellhackFile> {
        if path.extension().is_some_and(|extension| extension == "c" || extension == "so") {
            bail!(
                "{} looks like a bot, not like a result file to write; is a NAME missing?",
                path.display()
            );
        }
        Ok(CellhackFile { path: path.to_owned(), names, file: None })
    }

    /// Appends a state.
    /// Fails if the game is not cellhack, or the file cannot be written.
    fn push(&mut self, game: &AnyGame) -> Result<()> {
        let Some(game) = game.as_game::<Cellhack>() else {
            bail!(
                "--replay-cellhack: {} has no such file; --replay FILE records every game",
                game.meta().id
            );
        };
        let write = || format!("cannot write {}", self.path.display());
        let file = match &mut self.file {
            Some(file) => file,
            None => {
                let mut file = BufWriter::new(agon_files::create(&self.path)?);
                let header = result_file::Header::new(game, &self.names);
                result_file::write_header(&header, &mut file).with_context(write)?;
                self.file.insert(file)
            }
        };
        result_file::write_frame(game, file).with_context(write)
    }

    /// Writes the rest to the file.
    fn finish(&mut self) -> Result<()> {
        let flush = |mut file: BufWriter<File>| file.flush();
        self.file
            .take()
            .map_or(Ok(()), flush)
            .with_context(|| format!("cannot write {}", self.path.display()))
    }
}

impl Observer for CellhackFile {
    fn step(&mut self, event: &MatchEvent<'_>) -> Result<Control, ObserverError> {
        self.push(event.game)?;
        Ok(Control::Continue)
    }

    /// Starts again: the next state is the first one.
    fn void(&mut self, _: &Played, _: u32) -> Result<(), ObserverError> {
        self.file = None;
        Ok(())
    }

    fn end(&mut self, _: &Played) -> Result<(), ObserverError> {
        Ok(self.finish()?)
    }
}

/// Writes the result file of a replay of cellhack, from the cursor's state on.
pub fn write_cellhack(mut cursor: Cursor, names: &[String], mut out: &mut dyn Write) -> Result<()> {
    let header = result_file::Header::new(cursor.game().of_game(), names);
    result_file::write_header(&header, &mut out)?;
    loop {
        result_file::write_frame(cursor.game().of_game(), &mut out)?;
        if !cursor.advance()? {
            return Ok(());
        }
    }
}

/// Writes the states of a result file as lines of JSON. Empty places are left out.
pub fn write_cellhack_states(file: &result_file::ResultFile, out: &mut dyn Write) -> Result<()> {
    for (turn, frame) in file.frames.iter().enumerate() {
        let cell = |(place, r): (usize, &result_file::Record)| {
            let (x, y) = (place % file.width as usize, place / file.width as usize);
            let data = || {
                json!({
                    "x": x, "y": y, "owner": r.owner, "energy": r.energy, "memory": r.memory
                })
            };
            (r.owner != 0).then(data)
        };
        let cells: Vec<_> = frame.iter().enumerate().filter_map(cell).collect();
        let line = json!({ "turn": turn, "width": file.width, "height": file.height,
            "players": file.players, "cells": cells });
        writeln!(out, "{line}")?;
    }
    Ok(())
}

/// Makes a replay of a game that an official program of battlesnake has recorded.
/// Fails if it cannot be read, or the rules lead to another state than the recorded one.
///
/// Also returns whether the game is recorded to its end.
pub fn import(bytes: &[u8]) -> Result<(Vec<u8>, bool)> {
    let recording = recording::read(bytes)?;
    let names = recording.names.iter().map(|name| shown_name(name).into_owned());
    let bot = |name| BotInfo {
        name,
        spec: String::new(),
        kind: "imported".to_owned(),
        digest: None,
        covers: None,
        version: None,
    };
    let players: Vec<BotInfo> = unique_names(names).into_iter().map(bot).collect();
    let mut game = AnyGame::of(recording.game);
    let mut writer = Writer::new(Vec::new(), &game, &players)?;
    for answers in recording.answers {
        let answers = AnyAnswers::of::<Battlesnake>(answers);
        game.step(&answers);
        writer.step(&answers, &game)?;
    }
    let end = if game.is_over() { End::Over } else { End::Interrupted };
    Ok((writer.finish(&game, end, &[])?, game.is_over()))
}

/// Writes a match of battlesnake as the official command line does with `--output`.
pub fn write_official(mut cursor: Cursor, replay: &Replay, out: &mut dyn Write) -> Result<()> {
    let official = official(replay, cursor.game(), ThemeName::default());
    writeln!(out, "{}", official.output_state(snakes(&cursor))["game"])?;
    loop {
        writeln!(out, "{}", official.output_state(snakes(&cursor)))?;
        if !cursor.advance()? {
            return Ok(writeln!(out, "{}", official.output_end(snakes(&cursor).state()))?);
        }
    }
}

fn snakes(cursor: &Cursor) -> &Battlesnake {
    cursor.game().of_game()
}

/// The most bytes for a board. Real matches have a tenth.
const MAX_EVENTS: usize = 256 << 20;

/// Returns a match of battlesnake as the official game engine serves it to the board: its id, the
/// reply to `/games/ID`, and the messages of `/games/ID/events`, a line each.
pub(crate) fn engine_files(replay: &Replay, theme: ThemeName) -> Result<[String; 3]> {
    let mut cursor = replay.cursor(GameId::Battlesnake.kind())?;
    let official = official(replay, cursor.game(), theme);
    let mut events = String::new();
    loop {
        events += &format!("{}\n", official.event(snakes(&cursor).state()));
        ensure!(events.len() <= MAX_EVENTS, "the match is too long for the board");
        if !cursor.advance()? {
            events += &format!("{}\n", official.end_event());
            let game = official.engine_game(snakes(&cursor).state()).to_string();
            return Ok([official.id, game, events]);
        }
    }
}

fn official(replay: &Replay, game: &AnyGame, theme: ThemeName) -> recording::Official {
    let header = replay.header();
    let theme = Theme::new(theme, game.kind());
    let color = |player| {
        let Rgb(r, g, b) = theme.color(Ink::player(player));
        format!("#{r:02x}{g:02x}{b:02x}")
    };
    recording::Official {
        id: format!("{:016x}", header.state_hash),
        rules: game.of_game::<Battlesnake>().rules().clone(),
        names: header.players.iter().map(|bot| bot.name.clone()).collect(),
        colors: Player::all(header.players.len()).map(color).collect(),
    }
}

/// Writes `popsize.csv` and `energy.csv` of a replay into a folder, which is made if missing.
pub fn write_amoebas_csv(replay: &Replay, folder: &Path) -> Result<()> {
    let mut cursor = replay.cursor(GameId::Amoebas.kind())?;
    let mut history = vec![cursor.game().of_game::<Amoebas>().population().clone()];
    let mut round = cursor.game().progress().turn;
    while cursor.advance()? {
        let game = cursor.game().of_game::<Amoebas>();
        if game.progress().turn > round {
            round = game.progress().turn;
            history.push(game.population().clone());
        }
    }
    // After the death of all amoebas, the remaining rounds repeat the last one.
    if let Some(last) = history.last().filter(|last| last.is_extinct()).cloned() {
        history.resize(cursor.game().of_game::<Amoebas>().rules().rounds as usize + 1, last);
    }
    let players = &replay.header().players;
    let names: Vec<String> = players.iter().map(|bot| format!(":{}", bot.name)).collect();
    write_history(folder, &names, &history)
}

fn write_history(folder: &Path, names: &[String], history: &[stats::Population]) -> Result<()> {
    fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut sizes = String::new();
    let mut energies = String::new();
    stats::write_popsize_csv(&mut sizes, &names, history)?;
    stats::write_energy_csv(&mut energies, &names, history)?;
    for (file, text) in [("popsize.csv", sizes), ("energy.csv", energies)] {
        let path = folder.join(file);
        agon_files::write(&path, escape_lines(&text).as_bytes())?;
    }
    Ok(())
}

/// A folder for result files.
#[derive(Debug)]
pub enum Folder {
    /// A folder that a person has named.
    Named(PathBuf),
    /// A folder that a Clojure file has named.
    ///
    /// It is below the current folder, and stays open. Even if it is renamed or replaced, files are
    /// written to it.
    Beneath(PathBuf, OwnedFd),
}

/// Paths may not leave the folder that they start from, neither by links nor by `/proc`.
const INSIDE: ResolveFlags = ResolveFlags::BENEATH.union(ResolveFlags::NO_MAGICLINKS);

const FOLDER_FLAGS: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// A pipe without a reader is an error instead of a wait.
const FILE_FLAGS: OFlags = OFlags::WRONLY
    .union(OFlags::CREATE)
    .union(OFlags::TRUNC)
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

/// The most tries for a lookup that renames or mounts disturb. Each try takes microseconds.
const MAX_TRIES: u32 = 1000;

impl Folder {
    /// Opens a folder that a Clojure file names, and makes it if it is missing.
    ///
    /// It has to be below the current folder, even after following links.
    /// Fails if it is elsewhere, or cannot be made. The text names the flag for other folders.
    pub fn beneath(name: &str) -> Result<Folder> {
        let path = Path::new(name);
        let here = env::current_dir().context("the current folder is gone")?;
        let below = if path.is_absolute() { path.strip_prefix(&here).ok() } else { Some(path) };
        let opened = below.ok_or(Errno::XDEV).and_then(|below| open_or_make(CWD, below));
        match opened {
            Ok(folder) => Ok(Folder::Beneath(path.to_owned(), folder)),
            Err(error) => Err(refusal(error, &format!("`:directory {name:?}`"))),
        }
    }

    /// Writes a file.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<()> {
        match self {
            Folder::Named(folder) => Ok(agon_files::write_whole(&folder.join(name), bytes)?),
            Folder::Beneath(path, folder) => {
                let path = path.join(name);
                let file = open_inside(folder, Path::new(name), FILE_FLAGS, 0o666)
                    .map_err(|error| refusal(error, &format!("the file {}", path.display())))?;
                File::from(file)
                    .write_all(bytes)
                    .with_context(|| format!("cannot write {}", path.display()))
            }
        }
    }

    /// Returns the path, as it was named.
    pub fn path(&self) -> &Path {
        match self {
            Folder::Named(path) | Folder::Beneath(path, _) => path,
        }
    }
}

/// Opens a path that stays inside `folder`.
///
/// It tries several times: the kernel gives up on `..` while anything on the machine is renamed or
/// mounted (openat2(2), `EAGAIN`). Starting a confined bot mounts something.
fn open_inside(folder: impl AsFd, path: &Path, flags: OFlags, mode: u32) -> Result<OwnedFd, Errno> {
    for _ in 0..MAX_TRIES {
        match openat2(&folder, path, flags, Mode::from_raw_mode(mode), INSIDE) {
            Err(Errno::AGAIN) => thread::yield_now(),
            result => return result,
        }
    }
    Err(Errno::AGAIN)
}

/// Opens a folder below `here`, and makes missing folders on the way.
fn open_or_make(here: impl AsFd, path: &Path) -> Result<OwnedFd, Errno> {
    let enter = |path: &Path| open_inside(&here, path, FOLDER_FLAGS, 0);
    let mut folder = enter(Path::new("."))?;
    let mut so_far = PathBuf::new();
    for component in path.components().filter(|&part| part != Component::CurDir) {
        so_far.push(component);
        folder = match (enter(&so_far), component) {
            // Somebody else may make the folder at the same time. Then it is opened as usual.
            (Err(Errno::NOENT), Component::Normal(name)) => {
                match mkdirat(folder.as_fd(), name, Mode::from_raw_mode(0o777)) {
                    Ok(()) | Err(Errno::EXIST) => enter(&so_far)?,
                    Err(error) => return Err(error),
                }
            }
            (result, _) => result?,
        };
    }
    Ok(folder)
}

fn refusal(error: Errno, what: &str) -> anyhow::Error {
    let remedy = "--directory DIR of the command line writes into any folder";
    match error {
        Errno::XDEV => {
            anyhow!("{what} is not below the current folder, or a link leads out of it; {remedy}")
        }
        Errno::NOSYS => {
            anyhow!("{what}: this kernel cannot keep it below the current folder; {remedy}")
        }
        _ => anyhow!("{what} cannot be written: {error}; {remedy}"),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::sync::atomic::{AtomicBool, Ordering};

    use rustix::fs::open;

    use super::*;

    #[test]
    fn no_path_leads_out_of_the_current_folder() {
        let outer = tempfile::TempDir::new().unwrap();
        let inner = outer.path().join("inner");
        let outside = outer.path().join("outside");
        for folder in [&inner.join("real"), &outside] {
            fs::create_dir_all(folder).unwrap();
        }
        symlink("../outside", inner.join("out")).unwrap();
        symlink("real", inner.join("inside")).unwrap();
        let here = open(&inner, FOLDER_FLAGS, Mode::empty()).unwrap();
        let absolute = outside.to_str().unwrap();
        let away = "real/../../outside";
        for path in [absolute, "../outside", "out", "out/new", away, "/proc/self/cwd"] {
            let error = open_or_make(&here, Path::new(path)).err();
            assert_eq!(error, Some(Errno::XDEV), "{path}");
        }
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
        for path in [".", "inside", "inside/new/../a", "deep/er"] {
            assert!(open_or_make(&here, Path::new(path)).is_ok(), "{path}");
        }
        assert!(inner.join("real/a").is_dir() && inner.join("deep/er").is_dir());
    }

    #[test]
    fn renames_elsewhere_do_not_disturb() {
        let folder = tempfile::TempDir::new().unwrap();
        fs::create_dir_all(folder.path().join("a/b")).unwrap();
        let ends = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                let [one, other] = ["one", "other"].map(|name| folder.path().join(name));
                fs::write(&one, "").unwrap();
                while !ends.load(Ordering::Relaxed) {
                    fs::rename(&one, &other).unwrap();
                    fs::rename(&other, &one).unwrap();
                }
            });
            let here = open(folder.path(), FOLDER_FLAGS, Mode::empty()).unwrap();
            let open_often = |path: &str| -> Vec<_> {
                (0..5_000)
                    .map(|_| open_inside(&here, Path::new(path), FOLDER_FLAGS, 0).err())
                    .collect()
            };
            let inside = open_often("a/b/../../a");
            let outside = open_often("a/../../x");
            ends.store(true, Ordering::Relaxed);
            assert!(inside.iter().all(Option::is_none), "{inside:?}");
            assert!(outside.iter().all(|error| *error == Some(Errno::XDEV)), "{outside:?}");
        });
    }
}
