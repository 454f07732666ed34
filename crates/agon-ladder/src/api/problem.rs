//! Failures, as problem details of RFC 9457.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The media type of failures.
pub const PROBLEM_TYPE: &str = "application/problem+json";

/// Why a request failed, as problem details of RFC 9457.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Problem {
    /// A reference to the meaning of the code: `/api/v1/problems#not_found`.
    #[serde(rename = "type")]
    pub kind: String,
    /// What is wrong, in a few words.
    pub title: String,
    /// The status code of the reply.
    pub status: u16,
    /// What to do, in sentences.
    pub detail: String,
    /// The path of the request.
    pub instance: String,
    /// The kind of failure, for programs.
    pub code: ProblemCode,
}

/// Kinds of failures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProblemCode {
    /// A part of the request cannot be read, or has a value that is not allowed.
    BadRequest,
    /// The cursor is not one of this list.
    InvalidCursor,
    /// The request needs a valid token.
    Unauthorized,
    /// The token lacks the scope that the route needs.
    MissingScope,
    /// The person may not do this.
    Forbidden,
    /// There is no such thing, or it is not for the person.
    NotFound,
    /// The route has no such method.
    MethodNotAllowed,
    /// The request took too long to arrive.
    Timeout,
    /// What is there does not allow this now.
    Conflict,
    /// The arena takes no hand-ins: the season has not begun or is over, or an organiser
    /// disqualified the bot.
    Closed,
    /// The author has handed in as many versions as the arena allows.
    QuotaExhausted,
    /// It was there, and is not there any more.
    Gone,
    /// The body is too large.
    TooLarge,
    /// The body has a media type that the route does not take.
    UnsupportedMediaType,
    /// The body can be read, but its contents cannot be used.
    Unprocessable,
    /// The `Idempotency-Key` was used for another request.
    IdempotencyMismatch,
    /// A request with the same `Idempotency-Key` is still being answered.
    IdempotencyBusy,
    /// There were too many requests. `Retry-After` says when to try again.
    RateLimited,
    /// The server failed.
    Internal,
    /// The server cannot answer now. Try again later.
    Unavailable,
    /// The server's disk is full.
    DiskFull,
    /// A kind that this program does not know yet.
    #[serde(other)]
    Unknown,
}

/// The meaning of a kind of failure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProblemMeaning {
    /// The kind.
    pub code: ProblemCode,
    /// The status code that replies usually have with it.
    pub status: u16,
    /// What it means, in a sentence.
    pub meaning: String,
}

impl ProblemCode {
    /// All kinds that a server sends.
    pub const ALL: [ProblemCode; 21] = [
        ProblemCode::BadRequest,
        ProblemCode::InvalidCursor,
        ProblemCode::Unauthorized,
        ProblemCode::MissingScope,
        ProblemCode::Forbidden,
        ProblemCode::NotFound,
        ProblemCode::MethodNotAllowed,
        ProblemCode::Timeout,
        ProblemCode::Conflict,
        ProblemCode::Closed,
        ProblemCode::QuotaExhausted,
        ProblemCode::Gone,
        ProblemCode::TooLarge,
        ProblemCode::UnsupportedMediaType,
        ProblemCode::Unprocessable,
        ProblemCode::IdempotencyMismatch,
        ProblemCode::IdempotencyBusy,
        ProblemCode::RateLimited,
        ProblemCode::Internal,
        ProblemCode::Unavailable,
        ProblemCode::DiskFull,
    ];

    /// Returns the name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            ProblemCode::BadRequest => "bad_request",
            ProblemCode::InvalidCursor => "invalid_cursor",
            ProblemCode::Unauthorized => "unauthorized",
            ProblemCode::MissingScope => "missing_scope",
            ProblemCode::Forbidden => "forbidden",
            ProblemCode::NotFound => "not_found",
            ProblemCode::MethodNotAllowed => "method_not_allowed",
            ProblemCode::Timeout => "timeout",
            ProblemCode::Conflict => "conflict",
            ProblemCode::Closed => "closed",
            ProblemCode::QuotaExhausted => "quota_exhausted",
            ProblemCode::Gone => "gone",
            ProblemCode::TooLarge => "too_large",
            ProblemCode::UnsupportedMediaType => "unsupported_media_type",
            ProblemCode::Unprocessable => "unprocessable",
            ProblemCode::IdempotencyMismatch => "idempotency_mismatch",
            ProblemCode::IdempotencyBusy => "idempotency_busy",
            ProblemCode::RateLimited => "rate_limited",
            ProblemCode::Internal => "internal",
            ProblemCode::Unavailable => "unavailable",
            ProblemCode::DiskFull => "disk_full",
            ProblemCode::Unknown => "unknown",
        }
    }

    /// Returns the status code that replies usually have with it.
    pub fn status(self) -> u16 {
        match self {
            ProblemCode::BadRequest | ProblemCode::InvalidCursor => 400,
            ProblemCode::Unauthorized => 401,
            ProblemCode::MissingScope | ProblemCode::Forbidden => 403,
            ProblemCode::NotFound => 404,
            ProblemCode::MethodNotAllowed => 405,
            ProblemCode::Timeout => 408,
            ProblemCode::Conflict | ProblemCode::Closed | ProblemCode::IdempotencyBusy => 409,
            ProblemCode::Gone => 410,
            ProblemCode::TooLarge => 413,
            ProblemCode::UnsupportedMediaType => 415,
            ProblemCode::Unprocessable | ProblemCode::IdempotencyMismatch => 422,
            ProblemCode::QuotaExhausted | ProblemCode::RateLimited => 429,
            ProblemCode::Internal | ProblemCode::Unknown => 500,
            ProblemCode::Unavailable => 503,
            ProblemCode::DiskFull => 507,
        }
    }

    /// Returns the kind of a failure of which only the status code is known.
    pub fn of_status(status: u16) -> ProblemCode {
        match status {
            401 => ProblemCode::Unauthorized,
            403 => ProblemCode::Forbidden,
            404 => ProblemCode::NotFound,
            405 => ProblemCode::MethodNotAllowed,
            408 => ProblemCode::Timeout,
            409 => ProblemCode::Conflict,
            410 => ProblemCode::Gone,
            413 => ProblemCode::TooLarge,
            415 => ProblemCode::UnsupportedMediaType,
            422 => ProblemCode::Unprocessable,
            429 => ProblemCode::RateLimited,
            503 => ProblemCode::Unavailable,
            507 => ProblemCode::DiskFull,
            400..=499 => ProblemCode::BadRequest,
            _ => ProblemCode::Internal,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_have_their_names() {
        for code in ProblemCode::ALL {
            let text = serde_json::to_string(&code).unwrap();
            assert_eq!(text, format!("\"{}\"", code.name()));
        }
        let unknown: ProblemCode = serde_json::from_str("\"of_a_later_server\"").unwrap();
        assert_eq!(unknown, ProblemCode::Unknown);
    }
}
