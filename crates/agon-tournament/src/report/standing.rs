//! The part `standing` of a report: the table by the rules of the format.

use crate::{Plan, Record, Schedule, format::Row, plan::Out};
use agon_rating::Table;
use schemars::JsonSchema;
use serde::Serialize;

use crate::report::{FaultLine, names::Names, number::rounded};

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
            disqualified: out.is_some_and(Out::is_disqualified),
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
