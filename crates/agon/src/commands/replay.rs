//! `agon replay info|verify|export FILE`

use std::{
    fs::{self, File},
    io::{BufWriter, Write},
    path::Path,
};

use agon_core::{Game, Player};
use agon_games::{
    GameId, amoebas, amoebas::Amoebas, binfection, binfection::Binfection, cellhack::Cellhack,
    cellhack::result_file, with_game,
};
use agon_replay::{Cursor, Replay, export};
use anyhow::{Context, Result, bail};
use serde_json::json;

use crate::{
    Exit,
    cli::{ExportArgs, ReplayCommand},
    output::{BAD, BOLD, DIM, GOOD, plural, print_table, table},
};

/// Carries out `agon replay ...`.
pub(crate) fn replay(command: &ReplayCommand, out: &mut impl Write) -> Result<Exit> {
    match command {
        ReplayCommand::Info { file, json } => info(file, *json, out),
        ReplayCommand::Verify { file, json } => verify(file, *json, out),
        ReplayCommand::Export(args) => export(args, out).map(|()| Exit::Done),
    }
}

fn open(file: &Path) -> Result<(Replay, GameId)> {
    let replay = Replay::open_file(file).with_context(|| file.display().to_string())?;
    let id = replay.header().game.parse().with_context(|| file.display().to_string())?;
    Ok((replay, id))
}

fn info(file: &Path, json: bool, out: &mut impl Write) -> Result<Exit> {
    let (replay, id) = open(file)?;
    let header = replay.header();
    let faults = replay.faults().unwrap_or_default();
    if json {
        let damage = replay.damage().map(|d| d.to_string());
        let data = json!({ "game": header.game, "rules_version": header.rules_version, "agon": header.agon,
            "rules": header.rules, "seed": header.seed, "players": header.players, "steps": replay.steps(), "decisions": replay.decisions(),
            "result": replay.result(), "faults": faults, "damage": damage });
        writeln!(out, "{}", json!({ "type": "replay", "data": data }))?;
        return Ok(Exit::Done);
    }
    let bytes = fs::metadata(file)?.len();
    writeln!(
        out,
        "{BOLD}{}{BOLD:#} · rules version {} · seed {}",
        header.game, header.rules_version, header.seed
    )?;
    let (steps, decisions) = (replay.steps(), replay.decisions());
    let share = if decisions > 0 { bytes as f64 / decisions as f64 } else { 0.0 };
    let sizes = [plural(steps, "step"), plural(decisions, "decision"), plural(bytes, "byte")];
    writeln!(out, "{}, {share:.2} bytes a decision; recorded by Agon {}\n", sizes.join(", "), header.agon)?;
    let mut rows = table();
    for (player, bot) in Player::all(header.players.len()).zip(&header.players) {
        let place = replay.result().and_then(|r| r.standing.players.get(player.index()));
        let place = place.map_or_else(String::new, |p| format!("place {}, score {}", p.place, p.score));
        let digest = bot.digest.as_deref().map_or("", |d| d.get(..12).unwrap_or(d));
        rows.add_row([format!(" {BOLD}{}{BOLD:#}", bot.name), bot.spec.clone(), digest.to_owned(), place]);
    }
    print_table(&rows, out)?;
    writeln!(out)?;
    match replay.result() {
        Some(ending) => match &ending.standing.outcome {
            Some(outcome) => writeln!(out, "{GOOD}{}{GOOD:#}", outcome_line(&replay, outcome))?,
            None => {
                writeln!(out, "stopped before its end, after {}", plural(ending.turns, id.meta().turn_name))?
            }
        },
        None => writeln!(out, "{BAD}no result{BAD:#}: the recording ends early")?,
    }
    let changed = serde_json::to_string(&header.rules)?;
    writeln!(out, "{DIM}rules: {changed}{DIM:#}")?;
    for fault in &faults {
        let name = header.players.get(fault.player.index()).map_or("?", |bot| bot.name.as_str());
        writeln!(out, "{BAD}fault{BAD:#} of {name}, {fault}")?;
    }
    if let Some(damage) = replay.damage() {
        writeln!(out, "{BAD}damaged:{BAD:#} {damage}")?;
    }
    Ok(Exit::Done)
}

fn outcome_line(replay: &Replay, outcome: &agon_core::Outcome) -> String {
    let name =
        |player: &Player| replay.header().players.get(player.index()).map_or("?", |bot| bot.name.as_str());
    let names = outcome.winners.iter().map(name).collect::<Vec<_>>().join(", ");
    if outcome.is_tie() {
        format!("tie: {} ({names})", outcome.reason)
    } else {
        format!("{names} wins: {}", outcome.reason)
    }
}

fn verify(file: &Path, json: bool, out: &mut impl Write) -> Result<Exit> {
    let (replay, id) = open(file)?;
    let verdict = with_game!(id, G => replay.verify::<G>());
    let proven = verdict.is_proven();
    if json {
        let data = json!({ "proven": proven, "text": verdict.to_string() });
        writeln!(out, "{}", json!({ "type": "verdict", "data": data }))?;
    } else {
        let style = if proven { GOOD } else { BAD };
        writeln!(out, "{style}{}{style:#} {verdict}", if proven { "✓" } else { "✗" })?;
    }
    Ok(if proven { Exit::Done } else { Exit::Negative })
}

fn export(args: &ExportArgs, out: &mut impl Write) -> Result<()> {
    if args.import_cellhack {
        return import_cellhack(args, out);
    }
    let wanted = [args.states.is_some(), args.cellhack.is_some(), args.res.is_some(), args.csv.is_some()];
    if !wanted.contains(&true) {
        bail!("nothing to export: name --states, --cellhack, --res or --csv");
    }
    let (replay, id) = open(&args.file)?;
    if let Some(path) = &args.states {
        to_file(path, out, |mut out| {
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
    Ok(())
}

/// Writes to a file, or to standard output for `-`.
fn to_file(path: &Path, out: &mut dyn Write, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    if path.as_os_str() == "-" {
        return write(out);
    }
    let file = File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
    let mut file = BufWriter::new(file);
    write(&mut file)
        .and_then(|()| Ok(file.flush()?))
        .with_context(|| format!("cannot write {}", path.display()))
}

fn names(replay: &Replay) -> Vec<String> {
    replay.header().players.iter().map(|bot| bot.name.clone()).collect()
}

fn cellhack_file(mut cursor: Cursor<'_, Cellhack>, names: &[String], mut out: &mut dyn Write) -> Result<()> {
    result_file::write_header(&result_file::Header::new(cursor.game(), names), &mut out)?;
    loop {
        result_file::write_frame(cursor.game(), &mut out)?;
        if !cursor.advance()? {
            return Ok(());
        }
    }
}

fn binfection_file(mut cursor: Cursor<'_, Binfection>, names: &[String], out: &mut dyn Write) -> Result<()> {
    let mut file = binfection::ResultFile::new();
    file.push(cursor.game().cells(), names);
    loop {
        let frame = cursor.frame()?;
        if !frame.game.decisions().is_empty() && !frame.answers.is_empty() {
            let phases = frame.game.phases(frame.answers);
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
    write_amoebas_csv(folder, &names(replay), &history)
}

/// Writes `popsize.csv` and `energy.csv` into a folder, which is made when missing.
pub(crate) fn write_amoebas_csv(
    folder: &Path,
    names: &[String],
    history: &[amoebas::Population],
) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let (mut sizes, mut energies) = (String::new(), String::new());
    amoebas::stats::write_popsize_csv(&mut sizes, &names, history)?;
    amoebas::stats::write_energy_csv(&mut energies, &names, history)?;
    for (file, text) in [("popsize.csv", sizes), ("energy.csv", energies)] {
        let path = folder.join(file);
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

/// Prints the states of a cellhack result file: one line of JSON per frame, empty places left out.
fn import_cellhack(args: &ExportArgs, out: &mut dyn Write) -> Result<()> {
    let bytes = fs::read(&args.file).with_context(|| format!("cannot read {}", args.file.display()))?;
    let file = result_file::read(&bytes).with_context(|| args.file.display().to_string())?;
    let path = args
        .states
        .as_deref()
        .context("name the output: --states FILE, or --states - for standard output")?;
    to_file(path, out, |out| {
        for (turn, frame) in file.frames.iter().enumerate() {
            let cell = |(place, r): (usize, &result_file::Record)| {
                let (x, y) = (place % file.width as usize, place / file.width as usize);
                (r.owner != 0).then(
                    || json!({ "x": x, "y": y, "owner": r.owner, "energy": r.energy, "memory": r.memory }),
                )
            };
            let cells: Vec<_> = frame.iter().enumerate().filter_map(cell).collect();
            let line = json!({ "turn": turn, "width": file.width, "height": file.height,
                "players": file.players, "cells": cells });
            writeln!(out, "{line}")?;
        }
        Ok(())
    })?;
    if let Some(cut) = file.cut_off {
        anstream::eprintln!(
            "warning: the file ends within a frame: {} bytes from byte {} on are left out",
            cut.bytes,
            cut.offset
        );
    }
    Ok(())
}
