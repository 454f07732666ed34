//! `agon replay chart FILE`: what players have over the turns, as lines.

use std::io::{IsTerminal, Write};

use agon_chart::{Chart, Colors, Line};
use agon_core::did_you_mean;
use agon_files::write_whole;
use agon_film::still;
use agon_games::{
    GameId,
    scene::{Render, Series},
    with_game,
};
use agon_paint::{Frame, Theme};
use agon_replay::Replay;
use agon_show::film::player_colors;
use anyhow::{Result, bail};

use super::open;
use crate::{
    cli::{ChartArgs, Size},
    output::{print_table, table},
};

/// Draws a chart of a replay.
pub(super) fn run(args: &ChartArgs, out: &mut impl Write) -> Result<()> {
    let (replay, id) = open(&args.file)?;
    with_game!(id, G => if args.list { list::<G>(out) } else { draw::<G>(&replay, id, args, out) })
}

/// Most pixels of a picture, as in films.
const MAX_PIXELS: u64 = 1 << 26;

fn list<G: Render>(out: &mut impl Write) -> Result<()> {
    let mut rows = table();
    for series in G::SERIES {
        rows.add_row([series.id, series.title]);
    }
    Ok(print_table(&rows, out)?)
}

fn draw<G: Render>(
    replay: &Replay,
    id: GameId,
    args: &ChartArgs,
    out: &mut impl Write,
) -> Result<()> {
    if args.svg.is_none() && args.png.is_none() && std::io::stdout().is_terminal() {
        bail!(
            "the chart would go to the terminal; name --svg FILE or --png FILE, or redirect \
             standard output"
        );
    }
    let series = series::<G>(args.series.as_deref())?;
    let names: Vec<String> = replay.header().players.iter().map(|bot| bot.name.clone()).collect();
    let mut theme = Theme::new(args.theme, id);
    for (player, color) in player_colors(&args.player_color, &names)? {
        theme.set_player(player, color);
    }
    let chart = chart(replay, series, &theme, names)?;
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

fn series<G: Render>(name: Option<&str>) -> Result<&'static Series<G>> {
    let ids = || G::SERIES.iter().map(|series| series.id);
    let Some(name) = name else {
        return G::SERIES
            .first()
            .ok_or_else(|| anyhow::anyhow!("{} counts nothing over time", G::META.id));
    };
    let Some(series) = G::SERIES.iter().find(|series| series.id == name) else {
        let hint = match did_you_mean(name, ids()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("there are: {}", ids().collect::<Vec<_>>().join(", ")),
        };
        bail!("--series {name}: {} has no such series; {hint}", G::META.id);
    };
    Ok(series)
}

/// Plays the match again, and takes samples where a turn is over.
fn chart<G: Render>(
    replay: &Replay,
    series: &Series<G>,
    theme: &Theme,
    names: Vec<String>,
) -> Result<Chart> {
    let mut cursor = replay.cursor::<G>()?;
    let inks = cursor.game().scene().players.into_iter().map(|line| line.ink);
    let mut lines: Vec<Line> = names
        .into_iter()
        .zip(inks)
        .map(|(name, ink)| Line { name, color: theme.color(ink), points: Vec::new() })
        .collect();
    let mut values = Vec::new();
    let mut before = None;
    loop {
        let game = cursor.game();
        let turn = game.progress().turn;
        let is_over = game.decisions().is_empty();
        if before != Some(turn) || is_over {
            before = Some(turn);
            values.clear();
            (series.sample)(game, &mut values);
            for (line, &value) in lines.iter_mut().zip(&values) {
                // The last state may belong to a turn that has begun.
                line.points.pop_if(|point| point.0 == turn);
                line.points.push((turn, value));
            }
        }
        if !cursor.advance()? {
            break;
        }
    }
    Ok(Chart {
        title: format!("{}: {}", G::META.id, series.title),
        x: format!("{}s", G::META.turn_name),
        lines,
    })
}
