//! `agon replay export FILE`: states as JSON Lines, the games' own result files, pictures and
//! films.

use std::{
    fs,
    io::{BufWriter, Write},
    path::Path,
    sync::atomic::Ordering,
};

use agon_core::Game;
use agon_film::Output;
use agon_games::{
    amoebas::{self, Amoebas},
    binfection::{self, Binfection},
    cellhack::{Cellhack, result_file},
    scene::Render,
    with_game,
};
use agon_replay::{Cursor, Replay, export};
use agon_show::film::record;
use agon_text::{EscapeWriter, escape_lines, read_bytes};
use anyhow::{Context, Result, bail};
use serde_json::json;

use super::open;
use crate::{
    Exit,
    cli::ExportArgs,
    interrupts::interrupted_films,
    output::{Bar, print_films, tell_notice},
};

/// Most bytes of a cellhack result file that are read.
const MAX_RESULT_FILE: u64 = 1 << 30;

/// Writes a replay in the formats asked for.
pub(super) fn run(args: &ExportArgs, out: &mut impl Write) -> Result<Exit> {
    if args.import_cellhack {
        return import_cellhack(args, out).map(|()| Exit::Done);
    }
    let wanted =
        [args.states.is_some(), args.cellhack.is_some(), args.res.is_some(), args.csv.is_some()];
    let films = args.film.options().outputs(&tell_notice)?;
    if !wanted.contains(&true) && films.is_empty() {
        bail!(
            "nothing to export: name --states, --cellhack, --res or --csv, or for films --png, \
             --gif, --apng, --webp, --mp4 or --webm"
        );
    }
    let (replay, id) = open(&args.file)?;
    if let Some(path) = &args.states {
        to_file(path, out, |out| {
            // People look at these, too.
            let mut out = EscapeWriter::new(out);
            with_game!(id, G => match args.step {
                Some(step) => export::state::<G>(&replay, step, &mut out)?,
                None => export::states::<G>(&replay, &mut out)?,
            });
            Ok(())
        })?;
    }
    if let Some(path) = &args.cellhack {
        let cursor = replay.cursor::<Cellhack>()?;
        to_file(path, out, |out| cellhack_file(cursor, &names(&replay), out))?;
    }
    if let Some(path) = &args.res {
        let cursor = replay.cursor::<Binfection>()?;
        to_file(path, out, |out| binfection_file(cursor, &names(&replay), out))?;
    }
    if let Some(folder) = &args.csv {
        amoebas_csv(&replay, folder)?;
    }
    if films.is_empty() {
        return Ok(Exit::Done);
    }
    with_game!(id, G => film::<G>(&replay, films, args, out))
}

/// Plays the match again into films.
fn film<G: Render>(
    replay: &Replay,
    films: Vec<Output>,
    args: &ExportArgs,
    out: &mut impl Write,
) -> Result<Exit> {
    let recorder = args.film.options().recorder::<G>(films, args.theme, names(replay))?;
    let stop = interrupted_films();
    let last = replay.result().map(|ending| ending.turns);
    let bar = Bar::new(&G::META, [last, args.film.to].into_iter().flatten().min());
    let made = record(replay, recorder, stop, |progress| bar.show(progress));
    let made = made.and_then(|recorder| {
        bar.clear();
        recorder.map_or(Ok(()), |recorder| print_films::<G>(recorder, args.json, out))
    });
    // Whatever fails now fails because encoders are being ended. Dropped, films leave no files
    // behind.
    if stop.load(Ordering::Relaxed) {
        return Ok(Exit::Interrupted);
    }
    made.map(|()| Exit::Done)
}

/// Writes to a file, or to standard output for `-`.
fn to_file(
    path: &Path,
    out: &mut dyn Write,
    write: impl FnOnce(&mut dyn Write) -> Result<()>,
) -> Result<()> {
    if path.as_os_str() == "-" {
        return write(out);
    }
    let mut file = BufWriter::new(agon_files::create(path)?);
    write(&mut file)
        .and_then(|()| Ok(file.flush()?))
        .with_context(|| format!("cannot write {}", path.display()))
}

fn names(replay: &Replay) -> Vec<String> {
    replay.header().players.iter().map(|bot| bot.name.clone()).collect()
}

fn cellhack_file(
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

fn binfection_file(
    mut cursor: Cursor<Binfection>,
    names: &[String],
    out: &mut dyn Write,
) -> Result<()> {
    let mut file = binfection::ResultFile::new();
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

fn amoebas_csv(replay: &Replay, folder: &Path) -> Result<()> {
    let mut cursor = replay.cursor::<Amoebas>()?;
    let mut history = vec![cursor.game().population().clone()];
    let mut round = cursor.game().progress().turn;
    while cursor.advance()? {
        if cursor.game().progress().turn > round {
            round = cursor.game().progress().turn;
            history.push(cursor.game().population().clone());
        }
    }
    // The rounds that a world still had when nobody lived any more.
    if let Some(last) = history.last().filter(|last| last.is_extinct()).cloned() {
        history.resize(cursor.game().rules().rounds as usize + 1, last);
    }
    write_amoebas_csv(folder, &names(replay), &history)
}

/// Writes `popsize.csv` and `energy.csv` into a folder, which is made when missing.
fn write_amoebas_csv(
    folder: &Path,
    names: &[String],
    history: &[amoebas::Population],
) -> Result<()> {
    fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let names: Vec<String> = names.iter().map(|name| format!(":{name}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut sizes = String::new();
    let mut energies = String::new();
    amoebas::stats::write_popsize_csv(&mut sizes, &names, history)?;
    amoebas::stats::write_energy_csv(&mut energies, &names, history)?;
    for (file, text) in [("popsize.csv", sizes), ("energy.csv", energies)] {
        let path = folder.join(file);
        agon_files::write(&path, escape_lines(&text).as_bytes())?;
    }
    Ok(())
}

/// Prints the states of a cellhack result file: one line of JSON per frame, empty places left out.
fn import_cellhack(args: &ExportArgs, out: &mut dyn Write) -> Result<()> {
    let bytes = read_bytes(&args.file, MAX_RESULT_FILE)?;
    let file = result_file::read(&bytes).with_context(|| args.file.display().to_string())?;
    let path = args
        .states
        .as_deref()
        .context("name the output: --states FILE, or --states - for standard output")?;
    to_file(path, out, |out| {
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
    })?;
    if let Some(cut) = file.cut_off {
        say!(
            "warning: the file ends within a frame: {} bytes from byte {} on are left out",
            cut.bytes,
            cut.offset
        );
    }
    Ok(())
}
