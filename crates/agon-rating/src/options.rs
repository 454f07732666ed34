//! Options for making a table of ratings.

use agon_core::Seed;
use serde::{Deserialize, Serialize};

#[cfg(doc)]
use crate::Footing;
use crate::{RatingError, record::MAX_PLAYERS};

/// Options for making a [`table`](crate::table()).
///
/// `Options::default()` is right for most tournaments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// The number of players, numbered from 0; with 0, up to the greatest number in the records.
    pub players: usize,
    /// Weight of the prior, in imagined matches.
    ///
    /// Each player has this many matches, half won and half lost, against an imagined player of the
    /// group's mean strength. The same holds for ties against single winners. 0 gives the plain
    /// maximum of the likelihood, which may not exist. The default, 0.1, moves the rating of a
    /// player with 100 matches by a fraction of an Elo point. It keeps those of unbeaten and
    /// winless players finite.
    pub prior: f64,
    /// Confidence of the intervals, 0.95 by default.
    pub confidence: f64,
    /// The zero of the ratings.
    pub anchor: Anchor,
    /// The source of the intervals.
    pub intervals: Intervals,
    /// A factor for the width of the intervals, 1 by default ([`Intervals::Likelihood`] alone).
    ///
    /// It is for results that depend on each other in a way that only simulations show.
    pub widen: f64,
    /// The number of rankings drawn for the probabilities of ranks; 0 for none.
    pub samples: usize,
    /// The seed of samples and resamples.
    pub seed: Seed,
    /// The largest group with matrices (probabilities of ranks, superiority).
    ///
    /// They have n² entries. Larger groups still have ranges of ranks
    /// and [`Table::superiority`](crate::Table::superiority).
    pub matrices: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            players: 0,
            prior: 0.1,
            confidence: 0.95,
            anchor: Anchor::Mean,
            intervals: Intervals::Likelihood,
            widen: 1.0,
            samples: 2_000,
            seed: Seed::plain(0),
            matrices: 200,
        }
    }
}

/// The zero of ratings.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Anchor {
    /// The mean of each group is 0.
    Mean,
    /// The mean of all players with firm ratings ([`Footing::Firm`]) is 0.
    ///
    /// These are held by wins and losses on both sides. If there are none, the mean of the group is
    /// 0. So a player who lost every match, and may be any amount weaker, does not make the ratings
    /// of all others uncertain.
    Firm,
    /// This player has this rating, without uncertainty. The mean of groups without it is 0.
    Player {
        /// The player's number.
        player: usize,
        /// The player's rating.
        elo: f64,
    },
}

/// The source of intervals.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Intervals {
    /// Likelihood ratios: an interval holds the ratings that make the results likely enough.
    ///
    /// Right for players who won or lost every match. Also right for dependent matches within
    /// clusters, whose design effect widens the intervals. Ratings are those of the likelihood
    /// without its bias (Firth 1993), so [`Options::prior`] concerns only the odds of ties. A prior
    /// below 0.1 counts as 0.1 here.
    Likelihood,
    /// The normal distribution with the inverse of Fisher's information (Wald's intervals).
    ///
    /// Right in the middle, if matches are independent. Wrong for players who won or lost every
    /// match, or nearly.
    Fisher,
    /// Quantiles of the ratings in repeated tables of resamples (Efron's percentile bootstrap).
    ///
    /// Each resample draws matches, or clusters of them, with replacement. Right for dependent
    /// matches within clusters and where the model does not quite fit, but slower by the number of
    /// resamples. A prior below 0.1 counts as 0.1 here, since not every resample has a maximum.
    Bootstrap {
        /// The number of resamples; 1 000 is usual.
        resamples: usize,
    },
}

impl Options {
    /// Checks the ranges of all numbers.
    ///
    /// # Errors
    /// If a number is out of its range.
    pub(crate) fn check(&self) -> Result<(), RatingError> {
        let wrong = |name, value, remedy| Err(RatingError::Option { name, value, remedy });
        if !(self.prior >= 0.0 && self.prior.is_finite()) {
            return wrong("prior", self.prior, "give 0 or a weight above it");
        }
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
        if let Anchor::Player { elo, .. } = self.anchor
            && !elo.is_finite()
        {
            return wrong("the anchor's elo", elo, "give a number");
        }
        match self.intervals {
            Intervals::Bootstrap { resamples } if resamples < 2 => {
                wrong("resamples", resamples as f64, "give at least 2, better 1000")
            }
            _ => Ok(()),
        }
    }

    /// Checks that the anchor is one of this many players.
    ///
    /// # Errors
    /// If it is another player.
    pub(crate) fn check_anchor(&self, players: usize) -> Result<(), RatingError> {
        match self.anchor {
            Anchor::Player { player, .. } if player >= players => Err(RatingError::Option {
                name: "the anchor's player",
                value: player as f64,
                remedy: "name a player that is in the table",
            }),
            _ => Ok(()),
        }
    }
}
