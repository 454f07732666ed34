//! Errors in results, which keep a report from being made.

use crate::MatchId;
use agon_rating::RatingError;
use thiserror::Error;

/// The reason why there is no report.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ReportError {
    /// A bot that is not in the plan.
    #[error("match {id} in the journal is one of the bot `{name}`, which the plan does not have")]
    Bot {
        /// The match.
        id: MatchId,
        /// The name.
        name: String,
    },
    /// Results that cannot be rated.
    #[error("the results cannot be rated: {0}")]
    Rating(#[from] RatingError),
}
