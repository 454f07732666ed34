//! Errors in results or options, which keep ratings and tests from being made.

use thiserror::Error;

/// The reason why there is no rating or no test.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum RatingError {
    /// An impossible match.
    #[error("match {number} {problem}")]
    Record {
        /// Its number, from 0.
        number: usize,
        /// The rest of the sentence.
        problem: String,
    },
    /// An option out of its range.
    #[error("{name} is {value}: {remedy}")]
    Option {
        /// Its name.
        name: &'static str,
        /// Its value.
        value: f64,
        /// The remedy.
        remedy: &'static str,
    },
    /// The likelihood has no finite maximum, and there is no prior.
    ///
    /// Ratings more than 2600 Elo points from the mean count as infinite.
    #[error(
        "the ratings of {players:?} have no finite maximum of the likelihood: some of them always \
         beat, or never beat, the others; give `prior` a value above 0, such as 0.1"
    )]
    Separated {
        /// The players of the group.
        players: Vec<usize>,
    },
    /// The fit stopped early. No known data cause this.
    #[error("the fit of {players} players did not converge within {steps} steps")]
    Stuck {
        /// The number of players in the group.
        players: usize,
        /// The number of Newton steps done.
        steps: usize,
    },
}
