//! Result files in the formats of the games' original programs, which tools for those programs can
//! read.

use std::{
    any::Any,
    fs::{self, File},
    io::{BufWriter, Write},
    path::{Path, PathBuf},
};

use agon_core::Game;
use agon_core::text::escape_lines;
use agon_games::{
    amoebas::{Amoebas, stats},
    binfection::{Binfection, ResultFile},
    cellhack::{Cellhack, result_file},
};
use agon_match::replay::{Cursor, Replay};
use agon_match::{Control, MatchEvent, Observer, ObserverError, Played};
use anyhow::{Context, Result, bail};
use serde_json::json;

/// Writes the result file of a replay, from the cursor's state on.
///
/// # Errors
/// If the replay cannot be read further, or the file cannot be written.
pub fn write_binfection(
    mut cursor: Cursor<Binfection>,
    names: &[String],
    out: &mut dyn Write,
) -> Result<()> {
    let mut file = ResultFile::new();
    file.push(cursor.game().cells(), names);
    loop {
        let frame = cursor.frame()?;
        if !frame.game.decisions().is_empty() && !frame.given.is_empty() {
            let phases = frame.game.phases(frame.given);
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
    ///
    /// # Errors
    /// If the path looks like a bot, which a forgotten NAME would overwrite.
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
    ///
    /// # Errors
    /// If the game is not cellhack, or the file cannot be written.
    fn push<G: Game>(&mut self, game: &G) -> Result<()> {
        let game: &dyn Any = game;
        let Some(game) = game.downcast_ref::<Cellhack>() else {
            bail!(
                "--replay-cellhack: {} has no such file; --replay FILE records every game",
                G::META.id
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

impl<G: Game> Observer<G> for CellhackFile {
    fn step(&mut self, event: &MatchEvent<'_, G>) -> Result<Control, ObserverError> {
        self.push(event.game)?;
        Ok(Control::Continue)
    }

    /// Starts again: the next state is the first one.
    fn void(&mut self, _: &Played<G>, _: u32) -> Result<(), ObserverError> {
        self.file = None;
        Ok(())
    }

    fn end(&mut self, _: &Played<G>) -> Result<(), ObserverError> {
        Ok(self.finish()?)
    }
}

/// Writes the result file of a replay, from the cursor's state on.
///
/// # Errors
/// If the replay cannot be read further, or the file cannot be written.
pub fn write_cellhack(
    mut cursor: Cursor<Cellhack>,
    names: &[String],
    mut out: &mut dyn Write,
) -> Result<()> {
    result_file::write_header(&result_file::Header::new(cursor.game(), names), &mut out)?;
    loop {
        result_file::write_frame(cursor.game(), &mut out)?;
        if !cursor.advance()? {
            return Ok(());
        }
    }
}

/// Writes the states of a result file as lines of JSON. Empty places are left out.
///
/// # Errors
/// If they cannot be written.
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

/// Writes `popsize.csv` and `energy.csv` of a replay into a folder, which is made if missing.
///
/// # Errors
/// If the replay is of another game or cannot be read, or a file cannot be written.
pub fn write_amoebas_csv(replay: &Replay, folder: &Path) -> Result<()> {
    let mut cursor = replay.cursor::<Amoebas>()?;
    let mut history = vec![cursor.game().population().clone()];
    let mut round = cursor.game().progress().turn;
    while cursor.advance()? {
        if cursor.game().progress().turn > round {
            round = cursor.game().progress().turn;
            history.push(cursor.game().population().clone());
        }
    }
    // After the death of all amoebas, the remaining rounds repeat the last one.
    if let Some(last) = history.last().filter(|last| last.is_extinct()).cloned() {
        history.resize(cursor.game().rules().rounds as usize + 1, last);
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
