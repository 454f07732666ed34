//! `agon tune BOT`: finds good values of its parameters.
//!
//! `agon_contest::tune` plays. What people see is here: `progress` while it is played, `report`
//! and `chart` at the end, and `comparison`, the command that asks more.

mod chart;
mod comparison;
mod progress;
mod report;

use std::{io::Write, sync::Arc};

use agon_arena::End;
use agon_contest::settings;
use agon_contest::tune::{Setup, Watcher};
use agon_games::GameId;
use agon_rating::tune::Tuner;
use anyhow::Result;

use crate::{
    Exit,
    cli::TuneArgs,
    interrupts::interrupted_between_matches,
    output::tell_notice,
    sandbox::{machine_beside, tell_what_is_missing},
};
use progress::Progress;
use report::Report;

/// Tunes a bot, or goes on with it.
pub(crate) fn tune(args: &TuneArgs, out: &mut impl Write) -> Result<Exit> {
    let id: GameId = args.game.parse()?;
    let series = &args.series;
    let rules = settings::load_json(id, series.sources())?;
    let setup = Setup::new(
        id,
        rules,
        series.host.settings(),
        args.options(),
        (&machine_beside(&series.remote)?, &series.place("tune")),
        &tell_notice,
    )?;
    let stop = interrupted_between_matches();
    let mut shown = Shown { matches: setup.matches(), progress: None };
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
    let drawn = chart::write(&report, &args.out.join("tune.svg"));
    // What was found by then is worth something even if a match could not be played.
    report.print(*end.as_ref().unwrap_or(&End::Interrupted), out)?;
    let end = end?;
    drawn?;
    Ok(if end == End::Interrupted { Exit::Interrupted } else { Exit::Done })
}

/// Shows a tuning while it is played.
struct Shown {
    /// Matches in all.
    matches: u64,
    progress: Option<Progress>,
}

impl Watcher for Shown {
    fn over(&mut self, matches: u64, tuner: &Tuner) {
        self.progress.get_or_insert_with(|| Progress::new(self.matches)).show(matches, tuner);
    }

    fn played(&mut self) {
        // Known once a program has been started.
        tell_what_is_missing();
    }

    fn ended(&mut self) {
        self.progress.take().into_iter().for_each(|progress| progress.clear());
    }
}
