//! Builds and checks versions on the cores that play no matches.
//!
//! The queue is in the database: what waits or was being built when the program ended is built when
//! it starts again.

use std::sync::atomic::Ordering;
use std::time::Duration;
use std::{collections::BTreeMap, ops::Deref, sync::Arc};

use agon_ladder::ledger::Entry;
use anyhow::ensure;
use parking_lot::Mutex;
use tokio::{task::spawn_blocking, time::sleep};
use tracing::{error, info};

use super::build::{Built, Stage};
use super::complete::{self, complete};
use super::lanes::Lanes;
use crate::play::{Order, Orders};
use crate::store::bots::StoppedBy;
use crate::store::versions::{Report, State, Version};
use crate::store::{audit, bots, ledger, now, retention, versions};
use crate::{database::DatabaseError, shared::Shared};

/// How long the queue waits after a problem of the server itself.
const PAUSE: Duration = Duration::from_secs(2);

/// How often a version is tried that the server cannot build through trouble of its own.
const TRIES: u32 = 5;

/// How many versions are built at a time in each lane. Many in the first one: those that sleep cost
/// nothing, and those that compute leave it soon.
const PLACES: [usize; 3] = [10, 2, 2];

/// How many tasks build. One more than there are places, so that somebody always sees who waits.
pub(crate) const BUILDERS: usize = PLACES[0] + PLACES[1] + PLACES[2] + 1;

/// The queue of versions, by the places for builds.
#[derive(Debug)]
pub(crate) struct Queue {
    lanes: Lanes,
    /// How often a version could not be built through the server's own trouble.
    tries: Mutex<BTreeMap<i64, u32>>,
}

impl Default for Queue {
    fn default() -> Queue {
        Queue { lanes: Lanes::new(PLACES), tries: Mutex::default() }
    }
}

impl Deref for Queue {
    type Target = Lanes;

    fn deref(&self) -> &Lanes {
        &self.lanes
    }
}

impl Queue {
    /// Returns whether a version that could not be built may be tried again, and counts the try.
    fn may_try_again(&self, version: i64) -> bool {
        let mut all = self.tries.lock();
        let tries = all.entry(version).or_default();
        *tries += 1;
        if *tries < TRIES {
            return true;
        }
        all.remove(&version);
        false
    }
}

/// What builds.
pub(crate) struct Builder {
    pub(crate) shared: Shared,
    pub(crate) queue: Arc<Queue>,
    pub(crate) orders: Orders,
}

impl Builder {
    /// Builds versions until the program ends. There is one such task for each that is built at a
    /// time.
    pub(crate) async fn run(self) {
        loop {
            if self.shared.disk.is_low() {
                sleep(PAUSE).await;
                continue;
            }
            match self.next().await {
                Ok(Some(version)) => {
                    // Perhaps more wait.
                    self.queue.wake();
                    let id = version.id;
                    if let Err(problem) = self.build(version).await {
                        error!(version = id, "a version cannot be built: {problem:#}");
                        self.shared.problems.note("build", &format!("{problem:#}"));
                        sleep(PAUSE).await;
                    }
                    self.queue.leave(id);
                    // Perhaps others wait for the same notice.
                    self.queue.wake();
                }
                Ok(None) => self.queue.changed().await,
                Err(problem) => {
                    self.shared.problems.note("build", &problem.to_string());
                    sleep(PAUSE).await;
                }
            }
        }
    }

    async fn next(&self) -> Result<Option<Version>, DatabaseError> {
        let open = self.shared.store.open_work().await?;
        let Some(id) = self.queue.take(&open) else { return Ok(None) };
        match self.shared.store.version(id).await {
            Ok(Some(version)) => Ok(Some(version)),
            other => {
                self.queue.leave(id);
                other
            }
        }
    }

    async fn build(&self, version: Version) -> anyhow::Result<()> {
        let Some(bot) = self.shared.store.bot_of(version.bot).await? else { return Ok(()) };
        let Some(arena) = self.shared.arena_of(bot.arena) else { return Ok(()) };
        let id = version.id;
        let settings = arena.settings().clone();
        let workshop = self.shared.workshop.clone();
        let source = version.source;
        let (stages, mut heard) = tokio::sync::mpsc::unbounded_channel();
        let name = bot.name.clone();
        let stop = self.queue.stop_of(id).unwrap_or_default();
        let told = Arc::clone(&stop);
        let work = spawn_blocking(move || {
            let bytes = match source {
                Some(digest) => workshop.blobs.get(digest)?,
                None => anyhow::bail!("the version has no files"),
            };
            let files = complete::unpack(&bytes)?;
            let done = complete(files, settings.game)?;
            let stage = |stage| {
                // Nobody listens any more when the program ends.
                let _ = stages.send(stage);
            };
            workshop.build(&done.files, &done.manifest, &settings, &name, &stage, &told)
        });
        let follow = async {
            while let Some(stage) = heard.recv().await {
                let state = match stage {
                    Stage::Building => State::Building,
                    Stage::Checking => State::Checking,
                };
                self.queue.begin_stage(id);
                // Only people who look on would miss it.
                let _ = self.shared.store.write(vec![versions::set_state(id, state)]).await;
            }
        };
        let done = async { tokio::join!(work, follow).0 };
        let built = tokio::select! {
            built = done => built,
            never = self.queue.move_on(id) => match never {},
        };
        let built = match built? {
            Ok(built) => built,
            Err(_) if self.queue.waits(id) => {
                info!(version = id, "a version takes long and waits for a place in a slower lane");
                let waits = versions::set_state(id, State::Waiting);
                return match self.shared.store.write(vec![waits]).await {
                    // Its author was erased meanwhile.
                    Err(DatabaseError::Unexpected { .. }) => Ok(()),
                    written => Ok(written?),
                };
            }
            // Its author was erased, and nobody waits for it.
            Err(_) if stop.load(Ordering::Relaxed) => return Ok(()),
            Err(problem) => {
                self.shared.problems.note("build", &format!("{problem:#}"));
                // The server's own trouble may pass.
                if is_full_disk(&problem) || self.queue.may_try_again(id) {
                    let waits = versions::set_state(id, State::Waiting);
                    self.shared.store.write(vec![waits]).await?;
                    sleep(PAUSE).await;
                    return Ok(());
                }
                // A version that can never be read must not hold up the others.
                let why = "the server could not build it; its operator sees why".to_owned();
                Built { built: None, report: Report { refused: Some(why), ..Report::default() } }
            }
        };
        self.enter(&version, built).await
    }

    /// Notes what came of a version, and has it play if it can.
    async fn enter(&self, version: &Version, built: Built) -> anyhow::Result<()> {
        let _named = self.shared.erasing.read().await;
        let Some(bot) = self.shared.store.bot_of(version.bot).await? else { return Ok(()) };
        let Built { built, report } = built;
        if bot.is_erased() {
            let Some(built) = built else { return Ok(()) };
            // Nothing names it.
            self.shared.store.write(vec![retention::doom(built)]).await?;
            self.shared.doomed.notify_one();
            return Ok(());
        }
        if let Some(built) = built {
            // Somebody with the same files may have been erased since it was stored.
            ensure!(self.shared.blobs.has(built), "what was built is not there any more");
        }
        let state = if built.is_some() { State::Ready } else { State::Refused };
        let took = Duration::from_millis(report.ms);
        self.shared.metrics.built(built.is_some(), took);
        let mut statements = vec![versions::finish(version.id, state, built, &report, now())];
        if let Some(built) = built {
            let entry = Entry::Ready { version: version.id.cast_unsigned(), built };
            statements.push(ledger::append(&entry));
        }
        let active = match bot.active {
            Some(active) => self.shared.store.version(active).await?,
            None => None,
        };
        let is_newer = active.is_none_or(|active| active.number < version.number);
        if state == State::Ready && is_newer {
            statements.push(bots::set_active(bot.id, Some(version.id)));
            if bot.stopped.as_ref().is_some_and(|stopped| stopped.by == StoppedBy::Failures) {
                statements.push(bots::stop_unless_excluded(bot.id, None));
            }
        }
        let subject = format!("{} v{}", bot.slug, version.number);
        // The page of the version has the other lines.
        let detail = report.refused.as_deref().and_then(|why| why.lines().next());
        let action = format!("version.{}", state.name());
        statements.push(audit::note(bot.owner, &action, &subject, detail.unwrap_or_default()));
        self.shared.store.write(statements).await?;
        info!(subject, state = state.name(), ms = report.ms, "a version was built");
        self.orders.send(Order::Refresh { arena: bot.arena });
        self.shared.arena_of(bot.arena).iter().for_each(|arena| arena.touch());
        Ok(())
    }
}

/// Returns whether a problem is that the disk is full: it is not the version's, however long it
/// lasts.
fn is_full_disk(problem: &anyhow::Error) -> bool {
    problem.chain().any(|cause| {
        let is_full = |error: &std::io::Error| {
            use std::io::ErrorKind::{QuotaExceeded, StorageFull};
            matches!(error.kind(), StorageFull | QuotaExceeded)
        };
        cause.downcast_ref::<std::io::Error>().is_some_and(is_full)
            || matches!(cause.downcast_ref(), Some(DatabaseError::Full))
    })
}
