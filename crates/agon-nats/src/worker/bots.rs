//! Fetches bots from the server, and keeps them: as blobs on the disk, and ready to play in memory.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use agon_arena::{BlobStore, BotEntry, resolve};
use agon_bots::HostOptions;
use agon_queue::message::BatchMessage;
use agon_spec::{MatchSpec, SeatBot};
use anyhow::{Context, Result};
use tokio::task::spawn_blocking;

use crate::nats::Nats;

/// The most bots that are ready to play; those that nobody uses go first.
const MOST_READY: usize = 256;

/// The most blobs on the disk; all go if there are more.
const MOST_BLOBS: usize = 2_000;

/// The bots of a worker.
pub(super) struct Bots {
    nats: Nats,
    store: BlobStore,
    machine: HostOptions,
    /// By seat and settings, as JSON.
    ready: Mutex<HashMap<String, Arc<BotEntry>>>,
}

impl Bots {
    pub(super) fn new(nats: Nats, store: BlobStore, machine: HostOptions) -> Bots {
        Bots { nats, store, machine, ready: Mutex::default() }
    }

    /// Returns the bots of a batch, in order of its seats.
    ///
    /// # Errors
    /// If one is missing, damaged, or cannot be built here.
    pub(super) async fn of(self: Arc<Bots>, batch: &BatchMessage) -> Result<Vec<Arc<BotEntry>>> {
        let keys = keys(batch)?;
        if let Some(all) = self.known(&keys) {
            return Ok(all);
        }
        for seat in &batch.seats {
            if let SeatBot::Blob(blob) = &seat.bot
                && !self.store.has(blob.digest)
            {
                self.make_room()?;
                let bytes = self.nats.get_blob(blob.digest).await?;
                self.store.put(&bytes).context("a bot cannot be kept on the disk")?;
            }
        }
        // All seats as those of one match: its number of players does not matter here.
        let spec = MatchSpec { seats: batch.seats.clone(), ..batch.base.clone() };
        let all = spawn_blocking({
            let bots = Arc::clone(&self);
            move || resolve(&spec, &bots.store, &bots.machine)
        })
        .await??;
        let mut ready = self.ready.lock().unwrap_or_else(PoisonError::into_inner);
        if ready.len() + all.len() > MOST_READY {
            ready.retain(|_, bot| Arc::strong_count(bot) > 1);
        }
        ready.extend(keys.into_iter().zip(all.iter().cloned()));
        Ok(all)
    }

    fn known(&self, keys: &[String]) -> Option<Vec<Arc<BotEntry>>> {
        let ready = self.ready.lock().unwrap_or_else(PoisonError::into_inner);
        keys.iter().map(|key| ready.get(key).cloned()).collect()
    }

    fn make_room(&self) -> Result<()> {
        let blobs = self.store.list()?;
        if blobs.len() > MOST_BLOBS {
            for blob in blobs {
                self.store.remove(blob)?;
            }
        }
        Ok(())
    }
}

fn keys(batch: &BatchMessage) -> Result<Vec<String>> {
    let settings = serde_json::to_string(&batch.base.settings)?;
    let game = batch.base.game.meta().id;
    let key = |seat| Ok(format!("{game} {} {settings}", serde_json::to_string(seat)?));
    batch.seats.iter().map(key).collect()
}
