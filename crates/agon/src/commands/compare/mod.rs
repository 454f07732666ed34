//! `agon compare NEW OLD`: is the new version better than the old one?
//!
//! | module | noun |
//! | --- | --- |
//! | `design` | which matches each seed has |
//! | `judge` | the test, and what it says of the results |
//! | `trial` | the matches in order: what is next, what counts; all of it without playing |
//! | `simulation` | proof that trials err as rarely as they say |
//! | `setup` | what a comparison needs before its first match |
//! | `played` | a match that is over |
//! | `journal` | the file of results |
//! | `job_source` | a trial that is played by a runner |
//! | `report`, `live` | what people see at the end, and meanwhile |

mod bots;
mod design;
mod faults;
mod game;
mod job_source;
mod journal;
mod judge;
mod live;
mod played;
mod replays;
mod report;
mod sameness;
mod setup;
#[cfg(test)]
mod simulation;
mod trial;
mod verdict;
mod words;

use std::io::Write;

use agon_bots::{HostOptions, HostedGame};
use agon_games::{GameId, with_game};
use anyhow::Result;
use serde_json::json;

use self::{bots::Bots, job_source::Comparison, setup::Setup};
use crate::{Exit, arena::host_options, cli::CompareArgs, interrupts::handle_interrupts};

/// Plays until it is decided, and prints the verdict.
pub(crate) fn compare(args: &CompareArgs, out: &mut impl Write) -> Result<Exit> {
    let host = HostOptions {
        foreign: args.replays.iter().chain(&args.out).cloned().collect(),
        ..host_options(&args.series.host)
    };
    let read = |host: &HostOptions| Bots::new(&args.new, &args.old, &args.against, host);
    let mut bots = read(&host)?;
    let id = game::game(args.game.as_deref(), bots.all().iter().map(|bot| &bot.info))?;
    if with_game!(id, G => <G as HostedGame>::SEES_FOLDER) && args.out.is_some() {
        // Results that are kept hold as long as nothing changes that bots can read.
        bots = read(&HostOptions { sees_folder: true, ..host })?;
    }
    with_game!(id, G => compare_game::<G>(id, args, bots, out))
}

fn compare_game<G: HostedGame>(
    game: GameId,
    args: &CompareArgs,
    bots: Bots,
    out: &mut impl Write,
) -> Result<Exit> {
    let setup = Setup::<G>::new(game, args, bots)?;
    handle_interrupts();
    let files = setup.open_files()?;
    setup.bots.warn_of_the_same();
    if args.json {
        writeln!(out, "{}", setup.json())?;
    }
    let json = args.json.then_some(&mut *out);
    let mut comparison = Comparison::new(setup.trial(), &setup.bots, &setup.series.base, json);
    if let Some((journal, entries)) = files.journal {
        comparison.resume(journal, entries)?;
    }
    comparison.results.replays = files.replays;
    let end = setup.play(&mut comparison);
    // What was played by then is worth something even if a match could not be.
    let (verdict, failure) = comparison.finish(end);
    let findings = setup.findings(&comparison.results, verdict);
    if args.json {
        writeln!(out, "{}", json!({ "type": "verdict", "data": findings.json() }))?;
    } else {
        findings.print(out)?;
    }
    failure.map_or(Ok(verdict.exit()), Err)
}
