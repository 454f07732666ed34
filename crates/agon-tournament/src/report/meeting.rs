//! Results of pairs in a report: meetings, probabilities of superiority, and circles of wins.

use agon_rating::{Cycle, HeadToHead, Meetings, Table};
use schemars::JsonSchema;
use serde::Serialize;

use crate::report::{Rating, names::Names, number::rounded};

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
