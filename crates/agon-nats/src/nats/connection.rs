//! A connection to a server.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use std::{io, path::Path};

use agon_remote::{
    ServerArgs, fleet::message::MOST_BYTES as MOST_BYTES_OF_MESSAGE, login_of, without_passwords,
};
use anyhow::{Context as _, Result, anyhow, bail};
use async_nats::jetstream::{self, Context};
use async_nats::{
    Client, ClientError, ConnectOptions, Event, HeaderMap, HeaderValue, Message,
    jetstream::context::GetStreamErrorKind, jetstream::stream::Stream,
};
use tokio::{sync::mpsc::UnboundedSender, time::timeout};

use super::identity::{
    Identity, MOST_HEADERS, Purpose, Refusal, SIGNATURE, TOKEN, expiry_of, inbox_of, user_of,
};

/// The oldest server: older ones have no metadata of consumers and no several filters.
const OLDEST: (u32, u32) = (2, 10);

/// How long a request to the server may take.
const REQUEST: Duration = Duration::from_secs(10);

/// Results that nobody fetches are removed after this time: nobody leads their run any more.
pub(super) const OLD_RESULTS: Duration = Duration::from_secs(6 * 3600);

/// A consumer that nobody uses is removed after this time.
pub(super) const UNUSED: Duration = Duration::from_secs(3 * 24 * 3600);

/// The stream of batches.
pub(crate) const JOBS: &str = "AGON_JOBS";

/// The stream of results that are too large for a message.
pub(crate) const RETURNS: &str = "AGON_RETURNS";

/// The stream of results.
pub(crate) const RESULTS: &str = "AGON_RESULTS";

/// The stream with the leaders of runs.
pub(crate) const RUNS: &str = "AGON_RUNS";

/// How a connection fares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// It is there, again or at first.
    Up,
    /// It is lost.
    Down(String),
    /// The server does not allow something to this user.
    Refused(String),
    /// The server does not know this user any more.
    Over(String),
}

/// A connection to a server.
#[derive(Clone)]
pub(crate) struct Nats {
    pub(super) client: Client,
    pub(super) context: Context,
    /// What the server did not allow first.
    refused: Arc<OnceLock<String>>,
    /// Who this is; `None` without credentials that name a role. Then everybody is trusted.
    identity: Option<Arc<Identity>>,
    expiry: Arc<OnceLock<u64>>,
}

impl Nats {
    /// Connects. `line` hears when the connection is lost or there again.
    pub(crate) async fn connect(
        args: &ServerArgs,
        name: &str,
        line: UnboundedSender<Line>,
    ) -> Result<Nats> {
        let server = args.server.secret();
        let refused = Arc::new(OnceLock::new());
        let first_refused = Arc::clone(&refused);
        let mut identity = None;
        let expiry = Arc::new(OnceLock::new());
        let known_expiry = Arc::clone(&expiry);
        let is_over = move || known_expiry.get().is_some_and(|expiry| *expiry <= now());
        let has_expired = is_over.clone();
        // A server that does not take the credentials says so at each attempt.
        let was_turned_away = AtomicBool::new(false);
        let mut options = ConnectOptions::new()
            .name(name)
            .connection_timeout(Duration::from_secs(5))
            .request_timeout(Some(REQUEST))
            .ping_interval(Duration::from_secs(5))
            .client_capacity(4096)
            .subscription_capacity(65_536)
            .event_callback(move |event| {
                let told = match event {
                    Event::Connected => {
                        was_turned_away.store(false, Ordering::Relaxed);
                        Some(Line::Up)
                    }
                    Event::Disconnected => Some(Line::Down("it was closed".to_owned())),
                    Event::ServerError(error) => told_by_server(&error.to_string()),
                    Event::ClientError(ClientError::Other(error))
                        if error.contains("authorization violation")
                            && !was_turned_away.swap(true, Ordering::Relaxed) =>
                    {
                        // What the server says of it may be lost with the connection.
                        Some(match has_expired() {
                            true => Line::Over(EXPIRED.to_owned()),
                            false => Line::Refused(TURNED_AWAY.to_owned()),
                        })
                    }
                    _ => None,
                };
                if let Some(told) = told {
                    if let Line::Refused(text) | Line::Over(text) = &told {
                        // Only the first one says what was wanted; others follow from it.
                        let _ = first_refused.set(text.clone());
                    }
                    // Nobody listens any more when the program ends.
                    let _ = line.send(told);
                }
                async {}
            });
        if let Some(path) = &args.credentials {
            let whose = || format!("the credentials in {}", path.display());
            let text = std::fs::read_to_string(path).with_context(whose)?;
            options = options.credentials(&text).with_context(whose)?;
            if let Some(user) = user_of(&text) {
                options = options.custom_inbox_prefix(inbox_of(&user));
            }
            if let Some(at) = expiry_of(&text) {
                let _ = expiry.set(at);
            }
            identity = Identity::of(&text).with_context(whose)?.map(Arc::new);
        }
        if let Some(path) = &args.authority {
            // Otherwise somebody between could have it speak without.
            options = options.add_root_certificates(path.clone()).require_tls(true);
        }
        if let Some((user, password)) = login_of(server) {
            options = options.user_and_password(user.to_owned(), password.to_owned());
        }
        let shown = without_passwords(server);
        let addresses: Vec<&str> = shown.split(',').collect();
        let client = options.connect(addresses).await.map_err(|error| {
            if is_over() {
                return anyhow!(EXPIRED);
            }
            if let Some(text) = refused_at(&shown, &format!("{error:?}: {error}")) {
                return anyhow!(text);
            }
            anyhow!(
                "no NATS server answers at {shown}: {error}; is it running (`nats-server -js`), \
                 and are the credentials right (--credentials FILE)? They may also have expired, \
                 or been revoked"
            )
        })?;
        check_version(&client.server_info().version)?;
        let most = client.server_info().max_payload;
        if most < MOST_BYTES_OF_MESSAGE {
            bail!(
                "the NATS server takes messages of {most} bytes, and Agon needs \
                 {MOST_BYTES_OF_MESSAGE}; set max_payload to 1MB"
            );
        }
        let mut context = jetstream::new(client.clone());
        context.set_timeout(REQUEST);
        Ok(Nats { client, context, refused, identity, expiry })
    }

    /// Returns when these credentials expire, in seconds since 1970; 0 if they do not.
    pub(crate) fn expires(&self) -> u64 {
        self.expiry.get().copied().unwrap_or(0)
    }

    /// Returns whether all users of the server have credentials of its account: then messages
    /// without a signature are nobody's.
    pub(crate) fn knows_all(&self) -> bool {
        self.identity.is_some() && self.client.server_info().auth_required
    }

    /// Returns the headers of a message: this user's signature, if it has a role.
    pub(super) fn signed(&self, purpose: Purpose<'_>, payload: &[u8]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        if let Some(identity) = &self.identity {
            let (token, signature) = identity.sign(purpose, payload);
            headers.insert(TOKEN, token);
            headers.insert(SIGNATURE, signature.as_str());
        }
        headers
    }

    /// Checks that a message is of a user who sends such messages. Without a role, this user trusts
    /// everybody.
    pub(crate) fn check(&self, purpose: Purpose<'_>, message: &Message) -> Result<(), Refusal> {
        self.check_parts(purpose, &message.payload, message.headers.as_ref())
    }

    /// Checks the same of the parts of a message.
    pub(super) fn check_parts(
        &self,
        purpose: Purpose<'_>,
        payload: &[u8],
        headers: Option<&HeaderMap>,
    ) -> Result<(), Refusal> {
        let Some(identity) = &self.identity else { return Ok(()) };
        let of = |name| headers.and_then(|headers| headers.get(name)).map(HeaderValue::as_str);
        identity.verify(now(), purpose, payload, of(TOKEN).zip(of(SIGNATURE)))
    }

    /// Reads which credentials were revoked. Returns what people should know if the list is
    /// missing.
    ///
    /// # Errors
    /// If the list does not count.
    pub(crate) fn read_revocations(&self, path: &Path) -> Result<Option<String>> {
        let Some(identity) = &self.identity else { return Ok(None) };
        let list = match std::fs::read_to_string(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Some(format!(
                    "{} is missing, so this run does not learn which credentials are revoked; \
                     copy it from the folder of `agon worker secure`",
                    path.display()
                )));
            }
            list => list.map_err(anyhow::Error::from),
        };
        list.and_then(|list| identity.take_revocations(&list)).with_context(|| {
            format!(
                "{} does not count (copy the newest one from the folder of `agon worker secure`)",
                path.display()
            )
        })?;
        Ok(None)
    }

    /// Returns the most bytes of a message, beside its headers.
    pub(crate) fn most_bytes(&self) -> usize {
        MOST_BYTES_OF_MESSAGE - MOST_HEADERS
    }

    /// Returns what the server did not allow to this user first, if there is something.
    pub(crate) fn refused(&self) -> Option<&str> {
        self.refused.get().map(String::as_str)
    }

    /// Returns the server's version.
    pub(crate) fn version(&self) -> String {
        self.client.server_info().version
    }

    pub(super) async fn stream(&self, name: &str) -> Result<Stream> {
        self.context.get_stream(name).await.map_err(|error| match error.kind() {
            GetStreamErrorKind::JetStream(_) => anyhow!("the server has no stream {name}"),
            _ => anyhow!("the stream {name} cannot be reached: {error}"),
        })
    }

    /// Says all that was not said yet.
    pub(crate) async fn flush(&self) {
        let _ = timeout(Duration::from_secs(2), self.client.flush()).await;
    }
}

/// Returns what people should know if a server answers, and the connection fails all the same.
fn refused_at(server: &str, error: &str) -> Option<String> {
    let small = error.to_lowercase();
    match () {
        () if small.contains("authorization") => Some(format!(
            "the NATS server at {server} does not take this user; are the password, or the \
             credentials (--credentials FILE), right? They may also have expired, or been revoked"
        )),
        () if small.contains("unknownissuer") || small.contains("certificate") => Some(format!(
            "the certificate of the NATS server at {server} is not trusted; name the file with \
             its authority (--authority FILE)"
        )),
        () => None,
    }
}

/// What people should know if their credentials have expired.
const EXPIRED: &str = "these credentials have expired; ask the organiser for new ones \
    (`agon worker credential` writes them)";

/// What people should know if their credentials were revoked.
const REVOKED: &str = "the organiser has revoked these credentials; ask for new ones \
    (`agon worker credential` writes them)";

/// What people should know if the server takes their credentials no more.
const TURNED_AWAY: &str = "the server does not take these credentials any more: they may have \
    expired or been revoked, or it is another server. Agon tries again; ask the organiser for new \
    credentials (`agon worker credential` writes them)";

/// Returns the time in seconds since 1970.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// Returns what an error of the server means for this user.
fn told_by_server(error: &str) -> Option<Line> {
    let small = error.to_lowercase();
    match () {
        () if small.contains("authentication expired") => Some(Line::Over(EXPIRED.to_owned())),
        () if small.contains("authentication revoked") => Some(Line::Over(REVOKED.to_owned())),
        () => refusal(error).map(Line::Refused),
    }
}

/// Returns what people should know if the server does not allow something to this user.
fn refusal(error: &str) -> Option<String> {
    let (_, what) = error.split_once("Permissions Violation for ")?;
    Some(format!(
        "these credentials do not allow `{}`; use those of another role, or of a new folder \
         (`agon worker secure --help`)",
        agon_core::text::escape(what)
    ))
}

/// Checks that a server is new enough.
fn check_version(version: &str) -> Result<()> {
    let mut parts = version.trim_start_matches('v').split('.').map(|part| part.parse().ok());
    let found = (parts.next().flatten().unwrap_or(0), parts.next().flatten().unwrap_or(0));
    if found < OLDEST {
        let (major, minor) = OLDEST;
        bail!(
            "the NATS server has version {}, and Agon needs {major}.{minor} or newer; \
             https://github.com/nats-io/nats-server/releases has it",
            agon_core::text::escape(version)
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn why_a_connection_fails_is_said() {
        let of = |error| refused_at("nats://a", error);
        assert!(of("authorization violation: nats: x").unwrap().contains("--credentials"));
        assert!(of("InvalidCertificate(UnknownIssuer)").unwrap().contains("--authority"));
        assert_eq!(of("Connection refused (os error 111)"), None);
    }

    #[test]
    fn what_a_server_does_not_allow_is_said() {
        let error = "nats: Permissions Violation for Publish to \"agon.beats\"";
        let text = refusal(error).unwrap();
        assert!(text.contains("not allow `Publish to \"agon.beats\"`"), "{text}");
        assert_eq!(refusal("nats: stale connection"), None);
        let over = |error| told_by_server(error);
        let expired = over("nats: User Authentication Expired");
        assert_eq!(expired, Some(Line::Over(EXPIRED.to_owned())));
        let revoked = over("nats: User Authentication Revoked");
        assert_eq!(revoked, Some(Line::Over(REVOKED.to_owned())));
        assert!(matches!(over(error), Some(Line::Refused(_))));
        assert_eq!(over("nats: stale connection"), None);
    }

    #[test]
    fn old_servers_are_refused_with_the_remedy() {
        for new in ["2.10.0", "2.15.1", "3.0.0-beta", "v2.11.1"] {
            check_version(new).unwrap();
        }
        for old in ["2.9.10", "1.99.0", "", "x"] {
            let error = check_version(old).unwrap_err().to_string();
            assert!(error.contains("needs 2.10 or newer"), "{error}");
        }
    }
}
