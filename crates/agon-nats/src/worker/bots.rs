//! Fetches bots from the server, and keeps them: as blobs on the disk, and ready to play in memory.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use agon_arena::{BlobStore, BotEntry, resolve};
use agon_bots::HostOptions;
use agon_match::spec::{Digest, MatchSpec, SandboxLevel, Seat, SeatBot};
use agon_remote::fleet::message::BatchMessage;
use anyhow::{Context, Result, bail};
use tokio::{task::spawn_blocking, time::sleep};

use crate::{nats::Nats, share::Share};

/// How long a bot's files may be missing on the server.
const PATIENCE: Duration = Duration::from_secs(20);

/// The most bots that are ready to play; those that nobody uses go first.
const MOST_READY: usize = 256;

/// The most blobs on the disk; all of them go if there are more.
const MOST_BLOBS: usize = 2_000;

/// A bot that is ready to play, or why it cannot play here.
pub(super) type ReadyBot = Result<Arc<BotEntry>, String>;

/// The bots of a worker.
pub(super) struct Bots {
    nats: Nats,
    share: Option<Share>,
    store: BlobStore,
    machine: HostOptions,
    /// By seat without its name and settings, as JSON: a match names its bots itself.
    ready: Mutex<HashMap<String, Arc<BotEntry>>>,
    /// Shared by all that look for bots at the moment.
    looking: Arc<()>,
}

impl Bots {
    pub(super) fn new(
        nats: Nats,
        share: Option<Share>,
        store: BlobStore,
        machine: HostOptions,
    ) -> Bots {
        Bots { nats, share, store, machine, ready: Mutex::default(), looking: Arc::default() }
    }

    /// Returns the bots of a batch, in order of its seats; of one that cannot be unpacked or read
    /// here, why.
    ///
    /// # Errors
    /// If one cannot be fetched or kept, or this worker does not play such matches.
    pub(super) async fn of(self: Arc<Bots>, batch: &BatchMessage) -> Result<Vec<ReadyBot>> {
        // Otherwise anyone who can use the server could run programs as this user. Built-in bots
        // start no programs.
        let has_files = batch.seats.iter().any(|seat| !matches!(seat.bot, SeatBot::Builtin(_)));
        if has_files && batch.base.settings.sandbox.level == SandboxLevel::Off {
            bail!("workers confine bots; play matches without a sandbox on your own machine");
        }
        let keys = keys(batch)?;
        if let Some(all) = self.known(&keys) {
            return Ok(all.into_iter().map(Ok).collect());
        }
        let looking = Arc::clone(&self.looking);
        self.make_room()?;
        for seat in &batch.seats {
            // It may have been damaged on the disk.
            if let SeatBot::Blob(blob) = &seat.bot
                && self.store.get(blob.digest).is_err()
            {
                let bytes = self.fetch(blob.digest).await?;
                self.store.put(&bytes).context("a bot cannot be kept on the disk")?;
            }
        }
        let mut all = Vec::with_capacity(keys.len());
        for (key, seat) in keys.into_iter().zip(&batch.seats) {
            if let Some(mut known) = self.known(std::slice::from_ref(&key)) {
                all.extend(known.pop().map(Ok));
                continue;
            }
            // Each alone: bots of different matches may have the same name.
            let spec = MatchSpec { seats: vec![seat.clone()], ..batch.base.clone() };
            let bots = Arc::clone(&self);
            let resolved = spawn_blocking(move || resolve(&spec, &bots.store, &bots.machine));
            all.push(match resolved.await? {
                Ok(mut bots) => {
                    let bot = bots.pop().context("a bot is missing")?;
                    self.keep(key, &bot);
                    Ok(bot)
                }
                Err(error) if error.is_of_the_bot => Err(error.to_string()),
                Err(error) => return Err(error.into()),
            });
        }
        drop(looking);
        Ok(all)
    }

    fn keep(&self, key: String, bot: &Arc<BotEntry>) {
        let mut ready = self.ready.lock().unwrap_or_else(PoisonError::into_inner);
        if ready.len() >= MOST_READY {
            ready.retain(|_, bot| Arc::strong_count(bot) > 1);
        }
        ready.insert(key, Arc::clone(bot));
    }

    /// Fetches the files of a bot. After the server has lost its data, they come a little later.
    async fn fetch(&self, digest: Digest) -> Result<Vec<u8>> {
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(share) = &self.share
                && let Ok(bytes) = share.get(digest).await
            {
                return Ok(bytes);
            }
            // Its coordinator may not use the folder.
            match self.nats.get_bot(digest).await {
                Ok(bytes) => return Ok(bytes),
                Err(error) if Instant::now() >= until => return Err(error),
                Err(_) => sleep(Duration::from_secs(1)).await,
            }
        }
    }

    fn known(&self, keys: &[String]) -> Option<Vec<Arc<BotEntry>>> {
        let ready = self.ready.lock().unwrap_or_else(PoisonError::into_inner);
        keys.iter().map(|key| ready.get(key).cloned()).collect()
    }

    /// Removes all blobs if there are too many, and nobody else looks for bots: they would need
    /// theirs.
    fn make_room(&self) -> Result<()> {
        let blobs = self.store.list()?;
        // One is in `self`, one of whoever looks now.
        if blobs.len() > MOST_BLOBS && Arc::strong_count(&self.looking) == 2 {
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
    let key = |seat: &Seat| Ok(format!("{game} {} {settings}", serde_json::to_string(&seat.bot)?));
    batch.seats.iter().map(key).collect()
}
