//! A chart of where the values went.

use std::path::Path;

use agon_files::write_whole;
use agon_games::GameId;
use agon_view::paint::chart::{Chart, Colors, Line};
use agon_view::paint::{Rgb, Theme, ThemeName};
use anyhow::Result;

use super::report::Report;

/// Colours of lines that differ for most people (Okabe & Ito, "Color universal design", 2008).
const COLORS: [Rgb; 7] = [
    Rgb(0, 114, 178),
    Rgb(213, 94, 0),
    Rgb(0, 158, 115),
    Rgb(204, 121, 167),
    Rgb(230, 159, 0),
    Rgb(86, 180, 233),
    Rgb(90, 90, 90),
];

const SIZE: (u32, u32) = (960, 540);

/// Writes the chart: a line for each parameter over the matches, in percent of its range.
pub(super) fn write(report: &Report<'_>, path: &Path) -> Result<()> {
    let tuner = &report.duels.tuner;
    let lines = tuner.params().iter().zip(COLORS.iter().cycle()).enumerate().map(
        |(number, (param, &color))| {
            let percent =
                |point: &Vec<f64>| (100.0 * point[number] / param.steps() as f64).round() as i64;
            let matches = (0..).map(|duel| duel * report.field.matches());
            let points = matches.zip(tuner.course().iter().map(percent)).collect();
            Line { name: param.to_string(), color, points }
        },
    );
    let chart = Chart {
        title: format!("{}: {}, values in percent of their ranges", report.game, report.args.bot),
        x: "matches".to_owned(),
        lines: lines.collect(),
    };
    let id: GameId = report.args.game.parse()?;
    let colors = Colors::from(&Theme::new(ThemeName::Light, id));
    Ok(write_whole(path, chart.svg(SIZE, &colors).as_bytes())?)
}
