//! `agon compare NEW OLD`: is the new version better than the old one?
//!
//! `agon_contest::compare` plays and decides. What people see is here: `live` while it is
//! played, `report` and `faults` at the end.

mod faults;
mod json;
mod live;
mod report;
mod words;

use std::io::Write;

use agon_bots::{HostOptions, HostedGame};
use agon_contest::compare::{
    Arrival, Bots, Counted, Results, Setup, Standing, Verdict, Watcher, game,
};
use agon_contest::events::Event;
use agon_contest::settings;
use agon_games::{GameId, with_game};
use anyhow::Result;

use self::{live::Live, report::Findings};
use crate::{
    Exit,
    arena::host_options,
    cli::CompareArgs,
    interrupts::{handle_interrupts, interrupted_between_matches},
    output::{print_event, tell_notice},
    sandbox::{machine_beside, tell_what_is_missing},
};

/// Plays until it is decided, and prints the verdict.
pub(crate) fn compare(args: &CompareArgs, out: &mut impl Write) -> Result<Exit> {
    let host = HostOptions {
        foreign: args.replays.iter().chain(&args.out).cloned().collect(),
        // A wrong name is reported below.
        game: args.game.as_deref().and_then(|game| game.parse().ok()),
        ..host_options(&args.series.host)
    };
    let read =
        |host: &HostOptions| Bots::new(&args.new, &args.old, &args.against, host, &tell_notice);
    let mut bots = read(&host)?;
    let id = game(args.game.as_deref(), bots.all().iter().map(|bot| &bot.info))?;
    if with_game!(id, G => <G as HostedGame>::SEES_FOLDER) && args.out.is_some() {
        // Results that are kept hold as long as nothing changes that bots can read.
        bots = read(&HostOptions { sees_folder: true, ..host })?;
    }
    compare_game(id, args, bots, out)
}

fn compare_game(
    game: GameId,
    args: &CompareArgs,
    bots: Bots,
    out: &mut impl Write,
) -> Result<Exit> {
    let series = &args.series;
    let rules = settings::load_json(game, series.sources())?;
    let setup = Setup::new(
        game,
        rules,
        series.host.settings(),
        bots,
        args.options(),
        (&machine_beside(&series.remote)?, &series.place("compare")),
    )?;
    handle_interrupts();
    let files = setup.open_files()?;
    setup.bots.warn_of_the_same(&tell_notice);
    if args.json {
        print_event(Event::Comparison(Box::new(json::start(&setup))), out)?;
    }
    let names = setup.bots.all().iter().map(|bot| bot.info.name.clone()).collect();
    let json = args.json.then_some(&mut *out);
    let mut shown = Shown { live: Live::new(), names, json };
    let mut comparison = setup.begin(files, &mut shown, &tell_notice)?;
    let end = setup.play(&mut comparison, interrupted_between_matches());
    // What was played by then is worth something even if a match could not be.
    let (verdict, failure) = comparison.finish(end);
    let results = comparison.results;
    shown.live.clear();
    let findings = Findings::new(&setup, &results, verdict);
    if args.json {
        print_event(json::verdict(&findings), out)?;
    } else {
        findings.print(out)?;
    }
    failure.map_or(Ok(exit_of(verdict)), Err)
}

/// The exit code of a verdict.
fn exit_of(verdict: Verdict) -> Exit {
    match verdict {
        Verdict::Better => Exit::Done,
        Verdict::NotBetter | Verdict::Most | Verdict::Same | Verdict::Failed => Exit::Negative,
        Verdict::Interrupted => Exit::Interrupted,
    }
}

/// Shows a comparison while it is played: a line for people, each seed as JSON.
struct Shown<'a, W> {
    live: Live,
    /// The names of the bots.
    names: Vec<String>,
    json: Option<&'a mut W>,
}

impl<W: Write> Watcher for Shown<'_, W> {
    fn counted(&mut self, counted: &Counted<Arrival>, results: &Results) -> Result<()> {
        let Some(out) = &mut self.json else { return Ok(()) };
        let progress = json::progress(counted, results, &self.names);
        Ok(print_event(Event::Progress(Box::new(progress)), *out)?)
    }

    fn over(&mut self, standing: Option<&Standing>) {
        // Known once a program has been started.
        tell_what_is_missing();
        standing.into_iter().for_each(|standing| self.live.show(standing));
    }
}
