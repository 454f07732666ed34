//! `agon compare NEW OLD`: is the new version better than the old one?
//!
//! `agon_contest::compare` plays and decides. What people see is here: a line while it is played,
//! and the report at the end.

mod report;

use std::time::{Duration, Instant};
use std::{io::Write, path::Path, sync::Arc};

use agon_bots::{HostOptions, hosting};
use agon_contest::compare::{
    Arrival, Bots, Counted, NEW, OLD, Report, Results, Setup, Standing, Tally, Verdict, Watcher,
    game,
};
use agon_contest::events::{
    ComparisonStart, ComparisonVerdict, CountedMatch, CountedSeed, Event, VerdictData,
};
use agon_contest::settings;
use anyhow::Result;
use indicatif::{HumanDuration, ProgressBar};
use report::{Findings, number, signed, signed_to};

use crate::interrupts::{Doing, begin, handle_interrupts};
use crate::output::{bar_style, keep_drawn, print_event, shown_on_stderr, tell_above, tell_notice};
use crate::sandbox::{machine_beside, tell_what_is_missing};
use crate::{Exit, arena::host_options, cli::CompareArgs};

/// Plays until it is decided, and prints the verdict.
pub(crate) fn compare(args: &CompareArgs, out: &mut impl Write) -> Result<Exit> {
    let host = HostOptions {
        foreign: args.replays.iter().chain(&args.out).cloned().collect(),
        // A wrong name is reported below.
        game: args.game.as_deref().and_then(|game| super::game_named(game).ok()),
        ..host_options(&args.series.host)
    };
    let read =
        |host: &HostOptions| Bots::new(&args.new, &args.old, &args.against, host, &tell_notice);
    let mut bots = read(&host)?;
    let id = game(args.game.as_deref(), bots.all().iter().map(|bot| &bot.info))?;
    if hosting(id.kind()).sees_folder && args.out.is_some() {
        // Results that are kept hold as long as nothing changes that bots can read.
        bots = read(&HostOptions { sees_folder: true, ..host })?;
    }
    let series = &args.series;
    let rules = settings::load(id.kind(), series.sources())?;
    let setup = Setup::new(
        id,
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
        let base = &setup.series.base;
        let start = ComparisonStart {
            game: base.game.meta().id,
            rules_version: base.rules_version,
            rules: &base.rules,
            seed: setup.seed,
            design: setup.design,
            question: setup.question(),
            new: setup.bots.info(NEW),
            old: setup.bots.info(OLD),
            others: setup.bots.others().iter().map(|bot| &bot.info).collect(),
            max: setup.options.test.max,
        };
        print_event(Event::Comparison(Box::new(start)), out)?;
    }
    let names = setup.bots.all().iter().map(|bot| bot.info.name.clone()).collect();
    let json = args.json.then_some(&mut *out);
    let mut shown = Shown { live: Live::new(), names, json };
    let mut comparison = setup.begin(files, &mut shown, &tell_notice)?;
    let end = setup.play(&mut comparison, Arc::clone(begin(Doing::Matches)));
    // What was played by then is worth something even if a match could not be.
    let (verdict, failure) = comparison.finish(end);
    let results = comparison.results;
    shown.live.clear();
    let findings = Findings::new(&setup, &results, verdict);
    if args.json {
        let event = ComparisonVerdict {
            verdict,
            decided: verdict.is_decided(),
            sentence: findings.sentence(),
            seeds: results.trial.seeds,
            matches: results.trial.seeds * setup.design.matches_each(),
            state: findings.report,
            interval: results.trial.judge.interval().map(|(low, high)| [low, high]),
            tally: results.trial.judge.tally(),
            void: results.void,
            different: results.sameness.different(),
            warning: findings.warning(),
            faults: results.faults.faulty().collect(),
            replays: findings.replays().map(Path::to_string_lossy),
            out: setup.options.out.as_deref().map(Path::to_string_lossy),
            shared_jvm: setup.shares_jvm(),
        };
        print_event(Event::Verdict(VerdictData::Comparison(Box::new(event))), out)?;
    } else {
        findings.print(out)?;
    }
    let exit = match verdict {
        Verdict::Better => Exit::Done,
        Verdict::NotBetter | Verdict::Most | Verdict::Same | Verdict::Failed => Exit::Negative,
        Verdict::Interrupted => Exit::Interrupted,
    };
    failure.map_or(Ok(exit), Err)
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
        let progress = progress_event(counted, results, &self.names);
        Ok(print_event(Event::Progress(Box::new(progress)), *out)?)
    }

    fn over(&mut self, standing: Option<&Standing>) {
        // Known once a program has been started.
        tell_what_is_missing();
        standing.into_iter().for_each(|standing| self.live.show(standing));
    }
}

/// How often it is written where nobody sees it: into the log of a server.
const LINES: Duration = Duration::from_secs(60);

/// Cells of the bar.
const CELLS: usize = 8;

/// So many seeds say something of how many more it takes.
const ENOUGH: f64 = 20.0;

/// The line, on stderr; now and then a new one if that is no terminal.
#[derive(Debug)]
struct Live {
    bar: ProgressBar,
    begun: Instant,
    /// When the last line was written.
    line: Instant,
}

impl Live {
    fn new() -> Live {
        let bar = ProgressBar::new_spinner().with_style(bar_style("{spinner} {wide_msg}"));
        keep_drawn(&bar, Duration::ZERO);
        tell_above(&bar);
        Live { bar, begun: Instant::now(), line: Instant::now() }
    }

    /// Shows how the comparison stands.
    fn show(&mut self, standing: &Standing) {
        if !self.bar.is_hidden() {
            let line = line(standing, self.begun.elapsed());
            self.bar.set_message(shown_on_stderr(&line));
        } else if self.line.elapsed() >= LINES {
            self.line = Instant::now();
            say!("{}", line(standing, self.begun.elapsed()));
        }
    }

    /// Takes the line away.
    fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

/// A comparison in a line, after this time.
fn line(standing: &Standing, time: Duration) -> String {
    let Tally { wins, ties, losses } = standing.tally;
    let result = match standing.report {
        Report::Duel { report, .. } => {
            let elo = report.estimate.map_or_else(String::new, |estimate| {
                let [elo, low, high] =
                    [estimate.elo, estimate.elo_low, estimate.elo_high].map(signed);
                format!("Elo {elo} ({low} to {high})")
            });
            let lower = number(report.lower, 2);
            let upper = number(report.upper, 2);
            let bar = bar((report.llr - report.lower) / (report.upper - report.lower));
            let llr = number(report.llr, 2);
            format!("pairs, +{wins} ={ties} −{losses}  LLR {llr} ({lower} {bar} {upper})  {elo}")
        }
        Report::Paired(report) => {
            let mean = format!("score {}", signed_to(report.mean, 3));
            let [new, old] = [report.evidence_against_h0, report.evidence_against_h1];
            format!("seeds, +{wins} ={ties} −{losses}  {mean}  for {new:.1}, against {old:.1}")
        }
    };
    let rate = standing.matches as f64 / time.as_secs_f64().max(1e-3);
    let left = seeds_left(standing).map(|seeds| seeds * standing.each as f64 / rate);
    let left = left.filter(|seconds| *seconds < 1e6 && *seconds >= 1.0);
    let left = left.map_or_else(String::new, |seconds| {
        format!(", about {:#} left", HumanDuration(Duration::from_secs_f64(seconds)))
    });
    format!("{} {result}  {rate:.0}/s{left}", standing.seeds)
}

/// How many seeds more it takes if the test goes on as it went, but not more than there may be.
/// `None` if that cannot be said.
fn seeds_left(standing: &Standing) -> Option<f64> {
    let seeds = standing.seeds as f64;
    let test = match standing.report {
        _ if seeds < ENOUGH => None,
        Report::Duel { report, .. } => {
            let bound = if report.llr > 0.0 { report.upper } else { report.lower };
            // As long as it wavers around 0 it says nothing.
            (report.llr / bound > 0.2).then(|| seeds * (bound / report.llr - 1.0))
        }
        Report::Paired(_) => None,
    };
    let most = standing.most.map(|most| most as f64 - seeds);
    test.into_iter().chain(most).reduce(f64::min).map(|left| left.max(0.0))
}

/// A bar that is full to this part.
fn bar(part: f64) -> String {
    let full = (part.clamp(0.0, 1.0) * CELLS as f64).round() as usize;
    format!("{}{}", "█".repeat(full), "░".repeat(CELLS - full))
}

/// Returns the matches of a seed, and the results up to it. `names` are those of all bots.
fn progress_event<'a>(
    counted: &'a Counted<Arrival>,
    results: &Results,
    names: &'a [String],
) -> CountedSeed<'a> {
    let row = |(seats, arrival): (&Vec<usize>, &'a Arrival)| CountedMatch {
        seats: seats.iter().map(|&bot| names[bot].as_str()).collect(),
        places: &arrival.played.places,
        turns: arrival.played.turns,
    };
    CountedSeed {
        number: counted.number,
        seed: counted.seed,
        matches: counted.seatings.iter().zip(&counted.matches).map(row).collect(),
        state: results.trial.judge.report(),
        tally: results.trial.judge.tally(),
    }
}

#[cfg(test)]
mod tests {
    use agon_rating::{DuelTest, EloModel, PairedTest, Pentanomial};

    use super::*;

    fn standing(counts: [u64; 5], most: Option<u64>) -> Standing {
        let pairs = Pentanomial(counts);
        let mut run = DuelTest::new(0.0, 20.0, 0.05, 0.05, EloModel::Logistic).unwrap().run();
        // By turns: the test looks at the order.
        for turn in 0..counts.into_iter().max().unwrap() {
            let points = (0..5).filter(|&points| counts[points] > turn);
            points.for_each(|points| run.push(points).unwrap());
        }
        let seeds = counts.iter().sum();
        let tally = Tally { wins: 30, ties: 4, losses: 26 };
        let report = Report::Duel { pairs, report: run.report() };
        Standing { report, tally, seeds, most, matches: 2 * seeds, each: 2 }
    }

    #[test]
    fn the_line_says_how_it_stands() {
        let shown = line(&standing([5, 4, 10, 4, 7], None), Duration::from_secs(6));
        assert!(shown.starts_with("30 pairs, +30 =4 −26  LLR "), "{shown}");
        assert!(shown.contains(" (−3.00 ████░░░░ 3.00)  Elo +"), "{shown}");
        assert!(shown.ends_with("10/s"), "{shown}");
        let shown = line(&standing([5, 4, 10, 4, 7], Some(180)), Duration::from_secs(6));
        assert!(shown.ends_with("10/s, about 30s left"), "{shown}");
        let shown = line(&standing([14, 30, 62, 40, 20], None), Duration::from_secs(40));
        assert!(shown.contains("left"), "{shown}");
    }

    #[test]
    fn differences_have_a_line_of_their_own() {
        let report =
            PairedTest::new(0.0, 0.05, 0.05, 0.05).unwrap().decide(&[0.5, 0.0, 0.25]).unwrap();
        let paired = Standing { report: Report::Paired(report), ..standing([1, 0, 2, 0, 0], None) };
        let shown = line(&paired, Duration::from_secs(1));
        assert!(shown.starts_with("3 seeds, +30 =4 −26  score +0.250  for "), "{shown}");
    }
}
