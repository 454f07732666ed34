//! Addresses for programs that watch the server: does it live, is it ready, how is it?

use std::{net::IpAddr, sync::atomic::Ordering};

use agon_arena::SlotCounts;
use axum::{extract::State, http::HeaderMap};

use super::prelude::*;
use crate::{health, metrics::whole};

/// The type of the text format of Prometheus.
const METRICS: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The process answers, and that is all.
pub(super) async fn health() -> &'static str {
    "well\n"
}

/// The server can do its work, or each reason why not is a line.
pub(super) async fn ready(State(app): State<App>) -> Response {
    let mut troubles = health::troubles(&app).await;
    if app.site.workers.is_some() && app.slots.get().all == 0 {
        troubles.push("no worker is there; Organise → Server shows why");
    }
    readiness(&troubles, &app.slots.fleet().expiring).into_response()
}

/// Says that the server is ready, and what will be wrong soon; or what is wrong.
fn readiness(troubles: &[&str], warnings: &[String]) -> (StatusCode, String) {
    let mut text: String = troubles.iter().map(|trouble| format!("{trouble}\n")).collect();
    let mut status = StatusCode::SERVICE_UNAVAILABLE;
    if troubles.is_empty() {
        (status, text) = (StatusCode::OK, "ready\n".to_owned());
    }
    text.extend(warnings.iter().map(|warning| format!("warning: {warning}\n")));
    (status, text)
}

/// Figures for Prometheus. Others do not learn that there are any.
pub(super) async fn metrics(Get { app, visitor, .. }: Get, headers: HeaderMap) -> Page {
    let is_known = may_read(&app, visitor.address, &headers);
    if !is_known && visitor.role() < Role::Administrator {
        return Err(not_found("page"));
    }
    // While the database does not answer, those are told that were known last.
    if let Err(error) = refresh(&app).await {
        tracing::debug!("some figures are old: {error}");
    }
    let text = app.metrics.text().map_err(anyhow::Error::from)?;
    Ok(([(header::CONTENT_TYPE, METRICS)], text).into_response())
}

/// Answers while the database cannot say who asks: figures as they were known last.
pub(super) fn metrics_of_stranger(app: &App, address: IpAddr, headers: &HeaderMap) -> Response {
    let is_known = may_read(app, address, headers);
    refresh_own(app);
    match app.metrics.text() {
        Ok(text) if is_known => ([(header::CONTENT_TYPE, METRICS)], text).into_response(),
        _ => StatusCode::NOT_FOUND.into_response(),
    }
}

/// Returns whether a program may read figures: by its address, or with the token. An address of
/// this machine proves nothing, because a proxy may have it.
fn may_read(app: &App, address: IpAddr, headers: &HeaderMap) -> bool {
    let sent = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let sent = sent.and_then(|value| value.trim().strip_prefix("Bearer "));
    let has_token = match (&app.site.metrics_token, sent) {
        // Digests are compared in constant time.
        (Some(token), Some(sent)) => *token == blake3::hash(sent.trim().as_bytes()),
        _ => false,
    };
    has_token || app.site.metrics_from.contains(&address)
}

/// Looks up the figures about what is.
async fn refresh(app: &App) -> Result<(), DatabaseError> {
    refresh_own(app);
    let state = &app.metrics.state;
    let waiting = app.store.open_versions().await?;
    let oldest = waiting.first().map_or(0, |version| now() - version.created);
    state.versions_waiting.set(whole(waiting.len() as u64));
    state.oldest_waiting_seconds.set(oldest / 1_000);
    state.database_bytes.set(whole(app.store.database.size().await?));
    Ok(())
}

/// Looks up those that the database does not know.
fn refresh_own(app: &App) {
    let state = &app.metrics.state;
    let SlotCounts { all, playing, waiting } = app.slots.get();
    state.slots.set(whole(all));
    state.slots_busy.set(whole(playing));
    state.matches_ahead.set(whole(waiting));
    for arena in app.arenas() {
        let age = (now() - arena.board().made).max(0) / 1_000;
        state.board_age(&arena.get().slug, age);
    }
    state.disk_free_bytes.set(app.disk.room().map_or(-1, |room| whole(room.free)));
    state.player_alive.set(app.is_player_alive().into());
    state.results_unwritable.set(app.trouble.load(Ordering::Relaxed).into());
    state.start_time_seconds.set(app.site.since / 1_000);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_does_not_make_the_server_unready() {
        let soon = ["the credentials expire".to_owned()];
        let text = "ready\nwarning: the credentials expire\n".to_owned();
        assert_eq!(readiness(&[], &soon), (StatusCode::OK, text));
        assert_eq!(readiness(&[], &[]).1, "ready\n");
        let text = "no worker is there\nwarning: the credentials expire\n".to_owned();
        let (status, said) = readiness(&["no worker is there"], &soon);
        assert_eq!((status, said), (StatusCode::SERVICE_UNAVAILABLE, text));
    }
}
