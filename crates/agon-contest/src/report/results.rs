//! The parts of a report that say how the bots did: the table by the rules of the format, ratings
//! with intervals, meetings, faults and the advantages of seats.

use std::collections::BTreeMap;

use agon_core::{FaultKind, Seed};
use agon_rating::{
    Cycle, Footing, HeadToHead, MeanInterval, Meetings, Options, Record as Rated, Table, table,
};
use anyhow::Result;
use schemars::JsonSchema;
use serde::Serialize;

use super::elo_text;
use super::facts::{Names, rounded};
use crate::{MatchId, PairingId, Plan, Record, Schedule, format::Row, plan::Out};

/// A bot's line in the table.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Place<'a> {
    /// 1 for the best. Equal bots share a place, and the next place is skipped. Disqualified bots
    /// have the last one, whatever they won.
    pub place: u32,
    /// Whether the bot was disqualified.
    pub disqualified: bool,
    /// The bot.
    pub bot: &'a str,
    /// Points: one for each opponent left behind, half a point for each equal one. Byes
    /// are included.
    pub points: f64,
    /// Completed matches, forfeits included.
    pub matches: u64,
    /// Matches that the bot forfeited: lost without being played.
    pub forfeits: u64,
    /// Matches in which the bot alone had the best place.
    pub wins: u64,
    /// Matches in which it shared the best place.
    pub ties: u64,
    /// All other matches.
    pub losses: u64,
    /// The mean place; `null` without matches. Equal places count as their mean.
    pub mean_place: Option<f64>,
    /// Faults of all kinds.
    pub faults: u64,
    /// The tie-breaks between equal points, in order.
    pub tie_breaks: Vec<TieBreak>,
    /// The reason for this place: "lost in the semi-final", "3½ of 6 points".
    pub reason: String,
    /// The bot's number in the plan.
    #[serde(skip)]
    pub(crate) number: usize,
}

/// A tie-break between equal points.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TieBreak {
    /// Its name, such as Buchholz.
    pub name: &'static str,
    /// Points.
    pub value: f64,
}

/// What forfeits gave to a bot.
#[derive(Clone, Copy, Debug, Default)]
struct Forfeits {
    /// Matches that it forfeited itself.
    own: u64,
    wins: u64,
    ties: u64,
    losses: u64,
}

impl Forfeits {
    /// Counts the forfeited matches of all bots, by their numbers.
    fn count(records: &[&Record], names: &Names<'_>) -> Vec<Forfeits> {
        let mut counts = vec![Forfeits::default(); names.len()];
        for record in records.iter().filter(|record| !record.forfeits.is_empty()) {
            let first = record.places.iter().filter(|&&place| place == 1).count();
            for (seat, name) in record.seats.iter().enumerate() {
                let Some(number) = names.number(name) else { continue };
                let count = &mut counts[number];
                count.own += u64::from(record.forfeits.contains(&seat));
                match record.places[seat] {
                    1 if first == 1 => count.wins += 1,
                    1 => count.ties += 1,
                    _ => count.losses += 1,
                }
            }
        }
        counts
    }
}

/// Returns the table, best first, and disqualified bots at its end.
pub(crate) fn standing<'a>(
    plan: &'a Plan,
    schedule: &Schedule,
    records: &[&Record],
    table: &Table,
    faults: &[FaultLine<'a>],
    names: &Names<'a>,
) -> Vec<Place<'a>> {
    let mut counts = vec![0; names.len()];
    faults.iter().for_each(|line| counts[line.number] += line.count);
    let forfeits = Forfeits::count(records, names);
    let place = |row: Row| {
        let number = row.entrant.index();
        let tally = table.row(number).map(|row| row.tally.clone()).unwrap_or_default();
        let Forfeits { own, wins, ties, losses } = forfeits[number];
        let out = plan.bots[number].about.out.as_ref();
        let reason = match out {
            Some(out) => format!("{}; {}", out.words(), row.reason),
            None => row.reason,
        };
        Place {
            place: row.place,
            disqualified: matches!(out, Some(Out::Disqualified(_))),
            bot: names.of(number),
            points: f64::from(row.half_points) / 2.0,
            matches: u64::from(row.played),
            forfeits: own,
            wins: tally.wins + wins,
            ties: tally.ties + ties,
            losses: tally.losses + losses,
            mean_place: (tally.matches > 0).then(|| rounded(tally.mean_place, 3)),
            faults: counts[number],
            tie_breaks: row
                .tie_breaks
                .iter()
                .map(|&(name, value)| tie_break(name, value))
                .collect(),
            reason,
            number,
        }
    };
    let rows = schedule.standing().into_iter().map(place);
    let (out, mut places): (Vec<_>, Vec<_>) = rows.partition(|place| place.disqualified);
    // The places that disqualified bots leave are taken by those behind them.
    for place in &mut places {
        place.place -= out.iter().filter(|out| out.place < place.place).count() as u32;
    }
    let last = places.len() as u32 + 1;
    places.extend(out.into_iter().map(|place| Place { place: last, ..place }));
    places
}

fn tie_break(name: &'static str, value: i64) -> TieBreak {
    // Sonneborn-Berger is a sum of products of half points.
    let unit = if name == "Sonneborn-Berger" { 4.0 } else { 2.0 };
    TieBreak { name, value: value as f64 / unit }
}

/// A bot's strength by the results of all matches at once.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Rating<'a> {
    /// The bot.
    pub bot: &'a str,
    /// The group of bots that met each other, directly or through others, from 0, the largest
    /// first. Ratings of different groups cannot be compared.
    pub group: usize,
    /// The rank within the group, from 1.
    pub rank: usize,
    /// The rating in Elo points. Near equality a difference means the expected score of Elo's
    /// formula, where ties count half. 0 is the mean of all bots of the group whose footing is
    /// `firm`, or of all bots if there are none.
    pub elo: f64,
    /// The lower end of its interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// The best rank that the bot may really have, within the interval's confidence.
    pub rank_low: usize,
    /// The worst rank.
    pub rank_high: usize,
    /// How firmly the results hold the rating: `firm`; `open-above` or `open-below` if it could be
    /// any amount higher or lower; `open` for both, or without a match.
    #[schemars(with = "String")]
    pub footing: Footing,
    /// Completed matches.
    pub matches: u64,
    /// The mean share of the opponents left behind; ties count half.
    pub score: f64,
    /// The probability of each rank within the group, the first rank first. Empty in groups of more
    /// than 200.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rank_probabilities: Vec<f64>,
    /// The bot's number in the plan.
    #[serde(skip)]
    pub(crate) number: usize,
}

/// Returns all ratings: the largest group first, and within a group the best bot.
pub(crate) fn ratings<'a>(table: &Table, names: &Names<'a>) -> Vec<Rating<'a>> {
    let rating = |row: &agon_rating::Row| Rating {
        bot: names.of(row.player),
        group: row.group,
        rank: row.rank,
        elo: rounded(row.elo, 1),
        low: rounded(row.low, 1),
        high: rounded(row.high, 1),
        rank_low: row.rank_low,
        rank_high: row.rank_high,
        footing: row.footing,
        matches: row.tally.matches,
        score: rounded(row.tally.score, 4),
        rank_probabilities: row.rank_probabilities.iter().map(|&part| rounded(part, 4)).collect(),
        number: row.player,
    };
    table.rows.iter().map(rating).collect()
}

impl Rating<'_> {
    /// Returns how far the interval reaches, averaged over both sides.
    pub fn half(&self) -> f64 {
        (self.high - self.low) / 2.0
    }

    /// Returns whether any result supports the rating.
    pub fn is_rated(&self) -> bool {
        self.matches > 0
    }
}

/// The confidence of intervals, and of bold scores.
pub(crate) const CONFIDENCE: f64 = 0.95;

/// Returns the interval of a rating: `+80 to +165`, `at least +80`.
///
/// It leaves out an end that no result supports.
pub fn interval_text(rating: &Rating<'_>) -> String {
    let low = elo_text(rating.low);
    let high = elo_text(rating.high);
    match rating.footing {
        Footing::Firm => format!("{low} to {high}"),
        Footing::OpenAbove => format!("at least {low}"),
        Footing::OpenBelow => format!("at most {high}"),
        Footing::Open => "no bound".to_owned(),
    }
}

/// Returns the reason for a missing end; `None` if both are known.
pub(crate) fn missing_end(footing: Footing) -> Option<&'static str> {
    match footing {
        Footing::Firm => None,
        Footing::OpenAbove => Some(
            "has lost neither to the bots it is measured against nor to any that lost to them, so \
             only a lower bound is known",
        ),
        Footing::OpenBelow => Some(
            "has beaten neither the bots it is measured against nor any that beat them, so only an \
             upper bound is known",
        ),
        Footing::Open => {
            Some("its results leave open how far it is from the other bots, so no bound is known")
        }
    }
}

/// The table of ratings after the first matches of the schedule, after more of them, and so on.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Progress<'a> {
    /// The number of completed matches at each point; the last one is now.
    pub matches: Vec<u64>,
    /// A line per bot, best first.
    pub lines: Vec<Line<'a>>,
}

/// The rating of a bot over time.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Line<'a> {
    /// The bot.
    pub bot: &'a str,
    /// The rating in Elo points at each point. It is `null` until the bot has met, directly or
    /// through others, the largest group of bots.
    pub elo: Vec<Option<f64>>,
    /// The lower ends of the intervals.
    pub low: Vec<Option<f64>>,
    /// The upper ends.
    pub high: Vec<Option<f64>>,
}

/// Returns the number of points of time, which is smaller for large tables: they are slow.
fn points(bots: usize, most: usize) -> usize {
    most.min(match bots {
        0..=100 => 40,
        101..=250 => 20,
        _ => 6,
    })
}

/// Returns ratings at up to `most` points of time; `now` is the table of all records.
pub(crate) fn progress<'a>(
    records: &[Rated],
    now: &Table,
    options: &Options,
    most: usize,
    names: &Names<'a>,
) -> Result<Progress<'a>> {
    let points = points(names.len(), most).min(records.len());
    // Only the last table needs ranks and matrices.
    let options = Options { samples: 0, matrices: 0, ..*options };
    let mut progress = Progress { matches: Vec::new(), lines: Vec::new() };
    let new_line = |row: &agon_rating::Row| Line {
        bot: names.of(row.player),
        elo: Vec::new(),
        low: Vec::new(),
        high: Vec::new(),
    };
    progress.lines = now.rows.iter().map(new_line).collect();
    for point in 1..=points {
        let matches = records.len() * point / points;
        let then = if point == points { None } else { Some(table(&records[..matches], &options)?) };
        let then = then.as_ref().unwrap_or(now);
        progress.matches.push(matches as u64);
        for (line, row) in progress.lines.iter_mut().zip(&now.rows) {
            let row = then.row(row.player).filter(|row| row.group == 0 && row.tally.matches > 0);
            line.elo.push(row.map(|row| rounded(row.elo, 1)));
            line.low.push(row.map(|row| rounded(row.low, 1)));
            line.high.push(row.map(|row| rounded(row.high, 1)));
        }
    }
    Ok(progress)
}

/// The meetings of two bots, from the first one's point of view.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Meeting<'a> {
    /// The bot with the counted wins.
    pub bot: &'a str,
    /// The other one.
    pub opponent: &'a str,
    /// Matches in which `bot` was placed before `opponent`.
    pub wins: u64,
    /// Matches in which both had the same place.
    pub ties: u64,
    /// Matches in which `opponent` was placed before `bot`.
    pub losses: u64,
    /// Wins and half the ties, as a share of all meetings.
    pub score: f64,
    /// 1 minus the p-value of the exact two-sided sign test: of pairs of equal bots at most 5 %
    /// have 0.95 or more. All matches of one mirrored seed count as one, and those without a winner
    /// do not count. It is 0 if neither bot won more often.
    pub confidence: f64,
}

/// A number for every two bots.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Matrix<'a> {
    /// The bots of its rows and columns, in order of their ratings.
    pub bots: Vec<&'a str>,
    /// The numbers, row by row; `null` where there is none.
    pub rows: Vec<Vec<Option<f64>>>,
    /// The number of bots left out, the weakest ones, since the matrix has the square of
    /// their number.
    pub left_out: usize,
}

/// Bots that each beat the next one; the last one beats the first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Circle<'a> {
    /// At least three bots.
    pub bots: Vec<&'a str>,
    /// The score of each against the next one.
    pub scores: Vec<f64>,
    /// The confidence of the least certain of these results, as in `head_to_head`.
    pub confidence: f64,
    /// The same as a sentence.
    pub text: String,
}

/// The most bots in a matrix.
const MAX_BOTS: usize = 200;

/// The most circles in the list.
const MAX_CIRCLES: usize = 12;

pub(crate) fn meeting<'a>(meetings: Meetings, names: &Names<'a>) -> Meeting<'a> {
    Meeting {
        bot: names.of(meetings.one),
        opponent: names.of(meetings.other),
        wins: meetings.wins,
        ties: meetings.ties,
        losses: meetings.losses,
        score: rounded(meetings.score(), 4),
        confidence: rounded(meetings.confidence(), 4),
    }
}

/// Returns the probabilities that the bot of the row is stronger than that of the column.
pub(crate) fn superiority<'a>(table: &Table, ratings: &[Rating<'a>]) -> Matrix<'a> {
    let rated: Vec<&Rating<'_>> = ratings.iter().filter(|rating| rating.is_rated()).collect();
    let chosen = &rated[..rated.len().min(MAX_BOTS)];
    let of = |one: &Rating<'_>, other: &Rating<'_>| {
        let known =
            (one.number != other.number).then(|| table.superiority(one.number, other.number))?;
        known.map(|part| rounded(part, 4))
    };
    Matrix {
        bots: chosen.iter().map(|rating| rating.bot).collect(),
        rows: chosen
            .iter()
            .map(|one| chosen.iter().map(|other| of(one, other)).collect())
            .collect(),
        left_out: rated.len() - chosen.len(),
    }
}

/// Returns circles of bots that beat each other, the shortest first.
///
/// Chance alone makes one in at most one tournament of twenty.
pub(crate) fn circles<'a>(meetings: &HeadToHead, names: &Names<'a>) -> Vec<Circle<'a>> {
    let confidence = agon_rating::cycle_confidence(names.len());
    let circle = |cycle: Cycle| Circle {
        text: cycle.warning(|number| names.of(number).to_owned()),
        bots: cycle.players.iter().map(|&number| names.of(number)).collect(),
        scores: cycle.scores.iter().map(|&score| rounded(score, 4)).collect(),
        confidence: rounded(cycle.confidence, 4),
    };
    agon_rating::cycles(meetings, confidence, MAX_CIRCLES).into_iter().map(circle).collect()
}

/// Faults of one kind by one bot. They never include mistakes of the machine.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FaultLine<'a> {
    /// The bot.
    pub bot: &'a str,
    /// The kind.
    pub kind: FaultKind,
    /// The number of faults.
    pub count: u64,
    /// The number of matches with such a fault.
    pub matches: u64,
    /// A short description of the first one.
    pub text: &'a str,
    /// The first matches with such a fault.
    #[schemars(with = "Vec<String>")]
    pub examples: Vec<MatchId>,
    /// The replays of these matches, if they were kept.
    pub replays: Vec<Option<&'a str>>,
    /// The steps of these matches in which it happened first; `null` for results of an older
    /// Agon.
    pub steps: Vec<Option<u64>>,
    /// The end of what the bot wrote to stderr in the first match that has any; empty if none has.
    pub stderr: &'a str,
    /// The bot's number in the plan.
    #[serde(skip)]
    pub(crate) number: usize,
}

/// The number of matches that are listed.
const EXAMPLES: usize = 3;

/// Returns faults in order of bots and kinds. `records` must only name bots of the plan.
pub(crate) fn faults<'a>(records: &[&'a Record], names: &Names<'a>) -> Vec<FaultLine<'a>> {
    let mut lines: BTreeMap<(usize, FaultKind), FaultLine<'a>> = BTreeMap::new();
    for record in records {
        for (seat, faults) in record.seats.iter().zip(&record.faults) {
            let Some(number) = names.number(seat) else { continue };
            for fault in faults {
                let line = lines.entry((number, fault.kind)).or_insert_with(|| FaultLine {
                    bot: names.of(number),
                    kind: fault.kind,
                    count: 0,
                    matches: 0,
                    text: &fault.text,
                    examples: Vec::new(),
                    replays: Vec::new(),
                    steps: Vec::new(),
                    stderr: "",
                    number,
                });
                line.count += fault.count;
                if line.stderr.is_empty() {
                    line.stderr = &fault.stderr;
                }
                // The same kind may occur twice in a match, which counts once.
                if line.examples.last() == Some(&record.id) {
                    continue;
                }
                line.matches += 1;
                if line.examples.len() < EXAMPLES {
                    line.examples.push(record.id);
                    line.replays.push(record.replay.as_deref());
                    line.steps.push(fault.step);
                }
            }
        }
    }
    lines.into_values().collect()
}

/// The results of one seat, for any bots in it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SeatLine {
    /// The number of players in the match.
    pub players: usize,
    /// The seat, from 1.
    pub seat: usize,
    /// The number of matches.
    pub matches: u64,
    /// The mean share of the opponents left behind, where ties count half. It is 0.5 if the seat
    /// does not matter.
    pub score: f64,
    /// The lower end of its 95 % interval (empirical likelihood ratio), never equal to the
    /// upper end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// Returns all seats, by the number of players.
///
/// Matches on one seed of one pairing are one observation. With mirrored seeds each bot has each
/// seat there, so the bots' strengths cancel out.
pub(crate) fn seats(records: &[&Record]) -> Vec<SeatLine> {
    // For each number of players and observation: matches, and the sum of the shares of each seat.
    let mut sums: BTreeMap<(usize, PairingId, Seed), (u32, Vec<f64>)> = BTreeMap::new();
    for record in records.iter().filter(|record| record.seats.len() > 1) {
        let players = record.seats.len();
        let key = (players, record.id.pairing, record.seed);
        let (matches, shares) = sums.entry(key).or_insert_with(|| (0, vec![0.0; players]));
        *matches += 1;
        for (share, half_points) in shares.iter_mut().zip(record.outcome().half_points()) {
            *share += f64::from(half_points) / (2 * (players - 1)) as f64;
        }
    }
    let mut lines = Vec::new();
    let observations: Vec<_> = sums.iter().map(|(key, sum)| (key.0, sum)).collect();
    for group in observations.chunk_by(|one, other| one.0 == other.0) {
        let matches = group.iter().map(|(_, (matches, _))| u64::from(*matches)).sum();
        for seat in 0..group[0].0 {
            let means: Vec<f64> = group
                .iter()
                .map(|(_, (matches, shares))| shares[seat] / f64::from(*matches))
                .collect();
            let interval = MeanInterval::of(&means, CONFIDENCE).expect("shares are from 0 to 1");
            lines.push(SeatLine {
                players: group[0].0,
                seat: seat + 1,
                matches,
                score: rounded(interval.mean, 4),
                low: rounded(interval.low, 4),
                high: rounded(interval.high, 4),
            });
        }
    }
    lines
}
