//! Makes the chart of a replay: the values of each player over the turns.
//!
//! `agon replay chart` writes it to a file. The chart in the viewer collects its values itself.

use agon_core::did_you_mean;
use agon_games::scene::{Render, Series};
use agon_match::replay::Replay;
use agon_view::paint::Theme;
use agon_view::paint::chart::{Chart, Line};
use anyhow::{Result, anyhow, bail};

/// Finds the series of this name, or the game's first one.
pub fn series<G: Render>(name: Option<&str>) -> Result<&'static Series<G>> {
    let ids = || G::SERIES.iter().map(|series| series.id);
    let Some(name) = name else {
        return G::SERIES.first().ok_or_else(|| anyhow!("{} counts nothing over time", G::META.id));
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

/// Plays the match again, and makes a chart of a series: a line for each player.
///
/// There is a value for the start of each turn, and for the end of the match.
pub fn chart<G: Render>(
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
                // The last state may belong to a turn that has started.
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
