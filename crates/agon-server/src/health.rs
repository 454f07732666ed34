//! Whether the server can do its work: what `/readyz` reports.

use std::{sync::atomic::Ordering, time::Duration};

use tokio::time::timeout;

use crate::shared::Shared;

/// How long the database may take to answer.
const PATIENCE: Duration = Duration::from_secs(2);

/// Returns why the server cannot do its work, each reason in a line; nothing if it can.
pub(crate) async fn troubles(shared: &Shared) -> Vec<String> {
    let mut troubles = Vec::new();
    match timeout(PATIENCE, shared.store.fact("secret")).await {
        Ok(Ok(_)) => {}
        Ok(Err(error)) => troubles.push(error.to_string()),
        Err(_) => troubles.push("the database does not answer in time".to_owned()),
    }
    if shared.trouble.load(Ordering::Relaxed) {
        troubles.push("results cannot be written; Organise → Server shows why".to_owned());
    }
    if shared.disk.is_low() {
        troubles.push(shared.disk.warning());
    }
    if !shared.player.is_so() {
        troubles.push("the thread that plays has ended; start the server again".to_owned());
    }
    if shared.is_ending() {
        troubles.push("the server stops".to_owned());
    }
    troubles.iter().map(|trouble| agon_text::escape_lines(trouble).replace('\n', " ")).collect()
}
