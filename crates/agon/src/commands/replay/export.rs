//! `agon replay export FILE`: states as JSON Lines, the games' own result files, pictures and
//! films.

use std::{
    io::{BufWriter, Write},
    path::Path,
    sync::atomic::Ordering,
};

use agon_files::input::read_bytes;
use agon_games::{
    binfection::Binfection,
    cellhack::{self, Cellhack},
    scene::Render,
    with_game,
};
use agon_match::replay::Replay;
use agon_show::encoding::Output;
use agon_show::{film::record, result_file};
use agon_view::paint::Appearance;
use anyhow::{Context, Result, bail};

use super::open::open;
use crate::{
    Exit,
    cli::ExportArgs,
    interrupts::interrupted_films,
    output::{Bar, FilmTime, print_films},
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
    let films = args.film.options().outputs()?;
    if !wanted.contains(&true) && films.is_empty() {
        bail!(
            "nothing to export: name --states, --cellhack, --res or --csv, or for films --png, \
             --gif, --apng, --mp4 or --webm"
        );
    }
    let (replay, id) = open(&args.file)?;
    if let Some(path) = &args.states {
        to_file(path, out, |out| Ok(agon_match::write_states(&replay, id, args.step, out)?))?;
    }
    if let Some(path) = &args.cellhack {
        let cursor = replay.cursor::<Cellhack>()?;
        to_file(path, out, |out| result_file::write_cellhack(cursor, &names(&replay), out))?;
    }
    if let Some(path) = &args.res {
        let cursor = replay.cursor::<Binfection>()?;
        to_file(path, out, |out| result_file::write_binfection(cursor, &names(&replay), out))?;
    }
    if let Some(folder) = &args.csv {
        result_file::write_amoebas_csv(&replay, folder)?;
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
    let theme = args.theme.unwrap_or_default();
    let appearance = Appearance { theme, patterns: args.patterns };
    let recorder = args.film.options().recorder::<G>(films, appearance, names(replay))?;
    let stop = interrupted_films();
    let last = replay.result().map(|ending| ending.turns);
    let last = [last, args.film.to].into_iter().flatten().min();
    let bar = Bar::new(&G::META, last);
    let mut time = FilmTime::new(args.film.from, last);
    let made = record(replay, recorder, stop, |progress| {
        bar.show(progress);
        time.show(progress);
    });
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

/// Prints the states of a cellhack result file: one line of JSON per frame, empty places left out.
fn import_cellhack(args: &ExportArgs, out: &mut dyn Write) -> Result<()> {
    let bytes = read_bytes(&args.file, MAX_RESULT_FILE)?;
    let file =
        cellhack::result_file::read(&bytes).with_context(|| args.file.display().to_string())?;
    let path = args
        .states
        .as_deref()
        .context("name the output: --states FILE, or --states - for standard output")?;
    to_file(path, out, |out| result_file::write_cellhack_states(&file, out))?;
    if let Some(cut) = file.cut_off {
        say!(
            "warning: the file ends within a frame: {} bytes from byte {} on are left out",
            cut.bytes,
            cut.offset
        );
    }
    Ok(())
}
