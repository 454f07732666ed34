//! Options of a table.

use agon_core::Seed;
use serde::{Deserialize, Serialize};

#[cfg(doc)]
use crate::Footing;
use crate::{RatingError, record::MAX_PLAYERS};

/// How a [`table`](crate::table()) is to be made. `Options::default()` is right for most
/// tournaments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// How many players there are, numbered from 0; 0: up to the greatest number in the records.
    pub players: usize,
    /// Weight of the prior: each player ties that many matches, half won and half lost, against an
    /// imagined player of the group's mean strength, and so do ties against single winners. 0 gives
    /// the plain maximum of the likelihood, which may not exist. The default, 0.1, moves the rating
    /// of a player with 100 matches by a fraction of an Elo point, and keeps those of unbeaten and
    /// winless players finite.
    pub prior: f64,
    /// Confidence of the intervals, 0.95 by default.
    pub confidence: f64,
    /// What the ratings are counted from.
    pub anchor: Anchor,
    /// Where the intervals come from.
    pub intervals: Intervals,
    /// Intervals are made this many times as wide, 1 by default: for results that depend on each
    /// other in a way that shows only in simulations ([`Intervals::Likelihood`] alone).
    pub widen: f64,
    /// How many rankings are drawn for the probabilities of ranks; 0: none.
    pub samples: usize,
    /// The seed of samples and resamples.
    pub seed: Seed,
    /// Groups of more players than this get no matrices (probabilities of ranks, superiority),
    /// which have n² entries; the ranges of ranks remain, and so does
    /// [`Table::superiority`](crate::Table::superiority).
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
            seed: Seed(0),
            matrices: 200,
        }
    }
}

/// What ratings are counted from.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Anchor {
    /// The mean of each group is 0.
    Mean,
    /// The mean of those whose ratings are held by wins and losses on both sides
    /// ([`Footing::Firm`]) is 0; where there are none, that of the group. So a player who lost
    /// every match, and may be any amount weaker, does not make the ratings of all others
    /// uncertain.
    Firm,
    /// This player has this rating, without any uncertainty of its own. The mean of groups without
    /// that player is 0.
    Player {
        /// The player's number.
        player: usize,
        /// The player's rating.
        elo: f64,
    },
}

/// Where intervals come from.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Intervals {
    /// Likelihood ratios: an interval holds the ratings with which the results would not have been
    /// too unlikely. Right at the edges too, where a player won or lost every match, and for
    /// dependent matches within clusters, whose design effect widens them. Ratings are those of the
    /// likelihood with its bias taken off (Firth 1993), so that [`Options::prior`] concerns the
    /// odds of ties alone; a prior below 0.1 counts as 0.1 here.
    Likelihood,
    /// The normal distribution with the inverse of Fisher's information as its covariance (Wald's
    /// intervals): right in the middle, if matches are independent. Wrong where a player won or
    /// lost every match, or nearly.
    Fisher,
    /// Matches, or clusters of them, are drawn with replacement and the table is made anew, that
    /// many times; the quantiles of the ratings are the interval (Efron's percentile bootstrap).
    /// Right for dependent matches within clusters and where the model does not quite fit, and
    /// slower by as much. A prior below 0.1 counts as 0.1 here, since not every resample has a
    /// maximum.
    Bootstrap {
        /// How many times; 1 000 is usual.
        resamples: usize,
    },
}

impl Options {
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
}
