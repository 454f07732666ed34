//! Pairs of bots whose matches against each other end otherwise than all other matches of their
//! versions say: perhaps one of them loses to the other on purpose.

use std::collections::BTreeMap;

use agon_rating::{ELO_PER_NAT, Footing, RatingError, half_width, score_of_elo};

use crate::{CountedResults, PublishOptions, PublishedRating, VersionId};

/// Fewer matches of a pair say nothing: each may be an accident.
const LEAST: f64 = 10.0;

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
    /// The numbers of their bots.
    pub bots: [u64; 2],
    /// Wins, ties and losses of the first one.
    pub results: [u64; 3],
}

/// A bot that gets much less against another one than its other results say.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lopsided {
    /// The bot that loses.
    pub loser: u64,
    /// The bot that wins.
    pub winner: u64,
    /// Wins, ties and losses of the loser, of all its versions.
    pub results: [u64; 3],
    /// The points that the loser should have at least: a win is one, a tie half of one.
    pub expected: f64,
    /// About the probability that any pair of an honest field is as far off.
    pub chance: f64,
}

/// Returns the pairs of bots of which one gets much less against the other than their other results
/// say, the most unlikely ones first. Each pair of versions is there at most once in `meetings`.
///
/// Ratings are fitted without the matches of the pair: they would show less than is expected of an
/// honest one. In some games, styles matter as much as strength: then many pairs are off, and all
/// must be more so to be listed.
pub fn lopsided(meetings: &[Meeting]) -> Result<Vec<Lopsided>, RatingError> {
    let mut pairs: BTreeMap<[u64; 2], Vec<Meeting>> = BTreeMap::new();
    for &one in meetings {
        let one = if one.bots[0] < one.bots[1] { one } else { one.reversed() };
        pairs.entry(one.bots).or_default().push(one);
    }
    let mut found = Vec::new();
    while found.len() < MOST {
        let Some(pair) = worst(&pairs)? else { break };
        pairs.remove(&[pair.loser.min(pair.winner), pair.loser.max(pair.winner)]);
        found.push(pair);
    }
    Ok(found)
}

/// Returns the most unlikely pair that is to be listed.
fn worst(pairs: &BTreeMap<[u64; 2], Vec<Meeting>>) -> Result<Option<Lopsided>, RatingError> {
    let fit = Fit::of(pairs.values().flatten())?;
    let mut off: Vec<([u64; 2], f64)> =
        pairs.iter().filter_map(|(&bots, pair)| Some((bots, fit.deviation(pair)?))).collect();
    // Each pair is looked at from both sides.
    let looks = libm::log(2.0 * off.len() as f64);
    off.sort_by(|one, other| other.1.total_cmp(&one.1));
    let mut worst: Option<Lopsided> = None;
    for &(bots, _) in off.iter().take(CANDIDATES) {
        let others = || pairs.iter().filter(|&(&of, _)| of != bots).map(|(_, pair)| pair);
        let fit = Fit::of(others().flatten())?;
        let spread = fit.spread(others());
        let reversed: Vec<Meeting> = pairs[&bots].iter().map(|one| one.reversed()).collect();
        for pair in [&pairs[&bots], &reversed] {
            let is_worse = |pair: &Lopsided| worst.is_none_or(|of| pair.chance < of.chance);
            if let Some(pair) = fit.pair(pair, spread, looks).filter(is_worse) {
                worst = Some(pair);
            }
        }
    }
    Ok(worst)
}

impl Meeting {
    fn matches(&self) -> f64 {
        self.results.iter().sum::<u64>() as f64
    }

    /// Returns the points of the first one.
    fn points(&self) -> f64 {
        self.results[0] as f64 + 0.5 * self.results[1] as f64
    }

    fn reversed(&self) -> Meeting {
        let ([one, other], [a, b], [wins, ties, losses]) = (self.versions, self.bots, self.results);
        Meeting { versions: [other, one], bots: [b, a], results: [losses, ties, wins] }
    }
}

/// Ratings of all versions by their results.
struct Fit(BTreeMap<VersionId, PublishedRating>);

/// By how many Elo points a version leads another one, and the standard error of that.
#[derive(Clone, Copy)]
struct Lead {
    elo: f64,
    error: f64,
}

impl Fit {
    fn of<'a>(meetings: impl Iterator<Item = &'a Meeting>) -> Result<Fit, RatingError> {
        let mut counted = CountedResults::default();
        for Meeting { versions, results, .. } in meetings {
            for (places, &times) in [[1, 2], [1, 1], [2, 1]].iter().zip(results) {
                counted.add(versions, places, times)?;
            }
        }
        let table = counted.published(&PublishOptions::default())?;
        let rating = |row: &crate::PublishedRow| Some((row.version, row.rating?));
        Ok(Fit(table.rows.iter().filter_map(rating).collect()))
    }

    /// Returns how much the first one leads at least; `None` if no results say it.
    ///
    /// Of a version that nobody else beats, or that beats nobody else, there is one bound.
    fn lead(&self, versions: [VersionId; 2]) -> Option<Lead> {
        let [one, other] = versions.map(|id| self.0.get(&id));
        let (one, other) = one.zip(other).filter(|(one, other)| one.group == other.group)?;
        let error = |rating: &PublishedRating| (rating.high - rating.low) / 2.0 / half_width(0.95);
        let (low, low_error) = match one.footing {
            Footing::Firm => (one.elo, error(one)),
            Footing::OpenAbove => (one.low, 0.0),
            Footing::OpenBelow | Footing::Open => return None,
        };
        let (high, high_error) = match other.footing {
            Footing::Firm => (other.elo, error(other)),
            Footing::OpenBelow => (other.high, 0.0),
            Footing::OpenAbove | Footing::Open => return None,
        };
        Some(Lead { elo: low - high, error: libm::hypot(low_error, high_error) })
    }

    /// Returns how far a pair is from what is expected, as a square in variances; `None` if it has
    /// too few matches between versions of known strength.
    fn deviation(&self, pair: &[Meeting]) -> Option<f64> {
        let is_firm =
            |id: &VersionId| self.0.get(id).is_some_and(|rating| rating.footing == Footing::Firm);
        let mut matches = 0.0;
        let mut off = 0.0;
        let mut variance = 0.0;
        for one in pair.iter().filter(|one| one.versions.iter().all(is_firm)) {
            let Some(Lead { elo, error }) = self.lead(one.versions) else { continue };
            let score = score_of_elo(elo);
            let luck = one.matches() * score * (1.0 - score);
            // The ratings have followed the results of this pair, too.
            let error = error / ELO_PER_NAT;
            matches += one.matches();
            off += one.points() - one.matches() * score;
            variance += luck * (1.0 - (luck * error * error).min(0.9));
        }
        (matches >= LEAST).then_some(off * off / variance.max(1e-9))
    }

    /// Returns how much further pairs are off than chance alone makes them, at least 1. A few pairs
    /// that cheat do not change the median.
    fn spread<'a>(&self, pairs: impl Iterator<Item = &'a Vec<Meeting>>) -> f64 {
        let mut all: Vec<f64> = pairs.filter_map(|pair| self.deviation(pair)).collect();
        all.sort_by(f64::total_cmp);
        let median = all.get(all.len().saturating_sub(1) / 2);
        median.map_or(1.0, |median| (median / MEDIAN).max(1.0))
    }

    /// Returns a pair if its first one gets so little that it is to be listed.
    fn pair(&self, pair: &[Meeting], spread: f64, looks: f64) -> Option<Lopsided> {
        let known = |one: &Meeting| Some((*one, self.lead(one.versions)?));
        let known: Vec<(Meeting, Lead)> = pair.iter().filter_map(known).collect();
        let matches: f64 = known.iter().map(|(one, _)| one.matches()).sum();
        let points: f64 = known.iter().map(|(one, _)| one.points()).sum();
        let expected = |errors| expected(&known, errors);
        let chance = libm::exp(looks - unlikely(matches, points, expected) / spread);
        let is_listed =
            matches >= LEAST && expected(0.0) - points >= GAP * matches && chance <= LEVEL;
        let [loser, winner] = pair.first()?.bots;
        let results = [0, 1, 2].map(|at| known.iter().map(|(one, _)| one.results[at]).sum());
        let expected = expected(0.0);
        is_listed.then_some(Lopsided { loser, winner, results, expected, chance })
    }
}

/// Returns the points that are expected of the first one if it leads by so many standard errors
/// less everywhere.
fn expected(meetings: &[(Meeting, Lead)], errors: f64) -> f64 {
    let of = |(one, lead): &(Meeting, Lead)| {
        one.matches() * score_of_elo(lead.elo - errors * lead.error)
    };
    meetings.iter().map(of).sum()
}

/// Returns how unlikely the few points of a pair are, as a negative logarithm: by luck, and because
/// the lead is wrong, in the mixture that is the most likely one. `expected` gives the points that
/// are expected of a lead that is by so many standard errors less.
///
/// Of luck it is a bound that holds for any number of matches, for ties, and for matches of
/// different versions: Hoeffding, "Probability inequalities for sums of bounded random variables"
/// (1963), theorem 1.
fn unlikely(matches: f64, points: f64, expected: impl Fn(f64) -> f64) -> f64 {
    let score = points / matches;
    let term = |part: f64, of: f64| if part > 0.0 { part * libm::log(part / of) } else { 0.0 };
    let with = |tenths: u32| {
        let errors = f64::from(tenths) / 10.0;
        let expected = expected(errors) / matches;
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
        Meeting { versions: [VersionId(one), VersionId(other)], bots: [one, other], results }
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
            assert_eq!((loser, winner, of), (0, 2, results));
            assert!((14.0..16.0).contains(&expected) && chance < 1e-2, "{found:?}");
        }
        // Seen from the other side.
        let found = with(equals(4), 1, [30, 0, 0]);
        assert_eq!((found[0].loser, found[0].winner), (2, 0));
        // Two pairs; in a smaller field, most other pairs would have one of the four, and be off.
        let mut two = equals(9);
        two[0].results = [0, 0, 30];
        assert_eq!(with(two, 9, [30, 0, 0]).len(), 2);
    }

    #[test]
    fn a_new_version_for_each_few_losses_hides_nothing() {
        let mut all = equals(6);
        all.retain(|one| one.versions != [VersionId(0), VersionId(2)]);
        // Four versions of one bot lose eight matches each to another one.
        for version in 10..14 {
            let of =
                |other, results| Meeting { bots: [0, other], ..meeting(version, other, results) };
            all.extend([1, 3, 4, 5].map(|other| of(other, [8, 0, 8])));
            all.push(of(2, [0, 0, 8]));
        }
        let found = lopsided(&all).unwrap();
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!((found[0].loser, found[0].winner, found[0].results), (0, 2, [0, 0, 32]));
    }

    #[test]
    fn whoever_loses_to_nobody_else_is_listed() {
        // The two best lose to no other but each other, and one of them to a friend.
        let mut all = equals(8);
        for one in &mut all {
            one.results = match one.versions.map(|id| id.0) {
                [0, 1] => [15, 0, 15],
                [0, 4] => [0, 0, 30],
                [0 | 1, _] => [30, 0, 0],
                _ => one.results,
            };
        }
        let found = lopsided(&all).unwrap();
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!((found[0].loser, found[0].winner), (0, 4));
    }

    #[test]
    fn few_matches_and_loose_ratings_say_nothing() {
        assert_eq!(lopsided(&[]).unwrap(), []);
        assert_eq!(with(equals(4), 1, [0, 0, LEAST as u64 - 1]), []);
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
