//! `agon replay export FILE`: states as JSON Lines, the games' own result files, and films.
//! `agon replay import FILE REPLAY`: games that other programs have recorded.
//! `agon replay chart FILE`: what players have over the turns, as lines.

use std::io::{BufWriter, IsTerminal, Write};
use std::{path::Path, sync::atomic::Ordering};

use agon_files::{input::read_bytes, write_whole};
use agon_games::{GameId, any::GameKind, cellhack};
use agon_match::replay::Replay;
use agon_show::chart::{chart, series};
use agon_show::film::{FilmOptions, player_colors, record, still};
use agon_show::result_file;
use agon_view::paint::chart::Colors;
use agon_view::paint::{Appearance, Frame, Theme};
use anyhow::{Context, Result, bail};

use super::open;
use crate::Exit;
use crate::cli::{ChartArgs, ExportArgs, Size};
use crate::interrupts::{Doing, begin};
use crate::output::{Bar, FilmTime, print_films, print_table, table};

/// Most bytes of a cellhack result file that are read.
const MAX_RESULT_FILE: u64 = 1 << 30;

/// Writes a replay in the formats asked for.
pub(super) fn run(args: &ExportArgs, out: &mut impl Write) -> Result<Exit> {
    if args.import_cellhack {
        return import_cellhack(args, out).map(|()| Exit::Done);
    }
    let files = [&args.states, &args.cellhack, &args.battlesnake, &args.res, &args.csv];
    let film = args.film.options();
    film.check()?;
    if files.iter().all(|file| file.is_none()) && film.films.is_empty() {
        bail!(
            "nothing to export: name --states, --cellhack, --battlesnake, --res or --csv, or for \
             films --png, --gif, --apng, --mp4 or --webm"
        );
    }
    let (replay, kind) = open(&args.file)?;
    if let Some(path) = &args.states {
        to_file(path, out, |out| Ok(agon_match::write_states(&replay, kind, args.step, out)?))?;
    }
    if let Some(path) = &args.cellhack {
        let cursor = replay.cursor(GameId::Cellhack.kind())?;
        to_file(path, out, |out| result_file::write_cellhack(cursor, &names(&replay), out))?;
    }
    if let Some(path) = &args.battlesnake {
        let cursor = replay.cursor(GameId::Battlesnake.kind())?;
        to_file(path, out, |out| result_file::write_official(cursor, &replay, out))?;
    }
    if let Some(path) = &args.res {
        let cursor = replay.cursor(GameId::Binfection.kind())?;
        to_file(path, out, |out| result_file::write_binfection(cursor, &names(&replay), out))?;
    }
    if let Some(folder) = &args.csv {
        result_file::write_amoebas_csv(&replay, folder)?;
    }
    if film.films.is_empty() {
        return Ok(Exit::Done);
    }
    make_films(&replay, kind, film, args, out)
}

/// Plays the match again into films.
fn make_films(
    replay: &Replay,
    kind: &'static dyn GameKind,
    film: FilmOptions,
    args: &ExportArgs,
    out: &mut impl Write,
) -> Result<Exit> {
    let theme = args.theme.unwrap_or_default();
    let appearance = Appearance { theme, patterns: args.patterns };
    let recorder = film.recorder(kind, appearance, names(replay))?;
    let stop = begin(Doing::Films);
    let last = replay.result().map(|ending| ending.turns);
    let last = [last, args.film.to].into_iter().flatten().min();
    let bar = Bar::new(&kind.meta(), last);
    let mut time = FilmTime::new(args.film.from, last);
    let made = record(replay, recorder, stop, |progress| {
        bar.show(progress);
        time.show(progress);
    });
    let made = made.and_then(|recorder| {
        bar.clear();
        recorder.map_or(Ok(()), |recorder| print_films(recorder, args.json, out))
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

/// Most bytes of a recording that are read.
const MAX_RECORDING: u64 = 64 << 20;

/// Makes a replay of a game that another program has recorded.
pub(super) fn import(file: &Path, replay: &Path, out: &mut impl Write) -> Result<()> {
    agon_files::protect(file);
    let bytes = read_bytes(file, MAX_RECORDING)?;
    let (imported, is_whole) =
        result_file::import(&bytes).with_context(|| file.display().to_string())?;
    agon_files::write(replay, &imported)?;
    if !is_whole {
        say!("warning: the recording stops before the end of the game");
    }
    Ok(writeln!(out, "{}: each state is the recorded one", replay.display())?)
}

/// Draws a chart of a replay.
pub(super) fn chart_of(args: &ChartArgs, out: &mut impl Write) -> Result<()> {
    let (replay, kind) = open(&args.file)?;
    if args.list { list(kind, out) } else { draw(&replay, kind, args, out) }
}

/// Most pixels of a picture, as in films.
const MAX_PIXELS: u64 = 1 << 26;

fn list(kind: &dyn GameKind, out: &mut impl Write) -> Result<()> {
    let mut rows = table();
    for series in kind.series() {
        rows.add_row([series.id, series.title]);
    }
    Ok(print_table(&rows, out)?)
}

fn draw(
    replay: &Replay,
    kind: &'static dyn GameKind,
    args: &ChartArgs,
    out: &mut impl Write,
) -> Result<()> {
    if args.svg.is_none() && args.png.is_none() && std::io::stdout().is_terminal() {
        bail!(
            "the chart would go to the terminal; name --svg FILE or --png FILE, or redirect \
             standard output"
        );
    }
    let series = series(kind, args.series.as_deref())?;
    let names: Vec<String> = replay.header().players.iter().map(|bot| bot.name.clone()).collect();
    let mut theme = Theme::new(args.theme, kind);
    for (player, color) in player_colors(&args.player_color, &names)? {
        theme.set_player(player, color);
    }
    let chart = chart(replay, kind, series, &theme, names)?;
    let colors = Colors::from(&theme);
    let Size(width, height) = args.size;
    if let Some(path) = &args.png {
        let pixels = u64::from(width) * u64::from(height);
        if pixels > MAX_PIXELS {
            bail!(
                "--size {}: {pixels} pixels are more than {MAX_PIXELS}, the most of a picture",
                args.size
            );
        }
        let mut frame = Frame::new(width, height);
        chart.paint(&mut frame, &colors);
        write_whole(path, &still(&frame))?;
    }
    match &args.svg {
        Some(path) => write_whole(path, chart.svg((width, height), &colors).as_bytes())?,
        None if args.png.is_none() => {
            out.write_all(chart.svg((width, height), &colors).as_bytes())?
        }
        None => {}
    }
    Ok(())
}
