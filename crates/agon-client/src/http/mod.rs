//! Requests with limits of size and time, and what can go wrong with them.
//!
//! No redirect is followed, so that no token reaches another server.

mod failure;
#[cfg(test)]
mod tests;

pub(crate) use failure::Failure;

use std::time::{Duration, Instant};
use std::{cell::Cell, fmt::Write, path::Path, sync::Arc, thread};

use agon_core::{text::escape, text::name::cut};
use agon_ladder::api::{PROBLEM_TYPE, Problem, ProblemCode};
use anyhow::{Context, Result, ensure};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use rustls::{pki_types::CertificateDer, pki_types::pem::PemObject};
use serde::de::DeserializeOwned;
use ureq::Agent;
use ureq::http::{HeaderMap, Method, Request, StatusCode, header};
use ureq::tls::{Certificate, RootCerts, TlsConfig};

use crate::servers::{Address, Token};

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
    pub(crate) method: Method,
    /// The path from the server's root, with the query.
    pub(crate) path: String,
    pub(crate) body: Body,
    /// Two requests with the same key count once.
    pub(crate) key: Option<String>,
    /// The most bytes of the reply.
    pub(crate) bytes: u64,
    /// The most time, from the connection to the end of the reply.
    pub(crate) time: Duration,
    /// Whether to try again while the server cannot be reached.
    pub(crate) is_patient: bool,
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

    /// Tries again for a while if the server cannot be reached.
    pub(crate) fn patient(self) -> Call {
        Call { is_patient: true, ..self }
    }

    /// Returns whether it may be sent again if nobody knows whether it arrived.
    fn is_repeatable(&self) -> bool {
        self.method != Method::POST || self.key.is_some()
    }
}

/// Returns a text as a part of an address.
pub(crate) fn encoded(text: &str) -> String {
    utf8_percent_encode(text, PLAIN).to_string()
}

/// The most bytes of a foreign text in an error.
const SHOWN: usize = 2_000;

/// A reply.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    /// Its status code.
    pub(crate) status: StatusCode,
    headers: HeaderMap,
    /// All of its body.
    pub(crate) body: Vec<u8>,
}

impl Reply {
    fn header(&self, name: header::HeaderName) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// Returns how long the server asks to wait before the next try.
    fn retry_after(&self) -> Option<Duration> {
        let seconds = self.header(header::RETRY_AFTER)?.trim().parse().ok()?;
        Some(Duration::from_secs(seconds))
    }

    /// Returns whether the body has a media type.
    fn is(&self, kind: &str) -> bool {
        let own = self.header(header::CONTENT_TYPE).unwrap_or_default();
        own.split(';').next().is_some_and(|own| own.trim().eq_ignore_ascii_case(kind))
    }

    /// Reads the body as JSON.
    pub(crate) fn json<T: DeserializeOwned>(&self) -> Result<T, Failure> {
        if !self.is("application/json") {
            return Err(self.foreign());
        }
        serde_json::from_slice(&self.body).map_err(|error| {
            // What serde says may quote the reply.
            Failure::Unclear(escape(cut(&error.to_string(), SHOWN)).into_owned())
        })
    }

    /// Returns it if the server did what was asked.
    fn checked(self) -> Result<Reply, Failure> {
        if self.status.is_success() {
            return Ok(self);
        }
        if self.status.is_redirection() {
            let place = self.header(header::LOCATION).unwrap_or("nowhere");
            return Err(Failure::Redirect(escape(cut(place, SHOWN)).into_owned()));
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

/// The most bytes of a file with certificates.
const MAX: u64 = 4 << 20;

/// Returns the settings of HTTPS: the machine's authorities are accepted (or those of the variables
/// SSL_CERT_FILE and SSL_CERT_DIR), and those of `ca`.
fn tls_config(ca: Option<&Path>) -> Result<TlsConfig> {
    let machine = rustls_native_certs::load_native_certs();
    let own = ca.map(read).transpose()?.unwrap_or_default();
    let problems: Vec<String> = machine.errors.iter().map(ToString::to_string).collect();
    ensure!(
        !machine.certs.is_empty() || !own.is_empty(),
        "this machine has no certificates of authorities{}. Install them (on Debian the package \
         ca-certificates), or name a file with --ca or SSL_CERT_FILE",
        if problems.is_empty() { String::new() } else { format!(" ({})", problems.join("; ")) }
    );
    let all = machine.certs.into_iter().chain(own);
    let all: Vec<_> = all.map(|der| Certificate::from_der(&der).to_owned()).collect();
    let config = TlsConfig::builder()
        .root_certs(RootCerts::Specific(Arc::new(all)))
        .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()));
    Ok(config.build())
}

fn read(path: &Path) -> Result<Vec<CertificateDer<'static>>> {
    let bytes = agon_files::input::read_bytes(path, MAX)?;
    let all: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&bytes).collect();
    let all = all.with_context(|| format!("{} is no PEM file", path.display()))?;
    ensure!(
        !all.is_empty(),
        "{} has no certificate; it must be a PEM file with lines `BEGIN CERTIFICATE`",
        path.display()
    );
    Ok(all)
}

/// How long to try again, and to wait if the server asks for it.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long a patient call waits if the server asks for it.
const LONG_PATIENCE: Duration = Duration::from_secs(600);

/// Shorter waits that the server asks for are said once only: they come again and again.
const SHORT: Duration = Duration::from_secs(5);

/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(15);

/// The first pause between two tries; each further one is twice as long, up to [`LONGEST`].
const PAUSE: Duration = Duration::from_millis(250);
const LONGEST: Duration = Duration::from_secs(5);

/// The header with which repeated requests count once.
const KEY: &str = "idempotency-key";

/// A client of one server.
#[derive(Debug)]
pub(crate) struct Client {
    agent: Agent,
    address: Address,
    token: Option<Token>,
    /// Whether the server has ever answered.
    has_answered: Cell<bool>,
    /// Whether it has said that the server slows it down.
    has_said_slow: Cell<bool>,
}

impl Client {
    /// Makes a client that accepts the machine's certificates and those of `ca`.
    pub(crate) fn new(address: Address, ca: Option<&Path>, token: Option<Token>) -> Result<Client> {
        let mut config = Agent::config_builder()
            .http_status_as_error(false)
            // No redirect is followed: the token is for one server.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_connect(Some(CONNECT))
            .user_agent(concat!("agon/", env!("CARGO_PKG_VERSION")));
        if address.is_secure {
            config = config.https_only(true).tls_config(tls_config(ca)?);
        }
        if address.is_loopback() {
            config = config.proxy(None);
        }
        let agent = config.build().into();
        let (has_answered, has_said_slow) = (Cell::new(false), Cell::new(false));
        Ok(Client { agent, address, token, has_answered, has_said_slow })
    }

    /// Returns the server's address.
    pub(crate) fn address(&self) -> &Address {
        &self.address
    }

    /// Returns whether requests are signed in.
    pub(crate) fn has_token(&self) -> bool {
        self.token.is_some()
    }

    /// Sends a request. Waits if the server asks for it: up to a minute, or ten if the call is
    /// patient.
    pub(crate) fn send(&self, call: &Call) -> Result<Reply, Failure> {
        let began = Instant::now();
        let mut pause = PAUSE;
        let mut has_said = false;
        loop {
            let failure = match self.try_once(call) {
                Ok(reply) => return Ok(reply),
                Err(failure) => failure,
            };
            // A server that was never there does not come back: the address may be wrong.
            if matches!(failure, Failure::Unreachable(_)) && !self.has_answered.get() {
                return Err(failure);
            }
            let Some(wait) = wait_for(call, &failure, pause) else { return Err(failure) };
            let is_asked = failure.wait().is_some();
            let patience = if is_asked && call.is_patient { LONG_PATIENCE } else { PATIENCE };
            if began.elapsed() + wait > patience {
                return Err(failure);
            }
            if is_asked {
                self.say_wait(wait);
            } else if !has_said {
                say!("{failure}; trying again");
                has_said = true;
            }
            thread::sleep(wait);
            pause = (2 * pause).min(LONGEST);
        }
    }

    /// Says that the server asks to wait. Not each time: a large log has thousands of files.
    fn say_wait(&self, wait: Duration) {
        let seconds = wait.as_secs();
        if wait >= SHORT {
            say!("the server asks to wait for {seconds} s");
        } else if !self.has_said_slow.replace(true) {
            say!("the server limits requests, so this takes longer (it asks to wait {seconds} s)");
        }
    }

    fn try_once(&self, call: &Call) -> Result<Reply, Failure> {
        let mut request = Request::builder()
            .method(call.method.clone())
            .uri(format!("{}{}", self.address, call.path))
            .header(header::ACCEPT, "application/json, application/problem+json, */*;q=0.1");
        if let Some(token) = &self.token {
            request = request.header(header::AUTHORIZATION, token.header());
        }
        if let Some(key) = &call.key {
            request = request.header(KEY, key);
        }
        let sent = match &call.body {
            Body::None if call.method == "POST" => self.run(request.body(&[][..]), call),
            Body::None => self.run(request.body(()), call),
            Body::Json(bytes) | Body::Archive(bytes) => {
                let kind = match call.body {
                    Body::Archive(_) => "application/gzip",
                    _ => "application/json",
                };
                self.run(request.header(header::CONTENT_TYPE, kind).body(bytes.as_slice()), call)
            }
        };
        sent?.checked()
    }

    fn run(
        &self,
        request: Result<Request<impl ureq::AsSendBody>, ureq::http::Error>,
        call: &Call,
    ) -> Result<Reply, Failure> {
        let failed = |error: ureq::Error| Failure::of(error, call.time);
        let request = request.map_err(|error| failed(error.into()))?;
        let request = self.agent.configure_request(request).timeout_global(Some(call.time)).build();
        let reply = self.agent.run(request).map_err(failed)?;
        self.has_answered.set(true);
        let (parts, mut body) = reply.into_parts();
        let body = body.with_config().limit(call.bytes).read_to_vec().map_err(failed)?;
        Ok(Reply { status: parts.status, headers: parts.headers, body })
    }
}

/// Returns how long to wait before the next try; `None` if another try helps nobody.
fn wait_for(call: &Call, failure: &Failure, pause: Duration) -> Option<Duration> {
    if let Some(wait) = failure.wait()
        && (call.is_repeatable() || failure.is_refusal())
    {
        return Some(wait.max(PAUSE));
    }
    let is_patient = call.is_patient && failure.is_passing();
    (is_patient && call.is_repeatable()).then_some(pause)
}
