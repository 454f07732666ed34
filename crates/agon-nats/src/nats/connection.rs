//! A connection to a server, and the streams there.

use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

use agon_queue::message::MOST_BYTES as MOST_BYTES_OF_MESSAGE;
use agon_remote::{ServerArgs, login_of, without_passwords};
use anyhow::{Context as _, Result, anyhow, bail};
use async_nats::{
    Client, ConnectOptions, Event,
    jetstream::{
        self, Context,
        context::{CreateStreamErrorKind, GetStreamErrorKind},
        stream::{self, DiscardPolicy, RetentionPolicy, StorageType, Stream},
    },
};
use tokio::{sync::mpsc::UnboundedSender, time::timeout};

use super::user::{inbox_of, user_of};

/// The oldest server: older ones have no metadata of consumers and no several filters.
const OLDEST: (u32, u32) = (2, 10);

/// How long a request to the server may take.
const REQUEST: Duration = Duration::from_secs(10);

/// What nobody has fetched is removed after this time.
const OLD: Duration = Duration::from_secs(7 * 24 * 3600);

/// The most bytes of a stream. It refuses more, and the coordinator waits.
const MOST_BYTES: i64 = 512 << 20;

/// Results that nobody fetches are removed after this time: nobody leads their run any more.
const OLD_RESULTS: Duration = Duration::from_secs(6 * 3600);

/// A consumer that nobody uses is removed after this time.
pub(super) const UNUSED: Duration = Duration::from_secs(3 * 24 * 3600);

/// The stream of batches.
pub(crate) const JOBS: &str = "AGON_JOBS";

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
}

/// A connection to a server.
#[derive(Clone)]
pub(crate) struct Nats {
    pub(super) client: Client,
    pub(super) context: Context,
    /// What the server did not allow first.
    refused: Arc<OnceLock<String>>,
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
        let mut options = ConnectOptions::new()
            .name(name)
            .connection_timeout(Duration::from_secs(5))
            .request_timeout(Some(REQUEST))
            .ping_interval(Duration::from_secs(5))
            .client_capacity(4096)
            .subscription_capacity(65_536)
            .event_callback(move |event| {
                let told = match event {
                    Event::Connected => Some(Line::Up),
                    Event::Disconnected => Some(Line::Down("it was closed".to_owned())),
                    Event::ServerError(error) => refusal(&error.to_string()).map(|text| {
                        // Only the first one says what was wanted; others follow from it.
                        let _ = first_refused.set(text.clone());
                        Line::Refused(text)
                    }),
                    _ => None,
                };
                if let Some(told) = told {
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
            anyhow!(
                "no NATS server answers at {shown}: {error}; is it running (`nats-server -js`), \
                 and are the credentials right (--credentials FILE)?"
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
        Ok(Nats { client, context, refused })
    }

    /// Returns what the server did not allow to this user first, if there is something.
    pub(crate) fn refused(&self) -> Option<&str> {
        self.refused.get().map(String::as_str)
    }

    /// Returns the server's version.
    pub(crate) fn version(&self) -> String {
        self.client.server_info().version
    }

    /// Makes the streams and the store of blobs, unless they are there. Returns when the store was
    /// made: after another one, all bots must be stored again.
    pub(crate) async fn make_streams(&self) -> Result<String> {
        let queue = |name: &str, subject: &str| stream::Config {
            name: name.to_owned(),
            subjects: vec![subject.to_owned()],
            retention: RetentionPolicy::WorkQueue,
            // The journal is the truth: what is lost is published again.
            storage: StorageType::Memory,
            discard: DiscardPolicy::New,
            max_bytes: MOST_BYTES,
            max_age: OLD,
            duplicate_window: Duration::from_secs(120),
            ..stream::Config::default()
        };
        let runs = stream::Config {
            name: RUNS.to_owned(),
            subjects: vec!["agon.runs.*".to_owned()],
            max_messages_per_subject: 1,
            max_age: OLD,
            storage: StorageType::File,
            ..stream::Config::default()
        };
        // A result that is lost costs time; one that nobody fetches must not stop others.
        let results = stream::Config {
            discard: DiscardPolicy::Old,
            max_age: OLD_RESULTS,
            ..queue(RESULTS, "agon.results.*")
        };
        for config in [queue(JOBS, "agon.jobs.>"), results, runs] {
            let name = config.name.clone();
            self.context.get_or_create_stream(config).await.map_err(|error| {
                match error.kind() {
                    CreateStreamErrorKind::JetStreamUnavailable
                    | CreateStreamErrorKind::TimedOut => {
                        anyhow!(
                            "the server has no JetStream ({error}); start it with `nats-server -js`"
                        )
                    }
                    _ => anyhow!("the stream {name} cannot be made: {error}"),
                }
            })?;
        }
        self.make_store().await
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

/// Returns what people should know if the server does not allow something to this user.
fn refusal(error: &str) -> Option<String> {
    let (_, what) = error.split_once("Permissions Violation for ")?;
    Some(format!(
        "these credentials do not allow `{}`; use those of another role (`agon worker secure \
         --help`)",
        agon_text::escape(what)
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
            agon_text::escape(version)
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_server_does_not_allow_is_said() {
        let error = "nats: Permissions Violation for Publish to \"agon.beats\"";
        let text = refusal(error).unwrap();
        assert!(text.contains("not allow `Publish to \"agon.beats\"`"), "{text}");
        assert_eq!(refusal("nats: stale connection"), None);
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
