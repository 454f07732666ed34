//! Figures about the server for programs that watch it, in the text format of Prometheus.
//!
//! What happens is counted where it happens. What is (sizes, lengths of queues) is looked up when
//! somebody asks. Labels have few values: patterns of routes, arenas, kinds.
//!
//! | module | contents |
//! | --- | --- |
//! | `labels` | what tells the figures of a family apart |
//! | `state` | figures about what is |

mod labels;
mod state;

use std::time::Duration;

use agon_core::FaultKind;
use prometheus_client::{
    encoding::prometheus_text,
    metrics::{counter::Counter, family::Family, gauge::Gauge, histogram::Histogram, info::Info},
    registry::Registry,
};

pub(crate) use state::whole;

use labels::{ByArena, ByKind, ByMatch, ByRequest, ByResult, ByRoute};
use state::State;

/// All figures. Those that are counted have a method each.
#[derive(Debug)]
pub(crate) struct Metrics {
    registry: Registry,
    pub(crate) state: State,
    hand_ins: Family<ByResult, Counter>,
    builds: Family<ByResult, Counter>,
    build_seconds: Histogram,
    matches: Family<ByMatch, Counter>,
    match_seconds: Family<ByArena, Histogram>,
    faults: Family<ByKind, Counter>,
    /// How long transactions take, from the call until they are safe.
    pub(crate) write_seconds: Histogram,
    /// Entries that the recorder has not written yet.
    pub(crate) recorder_backlog: Gauge,
    requests: Family<ByRequest, Counter>,
    request_seconds: Family<ByRoute, Histogram>,
    connections: Gauge,
    refused: Counter,
    streams: Gauge,
    limited: Counter,
    removed_replays: Counter,
}

/// What became of a match, for the figures.
#[derive(Clone, Copy, Debug)]
pub(crate) enum MatchEnd {
    Played,
    GivenUp,
    /// It was void and was played again, or given up in the end.
    Void,
}

impl Metrics {
    /// Returns figures of which nothing has happened yet.
    pub(crate) fn new() -> Metrics {
        let mut registry = Registry::with_prefix("agon");
        let version = [("version", env!("CARGO_PKG_VERSION"))];
        registry.register("build", "The program", Info::new(version));
        let metrics = Metrics {
            state: State::register(&mut registry),
            hand_ins: Family::default(),
            builds: Family::default(),
            build_seconds: Histogram::new(LONG),
            matches: Family::default(),
            match_seconds: Family::new_with_constructor(long),
            faults: Family::default(),
            write_seconds: short(),
            recorder_backlog: Gauge::default(),
            requests: Family::default(),
            request_seconds: Family::new_with_constructor(short),
            connections: Gauge::default(),
            refused: Counter::default(),
            streams: Gauge::default(),
            limited: Counter::default(),
            removed_replays: Counter::default(),
            registry: Registry::default(),
        };
        metrics.register(&mut registry);
        Metrics { registry, ..metrics }
    }

    fn register(&self, registry: &mut Registry) {
        registry.register("hand_ins", "Versions handed in", self.hand_ins.clone());
        registry.register("builds", "Versions built and checked", self.builds.clone());
        let seconds = self.build_seconds.clone();
        registry.register("build_seconds", "Time of building and checking a version", seconds);
        registry.register("matches", "Matches of the ladder", self.matches.clone());
        let seconds = self.match_seconds.clone();
        registry.register("match_seconds", "Time of a match", seconds);
        registry.register("faults", "Faults of bots in matches", self.faults.clone());
        let seconds = self.write_seconds.clone();
        registry.register("database_write_seconds", "Time until a transaction is safe", seconds);
        let backlog = self.recorder_backlog.clone();
        registry.register("recorder_backlog", "Plans and results still to be written", backlog);
        registry.register("http_requests", "Requests", self.requests.clone());
        let seconds = self.request_seconds.clone();
        registry.register("http_request_seconds", "Time until the reply begins", seconds);
        registry.register("connections", "Open connections", self.connections.clone());
        registry.register("connections_refused", "Connections too many", self.refused.clone());
        registry.register("event_streams", "Pages that follow a table", self.streams.clone());
        registry.register("http_limited", "Requests over a limit", self.limited.clone());
        let removed = self.removed_replays.clone();
        registry.register("replays_removed", "Replays removed because of their age", removed);
    }

    /// Returns all figures as text.
    ///
    /// # Errors
    /// Never, as the text grows in memory.
    pub(crate) fn text(&self) -> Result<String, std::fmt::Error> {
        let mut text = String::new();
        prometheus_text::encode(&mut text, &self.registry)?;
        Ok(text)
    }

    /// Counts a hand-in.
    pub(crate) fn hand_in(&self, is_accepted: bool) {
        let result = if is_accepted { "accepted" } else { "refused" };
        self.hand_ins.get_or_create(&ByResult { result }).inc();
    }

    /// Counts a version that was built and checked: whether it can play, and how long it took.
    pub(crate) fn built(&self, is_ready: bool, took: Duration) {
        let result = if is_ready { "ready" } else { "failed" };
        self.builds.get_or_create(&ByResult { result }).inc();
        self.build_seconds.observe(took.as_secs_f64());
    }

    /// Counts matches of an arena.
    pub(crate) fn matches(&self, arena: &str, end: MatchEnd, count: u64) {
        let state = match end {
            MatchEnd::Played => "played",
            MatchEnd::GivenUp => "given_up",
            MatchEnd::Void => "void",
        };
        let of = ByMatch { arena: arena.to_owned(), state };
        self.matches.get_or_create(&of).inc_by(count);
    }

    /// Notes how long a match of an arena took.
    pub(crate) fn match_took(&self, arena: &str, took: Duration) {
        let of = ByArena { arena: arena.to_owned() };
        self.match_seconds.get_or_create(&of).observe(took.as_secs_f64());
    }

    /// Counts faults of a bot.
    pub(crate) fn faults(&self, kind: FaultKind, count: u64) {
        self.faults.get_or_create(&ByKind { kind: labels::fault(kind) }).inc_by(count);
    }

    /// Counts a request: the pattern of its route, the status of the reply, and the time until the
    /// reply began.
    pub(crate) fn request(&self, route: &str, status: u16, took: Duration) {
        let (route, status) = (route.to_owned(), labels::class(status));
        self.request_seconds
            .get_or_create(&ByRoute { route: route.clone() })
            .observe(took.as_secs_f64());
        self.requests.get_or_create(&ByRequest { route, status }).inc();
    }

    /// Counts a request that was over a limit.
    pub(crate) fn limited(&self) {
        self.limited.inc();
    }

    /// Counts a connection that was one too many.
    pub(crate) fn refused(&self) {
        self.refused.inc();
    }

    /// Counts replays that were removed because of their age.
    pub(crate) fn removed_replays(&self, count: u64) {
        self.removed_replays.inc_by(count);
    }

    /// Counts a connection until the return value is dropped.
    pub(crate) fn connection(&self) -> Counted {
        Counted::one(&self.connections)
    }

    /// Counts a page that follows a table until the return value is dropped.
    pub(crate) fn stream(&self) -> Counted {
        Counted::one(&self.streams)
    }
}

/// Something that is counted as long as it is there.
#[derive(Debug)]
pub(crate) struct Counted(Gauge);

impl Counted {
    fn one(gauge: &Gauge) -> Counted {
        gauge.inc();
        Counted(gauge.clone())
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// Limits of buckets for what takes milliseconds, in seconds.
const SHORT: [f64; 11] = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 5.0];

/// Limits of buckets for what takes seconds, in seconds.
const LONG: [f64; 12] = [0.01, 0.05, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 300.0, 900.0];

fn short() -> Histogram {
    Histogram::new(SHORT)
}

fn long() -> Histogram {
    Histogram::new(LONG)
}
