//! A request before it is sent.

use std::{fmt::Write, time::Duration};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use ureq::http::Method;

/// What a name in an address may have besides letters and digits.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// The most bytes of most replies.
const USUAL_BYTES: u64 = 8 << 20;

/// The most time of most requests.
const USUAL_TIME: Duration = Duration::from_secs(60);

/// What a request carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Body {
    /// Nothing.
    None,
    /// JSON.
    Json(Vec<u8>),
    /// A gzipped tar archive.
    Archive(Vec<u8>),
}

/// A request.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(super) method: Method,
    /// The path from the server's root, with the query.
    pub(super) path: String,
    pub(super) body: Body,
    /// Two requests with the same key count once.
    pub(super) key: Option<String>,
    /// The most bytes of the reply.
    pub(super) bytes: u64,
    /// The most time, from the connection to the end of the reply.
    pub(super) time: Duration,
    /// Whether to try again while the server cannot be reached.
    pub(super) is_patient: bool,
}

impl Call {
    /// Asks for what is at a path, which starts with `/`.
    pub(crate) fn get(path: impl Into<String>) -> Call {
        Call::new(Method::GET, path)
    }

    /// Sends something to a path.
    pub(crate) fn post(path: impl Into<String>, body: Body) -> Call {
        Call { body, ..Call::new(Method::POST, path) }
    }

    /// Deletes what is at a path.
    pub(crate) fn delete(path: impl Into<String>) -> Call {
        Call::new(Method::DELETE, path)
    }

    fn new(method: Method, path: impl Into<String>) -> Call {
        Call {
            method,
            path: path.into(),
            body: Body::None,
            key: None,
            bytes: USUAL_BYTES,
            time: USUAL_TIME,
            is_patient: false,
        }
    }

    /// Adds a value to the query.
    pub(crate) fn query(mut self, name: &str, value: &str) -> Call {
        let separator = if self.path.contains('?') { '&' } else { '?' };
        write!(self.path, "{separator}{name}={}", encoded(value)).expect("memory takes all");
        self
    }

    /// Makes several requests with this key count once.
    pub(crate) fn key(self, key: &str) -> Call {
        Call { key: Some(key.to_owned()), ..self }
    }

    /// Takes replies up to this size.
    pub(crate) fn bytes(self, bytes: u64) -> Call {
        Call { bytes, ..self }
    }

    /// Takes this long at most.
    pub(crate) fn time(self, time: Duration) -> Call {
        Call { time, ..self }
    }

    /// Tries again for a while if the server cannot be reached.
    pub(crate) fn patient(self) -> Call {
        Call { is_patient: true, ..self }
    }

    /// Returns whether it may be sent again if nobody knows whether it arrived.
    pub(super) fn is_repeatable(&self) -> bool {
        self.method != Method::POST || self.key.is_some()
    }
}

/// Returns a text as a part of an address.
pub(crate) fn encoded(text: &str) -> String {
    utf8_percent_encode(text, PLAIN).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_encoded() {
        let call = Call::get("/a").query("name", "a b&c=ü/").query("limit", "5");
        assert_eq!(call.path, "/a?name=a%20b%26c%3D%C3%BC%2F&limit=5");
        assert_eq!(encoded("../x?y#z"), "..%2Fx%3Fy%23z");
    }

    #[test]
    fn only_what_counts_once_is_repeated() {
        assert!(Call::get("/").is_repeatable() && Call::delete("/").is_repeatable());
        let post = Call::post("/", Body::None);
        assert!(!post.is_repeatable() && post.key("x").is_repeatable());
    }
}
