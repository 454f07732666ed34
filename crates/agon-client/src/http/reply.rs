//! What came back.

use std::time::Duration;

use agon_ladder::api::{PROBLEM_TYPE, Problem, ProblemCode};
use agon_text::{escape, name::cut};
use serde::de::DeserializeOwned;
use ureq::http::{HeaderMap, StatusCode, header};

use super::Failure;

/// The most bytes of a foreign text in an error.
const SHOWN: usize = 2_000;

/// A reply.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    /// Its status code.
    pub(crate) status: StatusCode,
    pub(super) headers: HeaderMap,
    /// All of its body.
    pub(crate) body: Vec<u8>,
}

impl Reply {
    fn header(&self, name: header::HeaderName) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// Returns how long the server asks to wait before the next try.
    pub(super) fn retry_after(&self) -> Option<Duration> {
        let seconds = self.header(header::RETRY_AFTER)?.trim().parse().ok()?;
        Some(Duration::from_secs(seconds))
    }

    /// Returns whether the body has a media type.
    fn is(&self, kind: &str) -> bool {
        let own = self.header(header::CONTENT_TYPE).unwrap_or_default();
        own.split(';').next().is_some_and(|own| own.trim().eq_ignore_ascii_case(kind))
    }

    /// Reads the body as JSON.
    ///
    /// # Errors
    /// If it is something else, or not of this form.
    pub(crate) fn json<T: DeserializeOwned>(&self) -> Result<T, Failure> {
        if !self.is("application/json") {
            return Err(self.foreign());
        }
        serde_json::from_slice(&self.body).map_err(|error| Failure::Unclear {
            // What serde says may quote the reply.
            why: escape(cut(&error.to_string(), SHOWN)).into_owned(),
        })
    }

    /// Returns it if the server did what was asked.
    ///
    /// # Errors
    /// If the status is another one.
    pub(super) fn checked(self) -> Result<Reply, Failure> {
        if self.status.is_success() {
            return Ok(self);
        }
        if self.status.is_redirection() {
            let place = self.header(header::LOCATION).unwrap_or("nowhere");
            return Err(Failure::Redirect { place: escape(cut(place, SHOWN)).into_owned() });
        }
        if !self.is(PROBLEM_TYPE) {
            return Err(self.failure_of_others());
        }
        let mut problem: Problem =
            serde_json::from_slice(&self.body).map_err(|_| self.foreign())?;
        for text in [&mut problem.title, &mut problem.detail] {
            *text = escape(cut(text, SHOWN)).into_owned();
        }
        if problem.code == ProblemCode::Unknown {
            problem.code = ProblemCode::of_status(self.status.as_u16());
        }
        let wait = self.retry_after();
        Err(Failure::Problem { problem: Box::new(problem), wait })
    }

    /// Returns what a failure means that a proxy or another program sent.
    fn failure_of_others(&self) -> Failure {
        match self.status {
            StatusCode::PAYLOAD_TOO_LARGE => Failure::TooLargeForProxy,
            StatusCode::BAD_GATEWAY
            | StatusCode::GATEWAY_TIMEOUT
            | StatusCode::SERVICE_UNAVAILABLE
            | StatusCode::TOO_MANY_REQUESTS => {
                Failure::Away { status: self.status, wait: self.retry_after() }
            }
            _ => self.foreign(),
        }
    }

    /// Returns the failure that this is no reply of an Agon server.
    fn foreign(&self) -> Failure {
        let kind = self.header(header::CONTENT_TYPE).unwrap_or("no media type");
        let what = format!("{} with {}", self.status, escape(cut(kind, 100)));
        Failure::Foreign { what, status: Some(self.status) }
    }
}
