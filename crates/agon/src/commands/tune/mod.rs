//! `agon tune BOT`: finds good values of its parameters.
//!
//! `agon_contest::tune` plays. What people see is here: a bar while it is played, and a report and
//! a chart at the end.

mod report;

use std::{io::Write, path::Path, sync::Arc};

use agon_arena::End;
use agon_contest::settings;
use agon_contest::tune::{Setup, TuneOptions, Watcher};
use agon_files::write_whole;
use agon_rating::tune::Tuner;
use agon_view::paint::chart::{Chart, Colors, Line};
use agon_view::paint::{Rgb, Theme, ThemeName};
use anyhow::Result;
use indicatif::ProgressBar;
use report::Report;

use super::game_named;
use crate::interrupts::{Doing, begin};
use crate::output::{bar_style, shown_on_stderr, tell_above, tell_notice};
use crate::sandbox::{machine_beside, tell_what_is_missing};
use crate::{Exit, cli::TuneArgs};

/// Tunes a bot, or goes on with it.
pub(crate) fn tune(args: &TuneArgs, out: &mut impl Write) -> Result<Exit> {
    let id = game_named(&args.game)?;
    let series = &args.series;
    let rules = settings::load(id.kind(), series.sources())?;
    let setup = Setup::new(
        id,
        rules,
        series.host.settings(),
        TuneOptions { seed: series.seed, ..args.options.clone() },
        (&machine_beside(&series.remote)?, &series.place("tune")),
        &tell_notice,
    )?;
    let stop = Arc::clone(begin(Doing::Matches));
    let mut shown = Shown { matches: setup.matches(), bar: None };
    let mut duels = setup.begin(Arc::clone(&stop), &mut shown, &tell_notice)?;
    let end = setup.play(&mut duels, stop);
    let report = Report {
        game: id.meta().id,
        seed: setup.seed,
        args,
        template: &setup.template,
        field: &setup.field,
        start: &setup.start,
        duels: &duels,
    };
    let drawn = write_chart(&report, &args.options.out.join("tune.svg"));
    // What was found by then is worth something even if a match could not be played.
    report.print(*end.as_ref().unwrap_or(&End::Interrupted), out)?;
    let end = end?;
    drawn?;
    Ok(if end == End::Interrupted { Exit::Interrupted } else { Exit::Done })
}

/// Shows a tuning while it is played: a bar with the best values so far, on stderr and only on a
/// terminal.
struct Shown {
    /// Matches in all.
    matches: u64,
    bar: Option<ProgressBar>,
}

impl Watcher for Shown {
    fn over(&mut self, matches: u64, tuner: &Tuner) {
        let all = self.matches;
        let bar = self.bar.get_or_insert_with(|| {
            let bar = ProgressBar::new(all);
            let template = shown_on_stderr("{bar:30} match {pos} of {len}, {eta} left · {msg}");
            bar.set_style(bar_style(&template));
            tell_above(&bar);
            bar
        });
        if bar.is_hidden() {
            return;
        }
        let values = tuner.params.iter().zip(tuner.best());
        let values = values.map(|(param, steps)| format!("{}={}", param.name, param.text(steps)));
        bar.set_message(values.collect::<Vec<_>>().join(" "));
        bar.set_position(matches);
    }

    fn played(&mut self) {
        // Known once a program has been started.
        tell_what_is_missing();
    }

    fn ended(&mut self) {
        self.bar.take().into_iter().for_each(|bar| bar.finish_and_clear());
    }
}

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
fn write_chart(report: &Report<'_>, path: &Path) -> Result<()> {
    let tuner = &report.duels.tuner;
    let lines = tuner.params.iter().zip(COLORS.iter().cycle()).enumerate().map(
        |(number, (param, &color))| {
            let percent =
                |point: &Vec<f64>| (100.0 * point[number] / param.steps() as f64).round() as i64;
            let matches = (0..).map(|duel| duel * report.field.matches());
            let points = matches.zip(tuner.course.iter().map(percent)).collect();
            Line { name: param.to_string(), color, points }
        },
    );
    let chart = Chart {
        title: format!(
            "{}: {}, values in percent of their ranges",
            report.game, report.args.options.bot
        ),
        x: "matches".to_owned(),
        lines: lines.collect(),
    };
    let id = game_named(&report.args.game)?;
    let colors = Colors::from(&Theme::new(ThemeName::Light, id.kind()));
    Ok(write_whole(path, chart.svg(SIZE, &colors).as_bytes())?)
}
