//! `agon compare NEW OLD`: is the new version better than the old one?
//!
//! | module | noun |
//! | --- | --- |
//! | `design` | which matches each seed has |
//! | `judge` | the test, and what it says of the results |
//! | `trial` | the matches in order: what is next, what counts; all of it without playing |
//! | `simulation` | proof that trials err as rarely as they say |
//! | `director` | a trial that is played by a runner |
//! | `report`, `live` | what people see at the end, and meanwhile |

mod bots;
mod design;
mod director;
mod faults;
mod game;
mod judge;
mod live;
mod replays;
mod report;
mod sameness;
#[cfg(test)]
mod simulation;
mod trial;
mod verdict;
mod words;

use std::io::Write;

use agon_bots::{HostOptions, Hosted};
use agon_games::with_game;
use anyhow::{Result, bail};
use serde_json::json;

use self::{
    bots::Bots,
    design::{Design, NEW, OLD},
    director::Comparison,
    judge::Judge,
    replays::Replays,
    report::{Findings, Question},
    trial::Trial,
};
use crate::{
    Exit,
    arena::host_options,
    cli::CompareArgs,
    interrupts::{handle_interrupts, interrupted_between_matches},
    series, settings,
};

/// Plays until it is decided, and prints the verdict.
pub(crate) fn compare(args: &CompareArgs, out: &mut impl Write) -> Result<Exit> {
    let host =
        HostOptions { foreign: args.replays.iter().cloned().collect(), ..host_options(&args.series.host) };
    let bots = Bots::new(&args.new, &args.old, &args.against, &host)?;
    let id = game::game(args.game.as_deref(), bots.all().iter().map(|bot| &bot.info))?;
    with_game!(id, G => compare_game::<G>(args, bots, out))
}

fn compare_game<G: Hosted>(args: &CompareArgs, bots: Bots, out: &mut impl Write) -> Result<Exit> {
    let design = design::<G>(args, bots.others().len())?;
    let bots = bots.in_game::<G>().for_design(design);
    let judge = Judge::new(design, &args.test)?;
    let question = Question::new(design, &args.test);
    let seed = args.series.seed;
    let rules = settings::load::<G>(args.series.rules.as_deref(), &args.series.sets)?;
    G::new(&rules, players(design), seed)?;
    let runner = series::runner::<G>(&args.series)?;
    handle_interrupts();
    runner.try_open(bots.all().iter().map(AsRef::as_ref)).map_err(|errors| series::cannot_open(&errors))?;
    let replays = args.replays.as_deref().map(Replays::create).transpose()?;
    if bots.are_the_same() {
        let (new, old) = (&bots.info(NEW).name, &bots.info(OLD).name);
        say!("warning: {new} and {old} seem to be the same bot, with the same files and arguments");
    }
    if args.json {
        let others: Vec<_> = bots.others().iter().map(|bot| &bot.info).collect();
        let data = json!({ "game": G::META.id, "rules_version": G::META.rules_version, "rules": rules,
            "seed": seed, "design": design, "question": &judge, "new": bots.info(NEW), "old": bots.info(OLD),
            "others": others, "max": args.test.max });
        writeln!(out, "{}", json!({ "type": "comparison", "data": data }))?;
    }
    let trial = Trial::new(design, judge, seed, args.test.max);
    let mut comparison = Comparison::new(trial, &bots, replays, args.json.then_some(&mut *out));
    let end = runner.run(&mut comparison, interrupted_between_matches());
    // What was played by then is worth something even if a match could not be.
    let (verdict, failure) = comparison.finish(end);
    let Comparison { trial, faults, sameness, replays, void, .. } = &comparison;
    let findings = Findings {
        game: G::META.id,
        new: &bots.info(NEW).name,
        old: &bots.info(OLD).name,
        design,
        question,
        seed,
        verdict,
        report: trial.report(),
        interval: trial.judge().interval()?,
        tally: trial.judge().tally(),
        seeds: trial.seeds(),
        void: *void,
        sameness,
        faults,
        replays: replays.as_ref().map(Replays::folder),
        shared_jvm: args.series.host.share_jvm && G::CLOJURE.is_some(),
    };
    if args.json {
        writeln!(out, "{}", json!({ "type": "verdict", "data": findings.json() }))?;
    } else {
        findings.print(out)?;
    }
    failure.map_or(Ok(verdict.exit()), Err)
}

fn players(design: Design) -> usize {
    match design {
        Design::Mirror => 2,
        Design::Field { players } | Design::Pool { players, .. } => players,
    }
}

/// The design that was asked for.
fn design<G: Hosted>(args: &CompareArgs, pool: usize) -> Result<Design> {
    let game = G::META.id;
    let players = args.players.map_or(G::META.min_players.max(2), usize::from);
    let allowed = G::META.min_players.max(2)..=G::META.max_players;
    if !allowed.contains(&players) {
        let (least, most) = (allowed.start(), allowed.end());
        bail!("--players {players}: {game} is played by {least} to {most} players");
    }
    if pool > 0 && pool < players - 1 {
        let others = players - 1;
        bail!(
            "--players {players} needs {others} others in each match, but --against names {pool}; name more, or give \
             --players {}",
            pool + 1
        );
    }
    let design = Design::new(players, pool);
    let each = design.matches_each();
    if let Some(max) = args.test.max.filter(|max| *max < each) {
        bail!("--max {max}: each seed has {each} matches, so give {each} or more");
    }
    Ok(design)
}
