//! Whether the server can do its work: what `/readyz` reports.

use std::{sync::atomic::Ordering, time::Duration};

use tokio::time::timeout;
use tracing::error;

use crate::{disk, shared::Shared};

/// How long the database may take to answer.
const PATIENCE: Duration = Duration::from_secs(2);

/// Returns why the server cannot do its work; nothing if it can. Everybody may read it.
pub(crate) async fn troubles(shared: &Shared) -> Vec<&'static str> {
    let mut troubles = Vec::new();
    match timeout(PATIENCE, shared.store.fact("secret")).await {
        Ok(Ok(_)) => {}
        Ok(Err(error)) => {
            error!("the server is not ready: {error}");
            troubles.push("the database does not answer");
        }
        Err(_) => troubles.push("the database does not answer in time"),
    }
    if shared.trouble.load(Ordering::Relaxed) {
        troubles.push("results cannot be written; Organise → Server shows why");
    }
    if shared.disk.is_low() {
        troubles.push(disk::FULL);
    }
    if !shared.is_player_alive() {
        troubles.push("the thread that plays has ended; start the server again");
    }
    if shared.is_ending() {
        troubles.push("the server stops");
    }
    troubles
}
