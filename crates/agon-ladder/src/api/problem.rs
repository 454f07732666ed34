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
    /// All kinds that a server sends, each with its name in JSON and the status code that replies
    /// usually have with it.
    pub const ALL: [(ProblemCode, &str, u16); 21] = [
        (ProblemCode::BadRequest, "bad_request", 400),
        (ProblemCode::InvalidCursor, "invalid_cursor", 400),
        (ProblemCode::Unauthorized, "unauthorized", 401),
        (ProblemCode::MissingScope, "missing_scope", 403),
        (ProblemCode::Forbidden, "forbidden", 403),
        (ProblemCode::NotFound, "not_found", 404),
        (ProblemCode::MethodNotAllowed, "method_not_allowed", 405),
        (ProblemCode::Timeout, "timeout", 408),
        (ProblemCode::Conflict, "conflict", 409),
        (ProblemCode::Closed, "closed", 409),
        (ProblemCode::QuotaExhausted, "quota_exhausted", 429),
        (ProblemCode::Gone, "gone", 410),
        (ProblemCode::TooLarge, "too_large", 413),
        (ProblemCode::UnsupportedMediaType, "unsupported_media_type", 415),
        (ProblemCode::Unprocessable, "unprocessable", 422),
        (ProblemCode::IdempotencyMismatch, "idempotency_mismatch", 422),
        (ProblemCode::IdempotencyBusy, "idempotency_busy", 409),
        (ProblemCode::RateLimited, "rate_limited", 429),
        (ProblemCode::Internal, "internal", 500),
        (ProblemCode::Unavailable, "unavailable", 503),
        (ProblemCode::DiskFull, "disk_full", 507),
    ];

    fn facts(self) -> (&'static str, u16) {
        let found = ProblemCode::ALL.into_iter().find(|(code, ..)| *code == self);
        found.map_or(("unknown", 500), |(_, name, status)| (name, status))
    }

    /// Returns the name in JSON.
    pub fn name(self) -> &'static str {
        self.facts().0
    }

    /// Returns the status code that replies usually have with it.
    pub fn status(self) -> u16 {
        self.facts().1
    }

    /// Returns the kind of a failure of which only the status code is known.
    pub fn of_status(status: u16) -> ProblemCode {
        match status {
            403 => ProblemCode::Forbidden,
            429 => ProblemCode::RateLimited,
            _ => match ProblemCode::ALL.into_iter().find(|(.., usual)| *usual == status) {
                Some((code, ..)) => code,
                None if (400..500).contains(&status) => ProblemCode::BadRequest,
                None => ProblemCode::Internal,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_have_their_names() {
        for (code, name, status) in ProblemCode::ALL {
            assert_eq!(serde_json::to_string(&code).unwrap(), format!("\"{name}\""));
            assert_eq!(ProblemCode::of_status(status).status(), status);
        }
        let unknown: ProblemCode = serde_json::from_str("\"of_a_later_server\"").unwrap();
        assert_eq!(unknown, ProblemCode::Unknown);
    }
}
