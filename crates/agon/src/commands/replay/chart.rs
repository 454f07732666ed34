//! `agon replay chart FILE`: what players have over the turns, as lines.

use std::io::{IsTerminal, Write};

use agon_files::write_whole;
use agon_games::{GameId, scene::Render, with_game};
use agon_match::replay::Replay;
use agon_show::encoding::still;
use agon_show::{
    chart::{chart, series},
    film::player_colors,
};
use agon_view::paint::chart::Colors;
use agon_view::paint::{Frame, Theme};
use anyhow::{Result, bail};

use super::open::open;
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
