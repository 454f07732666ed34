//! Sends results until the server has taken them.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use tracing::debug;

use super::results::Packet;
use crate::nats::Nats;

/// After so long, what the server has not taken is sent again.
const AGAIN: Duration = Duration::from_secs(1);

/// Sends results of a run, each until the server has taken it; or, once `gives_up` is set, once:
/// then others play the match again.
pub(super) async fn send_all(nats: &Nats, run: &str, packets: Vec<Packet>, gives_up: &AtomicBool) {
    for packet in packets {
        while let Err(error) = send(nats, run, &packet).await {
            if gives_up.load(Ordering::Relaxed) {
                break;
            }
            // The server is gone, or full: the results wait.
            debug!("results cannot be sent yet: {error:#}");
            tokio::time::sleep(AGAIN).await;
        }
    }
}

async fn send(nats: &Nats, run: &str, packet: &Packet) -> anyhow::Result<()> {
    if let Some((digest, blob)) = &packet.blob {
        nats.put_return(*digest, blob).await?;
    }
    nats.publish_results(run, packet.bytes.clone()).await
}
