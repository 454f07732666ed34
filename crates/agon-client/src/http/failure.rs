//! What can go wrong with a request, in words with a remedy.

use std::{io, time::Duration};

use agon_ladder::api::{Problem, ProblemCode};
use thiserror::Error;
use ureq::http::StatusCode;

/// Why a request failed. All foreign text in it is escaped, and on one line.
#[derive(Debug, Error)]
pub(crate) enum Failure {
    /// Nothing answers there.
    #[error("cannot reach the server: {0}; is the address right, and does the server run?")]
    Unreachable(String),
    /// The connection ended, and nobody knows whether the request arrived.
    #[error("the connection to the server ended: {0}")]
    Broken(String),
    /// It may be somebody else.
    #[error(
        "the server's certificate is not accepted: {0}. If the server has its own authority, \
         name its file with --ca"
    )]
    Certificate(String),
    /// It took too long.
    #[error("the server did not answer within {} seconds; try again later", .0.as_secs())]
    Slow(Duration),
    /// The reply is too large.
    #[error("the server's reply has more than {} KiB, which no Agon server sends here", .0 >> 10)]
    TooLarge(u64),
    /// It would be another server.
    #[error(
        "the server sends to another address, `{0}`. If you trust that one, use it: \
         `agon login {0}`"
    )]
    Redirect(String),
    /// A proxy refuses the size.
    #[error(
        "a proxy before the server refuses a request of this size; ask those who run the server \
         to allow 34 MiB (docs/ladder.md, HTTPS)"
    )]
    TooLargeForProxy,
    /// A proxy answers, and the server does not.
    #[error("the server cannot answer at the moment ({status}); try again later")]
    Away {
        status: StatusCode,
        /// How long it asks to wait.
        wait: Option<Duration>,
    },
    /// Something else than an Agon server has answered.
    #[error(
        "this is no Agon server, or one without this API: it answers {what}. Type the address \
         that people type in a browser"
    )]
    Foreign { what: String, status: Option<StatusCode> },
    /// The reply has another form.
    #[error(
        "the server's reply cannot be understood ({}). The server may be newer than this \
         Agon, {}: `agon --version`, and install its version", .0, env!("CARGO_PKG_VERSION")
    )]
    Unclear(String),
    /// The request cannot be sent at all.
    #[error("cannot send the request: {0}")]
    Unsendable(String),
    /// The server says what is wrong.
    #[error("{}", said(.problem))]
    Problem {
        problem: Box<Problem>,
        /// How long it asks to wait.
        wait: Option<Duration>,
    },
}

impl Failure {
    /// Returns the kind of failure that the server names.
    pub(crate) fn code(&self) -> Option<ProblemCode> {
        match self {
            Failure::Problem { problem, .. } => Some(problem.code),
            _ => None,
        }
    }

    /// Returns how long to wait before another try helps: a server or proxy asks for it.
    pub(super) fn wait(&self) -> Option<Duration> {
        match self {
            Failure::Problem { problem, wait } if is_passing(problem.code) => *wait,
            Failure::Away { wait, .. } => *wait,
            _ => None,
        }
    }

    /// Returns whether the request certainly had no effect: it was refused, and not lost.
    pub(super) fn is_refusal(&self) -> bool {
        match self {
            Failure::Problem { .. } => true,
            Failure::Away { status, .. } => {
                matches!(*status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE)
            }
            _ => false,
        }
    }

    /// Returns whether another try may help soon.
    pub(crate) fn is_passing(&self) -> bool {
        match self {
            Failure::Problem { problem, .. } => is_passing(problem.code),
            Failure::Unreachable(_)
            | Failure::Broken(_)
            | Failure::Slow(_)
            | Failure::Away { .. } => true,
            _ => false,
        }
    }

    /// Returns whether what was asked for is not there.
    pub(crate) fn is_missing(&self) -> bool {
        match self {
            Failure::Problem { problem, .. } => {
                matches!(problem.code, ProblemCode::NotFound | ProblemCode::Gone)
            }
            Failure::Foreign { status, .. } => {
                matches!(*status, Some(StatusCode::NOT_FOUND | StatusCode::GONE))
            }
            _ => false,
        }
    }

    fn foreign(what: &str) -> Failure {
        Failure::Foreign { what: what.to_owned(), status: None }
    }

    /// Reads what the library says.
    pub(super) fn of(error: ureq::Error, time: Duration) -> Failure {
        match error {
            ureq::Error::Timeout(_) => Failure::Slow(time),
            ureq::Error::BodyExceedsLimit(limit) => Failure::TooLarge(limit),
            ureq::Error::LargeResponseHeader(..) => Failure::foreign("with headers without an end"),
            ureq::Error::Protocol(_) | ureq::Error::Http(_) => {
                Failure::foreign("something else than HTTP")
            }
            ureq::Error::HostNotFound => Failure::Unreachable("its name is not known".to_owned()),
            ureq::Error::ConnectionFailed => Failure::Unreachable("no connection".to_owned()),
            ureq::Error::Rustls(error) => Failure::of_tls(&error),
            ureq::Error::Io(error) => Failure::of_io(&error, time),
            other => Failure::Unsendable(agon_core::text::escape(&other.to_string()).into()),
        }
    }

    fn of_io(error: &io::Error, time: Duration) -> Failure {
        if let Some(tls) = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
            return Failure::of_tls(tls);
        }
        let why = agon_core::text::escape(&error.to_string()).into_owned();
        match error.kind() {
            io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => Failure::Slow(time),
            io::ErrorKind::ConnectionRefused
            | io::ErrorKind::HostUnreachable
            | io::ErrorKind::NetworkUnreachable
            | io::ErrorKind::AddrNotAvailable
            | io::ErrorKind::NotFound => Failure::Unreachable(why),
            _ => Failure::Broken(why),
        }
    }

    fn of_tls(error: &rustls::Error) -> Failure {
        let mut why = agon_core::text::escape(&error.to_string()).into_owned();
        if why.contains("CaUsedAsEndEntity") {
            // Many guides make such certificates, and browsers accept them.
            why = "it is that of an authority, not of a server; make it with \
                   `-addext basicConstraints=critical,CA:FALSE` of openssl"
                .to_owned();
        }
        match error {
            rustls::Error::InvalidCertificate(_) | rustls::Error::NoCertificatesPresented => {
                Failure::Certificate(why)
            }
            rustls::Error::InvalidMessage(_) => {
                Failure::foreign("without HTTPS; its address may start with http://")
            }
            _ => Failure::Broken(why),
        }
    }
}

/// Returns whether the server may do later what it does not do now.
fn is_passing(code: ProblemCode) -> bool {
    matches!(
        code,
        ProblemCode::RateLimited
            | ProblemCode::Unavailable
            | ProblemCode::IdempotencyBusy
            | ProblemCode::Timeout
    )
}

/// Returns what the server says, and what else helps.
fn said(problem: &Problem) -> String {
    let Problem { title, detail, .. } = problem;
    let separator = if title.ends_with(['.', '!', '?', ':']) { "" } else { ":" };
    if detail.is_empty() { title.clone() } else { format!("{title}{separator} {detail}") }
}
