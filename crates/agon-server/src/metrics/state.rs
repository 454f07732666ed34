//! Figures about what is. Those who know it set them when somebody asks.

use prometheus_client::{
    metrics::{family::Family, gauge::Gauge},
    registry::Registry,
};

use super::labels::ByArena;

/// The figures.
#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) versions_waiting: Gauge,
    pub(crate) oldest_waiting_seconds: Gauge,
    pub(crate) slots: Gauge,
    pub(crate) slots_busy: Gauge,
    pub(crate) matches_ahead: Gauge,
    board_age_seconds: Family<ByArena, Gauge>,
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
        let of = ByArena { arena: arena.to_owned() };
        self.board_age_seconds.get_or_create(&of).set(seconds);
    }

    /// Makes the figures, and adds them to a registry.
    pub(super) fn register(registry: &mut Registry) -> State {
        let state = State::default();
        let ages = state.board_age_seconds.clone();
        registry.register("board_age_seconds", "Time since a table was made", ages);
        for (name, help, gauge) in [
            ("versions_waiting", "Versions that wait or are built", &state.versions_waiting),
            (
                "oldest_waiting_seconds",
                "Age of the oldest version that waits or is built",
                &state.oldest_waiting_seconds,
            ),
            ("slots", "Matches that can be played at a time", &state.slots),
            ("slots_busy", "Matches that are played now", &state.slots_busy),
            ("matches_ahead", "Matches that are planned and wait", &state.matches_ahead),
            ("database_bytes", "Size of the database's files", &state.database_bytes),
            ("blobs", "Files of bots and replays, every ten minutes", &state.blobs),
            ("blob_bytes", "Their size, every ten minutes", &state.blob_bytes),
            ("disk_free_bytes", "Free space for the server's folder", &state.disk_free_bytes),
            ("player_alive", "Whether the thread that plays lives", &state.player_alive),
            ("results_unwritable", "Whether results cannot be written", &state.results_unwritable),
            (
                "start_time_seconds",
                "When the server started, since 1970",
                &state.start_time_seconds,
            ),
        ] {
            registry.register(name, help, gauge.clone());
        }
        state
    }
}

/// Returns a figure as gauges take it.
pub(crate) fn whole(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
