//! Formats of tournaments: they choose the next pairings from the results so far.
//!
//! The `[format]` of a plan names one, and the schedule asks it for one wave of pairings after the
//! other.
//!
//! Each is a small pure type: the same history leads to the same wave. So a tournament that was
//! killed and resumed, or played with another number of threads, has the same table.

mod bracket;
mod groups;
mod ladder;
mod round_robin;
mod swiss;

use std::cmp::{Ordering, Reverse};
use std::fmt::Debug;

use agon_rating::Options;

use crate::pairing::{opponents, taken};
use crate::{Entrant, History, Pairing};

pub use bracket::{Bracket, Ties, bracket_order};
pub use groups::{Groups, Within, snake};
pub use ladder::{AdaptiveMatchmaker, Field, Ladder, LadderRules, Matchmaker, RandomMatchmaker};
pub use round_robin::{Design, Gauntlet, RoundRobin, meetings};
pub use swiss::Swiss;

/// A way to run a tournament.
pub trait Format: Debug + Send {
    /// Returns what to play after a history whose waves are all complete. It depends on nothing
    /// else.
    fn next(&self, history: &History) -> Next;

    /// Returns the number of all matches, if it is known beforehand and none ends in a tie. Ties
    /// where somebody must be eliminated, and a second final, add to it.
    fn planned(&self) -> Option<u64>;

    /// Returns the table, best first; the last wave of the history may be incomplete.
    fn standing(&self, history: &History) -> Vec<Row>;
}

/// What comes next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// Pairings that can be played in any order; never empty.
    Wave(Vec<Pairing>),
    /// Nothing: the tournament is over.
    Finished,
}

impl Next {
    /// A wave, or the end if there is no pairing.
    fn wave(pairings: Vec<Pairing>) -> Next {
        if pairings.is_empty() { Next::Finished } else { Next::Wave(pairings) }
    }
}

/// An entrant's line in the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Who.
    pub entrant: Entrant,
    /// 1 for the best; equal ones share a place, and the next one is skipped.
    pub place: u32,
    /// Matches over.
    pub played: u32,
    /// Half points ([`crate::Outcome::half_points`]), byes included.
    pub half_points: u32,
    /// The tie-breaks between equal points, in order, such as `("Buchholz", 7)`, in half points.
    pub tie_breaks: Vec<(&'static str, i64)>,
    /// Why this place: "lost in the semi-final", "3½ points of 6".
    pub reason: String,
}

/// The points of an entrant so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Total {
    pub(super) played: u32,
    pub(super) points: u32,
    /// Points that a bot that won everything would have.
    pub(super) possible: u32,
    pub(super) byes: u32,
}

/// Returns the totals of `count` entrants. A bye counts as `bye` half points.
pub(super) fn totals(history: &History, count: usize, bye: u32) -> Vec<Total> {
    let mut totals = vec![Total::default(); count];
    for played in history.all() {
        let entrants = &played.pairing.entrants;
        let matches = played.outcomes.len() as u32;
        for (entrant, points) in entrants.iter().zip(played.half_points()) {
            let total = &mut totals[entrant.index()];
            total.played += matches;
            total.points += points;
            total.possible += 2 * (entrants.len() as u32 - 1) * matches;
        }
        if let [alone] = entrants[..] {
            let total = &mut totals[alone.index()];
            total.points += bye;
            total.possible += bye;
            total.byes += 1;
        }
    }
    totals
}

/// Sums over opponents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Opposition {
    /// The points of all opponents, once per pairing. A bye counts as an opponent with one's own
    /// points.
    pub(super) buchholz: u64,
    /// The points of all opponents, each weighted with the share of points taken from it, in
    /// quarter points.
    pub(super) sonneborn: u64,
}

/// Returns the strength of the opponents that each entrant met, by their `totals`.
pub(super) fn opposition(history: &History, totals: &[Total]) -> Vec<Opposition> {
    let mut sums = vec![Opposition::default(); totals.len()];
    for played in history.all() {
        let entrants = &played.pairing.entrants;
        if let [alone] = entrants[..] {
            sums[alone.index()].buchholz += u64::from(totals[alone.index()].points);
        }
        if played.outcomes.is_empty() {
            continue;
        }
        for (own, other) in opponents(entrants) {
            sums[own.index()].buchholz += u64::from(totals[other.index()].points);
        }
        for (number, outcome) in &played.outcomes {
            let seats = played.pairing.seats(*number);
            for (a, own) in seats.iter().enumerate() {
                for (b, other) in seats.iter().enumerate().filter(|&(b, _)| b != a) {
                    let taken = taken(outcome.places[a], outcome.places[b]);
                    sums[own.index()].sonneborn +=
                        u64::from(taken) * u64::from(totals[other.index()].points);
                }
            }
        }
    }
    sums
}

/// Puts rows in order, best first, and gives them places. Rows that are equal by `order` share a
/// place and stand in order of the plan.
pub(super) fn place(mut rows: Vec<Row>, order: impl Fn(&Row, &Row) -> Ordering) -> Vec<Row> {
    rows.sort_by(|a, b| order(a, b).then(a.entrant.cmp(&b.entrant)));
    for at in 0..rows.len() {
        let shared = at > 0 && order(&rows[at - 1], &rows[at]) == Ordering::Equal;
        rows[at].place = if shared { rows[at - 1].place } else { at as u32 + 1 };
    }
    rows
}

/// Returns half points as people write them: `3½`.
pub(crate) fn points_text(half_points: u32) -> String {
    match (half_points / 2, half_points % 2) {
        (0, 1) => "½".to_owned(),
        (whole, 0) => whole.to_string(),
        (whole, _) => format!("{whole}½"),
    }
}

/// Makes a row of a table of points, without its place.
pub(super) fn row(entrant: Entrant, total: Total, tie_breaks: Vec<(&'static str, i64)>) -> Row {
    let mut reason =
        format!("{} of {} points", points_text(total.points), points_text(total.possible));
    if total.byes > 0 {
        reason.push_str(", with a bye");
    }
    Row { entrant, place: 0, played: total.played, half_points: total.points, tie_breaks, reason }
}

/// Returns a table by points, then Sonneborn-Berger.
pub(super) fn by_points(history: &History, count: usize) -> Vec<Row> {
    let totals = totals(history, count, 0);
    let sums = opposition(history, &totals);
    let one = |entrant: Entrant| {
        let sonneborn = sums[entrant.index()].sonneborn as i64;
        row(entrant, totals[entrant.index()], vec![("Sonneborn-Berger", sonneborn)])
    };
    let rows = Entrant::all(count).into_iter().map(one).collect();
    let key = |row: &Row| (row.half_points, row.tie_breaks[0].1);
    place(rows, |a, b| key(b).cmp(&key(a)))
}

/// Returns a table by rating (the maximum of the likelihood), for formats in which some have
/// stronger opponents than others.
///
/// Only entrants that met, directly or through others, can be compared. If there are several such
/// groups, the largest comes first. Entrants without matches come last.
///
/// Reasons name no rating: a number needs a reference point and an interval, which the report has.
pub(super) fn by_rating(history: &History, count: usize) -> Vec<Row> {
    let totals = totals(history, count, 0);
    let options = Options { players: count, samples: 0, matrices: 0, ..Options::default() };
    let rated = match agon_rating::table(&history.records(), &options) {
        Ok(rated) => rated,
        // The search found no maximum. Points are known all the same, and the reasons say so.
        Err(_) => {
            let mut rows = by_share(history, count);
            let why = "; by points, since no rating was found";
            rows.iter_mut().for_each(|row| row.reason.push_str(why));
            return rows;
        }
    };
    // Rounded, so that the last bits do not separate equal ratings.
    let key = |row: &Row| {
        let rating = rated.row(row.entrant.index()).expect("all players are in the table");
        let group = if rating.tally.matches == 0 { usize::MAX } else { rating.group };
        (group, Reverse((rating.elo * 1e6).round() as i64))
    };
    let one = |entrant: Entrant| {
        let mut row = row(entrant, totals[entrant.index()], Vec::new());
        let rating = rated.row(entrant.index()).expect("all players are in the table");
        row.reason = match rating.tally.matches {
            0 => "no match yet".to_owned(),
            _ => format!("by rating; {}", row.reason),
        };
        row
    };
    let rows = Entrant::all(count).into_iter().map(one).collect();
    place(rows, |a, b| key(a).cmp(&key(b)))
}

/// Returns a table by the share of the possible points, for formats in which some play more than
/// others. An entrant without matches counts as having half of them.
pub(super) fn by_share(history: &History, count: usize) -> Vec<Row> {
    let totals = totals(history, count, 0);
    let share = |row: &Row| {
        let Total { points, possible, .. } = totals[row.entrant.index()];
        if possible == 0 { (1, 2) } else { (u64::from(points), u64::from(possible)) }
    };
    let rows = Entrant::all(count)
        .into_iter()
        .map(|entrant| row(entrant, totals[entrant.index()], Vec::new()));
    place(rows.collect(), |a, b| {
        let ((own, own_of), (other, other_of)) = (share(a), share(b));
        (other * own_of).cmp(&(own * other_of))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_points_are_written_as_people_do() {
        assert_eq!([0, 1, 2, 7].map(points_text), ["0", "½", "1", "3½"]);
    }
}
