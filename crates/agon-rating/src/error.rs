//! Errors in results that are to be rated.

use thiserror::Error;

/// Why there is no rating or no test.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum RatingError {
    /// A match that cannot be.
    #[error("match {number} {problem}")]
    Record {
        /// Which one, from 0.
        number: usize,
        /// The rest of the sentence.
        problem: String,
    },
    /// An option out of its range.
    #[error("{name} is {value}: {remedy}")]
    Option {
        /// Its name.
        name: &'static str,
        /// What it was.
        value: f64,
        /// What it should be.
        remedy: &'static str,
    },
    /// The likelihood has no finite maximum, or one more than 2600 Elo points off the mean, and
    /// there is no prior.
    #[error(
        "the ratings of {players:?} have no finite maximum of the likelihood: some of them always \
         beat, or never beat, the others; give `prior` a value above 0, such as 0.1"
    )]
    Separated {
        /// The players of the group.
        players: Vec<usize>,
    },
    /// The fit stopped short, which no data are known to cause.
    #[error("the fit of {players} players did not converge within {steps} steps")]
    Stuck {
        /// How many players the group has.
        players: usize,
        /// Newton steps done.
        steps: usize,
    },
}
