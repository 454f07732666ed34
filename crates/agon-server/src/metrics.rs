//! Figures about the server for programs that watch it, in the text format of Prometheus.
//!
//! What happens is counted where it happens. What is (sizes, lengths of queues) is looked up when
//! somebody asks. Labels have few values, and none that visitors choose: patterns of routes such as
//! `/arenas/{arena}`, names of arenas, kinds.

use std::time::Duration;

use agon_core::FaultKind;
use prometheus_client::registry::{Metric, Registry};
use prometheus_client::{
    encoding::prometheus_text, metrics::counter::Counter, metrics::family::Family,
    metrics::gauge::Gauge, metrics::histogram::Histogram, metrics::info::Info,
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
    /// Connections that were too many.
    pub(crate) refused: Counter,
    streams: Gauge,
    /// Requests over a limit.
    pub(crate) limited: Counter,
    /// Replays that were removed because of their age.
    pub(crate) removed_replays: Counter,
}

/// Figures about what is. Those who know it set them when somebody asks.
#[derive(Debug)]
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

impl Metrics {
    /// Returns figures of which nothing has happened yet.
    pub(crate) fn new() -> Metrics {
        let mut registry = Registry::with_prefix("agon");
        let version = [("version", env!("CARGO_PKG_VERSION"))];
        registry.register("build", "The program", Info::new(version));
        let to = &mut registry;
        let oldest = "Age of the oldest version that waits or is built";
        // They are written in this order.
        let state = State {
            board_age_seconds: add(to, "board_age_seconds", "Time since a table was made"),
            versions_waiting: add(to, "versions_waiting", "Versions that wait or are built"),
            oldest_waiting_seconds: add(to, "oldest_waiting_seconds", oldest),
            slots: add(to, "slots", "Matches that can be played at a time"),
            slots_busy: add(to, "slots_busy", "Matches that are played now"),
            matches_ahead: add(to, "matches_ahead", "Matches that are planned and wait"),
            database_bytes: add(to, "database_bytes", "Size of the database's files"),
            blobs: add(to, "blobs", "Files of bots and replays, every ten minutes"),
            blob_bytes: add(to, "blob_bytes", "Their size, every ten minutes"),
            disk_free_bytes: add(to, "disk_free_bytes", "Free space for the server's folder"),
            player_alive: add(to, "player_alive", "Whether the thread that plays lives"),
            results_unwritable: add(to, "results_unwritable", "Whether results cannot be written"),
            start_time_seconds: add(
                to,
                "start_time_seconds",
                "When the server started, since 1970",
            ),
        };
        type Make = fn() -> Histogram;
        let short_ones = Family::new_with_constructor(short as Make);
        let long_ones = Family::new_with_constructor(long as Make);
        let build = "Time of building and checking a version";
        let safe = "Time until a transaction is safe";
        let begins = "Time until the reply begins";
        Metrics {
            state,
            hand_ins: add(to, "hand_ins", "Versions handed in"),
            builds: add(to, "builds", "Versions built and checked"),
            build_seconds: add_this(to, "build_seconds", build, long()),
            matches: add(to, "matches", "Matches of the ladder"),
            match_seconds: add_this(to, "match_seconds", "Time of a match", long_ones),
            faults: add(to, "faults", "Faults of bots in matches"),
            write_seconds: add_this(to, "database_write_seconds", safe, short()),
            recorder_backlog: add(to, "recorder_backlog", "Plans and results still to be written"),
            requests: add(to, "http_requests", "Requests"),
            request_seconds: add_this(to, "http_request_seconds", begins, short_ones),
            connections: add(to, "connections", "Open connections"),
            refused: add(to, "connections_refused", "Connections too many"),
            streams: add(to, "event_streams", "Pages that follow a table"),
            limited: add(to, "http_limited", "Requests over a limit"),
            removed_replays: add(to, "replays_removed", "Replays removed because of their age"),
            registry,
        }
    }

    /// Returns all figures as text.
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

    /// Counts matches of an arena: those that were `played`, those that were `given_up`, and those
    /// that were `void` and were played again, or given up in the end.
    pub(crate) fn matches(&self, arena: &str, state: &'static str, count: u64) {
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

    /// Counts a connection until the return value is dropped.
    pub(crate) fn connection(&self) -> Counted {
        Counted::one(&self.connections)
    }

    /// Counts a page that follows a table until the return value is dropped.
    pub(crate) fn stream(&self) -> Counted {
        Counted::one(&self.streams)
    }
}

/// Makes a figure, and adds it to those that are written.
fn add<M: Metric + Clone + Default>(to: &mut Registry, name: &str, help: &str) -> M {
    add_this(to, name, help, M::default())
}

fn add_this<M: Metric + Clone>(to: &mut Registry, name: &str, help: &str, metric: M) -> M {
    to.register(name, help, metric.clone());
    metric
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
