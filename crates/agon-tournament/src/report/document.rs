//! All contents of a report. Serialised, they are the JSON for programs.

use crate::{Plan, plan::Absent};
use agon_core::BotInfo;
use agon_rating::HeadToHead;
use schemars::JsonSchema;
use serde::Serialize;

use crate::report::{
    AbsentBot, Bot, Circle, Facts, FaultLine, MatchLine, Matrix, Meeting, Place, Progress, Rating,
    SeatLine, State, WorkerLine, names::Names,
};

/// Options for making a report.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReportOptions {
    /// The most points of time with ratings; large fields have fewer.
    pub points: usize,
}

impl Default for ReportOptions {
    fn default() -> ReportOptions {
        ReportOptions { points: 40 }
    }
}

/// A report about a tournament so far. Programs read it as JSON.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Report<'a> {
    /// The kind of file: `agon-tournament-report`.
    pub report: &'static str,
    /// The version of the format. It grows when a key changes its meaning or goes away.
    pub version: u32,
    /// The tournament.
    pub tournament: Facts<'a>,
    /// Its progress.
    pub state: State,
    /// The best bot and how sure that is, as a sentence; `null` while it is unknown.
    pub verdict: Option<String>,
    /// Warnings for readers of the tables, a sentence each.
    pub warnings: Vec<String>,
    /// The bots in order of the plan.
    pub bots: Vec<Bot<'a>>,
    /// Bots of the plan that were left out.
    pub absent: Vec<AbsentBot<'a>>,
    /// The table of the format, best first. Disqualified bots stand last.
    pub standing: Vec<Place<'a>>,
    /// The confidence of all intervals.
    pub confidence: f64,
    /// The factor by which intervals of ratings are wider than for random matches. It is more than
    /// 1 if results decided the next pairings.
    pub widened: f64,
    /// Ratings with intervals: the largest group first, and within a group the best bot.
    pub ratings: Vec<Rating<'a>>,
    /// Results of every two bots that met, once.
    pub head_to_head: Vec<Meeting<'a>>,
    /// The probability that the bot of the row is stronger than the one of the column.
    pub superiority: Matrix<'a>,
    /// Circles: A beats B, B beats C, and C beats A.
    pub circles: Vec<Circle<'a>>,
    /// Ratings after more and more matches.
    pub progress: Progress<'a>,
    /// Faults of bots, in order of bots and kinds.
    pub faults: Vec<FaultLine<'a>>,
    /// The advantages of seats.
    pub seats: Vec<SeatLine>,
    /// The machines that have played for this one, by name.
    pub workers: Vec<WorkerLine<'a>>,
    /// All completed matches, in order of the schedule.
    pub matches: Vec<MatchLine<'a>>,
    #[serde(skip)]
    pub(crate) meetings: HeadToHead,
    #[serde(skip)]
    pub(crate) names: Names<'a>,
    #[serde(skip)]
    pub(crate) game: agon_games::GameId,
    /// The index in `ratings` of each bot of the plan.
    #[serde(skip)]
    pub(crate) rated_at: Vec<usize>,
}

impl<'a> Report<'a> {
    /// The value of the key `report`.
    pub const KIND: &'static str = "agon-tournament-report";
    /// The version of the format that is written.
    pub const VERSION: u32 = 2;

    /// Adds facts about the contents of the bots, by their names.
    pub fn identify(&mut self, infos: &[BotInfo]) {
        for bot in &mut self.bots {
            if let Some(info) = infos.iter().find(|info| info.name == bot.name) {
                bot.digest.clone_from(&info.digest);
                (bot.covers, bot.version) = (info.covers, info.version);
            }
        }
    }

    /// Adds the bots of the whole plan that were left out of the schedule.
    pub fn leave_out(&mut self, whole: &'a Plan, absent: &'a [Absent]) {
        self.absent = AbsentBot::all(whole, absent);
    }

    /// Returns the rating of a bot by its number in the plan.
    pub(crate) fn rating_of(&self, number: usize) -> &Rating<'a> {
        &self.ratings[self.rated_at[number]]
    }

    /// Returns the rating of the bot on a line of the table.
    pub fn rating(&self, place: &Place<'_>) -> &Rating<'a> {
        self.rating_of(place.number)
    }

    /// Returns the report as one line of JSON, without a line end.
    pub fn json(&self) -> String {
        serde_json::to_string(self).expect("a report has text as keys and finite numbers")
    }
}
