//! Figures about the server for programs that watch it, in the text format of Prometheus.
//!
//! What happens is counted where it happens. What is (sizes, lengths of queues) is looked up when
//! somebody asks. Labels have few values, and none that visitors choose: patterns of routes such as
//! `/arenas/{arena}`, names of arenas, kinds.

use std::time::Duration;

use agon_core::FaultKind;
use prometheus_client::{
    encoding::prometheus_text,
    metrics::{counter::Counter, family::Family, gauge::Gauge, histogram::Histogram, info::Info},
    registry::{Metric, Registry},
};

/// What tells the figures of a family apart: names and values.
type Labels<const N: usize> = [(&'static str, String); N];

/// All figures. Those that are counted have a method each.
#[derive(Debug)]
pub(crate) struct Metrics {
    registry: Registry,
    pub(crate) state: State,
    hand_ins: Family<Labels<1>, Counter>,
    builds: Family<Labels<1>, Counter>,
    build_seconds: Histogram,
    matches: Family<Labels<2>, Counter>,
    match_seconds: Family<Labels<1>, Histogram>,
    faults: Family<Labels<1>, Counter>,
    /// How long transactions take, from the call until they are safe.
    pub(crate) write_seconds: Histogram,
    /// Entries that the recorder has not written yet.
    pub(crate) recorder_backlog: Gauge,
    requests: Family<Labels<2>, Counter>,
    request_seconds: Family<Labels<1>, Histogram>,
    connections: Gauge,
    refused: Counter,
    streams: Gauge,
    limited: Counter,
    removed_replays: Counter,
}

/// Figures about what is. Those who know it set them when somebody asks.
#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) versions_waiting: Gauge,
    pub(crate) oldest_waiting_seconds: Gauge,
    pub(crate) slots: Gauge,
    pub(crate) slots_busy: Gauge,
    pub(crate) matches_ahead: Gauge,
    board_age_seconds: Family<Labels<1>, Gauge>,
    pub(crate) database_bytes: Gauge,
    pub(crate) blobs: Gauge,
    pub(crate) blob_bytes: Gauge,
    pub(crate) disk_free_bytes: Gauge,
    pub(crate) player_alive: Gauge,
    pub(crate) results_unwritable: Gauge,
    pub(crate) start_time_seconds: Gauge,
}

impl State {
    /// Notes how long ago the table of an arena was made, in seconds.
    pub(crate) fn board_age(&self, arena: &str, seconds: i64) {
        self.board_age_seconds.get_or_create(&[("arena", arena.to_owned())]).set(seconds);
    }
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
            state: State::default(),
            hand_ins: Family::default(),
            builds: Family::default(),
            build_seconds: long(),
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

    fn register(&self, to: &mut Registry) {
        let state = &self.state;
        add(to, "board_age_seconds", "Time since a table was made", &state.board_age_seconds);
        add(to, "versions_waiting", "Versions that wait or are built", &state.versions_waiting);
        let help = "Age of the oldest version that waits or is built";
        add(to, "oldest_waiting_seconds", help, &state.oldest_waiting_seconds);
        add(to, "slots", "Matches that can be played at a time", &state.slots);
        add(to, "slots_busy", "Matches that are played now", &state.slots_busy);
        add(to, "matches_ahead", "Matches that are planned and wait", &state.matches_ahead);
        add(to, "database_bytes", "Size of the database's files", &state.database_bytes);
        add(to, "blobs", "Files of bots and replays, every ten minutes", &state.blobs);
        add(to, "blob_bytes", "Their size, every ten minutes", &state.blob_bytes);
        add(to, "disk_free_bytes", "Free space for the server's folder", &state.disk_free_bytes);
        add(to, "player_alive", "Whether the thread that plays lives", &state.player_alive);
        let help = "Whether results cannot be written";
        add(to, "results_unwritable", help, &state.results_unwritable);
        let help = "When the server started, since 1970";
        add(to, "start_time_seconds", help, &state.start_time_seconds);
        add(to, "hand_ins", "Versions handed in", &self.hand_ins);
        add(to, "builds", "Versions built and checked", &self.builds);
        let help = "Time of building and checking a version";
        add(to, "build_seconds", help, &self.build_seconds);
        add(to, "matches", "Matches of the ladder", &self.matches);
        add(to, "match_seconds", "Time of a match", &self.match_seconds);
        add(to, "faults", "Faults of bots in matches", &self.faults);
        add(to, "database_write_seconds", "Time until a transaction is safe", &self.write_seconds);
        let help = "Plans and results still to be written";
        add(to, "recorder_backlog", help, &self.recorder_backlog);
        add(to, "http_requests", "Requests", &self.requests);
        add(to, "http_request_seconds", "Time until the reply begins", &self.request_seconds);
        add(to, "connections", "Open connections", &self.connections);
        add(to, "connections_refused", "Connections too many", &self.refused);
        add(to, "event_streams", "Pages that follow a table", &self.streams);
        add(to, "http_limited", "Requests over a limit", &self.limited);
        let help = "Replays removed because of their age";
        add(to, "replays_removed", help, &self.removed_replays);
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
        self.hand_ins.get_or_create(&[("result", result.to_owned())]).inc();
    }

    /// Counts a version that was built and checked: whether it can play, and how long it took.
    pub(crate) fn built(&self, is_ready: bool, took: Duration) {
        let result = if is_ready { "ready" } else { "failed" };
        self.builds.get_or_create(&[("result", result.to_owned())]).inc();
        self.build_seconds.observe(took.as_secs_f64());
    }

    /// Counts matches of an arena.
    pub(crate) fn matches(&self, arena: &str, end: MatchEnd, count: u64) {
        let state = match end {
            MatchEnd::Played => "played",
            MatchEnd::GivenUp => "given_up",
            MatchEnd::Void => "void",
        };
        let labels = [("arena", arena.to_owned()), ("state", state.to_owned())];
        self.matches.get_or_create(&labels).inc_by(count);
    }

    /// Notes how long a match of an arena took.
    pub(crate) fn match_took(&self, arena: &str, took: Duration) {
        let labels = [("arena", arena.to_owned())];
        self.match_seconds.get_or_create(&labels).observe(took.as_secs_f64());
    }

    /// Counts faults of a bot.
    pub(crate) fn faults(&self, kind: FaultKind, count: u64) {
        let name = format!("{kind:?}").to_lowercase();
        self.faults.get_or_create(&[("kind", name)]).inc_by(count);
    }

    /// Counts a request: the pattern of its route, the status of the reply, and the time until the
    /// reply began.
    pub(crate) fn request(&self, route: &str, status: u16, took: Duration) {
        let route = ("route", route.to_owned());
        let class = format!("{}xx", status / 100);
        self.requests.get_or_create(&[route.clone(), ("status", class)]).inc();
        self.request_seconds.get_or_create(&[route]).observe(took.as_secs_f64());
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

fn add(to: &mut Registry, name: &str, help: &str, metric: &(impl Metric + Clone)) {
    to.register(name, help, metric.clone());
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

/// Makes a figure for what takes milliseconds.
fn short() -> Histogram {
    Histogram::new([0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 5.0])
}

/// Makes a figure for what takes seconds.
fn long() -> Histogram {
    Histogram::new([0.01, 0.05, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 300.0, 900.0])
}

/// Returns a figure as gauges take it.
pub(crate) fn whole(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
