//! The part `standing` of a report: the table by the rules of the format.

use agon_rating::Table;
use agon_tournament::{Schedule, format::Row};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{FaultLine, names::Names, number::rounded};

/// A bot's line in the table.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Place<'a> {
    /// 1 for the best. Equal bots share a place, and the next place is skipped.
    pub place: u32,
    /// The bot.
    pub bot: &'a str,
    /// Points: one for each opponent left behind, half a point for each equal one. Byes
    /// are included.
    pub points: f64,
    /// Completed matches.
    pub matches: u64,
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

/// Returns the table, best first.
pub(crate) fn standing<'a>(
    schedule: &Schedule,
    table: &Table,
    faults: &[FaultLine<'a>],
    names: &Names<'a>,
) -> Vec<Place<'a>> {
    let mut counts = vec![0; names.len()];
    faults.iter().for_each(|line| counts[line.number] += line.count);
    let place = |row: Row| {
        let number = row.entrant.index();
        let tally = table.row(number).map(|row| row.tally.clone()).unwrap_or_default();
        Place {
            place: row.place,
            bot: names.of(number),
            points: f64::from(row.half_points) / 2.0,
            matches: u64::from(row.played),
            wins: tally.wins,
            ties: tally.ties,
            losses: tally.losses,
            mean_place: (tally.matches > 0).then(|| rounded(tally.mean_place, 3)),
            faults: counts[number],
            tie_breaks: row
                .tie_breaks
                .iter()
                .map(|&(name, value)| tie_break(name, value))
                .collect(),
            reason: row.reason,
            number,
        }
    };
    schedule.standing().into_iter().map(place).collect()
}

fn tie_break(name: &'static str, value: i64) -> TieBreak {
    // Sonneborn-Berger is a sum of products of half points.
    let unit = if name == "Sonneborn-Berger" { 4.0 } else { 2.0 };
    TieBreak { name, value: value as f64 / unit }
}
