//! Makes the chart of a replay: the values of each player over the turns.
//!
//! `agon replay chart` writes it to a file. The chart in the viewer collects its values itself.

use agon_core::did_you_mean;
use agon_games::any::GameKind;
use agon_match::replay::Replay;
use agon_view::paint::Theme;
use agon_view::paint::chart::{Chart, Line};
use anyhow::{Result, bail, ensure};

/// Returns the index of the series of this name in [`GameKind::series`], or of the game's first
/// one.
pub fn series(kind: &dyn GameKind, name: Option<&str>) -> Result<usize> {
    let game = kind.meta().id;
    let all = kind.series();
    let Some(name) = name else {
        ensure!(!all.is_empty(), "{game} counts nothing over time");
        return Ok(0);
    };
    let Some(index) = all.iter().position(|series| series.id == name) else {
        let ids: Vec<&str> = all.iter().map(|series| series.id).collect();
        let hint = match did_you_mean(name, ids.iter().copied()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("there are: {}", ids.join(", ")),
        };
        bail!("--series {name}: {game} has no such series; {hint}");
    };
    Ok(index)
}

/// Plays the match again, and makes a chart of a series: a line for each player.
///
/// `series` is its index in [`GameKind::series`]. There is a value for the start of each turn, and
/// for the end of the match.
pub fn chart(
    replay: &Replay,
    kind: &'static dyn GameKind,
    series: usize,
    theme: &Theme,
    names: Vec<String>,
) -> Result<Chart> {
    let mut cursor = replay.cursor(kind)?;
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
        let is_over = game.is_over();
        if before != Some(turn) || is_over {
            before = Some(turn);
            values.clear();
            game.sample(series, &mut values);
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
    let meta = kind.meta();
    Ok(Chart {
        title: format!("{}: {}", meta.name(), kind.series()[series].title),
        x: format!("{}s", meta.turn_name),
        lines,
    })
}
