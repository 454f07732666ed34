//! All that is to be told of a tournament so far.

use agon_core::{BotInfo, Seed};
use agon_rating::{Anchor, HeadToHead, Options, table};
use agon_tournament::{Plan, Record, Schedule, format::AdaptiveMatchmaker};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    Bot, Circle, Facts, FaultLine, MatchLine, Matrix, Meeting, Place, Progress, Rating,
    ReportError, SeatLine, State,
    fault::faults,
    meeting::{circles, meeting, superiority},
    names::Names,
    number::rounded,
    progress::progress,
    rating::ratings,
    seat::seats,
    standing::standing,
    warning::{SHARED_JVM, verdict, warnings},
};

/// The confidence of intervals, and of scores that are bold.
pub(crate) const CONFIDENCE: f64 = 0.95;

/// What a report is made with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReportOptions {
    /// At how many points of time ratings are told, at most; in great fields there are fewer.
    pub points: usize,
}

impl Default for ReportOptions {
    fn default() -> ReportOptions {
        ReportOptions { points: 40 }
    }
}

/// All that is to be told of a tournament so far. Written as JSON it is what programs read.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Report<'a> {
    /// What it is: `agon-tournament-report`.
    pub report: &'static str,
    /// The version of the format. It grows when a key changes its meaning or goes away.
    pub version: u32,
    /// What is played.
    pub tournament: Facts<'a>,
    /// How far it is.
    pub state: State,
    /// Who is the best and how sure that is, as a sentence; `null` while nothing can be said.
    pub verdict: Option<String>,
    /// What a reader of the tables should know, a sentence each.
    pub warnings: Vec<String>,
    /// The bots in order of the plan.
    pub bots: Vec<Bot<'a>>,
    /// The table of the format, best first.
    pub standing: Vec<Place<'a>>,
    /// The confidence of all intervals.
    pub confidence: f64,
    /// The intervals of ratings are so many times as wide as for matches that were chosen by lot:
    /// more than 1 if results decided who played next.
    pub widened: f64,
    /// Ratings with intervals: the largest group first, and within a group the best bot.
    pub ratings: Vec<Rating<'a>>,
    /// Who beat whom: every two bots that met, once.
    pub head_to_head: Vec<Meeting<'a>>,
    /// The probability that the bot of the row is stronger than the one of the column.
    pub superiority: Matrix<'a>,
    /// Circles: A beats B, B beats C, and C beats A.
    pub circles: Vec<Circle<'a>>,
    /// Ratings as matches went by.
    pub progress: Progress<'a>,
    /// What bots did wrong, in order of bots and kinds.
    pub faults: Vec<FaultLine<'a>>,
    /// What seats are worth.
    pub seats: Vec<SeatLine>,
    /// All matches that are over, in order of the schedule.
    pub matches: Vec<MatchLine<'a>>,
    #[serde(skip)]
    pub(crate) meetings: HeadToHead,
    #[serde(skip)]
    pub(crate) names: Names<'a>,
    #[serde(skip)]
    pub(crate) game: agon_games::GameId,
    /// Where in `ratings` each bot of the plan is.
    #[serde(skip)]
    rated_at: Vec<usize>,
}

impl<'a> Report<'a> {
    /// What every report calls itself.
    pub const KIND: &'static str = "agon-tournament-report";
    /// The version of the format that is written.
    pub const VERSION: u32 = 2;

    /// The report of a plan after the `records`, which `schedule` has been told of
    /// ([`Plan::resume`]).
    ///
    /// # Errors
    /// If a record names a bot that the plan does not have, or cannot be rated.
    pub fn new(
        plan: &'a Plan,
        schedule: &Schedule,
        records: &'a [Record],
        options: &ReportOptions,
    ) -> Result<Report<'a>, ReportError> {
        let names = Names::new(plan);
        // In order of the schedule: nothing depends on which match happened to end first.
        let mut ordered: Vec<&Record> = records.iter().collect();
        ordered.sort_by_key(|record| record.id);
        let records = ordered.as_slice();
        let rated = names.rated(plan, records)?;
        let rating_options = Options {
            players: names.len(),
            confidence: CONFIDENCE,
            seed: Seed(plan.seed.0),
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
            standing: standing(schedule, &table, &faults, &names),
            confidence: CONFIDENCE,
            widened: rounded(widening(plan), 2),
            superiority: superiority(&table, &ratings),
            ratings,
            head_to_head: meetings.pairs.iter().map(|&pair| meeting(pair, &names)).collect(),
            circles: circles(&meetings, &names),
            progress: progress(&rated, &table, &rating_options, options.points, &names)?,
            faults,
            seats: seats(records),
            matches: records.iter().copied().map(MatchLine::new).collect(),
            meetings,
            names,
            game: plan.game,
        };
        report.verdict = verdict(&report);
        report.warnings = warnings(&report);
        if plan.sandbox.share_jvm && plan.game == agon_games::GameId::Amoebas {
            report.warnings.push(SHARED_JVM.to_owned());
        }
        Ok(report)
    }

    /// Adds what is known of the contents of the bots, by their names.
    pub fn identify(&mut self, infos: &[BotInfo]) {
        for bot in &mut self.bots {
            if let Some(info) = infos.iter().find(|info| info.name == bot.name) {
                bot.digest.clone_from(&info.digest);
                (bot.covers, bot.version) = (info.covers, info.version);
            }
        }
    }

    /// The rating of a bot by its number in the plan.
    pub(crate) fn rating_of(&self, number: usize) -> &Rating<'a> {
        &self.ratings[self.rated_at[number]]
    }

    /// The rating of the bot with a line in the table.
    pub fn rating(&self, place: &Place<'_>) -> &Rating<'a> {
        self.rating_of(place.number)
    }

    /// The report as JSON on one line, without its end.
    pub fn json(&self) -> String {
        serde_json::to_string(self).expect("a report has text as keys and finite numbers")
    }
}

/// By which factor the plan's way to choose matches makes intervals wider.
fn widening(plan: &Plan) -> f64 {
    if plan.format.is_adaptive() { AdaptiveMatchmaker::widening(plan.bots.len()) } else { 1.0 }
}
