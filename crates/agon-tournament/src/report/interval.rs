//! Intervals of ratings in words, for the page and the terminal.

use agon_rating::Footing;

use crate::report::{Rating, elo_text};

/// The confidence of intervals, and of bold scores.
pub(crate) const CONFIDENCE: f64 = 0.95;

/// Returns the interval of a rating: `+80 to +165`, `at least +80`.
///
/// It leaves out an end that no result supports.
pub fn interval_text(rating: &Rating<'_>) -> String {
    let low = elo_text(rating.low);
    let high = elo_text(rating.high);
    match rating.footing {
        Footing::Firm => format!("{low} to {high}"),
        Footing::OpenAbove => format!("at least {low}"),
        Footing::OpenBelow => format!("at most {high}"),
        Footing::Open => "no bound".to_owned(),
    }
}

/// Returns the reason for a missing end; `None` if both are known.
pub(crate) fn missing_end(footing: Footing) -> Option<&'static str> {
    match footing {
        Footing::Firm => None,
        Footing::OpenAbove => Some(
            "has lost neither to the bots it is measured against nor to any that lost to them, so \
             only a lower bound is known",
        ),
        Footing::OpenBelow => Some(
            "has beaten neither the bots it is measured against nor any that beat them, so only an \
             upper bound is known",
        ),
        Footing::Open => {
            Some("its results leave open how far it is from the other bots, so no bound is known")
        }
    }
}
