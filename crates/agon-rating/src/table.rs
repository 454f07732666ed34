//! The table of a tournament: ratings of all players from all matches at once.
//!
//! Reports of tournaments publish it, and ladders take their standing from it.

use agon_core::Seed;
use serde::{Deserialize, Serialize};

use crate::group::{Evidence, rate};
use crate::{Footing, Group, RatingError, Record, graph::groups, record::MAX_PLAYERS};

/// The table of a tournament; [`table()`] makes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// A row for each player: the largest group first, and within a group the best player.
    pub rows: Vec<Row>,
    /// Groups of players who met each other, directly or through others.
    ///
    /// Ratings of different groups cannot be compared.
    pub groups: Vec<Group>,
    /// The confidence of all intervals.
    pub confidence: f64,
    /// The index in `rows` of each player.
    places: Vec<usize>,
}

/// Rates all players by all matches at once: the maximum of the likelihood.
///
/// The model is that of Davidson and Luce, in which a match is a series of choices. The best
/// players are chosen from all, then the best of the rest, and so on. See Firth, Kosmidis & Turner
/// 2019 (arXiv:1909.07123) and Turner, van Etten, Firth & Kosmidis 2020 (Computational Statistics
/// 35). With two players it is Davidson's (1970): wins, ties and losses are as α₁ : δ√(α₁α₂) : α₂.
/// Without ties it is that of Bradley and Terry, or of Plackett and Luce. Another method counts a
/// match as one win or loss for each pair of its players. But those pairs depend on each other, so
/// intervals would be too narrow.
///
/// A rating is ln α times [`Group::elo_per_nat`]. So near equality a difference means the expected
/// score of Elo's formula, at any rate of ties.
///
/// An interval holds the ratings that make the results likely enough (likelihood ratios). That is
/// right for players who won or lost every match. It is also right for dependent matches within
/// clusters, whose design effect widens the intervals. Ratings are those of the likelihood without
/// its bias (Firth 1993), so that those of unbeaten and winless players are finite.
///
/// The order of records and of seats changes no rating, to the last bit. 1 000 players with 100 000
/// matches take 2 seconds.
///
/// # Errors
/// If a record or an option is wrong.
pub fn table(records: &[Record], options: &Options) -> Result<Table, RatingError> {
    options.check()?;
    records.iter().enumerate().try_for_each(|(number, record)| record.check(number))?;
    let named = records.iter().flat_map(|record| &record.players).max().map_or(0, |last| last + 1);
    let players = options.players.max(named);
    let members = records.iter().map(|record| record.players.iter().copied());
    // Each player's group, and place among its members.
    let mut local = vec![(0, 0); players];
    // The members of each group, in order of their numbers, and its records.
    let mut parts = Vec::new();
    for (number, members) in groups(players, members).into_iter().enumerate() {
        members.iter().enumerate().for_each(|(at, &player)| local[player] = (number, at));
        parts.push((members, Vec::new()));
    }
    records.iter().for_each(|record| parts[local[record.players[0]].0].1.push(record));
    let evidence = |(members, records): (Vec<usize>, Vec<&Record>)| {
        let evidence = Evidence::of_records(members.len(), &records, |player| local[player].1);
        (members, evidence)
    };
    let tallies = tallies(players, records);
    Table::new(&tallies, parts.into_iter().map(evidence), options)
}

impl Table {
    /// Makes a table of groups, each with its members and what their matches say.
    pub(crate) fn new(
        tallies: &[Tally],
        groups: impl Iterator<Item = (Vec<usize>, Evidence)>,
        options: &Options,
    ) -> Result<Table, RatingError> {
        let mut table = Table {
            rows: Vec::new(),
            groups: Vec::new(),
            confidence: options.confidence,
            places: vec![0; tallies.len()],
        };
        for (members, evidence) in groups {
            let number = table.groups.len();
            let (rows, group) = rate(number, members, evidence, tallies, options)?;
            table.rows.extend(rows);
            table.groups.push(group);
        }
        for (place, row) in table.rows.iter().enumerate() {
            table.places[row.player] = place;
        }
        Ok(table)
    }

    /// Returns the row of a player, if there is that player.
    pub fn row(&self, player: usize) -> Option<&Row> {
        self.places.get(player).map(|&place| &self.rows[place])
    }

    /// Returns the probability that one player is stronger than another.
    ///
    /// This is the likelihood of superiority; `None` between groups.
    pub fn superiority(&self, one: usize, other: usize) -> Option<f64> {
        let group = self.row(one)?.group;
        self.groups[group].superiority(one, other)
    }
}

/// A table's facts about one player.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The player's number.
    pub player: usize,
    /// The player's group, an index into [`Table::groups`](crate::Table::groups).
    pub group: usize,
    /// The rank within the group, from 1.
    pub rank: usize,
    /// Counts of the matches, without any model.
    pub tally: Tally,
    /// The rating in Elo points.
    ///
    /// Near equality a difference means the expected score of Elo's formula
    /// ([`score_of_elo`](crate::score_of_elo)), where ties count half.
    pub elo: f64,
    /// Lower end of the rating's interval.
    pub low: f64,
    /// Upper end of the rating's interval.
    pub high: f64,
    /// How firmly the results hold the rating.
    ///
    /// If it is not firm, imagined duels decide how far away rating and interval end.
    pub footing: Footing,
    /// The best rank within the interval's confidence; `rank` if no rankings were drawn.
    pub rank_low: usize,
    /// The worst rank within the interval's confidence; `rank` if no rankings were drawn.
    pub rank_high: usize,
    /// The probability of each rank of the group, the first rank first.
    ///
    /// Empty if no rankings were drawn or the group is larger than
    /// [`Options::matrices`](crate::Options::matrices).
    pub rank_probabilities: Vec<f64>,
}

/// Counts and means of one player's matches.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    /// The number of matches.
    pub matches: u64,
    /// Matches in which the player alone had the best place.
    pub wins: u64,
    /// Matches in which the player shared the best place.
    pub ties: u64,
    /// All other matches.
    pub losses: u64,
    /// Mean place. Equal places count as their mean: two winners of three have place 1.5.
    pub mean_place: f64,
    /// Mean share of the opponents left behind, with half for ties: 0.5 is as good as all others.
    pub score: f64,
}

/// Returns the tallies of the players 0 to `players` - 1, without weights of matches.
///
/// [`Counts`](crate::Counts) count how often a match happened.
///
/// # Panics
/// If a record is wrong ([`Record::check`]) or names a player beyond `players`.
pub fn tallies(players: usize, records: &[Record]) -> Vec<Tally> {
    let mut sums = Sums::new(players);
    for record in records {
        sums.add(record.players.iter().copied(), &record.places, 1);
    }
    sums.into_tallies()
}

/// Tallies under way: the means are still sums.
pub(crate) struct Sums {
    tallies: Vec<Tally>,
    /// The share of opponents that each player did not leave behind.
    behind: Vec<f64>,
}

impl Sums {
    /// Starts without a match.
    pub(crate) fn new(players: usize) -> Sums {
        Sums { tallies: vec![Tally::default(); players], behind: vec![0.0; players] }
    }

    /// Adds a match that happened `times`.
    pub(crate) fn add<R: Copy + Ord>(
        &mut self,
        players: impl ExactSizeIterator<Item = usize>,
        places: &[R],
        times: u64,
    ) {
        let opponents = players.len() - 1;
        for (player, place) in players.zip(places) {
            let better = places.iter().filter(|&other| other < place).count();
            let equal = places.iter().filter(|&other| other == place).count() - 1;
            let tally = &mut self.tallies[player];
            tally.matches += times;
            match (better, equal) {
                (0, 0) => tally.wins += times,
                (0, _) => tally.ties += times,
                _ => tally.losses += times,
            }
            let passed = better as f64 + equal as f64 / 2.0;
            tally.mean_place += times as f64 * passed;
            self.behind[player] += times as f64 * (passed / opponents as f64);
        }
    }

    /// Turns sums into means.
    pub(crate) fn into_tallies(self) -> Vec<Tally> {
        let Sums { mut tallies, behind } = self;
        for (tally, behind) in tallies.iter_mut().zip(behind) {
            if tally.matches > 0 {
                tally.mean_place = 1.0 + tally.mean_place / tally.matches as f64;
                tally.score = 1.0 - behind / tally.matches as f64;
            }
        }
        tallies
    }
}

/// Options for making a [`table`](crate::table()).
///
/// `Options::default()` is right for most tournaments.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// The number of players, numbered from 0; with 0, up to the greatest number in the records.
    pub players: usize,
    /// Confidence of the intervals, 0.95 by default.
    pub confidence: f64,
    /// The zero of the ratings.
    pub anchor: Anchor,
    /// A factor for the width of the intervals, 1 by default.
    ///
    /// It is for results that depend on each other in a way that only simulations show.
    pub widen: f64,
    /// The number of rankings drawn for the probabilities of ranks; 0 for none.
    pub samples: usize,
    /// The seed of the samples.
    pub seed: Seed,
    /// The largest group with probabilities of ranks, which have n² entries.
    ///
    /// Larger groups still have ranges of ranks.
    pub matrices: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            players: 0,
            confidence: 0.95,
            anchor: Anchor::Mean,
            widen: 1.0,
            samples: 2_000,
            seed: Seed::plain(0),
            matrices: 200,
        }
    }
}

/// The zero of ratings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Anchor {
    /// The mean of each group is 0.
    Mean,
    /// The mean of all players with firm ratings ([`Footing::Firm`]) is 0.
    ///
    /// These are held by wins and losses on both sides. If there are none, the mean of the group is
    /// 0. So a player who lost every match, and may be any amount weaker, does not make the ratings
    /// of all others uncertain.
    Firm,
}

impl Options {
    /// Checks the ranges of all numbers.
    pub(crate) fn check(&self) -> Result<(), RatingError> {
        let wrong = |name, value, remedy| Err(RatingError::Option { name, value, remedy });
        if !(self.widen > 0.0 && self.widen.is_finite()) {
            return wrong("widen", self.widen, "give a number above 0, such as 1");
        }
        if self.players > MAX_PLAYERS {
            return wrong("players", self.players as f64, "give at most a million");
        }
        if !(self.confidence > 0.0 && self.confidence < 1.0) {
            return wrong(
                "confidence",
                self.confidence,
                "give a number between 0 and 1, such as 0.95",
            );
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted() {
        let records = [Record::new(&[0, 1, 2], &[1, 1, 3]), Record::win(0, 2)];
        let tallies = tallies(4, &records);
        let first =
            Tally { matches: 2, wins: 1, ties: 1, losses: 0, mean_place: 1.25, score: 0.875 };
        assert_eq!(tallies[0], first);
        assert_eq!((tallies[2].losses, tallies[2].mean_place, tallies[2].score), (2, 2.5, 0.0));
        assert_eq!(tallies[3], Tally::default());
    }
}
