//! Failures that many handlers share.

use agon_ladder::api::ProblemCode;

use crate::http::reply::{Failure, coded};

/// Makes the failure that a part of a request has a wrong value.
pub(super) fn wrong(advice: impl Into<String>) -> Failure {
    coded(ProblemCode::BadRequest, "The request cannot be read", advice)
}

/// Makes the failure that a value of a body cannot be used.
pub(super) fn unusable(advice: impl Into<String>) -> Failure {
    coded(ProblemCode::Unprocessable, "The request cannot be used", advice)
}
