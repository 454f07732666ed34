//! Addresses for programs that watch the server: does it live, is it ready, how is it?

use std::{fs, net::SocketAddr, sync::atomic::Ordering};

use axum::{
    Extension,
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};

use super::{
    reply::{Shown, not_found},
    visitor::Visitor,
};
use crate::{
    app::App,
    database::DatabaseError,
    health,
    metrics::whole,
    store::{now, people::Role},
};

/// The type of the text format of Prometheus.
const METRICS: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The headers with which proxies pass requests on.
const FORWARDED: [&str; 4] = ["x-forwarded-for", "forwarded", "x-real-ip", "via"];

/// The process answers, and that is all.
pub(super) async fn health() -> &'static str {
    "well\n"
}

/// The server can do its work, or each reason why not is a line.
pub(super) async fn ready(State(app): State<App>) -> Response {
    let troubles = health::troubles(&app).await;
    match troubles.is_empty() {
        true => "ready\n".into_response(),
        false => {
            let text: String = troubles.iter().map(|trouble| format!("{trouble}\n")).collect();
            (StatusCode::SERVICE_UNAVAILABLE, text).into_response()
        }
    }
}

/// Figures for Prometheus. Others do not learn that there are any.
pub(super) async fn metrics(
    State(app): State<App>,
    Extension(peer): Extension<SocketAddr>,
    headers: HeaderMap,
    visitor: Visitor,
) -> Shown<Response> {
    let is_forwarded = FORWARDED.iter().any(|name| headers.contains_key(*name));
    let is_believed = app.site.proxies.contains(&peer.ip().to_canonical());
    let is_local = visitor.address.is_loopback() && (is_believed || !is_forwarded);
    let is_named = app.site.metrics_from.contains(&visitor.address);
    if !is_local && !is_named && visitor.role() < Role::Administrator {
        return Err(not_found("page"));
    }
    refresh(&app).await?;
    let text = app.metrics.text().map_err(anyhow::Error::from)?;
    Ok(([(header::CONTENT_TYPE, METRICS)], text).into_response())
}

/// Looks up the figures about what is.
async fn refresh(app: &App) -> Result<(), DatabaseError> {
    let state = &app.metrics.state;
    let waiting = app.store.open_versions().await?;
    let oldest = waiting.first().map_or(0, |version| now() - version.created);
    state.versions_waiting.set(whole(waiting.len() as u64));
    state.oldest_waiting_seconds.set(oldest / 1_000);
    let (slots, busy, ahead) = app.slots().get();
    state.slots.set(whole(slots as u64));
    state.slots_busy.set(whole(busy));
    state.matches_ahead.set(whole(ahead));
    for arena in app.arenas() {
        let age = (now() - arena.board().made).max(0) / 1_000;
        state.board_age(&arena.get().slug, age);
    }
    let files = ["agon.db", "agon.db-wal", "agon.db-shm"];
    let size = |name: &&str| fs::metadata(app.site.data.join(name)).map_or(0, |file| file.len());
    state.database_bytes.set(whole(files.iter().map(size).sum()));
    state.disk_free_bytes.set(app.disk.room().map_or(-1, |room| whole(room.free)));
    state.player_alive.set(app.player.is_so().into());
    state.results_unwritable.set(app.trouble.load(Ordering::Relaxed).into());
    state.start_time_seconds.set(app.site.since / 1_000);
    Ok(())
}
