//! Pairs of versions whose matches against each other end otherwise than all their other matches
//! say: perhaps one of them loses to the other on purpose.

use std::collections::BTreeMap;

use agon_rating::{ELO_PER_NAT, Footing, RatingError, half_width, score_of_elo};

use crate::{Counted, PublishOptions, PublishedRating, VersionId, published};

/// Fewer matches of a pair say nothing: each may be an accident.
const LEAST: u64 = 10;

/// How far below the expected score a listed pair is, in points of a match.
const GAP: f64 = 0.3;

/// About the probability that any pair of an honest field is listed, if only strength counts.
const LEVEL: f64 = 0.01;

/// The pairs that are looked at closely, because they are the furthest off.
const CANDIDATES: usize = 5;

/// The most pairs that are listed.
const MOST: usize = 10;

/// The median of the square of a normal random variable.
const MEDIAN: f64 = 0.4549;

/// The results of two versions against each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meeting {
    /// The versions.
    pub versions: [VersionId; 2],
    /// Wins, ties and losses of the first one.
    pub results: [u64; 3],
}

/// A version that gets much less against another one than its other results say.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lopsided {
    /// The version that loses.
    pub loser: VersionId,
    /// The version that wins.
    pub winner: VersionId,
    /// Wins, ties and losses of the loser.
    pub results: [u64; 3],
    /// The points that the loser should have: a win is one, a tie half of one.
    pub expected: f64,
    /// About the probability that any pair of an honest field is as far off.
    pub chance: f64,
}

/// Returns the pairs of which one gets much less against the other than their other results say,
/// the most unlikely ones first. Each pair is there at most once in `meetings`.
///
/// Ratings are fitted without the matches of the pair: they would show less than is expected of an
/// honest one. In some games, styles matter as much as strength: then many pairs are off, and all
/// must be more so to be listed.
///
/// # Errors
/// If the results cannot be rated.
pub fn lopsided(meetings: &[Meeting]) -> Result<Vec<Lopsided>, RatingError> {
    let mut left: Vec<Meeting> = meetings.to_vec();
    let mut found = Vec::new();
    while found.len() < MOST {
        let Some((at, pair)) = worst(&left)? else { break };
        left.swap_remove(at);
        found.push(pair);
    }
    Ok(found)
}

/// Returns the most unlikely pair that is to be listed, with its place.
fn worst(meetings: &[Meeting]) -> Result<Option<(usize, Lopsided)>, RatingError> {
    let fit = Fit::of(meetings)?;
    let deviation = |(at, one): (usize, &Meeting)| Some((at, fit.deviation(one)?));
    let mut off: Vec<(usize, f64)> = meetings.iter().enumerate().filter_map(deviation).collect();
    // Each pair is looked at from both sides.
    let looks = libm::log(2.0 * off.len() as f64);
    off.sort_by(|one, other| other.1.total_cmp(&one.1));
    let mut worst: Option<(usize, Lopsided)> = None;
    for &(at, _) in off.iter().take(CANDIDATES) {
        let mut others = meetings.to_vec();
        let one = others.swap_remove(at);
        let fit = Fit::of(&others)?;
        let spread = fit.spread(&others);
        for one in [one, one.reversed()] {
            let pair = fit.pair(&one, spread, looks);
            let is_worse = |pair: &Lopsided| worst.is_none_or(|(_, of)| pair.chance < of.chance);
            if let Some(pair) = pair.filter(is_worse) {
                worst = Some((at, pair));
            }
        }
    }
    Ok(worst)
}

impl Meeting {
    fn matches(&self) -> u64 {
        self.results.iter().sum()
    }

    /// Returns the points of the first one.
    fn points(&self) -> f64 {
        self.results[0] as f64 + 0.5 * self.results[1] as f64
    }

    fn reversed(self) -> Meeting {
        let ([one, other], [wins, ties, losses]) = (self.versions, self.results);
        Meeting { versions: [other, one], results: [losses, ties, wins] }
    }
}

/// Ratings of all versions by their results.
struct Fit(BTreeMap<VersionId, PublishedRating>);

impl Fit {
    fn of(meetings: &[Meeting]) -> Result<Fit, RatingError> {
        let mut counts = Vec::new();
        for &Meeting { versions, results } in meetings {
            for (places, times) in [[1, 2], [1, 1], [2, 1]].into_iter().zip(results) {
                let (players, places) = (versions.to_vec(), places.to_vec());
                counts.extend((times > 0).then_some(Counted { players, places, times }));
            }
        }
        let versions: Vec<VersionId> = meetings.iter().flat_map(|one| one.versions).collect();
        let table = published(&counts, &versions, &PublishOptions::default())?;
        let rating = |row: &crate::PublishedRow| Some((row.version, row.rating?));
        Ok(Fit(table.rows.iter().filter_map(rating).collect()))
    }

    /// Returns by how many Elo points the first one leads, and the standard error of that; `None`
    /// if the results do not hold it.
    fn lead(&self, versions: [VersionId; 2]) -> Option<(f64, f64)> {
        let [one, other] = versions.map(|id| self.0.get(&id));
        let (one, other) = one.zip(other)?;
        let is_firm = |rating: &PublishedRating| rating.footing == Footing::Firm;
        if one.group != other.group || !is_firm(one) || !is_firm(other) {
            return None;
        }
        let error = |rating: &PublishedRating| (rating.high - rating.low) / 2.0 / half_width(0.95);
        Some((one.elo - other.elo, libm::hypot(error(one), error(other))))
    }

    /// Returns how far a pair is from what is expected, as a square in variances; `None` if it has
    /// too few matches.
    fn deviation(&self, one: &Meeting) -> Option<f64> {
        let matches = Some(one.matches()).filter(|&matches| matches >= LEAST)? as f64;
        let (lead, error) = self.lead(one.versions)?;
        let score = score_of_elo(lead);
        let variance = matches * score * (1.0 - score);
        // The ratings have followed the results of this pair, too.
        let error = error / ELO_PER_NAT;
        let followed = variance * error * error;
        let off = one.points() - matches * score;
        Some(off * off / (variance * (1.0 - followed.min(0.9))).max(1e-9))
    }

    /// Returns how much further pairs are off than chance alone makes them, at least 1. A few pairs
    /// that cheat do not change the median.
    fn spread(&self, meetings: &[Meeting]) -> f64 {
        let mut all: Vec<f64> = meetings.iter().filter_map(|one| self.deviation(one)).collect();
        all.sort_by(f64::total_cmp);
        let median = all.get(all.len().saturating_sub(1) / 2);
        median.map_or(1.0, |median| (median / MEDIAN).max(1.0))
    }

    /// Returns a pair if its first one gets so little that it is to be listed.
    fn pair(&self, one: &Meeting, spread: f64, looks: f64) -> Option<Lopsided> {
        let (lead, error) = self.lead(one.versions)?;
        let matches = one.matches() as f64;
        let expected = matches * score_of_elo(lead);
        let chance = libm::exp(looks - unlikely(one, lead, error) / spread);
        let is_listed = expected - one.points() >= GAP * matches && chance <= LEVEL;
        let ([loser, winner], results) = (one.versions, one.results);
        is_listed.then_some(Lopsided { loser, winner, results, expected, chance })
    }
}

/// Returns how unlikely the few points of a pair are, as a negative logarithm: by luck, and because
/// the lead is wrong, in the mixture that is the most likely one.
///
/// Of luck it is a bound that holds for any number of matches, and for ties: Hoeffding,
/// "Probability inequalities for sums of bounded random variables" (1963), theorem 1.
fn unlikely(one: &Meeting, lead: f64, error: f64) -> f64 {
    let matches = one.matches() as f64;
    let score = one.points() / matches;
    let term = |part: f64, of: f64| if part > 0.0 { part * libm::log(part / of) } else { 0.0 };
    let with = |tenths: u32| {
        let errors = f64::from(tenths) / 10.0;
        let expected = score_of_elo(lead - errors * error);
        let luck = match score < expected {
            true => matches * (term(score, expected) + term(1.0 - score, 1.0 - expected)),
            false => 0.0,
        };
        luck + errors * errors / 2.0
    };
    (0..=100).map(with).fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The results of versions that are equally strong, each against each.
    fn equals(versions: u64) -> Vec<Meeting> {
        let all = (0..versions).flat_map(|one| (0..one).map(move |other| (other, one)));
        all.map(|(one, other)| meeting(one, other, [15, 0, 15])).collect()
    }

    fn meeting(one: u64, other: u64, results: [u64; 3]) -> Meeting {
        Meeting { versions: [VersionId(one), VersionId(other)], results }
    }

    fn with(mut meetings: Vec<Meeting>, at: usize, results: [u64; 3]) -> Vec<Lopsided> {
        meetings[at].results = results;
        lopsided(&meetings).unwrap()
    }

    #[test]
    fn whoever_loses_all_to_one_is_listed() {
        assert_eq!(lopsided(&equals(4)).unwrap(), []);
        for results in [[0, 0, 30], [0, 5, 25]] {
            let found = with(equals(4), 1, results);
            assert_eq!(found.len(), 1, "{found:?}");
            let Lopsided { loser, winner, results: of, expected, chance } = found[0];
            assert_eq!((loser, winner, of), (VersionId(0), VersionId(2), results));
            assert!((14.0..16.0).contains(&expected) && chance < 1e-2, "{found:?}");
        }
        // Seen from the other side.
        let found = with(equals(4), 1, [30, 0, 0]);
        assert_eq!((found[0].loser, found[0].winner), (VersionId(2), VersionId(0)));
        // Two pairs; in a smaller field, most other pairs would have one of the four, and be off.
        let mut two = equals(9);
        two[0].results = [0, 0, 30];
        assert_eq!(with(two, 9, [30, 0, 0]).len(), 2);
    }

    #[test]
    fn few_matches_and_loose_ratings_say_nothing() {
        assert_eq!(lopsided(&[]).unwrap(), []);
        assert_eq!(with(equals(4), 1, [0, 0, LEAST - 1]), []);
        // Without these matches, nothing is known of the lead.
        assert_eq!(lopsided(&[meeting(1, 2, [0, 0, 90])]).unwrap(), []);
        let chain = [meeting(1, 2, [0, 0, 90]), meeting(2, 3, [15, 0, 15])];
        assert_eq!(lopsided(&chain).unwrap(), []);
    }

    #[test]
    fn where_all_pairs_are_off_one_must_be_more_so() {
        // Each wins against the next ones, and loses to those before, in a circle.
        let circle = |wins| {
            let mut all = equals(7);
            for one in &mut all {
                let [one_id, other] = one.versions;
                let is_behind = (other.0 + 7 - one_id.0) % 7 > 3;
                one.results = if is_behind { [30 - wins, 0, wins] } else { [wins, 0, 30 - wins] };
            }
            all
        };
        assert_eq!(with(circle(16), 1, [0, 0, 30]).len(), 1);
        assert_eq!(with(circle(24), 1, [0, 0, 30]).len(), 0);
    }
}
