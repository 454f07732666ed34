//! Sends requests to one server, and tries again where that helps.

use std::{
    cell::Cell,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use anyhow::Result;
use ureq::{
    Agent,
    http::{Request, header, request::Builder},
};

use super::{Body, Call, Failure, reply::Reply, tls};
use crate::servers::{Address, Token};

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
    ///
    /// # Errors
    /// If there are no certificates.
    pub(crate) fn new(address: Address, ca: Option<&Path>, token: Option<Token>) -> Result<Client> {
        let mut config = Agent::config_builder()
            .http_status_as_error(false)
            // No redirect is followed: the token is for one server.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_connect(Some(CONNECT))
            .user_agent(concat!("agon/", env!("CARGO_PKG_VERSION")));
        if address.is_secure() {
            config = config.https_only(true).tls_config(tls::config(ca)?);
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
    ///
    /// # Errors
    /// If the server does not do what was asked.
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
            if matches!(failure, Failure::Unreachable { .. }) && !self.has_answered.get() {
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
        let request = Request::builder()
            .method(call.method.clone())
            .uri(format!("{}{}", self.address, call.path))
            .header(header::ACCEPT, "application/json, application/problem+json, */*;q=0.1");
        let request = self.with_headers(request, call);
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

    fn with_headers(&self, mut request: Builder, call: &Call) -> Builder {
        if let Some(token) = &self.token {
            request = request.header(header::AUTHORIZATION, token.header());
        }
        if let Some(key) = &call.key {
            request = request.header(KEY, key);
        }
        request
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
