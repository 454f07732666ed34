//! Makes a report from the plan, the schedule and the records of matches.

use std::collections::BTreeSet;

use crate::{Plan, Record, Schedule, format::AdaptiveMatchmaker};
use agon_core::Seed;
use agon_rating::{Anchor, HeadToHead, Options, table};

use crate::report::{
    Bot, Facts, MatchLine, Report, ReportError, ReportOptions, State,
    fault::faults,
    interval::CONFIDENCE,
    meeting::{circles, meeting, superiority},
    names::Names,
    number::rounded,
    progress::progress,
    rating::ratings,
    seat::seats,
    standing::standing,
    warning::{SHARED_JVM, verdict, warnings},
    worker::{self, workers},
};

impl<'a> Report<'a> {
    /// Makes the report of a plan after the `records`.
    ///
    /// `schedule` must have seen the records ([`Plan::resume`]).
    ///
    /// # Errors
    /// If a record names a bot that is not in the plan, or cannot be rated.
    pub fn new(
        plan: &'a Plan,
        schedule: &Schedule,
        records: &'a [Record],
        options: &ReportOptions,
    ) -> Result<Report<'a>, ReportError> {
        let names = Names::new(plan);
        // In order of the schedule, so that nothing depends on the order in which matches ended.
        let mut ordered: Vec<&Record> = records.iter().collect();
        ordered.sort_by_key(|record| record.id);
        let records = ordered.as_slice();
        // A forfeit tells nothing of how strong bots and seats are.
        let played: Vec<&Record> =
            records.iter().copied().filter(|record| record.forfeits.is_empty()).collect();
        let rated = names.rated(plan, &played)?;
        let rating_options = Options {
            players: names.len(),
            confidence: CONFIDENCE,
            seed: Seed::plain(plan.seed.number()),
            // A bot that lost every match would make the ratings of all others uncertain.
            anchor: Anchor::Firm,
            widen: widening(plan),
            ..Options::default()
        };
        let table = table(&rated, &rating_options)?;
        let meetings = HeadToHead::new(&rated)?;
        let faults = faults(records, &names);
        let ratings = ratings(&table, &names);
        let mut rated_at = vec![0; names.len()];
        ratings.iter().enumerate().for_each(|(at, rating)| rated_at[rating.number] = at);
        let mut report = Report {
            rated_at,
            report: Report::KIND,
            version: Report::VERSION,
            tournament: Facts::new(plan),
            state: State::new(plan, schedule, records),
            verdict: None,
            warnings: Vec::new(),
            bots: Bot::all(plan),
            absent: Vec::new(),
            standing: standing(plan, schedule, records, &table, &faults, &names),
            confidence: CONFIDENCE,
            widened: rounded(widening(plan), 2),
            superiority: superiority(&table, &ratings),
            ratings,
            head_to_head: meetings.pairs.iter().map(|&pair| meeting(pair, &names)).collect(),
            circles: circles(&meetings, &names),
            progress: progress(&rated, &table, &rating_options, options.points, &names)?,
            faults,
            seats: seats(&played),
            workers: workers(&played, &names, &repeatable(plan)),
            matches: records.iter().copied().map(MatchLine::new).collect(),
            meetings,
            names,
            game: plan.game,
        };
        report.verdict = verdict(&report);
        report.warnings = warnings(&report);
        report.warnings.extend(worker::warnings(&report.workers));
        if plan.sandbox.share_jvm && plan.game == agon_games::GameId::Amoebas {
            report.warnings.push(SHARED_JVM.to_owned());
        }
        Ok(report)
    }
}

/// Returns the factor by which the plan's choice of matches widens intervals.
fn widening(plan: &Plan) -> f64 {
    if plan.format.is_adaptive() { AdaptiveMatchmaker::widening(plan.bots.len()) } else { 1.0 }
}

/// Returns the names of bots that always answer the same.
fn repeatable(plan: &Plan) -> BTreeSet<&str> {
    let is_repeatable = |text: &str| {
        text.starts_with("builtin:") || text.starts_with("wasm:") || text.ends_with(".wasm")
    };
    let all = plan.bots.iter().filter(|bot| is_repeatable(&bot.text));
    all.map(|bot| bot.name.as_str()).collect()
}
