//! Figures for Prometheus.

use std::{convert::Infallible, sync::atomic::AtomicU64, time::Duration};

use agon_remote::fleet::Lane;
use anyhow::Result;
use hyper::{
    Request, Response, StatusCode, body::Incoming, server::conn::http1, service::service_fn,
};
use hyper_util::rt::TokioIo;
use prometheus_client::{
    encoding::EncodeLabelSet, encoding::text::encode, metrics::counter::ConstCounter,
    metrics::family::Family, metrics::gauge::Gauge, registry::Registry,
};
use tokio::{net::TcpStream, time::timeout};

use super::overview::Snapshot;

/// How long a client may take.
const PATIENCE: Duration = Duration::from_secs(10);

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct LaneLabel {
    lane: &'static str,
}

/// Returns all figures as text.
pub(super) fn encoded(snapshot: &Snapshot) -> Result<String> {
    let mut registry = Registry::with_prefix("agon_queue");
    let total = &snapshot.total;
    let gauges = [
        ("workers", "Workers that live", total.workers),
        ("slots", "Matches that workers can play at a time", total.slots),
        ("playing", "Matches that play", total.playing),
        ("stragglers", "Workers with a match that takes far longer than usual", total.stragglers),
        ("runs", "Runs with a coordinator", snapshot.runs.len() as u64),
    ];
    for (name, help, value) in gauges {
        let gauge = Gauge::<i64>::default();
        gauge.set(i64::try_from(value).unwrap_or(i64::MAX));
        registry.register(name, help, gauge);
    }
    let rate = Gauge::<f64, AtomicU64>::default();
    rate.set(total.per_second);
    registry.register("matches_per_second", "Matches played within a second, lately", rate);
    let counters = [
        ("played", "Matches that workers have played", total.played),
        ("void", "Attempts that were void", total.void),
        ("faults", "Matches in which a bot committed a fault", total.faults),
        ("refused", "Matches that a worker could not play", total.refused),
    ];
    for (name, help, value) in counters {
        registry.register(name, help, ConstCounter::new(value));
    }
    let waiting = Family::<LaneLabel, Gauge>::default();
    let oldest = Family::<LaneLabel, Gauge<f64, AtomicU64>>::default();
    for lane in Lane::ALL {
        let of = || snapshot.runs.iter().filter(|run| run.lane == lane);
        let label = LaneLabel { lane: lane.name() };
        let matches: u64 = of().map(|run| run.waiting).sum();
        waiting.get_or_create(&label).set(i64::try_from(matches).unwrap_or(i64::MAX));
        let ms = of().map(|run| run.oldest_ms).max().unwrap_or(0);
        oldest.get_or_create(&label).set(ms as f64 / 1000.0);
    }
    registry.register("waiting", "Matches that no worker has yet: add workers", waiting);
    registry.register("oldest_seconds", "For how long the first of them waits", oldest);
    let mut text = String::new();
    encode(&mut text, &registry)?;
    Ok(text)
}

/// What figures are written in.
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Answers one request; without figures if the connection to the server is lost.
pub(super) async fn answer(stream: TcpStream, figures: Option<String>) {
    let reply = |request: Request<Incoming>| {
        let (status, kind, body) = match (request.uri().path(), &figures) {
            ("/metrics", Some(figures)) => (StatusCode::OK, OPEN_METRICS, figures.clone()),
            ("/metrics", None) => {
                let body = "the connection to the NATS server is lost\n".to_owned();
                (StatusCode::SERVICE_UNAVAILABLE, "text/plain", body)
            }
            _ => (StatusCode::NOT_FOUND, "text/plain", "the figures are at /metrics\n".to_owned()),
        };
        let mut response = Response::new(body);
        *response.status_mut() = status;
        if let Ok(kind) = kind.parse() {
            response.headers_mut().insert("content-type", kind);
        }
        async move { Ok::<_, Infallible>(response) }
    };
    let connection = http1::Builder::new()
        .keep_alive(false)
        .serve_connection(TokioIo::new(stream), service_fn(reply));
    // Whoever is slow or says nonsense gets no answer.
    let _ = timeout(PATIENCE, connection).await;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::status::overview::{Overview, tests};

    #[test]
    fn figures_have_the_lanes_and_what_waits_in_them() {
        let mut overview = Overview::default();
        overview.hear_worker(0, tests::worker("ada", 5, 0));
        overview.hear_run(0, &tests::run("a", Lane::Normal));
        let text = encoded(&overview.snapshot(0)).unwrap();
        for line in [
            "agon_queue_workers 1",
            "agon_queue_played_total 5",
            "agon_queue_matches_per_second 5.0",
            "agon_queue_waiting{lane=\"normal\"} 9",
            "agon_queue_waiting{lane=\"urgent\"} 0",
            "agon_queue_oldest_seconds{lane=\"normal\"} 1.5",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} is not in\n{text}");
        }
        assert!(text.ends_with("# EOF\n"));
    }
}
