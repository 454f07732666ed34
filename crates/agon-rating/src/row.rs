//! A row of a table: rating, interval, rank and counts of one player.

use serde::Serialize;

use crate::{Footing, Tally};

/// A table's facts about one player.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// The player's number.
    pub player: usize,
    /// The player's group, an index into [`Table::groups`](crate::Table::groups).
    pub group: usize,
    /// The rank within the group, from 1.
    pub rank: usize,
    /// Counts of the matches, without any model.
    #[serde(flatten)]
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
    /// If it is not firm, the prior decides how far away rating and interval end.
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
