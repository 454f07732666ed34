//! All contents of a report. Serialised, they are the JSON for programs.
//!
//! A report is made from the plan, the schedule and the records of matches. Sentences warn readers
//! of the tables, and name the strongest bot.

use std::io::{self, Write};
use std::{fmt, str::FromStr};

use agon_core::text::{EscapeWriter, csv_line};
use agon_core::{BotInfo, Seed};
use agon_rating::{Anchor, Footing, HeadToHead, Options, table};
use anyhow::{Context, Result};
use schemars::JsonSchema;
use serde::Serialize;

use super::facts::{Names, listed, percent, rounded};
use super::results::{
    CONFIDENCE, circles, faults, meeting, progress, ratings, seats, standing, superiority,
};
use super::{
    AbsentBot, Bot, Circle, Facts, FaultLine, MatchLine, Matrix, Meeting, Place, Progress, Rating,
    SeatLine, State,
};
use crate::{Plan, Record, Schedule, format::AdaptiveMatchmaker, plan::Absent};

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

    /// Makes the report of a plan after the `records`.
    ///
    /// `schedule` must have seen the records ([`Plan::resume`]).
    pub fn new(
        plan: &'a Plan,
        schedule: &Schedule,
        records: &'a [Record],
        options: &ReportOptions,
    ) -> Result<Report<'a>> {
        let names = Names::new(plan);
        // In order of the schedule, so that nothing depends on the order in which matches ended.
        let mut ordered: Vec<&Record> = records.iter().collect();
        ordered.sort_by_key(|record| record.id);
        let records = ordered.as_slice();
        // A forfeit tells nothing of how strong bots and seats are.
        let played: Vec<&Record> =
            records.iter().copied().filter(|record| record.forfeits.is_empty()).collect();
        let rated = names.rated(plan, &played)?;
        // The plan's choice of matches widens intervals.
        let is_adaptive = plan.format.is_adaptive();
        let widen = if is_adaptive { AdaptiveMatchmaker::widening(plan.bots.len()) } else { 1.0 };
        let rating_options = Options {
            players: names.len(),
            confidence: CONFIDENCE,
            seed: Seed::plain(plan.seed.number()),
            // A bot that lost every match would make the ratings of all others uncertain.
            anchor: Anchor::Firm,
            widen,
            ..Options::default()
        };
        let cannot = "the results cannot be rated";
        let table = table(&rated, &rating_options).context(cannot)?;
        let meetings = HeadToHead::new(&rated).context(cannot)?;
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
            widened: rounded(widen, 2),
            superiority: superiority(&table, &ratings),
            ratings,
            head_to_head: meetings.pairs.iter().map(|&pair| meeting(pair, &names)).collect(),
            circles: circles(&meetings, &names),
            progress: progress(&rated, &table, &rating_options, options.points, &names)?,
            faults,
            seats: seats(&played),
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
}

/// The warning for plans with `share_jvm`.
pub(crate) const SHARED_JVM: &str =
    "Species in Clojure share a JVM (share_jvm), in which they can reach each other.";

/// The number of matches below which a rating says little.
const FEW: u64 = 10;

/// Returns warnings, a sentence each, the most serious first.
pub(crate) fn warnings(report: &Report<'_>) -> Vec<String> {
    let mut warnings = Vec::new();
    let rated = || report.ratings.iter().filter(|rating| rating.is_rated());
    let groups = rated().map(|rating| rating.group + 1).max().unwrap_or(0);
    if groups > 1 {
        warnings.push(format!(
            "The bots form {groups} groups that never met: ratings of different groups cannot be \
             compared."
        ));
    }
    if let Some(circle) = report.circles.first() {
        warnings.push(format!(
            "The field is cyclic: {} beat each other in a circle, so no order of strength fits all \
             results.",
            listed(&circle.bots)
        ));
    }
    for footing in [Footing::OpenAbove, Footing::OpenBelow, Footing::Open] {
        let bots: Vec<&str> = rated().filter(|r| r.footing == footing).map(|r| r.bot).collect();
        warnings.extend(footing.sentence(&listed(&bots), bots.len(), "bot"));
    }
    let few: Vec<&str> =
        rated().filter(|rating| rating.matches < FEW).map(|rating| rating.bot).collect();
    if few.len() > 1 && few.len() == rated().count() {
        warnings.push(format!("No bot has {FEW} matches yet, so the ratings say little."));
    } else if !few.is_empty() {
        let rating = if few.len() == 1 { "rating says" } else { "ratings say" };
        let few = listed(&few);
        warnings.push(format!("{few}: fewer than {FEW} matches, so the {rating} little."));
    }
    let idle: Vec<&str> = report
        .ratings
        .iter()
        .filter(|rating| !rating.is_rated())
        .map(|rating| rating.bot)
        .collect();
    if !idle.is_empty() {
        warnings.push(format!("{}: no matches, so no rating.", listed(&idle)));
    }
    if report.widened > 1.0 {
        warnings.push(format!(
            "Adaptive: results decided who played next, which draws ratings apart. Their intervals \
             are widened by a factor of {}.",
            report.widened
        ));
    }
    warnings.extend(broken(report));
    warnings
}

/// Names bots with faults in at least half of their matches.
///
/// Their place may reflect the faults more than their play.
fn broken(report: &Report<'_>) -> Option<String> {
    let often = |place: &&Place<'_>| {
        // A match with two kinds of faults counts for both. So only the largest count is certain.
        let lines = report.faults.iter().filter(|line| line.number == place.number);
        2 * lines.map(|line| line.matches).max().unwrap_or(0) >= place.matches.max(1)
    };
    let bots: Vec<&str> = report.standing.iter().filter(often).map(|place| place.bot).collect();
    let place = if bots.len() == 1 { "the place" } else { "the places" };
    (!bots.is_empty()).then(|| {
        format!(
            "{}: faults in at least half of the matches; {place} may say more about them than \
             about play.",
            listed(&bots)
        )
    })
}

/// The probability from which a bot is called the strongest.
///
/// Between two equal bots, chance reaches it in one tournament of twenty, since either may
/// be lucky.
const SURE: f64 = 0.975;

/// The probability from which a bot is called probably the strongest. Of two equal bots, each has
/// half.
const LIKELY: f64 = 0.75;

/// Names the strongest bot, with its probability; `None` if groups never met.
pub(crate) fn verdict(report: &Report<'_>) -> Option<String> {
    let best = report.ratings.first().filter(|rating| rating.is_rated())?;
    if report.ratings.iter().any(|rating| rating.is_rated() && rating.group != best.group) {
        return None;
    }
    let places = report.standing.iter();
    let waiting: Vec<&str> =
        places.filter(|place| place.matches == 0).map(|place| place.bot).collect();
    if !waiting.is_empty() {
        let verb = if waiting.len() == 1 { "has" } else { "have" };
        return Some(format!(
            "It is too early to name the strongest bot: {} {verb} not played yet.",
            listed(&waiting)
        ));
    }
    // It is estimated from samples, so 1 is not quite certain.
    let sure = best.rank_probabilities.first()?.min(0.9995);
    let name = best.bot;
    Some(match sure {
        sure if sure >= SURE => {
            format!("{name} is the strongest of these bots (probability {}).", percent(sure))
        }
        sure if sure >= LIKELY => format!(
            "{name} is probably the strongest of these bots (probability {}). Play more matches \
             to make sure.",
            percent(sure)
        ),
        sure => {
            let open = "The results leave open which bot is the strongest.";
            match equals(report)[..] {
                [_] => format!(
                    "{open} {name} has the highest rating, but is the strongest only with a \
                     probability of {}.",
                    percent(sure)
                ),
                ref bots => format!("{open} {} have the same, highest rating.", listed(bots)),
            }
        }
    })
}

/// Returns the bots with the highest rating, to a tenth of a point.
fn equals<'a>(report: &Report<'a>) -> Vec<&'a str> {
    let highest = report.ratings.first().map(|best| best.elo);
    let is_equal = |rating: &&Rating<'_>| rating.is_rated() && highest == Some(rating.elo);
    report.ratings.iter().filter(is_equal).map(|rating| rating.bot).collect()
}

/// A table in CSV: RFC 4180 with a line of names, UTF-8, and decimal points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Csv {
    /// A line for each bot: place, points, rating.
    Standing,
    /// A line for each bot and opponent.
    HeadToHead,
    /// A line for each match and seat.
    Matches,
    /// A line for each bot and kind of fault.
    Faults,
}

impl Csv {
    /// All tables.
    pub const ALL: [Csv; 4] = [Csv::Standing, Csv::HeadToHead, Csv::Matches, Csv::Faults];
}

impl fmt::Display for Csv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Csv::Standing => "standing",
            Csv::HeadToHead => "head-to-head",
            Csv::Matches => "matches",
            Csv::Faults => "faults",
        })
    }
}

impl FromStr for Csv {
    type Err = String;

    fn from_str(text: &str) -> Result<Csv, String> {
        let found = Csv::ALL.into_iter().find(|table| table.to_string() == text);
        found.ok_or_else(|| {
            format!(
                "there is no table `{text}`; there are: standing, head-to-head, matches, faults"
            )
        })
    }
}

const STANDING: &str = "place,bot,points,matches,wins,ties,losses,mean_place,elo,low,high,rank,\
                        rank_low,rank_high,group,footing,faults,reason,forfeits,disqualified";
const MATCHES: &str = "match,round,group,pairing,number,seed,seat,bot,place,score,faults,void,ms,\
                       replay,forfeit,points,fault,detail,key";

impl Report<'_> {
    /// Writes a table as CSV.
    pub fn csv(&self, table: Csv, out: &mut impl Write) -> io::Result<()> {
        let mut csv = EscapeWriter::new(out);
        match table {
            Csv::Standing => self.standing_csv(&mut csv)?,
            Csv::HeadToHead => self.head_to_head_csv(&mut csv)?,
            Csv::Matches => self.matches_csv(&mut csv)?,
            Csv::Faults => self.faults_csv(&mut csv)?,
        }
        csv.flush()
    }

    fn standing_csv(&self, out: &mut impl Write) -> io::Result<()> {
        row(out, STANDING.split(','))?;
        for place in &self.standing {
            let rating = Some(self.rating(place)).filter(|rating| rating.is_rated());
            let of = |text: fn(&Rating<'_>) -> String| rating.map(text).unwrap_or_default();
            row(
                out,
                [
                    place.place.to_string(),
                    place.bot.to_owned(),
                    place.points.to_string(),
                    place.matches.to_string(),
                    place.wins.to_string(),
                    place.ties.to_string(),
                    place.losses.to_string(),
                    place.mean_place.map(|mean| mean.to_string()).unwrap_or_default(),
                    of(|rating| rating.elo.to_string()),
                    of(|rating| rating.low.to_string()),
                    of(|rating| rating.high.to_string()),
                    of(|rating| rating.rank.to_string()),
                    of(|rating| rating.rank_low.to_string()),
                    of(|rating| rating.rank_high.to_string()),
                    of(|rating| rating.group.to_string()),
                    of(|rating| json(&rating.footing)),
                    place.faults.to_string(),
                    place.reason.clone(),
                    place.forfeits.to_string(),
                    place.disqualified.to_string(),
                ],
            )?;
        }
        Ok(())
    }

    /// Writes each pair from both sides, so that one filter finds all opponents of a bot.
    fn head_to_head_csv(&self, out: &mut impl Write) -> io::Result<()> {
        row(out, ["bot", "opponent", "wins", "ties", "losses", "score", "confidence"])?;
        let mut pairs: Vec<_> =
            self.meetings.pairs.iter().flat_map(|&pair| [pair, pair.reversed()]).collect();
        pairs.sort_by_key(|pair| (pair.one, pair.other));
        for pair in pairs {
            let pair = meeting(pair, &self.names);
            row(
                out,
                [
                    pair.bot.to_owned(),
                    pair.opponent.to_owned(),
                    pair.wins.to_string(),
                    pair.ties.to_string(),
                    pair.losses.to_string(),
                    json(&pair.score),
                    json(&pair.confidence),
                ],
            )?;
        }
        Ok(())
    }

    fn matches_csv(&self, out: &mut impl Write) -> io::Result<()> {
        row(out, MATCHES.split(','))?;
        for line in &self.matches {
            let pairing = line.id.pairing;
            let half_points: Vec<u32> = line.record.outcome().half_points().collect();
            for (seat, bot) in line.seats.iter().enumerate() {
                let first = line.record.faults.get(seat).and_then(|faults| faults.first());
                row(
                    out,
                    [
                        line.id.to_string(),
                        pairing.round.to_string(),
                        pairing.group.to_string(),
                        pairing.pairing.to_string(),
                        line.id.number.to_string(),
                        line.seed.to_string(),
                        (seat + 1).to_string(),
                        (*bot).to_owned(),
                        line.places[seat].to_string(),
                        line.scores[seat].to_string(),
                        line.faults[seat].to_string(),
                        line.void.to_string(),
                        line.ms.to_string(),
                        json(&line.replay),
                        line.forfeits.contains(&seat).to_string(),
                        (f64::from(half_points[seat]) / 2.0).to_string(),
                        json(&first.map(|fault| fault.kind)),
                        first.map(|fault| fault.text.clone()).unwrap_or_default(),
                        line.record.key.clone(),
                    ],
                )?;
            }
        }
        Ok(())
    }

    fn faults_csv(&self, out: &mut impl Write) -> io::Result<()> {
        row(out, ["bot", "kind", "count", "matches", "match", "text", "step", "stderr"])?;
        for line in &self.faults {
            row(
                out,
                [
                    line.bot.to_owned(),
                    json(&line.kind),
                    line.count.to_string(),
                    line.matches.to_string(),
                    json(&line.examples.first()),
                    line.text.to_owned(),
                    json(&line.steps.first().copied().flatten()),
                    line.stderr.to_owned(),
                ],
            )?;
        }
        Ok(())
    }
}

/// Writes a line of the table.
fn row<S: AsRef<str>>(out: &mut impl Write, fields: impl IntoIterator<Item = S>) -> io::Result<()> {
    out.write_all(csv_line(fields).as_bytes())
}

/// Returns a value as JSON has it, without quotes; nothing for what is not there.
fn json(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        Ok(serde_json::Value::Null) => String::new(),
        Ok(other) => other.to_string(),
        Err(error) => unreachable!("a cell of a table is JSON: {error}"),
    }
}
