//! Builds and checks versions on the cores that play no matches.
//!
//! The queue is in the database: what waits or was being built when the program ended is built when
//! it starts again.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use std::{collections::BTreeMap, convert::Infallible, future::pending};

use agon_ladder::ledger::Entry;
use anyhow::ensure;
use tokio::{sync::Notify, task::spawn_blocking, time::sleep};
use tracing::{error, info};

use super::build::{Built, Stage};
use super::complete::{self, complete};
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

/// The queue of versions.
#[derive(Debug)]
pub(crate) struct Queue {
    lanes: Lanes,
    work: Mutex<Work>,
}

#[derive(Debug, Default)]
struct Work {
    /// The versions that are being built, each with the time when its current stage began.
    stages: BTreeMap<i64, Instant>,
    /// How often a version could not be built through the server's own trouble.
    tries: BTreeMap<i64, u32>,
}

impl Default for Queue {
    fn default() -> Queue {
        Queue { lanes: Lanes::new(PLACES), work: Mutex::default() }
    }
}

impl Queue {
    /// Tells the queue that there is something to build.
    pub(crate) fn wake(&self) {
        self.lanes.wake();
    }

    /// Ends the builds of versions as soon as possible.
    pub(crate) fn stop(&self, versions: &[i64]) {
        let stops = versions.iter().filter_map(|&version| self.lanes.stop_of(version));
        stops.for_each(|stop| stop.store(true, Ordering::Relaxed));
    }

    /// Returns how long the current stage of a version takes already.
    pub(crate) fn since(&self, version: i64) -> Option<Duration> {
        self.lock().stages.get(&version).map(Instant::elapsed)
    }

    /// Returns whether others are being built, and this version is not.
    pub(crate) fn is_behind_others(&self, version: i64) -> bool {
        let work = self.lock();
        !work.stages.is_empty() && !work.stages.contains_key(&version)
    }

    fn lock(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether a version that could not be built may be tried again, and counts the try.
    fn may_try_again(&self, version: i64) -> bool {
        let mut work = self.lock();
        let tries = work.tries.entry(version).or_default();
        *tries += 1;
        if *tries < TRIES {
            return true;
        }
        work.tries.remove(&version);
        false
    }

    /// Notes that a stage of a version begins.
    fn enter(&self, version: i64) {
        self.lock().stages.insert(version, Instant::now());
    }

    fn leave(&self, version: i64) {
        self.lock().stages.remove(&version);
        self.lanes.leave(version);
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
                Ok(None) => self.queue.lanes.changed().await,
                Err(problem) => {
                    self.shared.problems.note("build", &problem.to_string());
                    sleep(PAUSE).await;
                }
            }
        }
    }

    async fn next(&self) -> Result<Option<Version>, DatabaseError> {
        let open = self.shared.store.open_work().await?;
        let Some(id) = self.queue.lanes.take(&open) else { return Ok(None) };
        self.queue.enter(id);
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
        self.queue.enter(id);
        let settings = arena.settings().clone();
        let workshop = self.shared.workshop.clone();
        let source = version.source;
        let (stages, mut heard) = tokio::sync::mpsc::unbounded_channel();
        let name = bot.name.clone();
        let stop = self.queue.lanes.stop_of(id).unwrap_or_default();
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
                self.queue.enter(id);
                // Only people who look on would miss it.
                let _ = self.shared.store.write(vec![versions::set_state(id, state)]).await;
            }
        };
        let done = async { tokio::join!(work, follow).0 };
        let built = tokio::select! {
            built = done => built,
            never = self.queue.lanes.move_on(id) => match never {},
        };
        let built = match built? {
            Ok(built) => built,
            Err(_) if self.queue.lanes.waits(id) => {
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

/// How long work may stay in each lane.
const TIMES: [Option<Duration>; 3] =
    [Some(Duration::from_secs(10)), Some(Duration::from_secs(60)), None];

/// How long work may stay in the fast lane while other work waits for a place there.
const HASTE: Duration = Duration::from_secs(3);

/// How often work looks whether its time is over.
const LOOK: Duration = Duration::from_millis(250);

/// How long the lanes remember whom they served.
const MEMORY: Duration = Duration::from_secs(3600);

/// Lanes share out the places for builds, checks and trial matches, so that long ones hold up no
/// short ones. Tasks share them.
///
/// All work starts in the fast lane. Work that has used up the time of its lane moves to the next
/// one, from the fast lane sooner if others wait for it. It continues there if a place is free.
/// Otherwise it ends, and starts again when there is one. Each lane takes turns between authors,
/// and an author has one place at a time.
#[derive(Debug)]
pub(crate) struct Lanes {
    state: Mutex<LaneState>,
    changed: Notify,
}

#[derive(Debug)]
struct LaneState {
    places: [usize; TIMES.len()],
    /// Whether work waits for the fast lane.
    is_crowded: bool,
    /// The work that runs, by its number.
    running: BTreeMap<i64, Running>,
    /// The lane of work that has moved and waits there.
    moved: BTreeMap<i64, usize>,
    /// When a lane last served an author.
    served: BTreeMap<(usize, i64), Instant>,
}

#[derive(Debug)]
struct Running {
    author: i64,
    lane: usize,
    stop: Arc<AtomicBool>,
}

/// Work that waits for a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Waiting {
    pub(crate) id: i64,
    pub(crate) author: i64,
}

impl Lanes {
    /// Makes lanes with so many places each.
    pub(crate) fn new(places: [usize; TIMES.len()]) -> Lanes {
        let state = LaneState {
            places,
            is_crowded: false,
            running: BTreeMap::new(),
            moved: BTreeMap::new(),
            served: BTreeMap::new(),
        };
        Lanes { state: Mutex::new(state), changed: Notify::new() }
    }

    fn lock(&self) -> MutexGuard<'_, LaneState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has somebody who waits look whether there is work.
    pub(crate) fn wake(&self) {
        self.changed.notify_one();
    }

    /// Waits until there may be work.
    pub(crate) async fn changed(&self) {
        self.changed.notified().await;
    }

    /// Gives a place to work: in the fastest lane that has one, to the author whom it has not
    /// served for longest. `open` is all work that waits or runs, the oldest first.
    pub(crate) fn take(&self, open: &[Waiting]) -> Option<i64> {
        let mut state = self.lock();
        state.moved.retain(|id, _| open.iter().any(|work| work.id == *id));
        state.served.retain(|_, at| at.elapsed() < MEMORY);
        state.is_crowded = !state.has_place(0) && state.first(0, open).is_some();
        let next = |lane| Some(lane).filter(|&lane| state.has_place(lane));
        let (lane, next) =
            (0..TIMES.len()).find_map(|lane| Some((lane, state.first(next(lane)?, open)?)))?;
        state.served.insert((lane, next.author), Instant::now());
        let running = Running { author: next.author, lane, stop: Arc::default() };
        state.running.insert(next.id, running);
        Some(next.id)
    }

    /// Moves work from lane to lane until it is over, or has to wait for a place.
    pub(crate) async fn move_on(&self, id: i64) -> Infallible {
        let mut entered = Instant::now();
        loop {
            let time = self.lock().time(id);
            let Some(time) = time else { return pending().await };
            let left = time.saturating_sub(entered.elapsed()).min(LOOK);
            if !left.is_zero() {
                sleep(left).await;
                continue;
            }
            self.lock().move_on(id);
            entered = Instant::now();
            if self.waits(id) {
                return pending().await;
            }
            self.wake();
        }
    }

    /// Returns whether work has to stop because it waits for a place in another lane.
    pub(crate) fn waits(&self, id: i64) -> bool {
        let state = self.lock();
        let of = |running: &Running| state.moved.get(&id).is_some_and(|&lane| lane > running.lane);
        state.running.get(&id).is_some_and(of)
    }

    /// Returns what tells work to stop.
    pub(crate) fn stop_of(&self, id: i64) -> Option<Arc<AtomicBool>> {
        self.lock().running.get(&id).map(|running| Arc::clone(&running.stop))
    }

    /// Gives the place of work back.
    pub(crate) fn leave(&self, id: i64) {
        self.lock().running.remove(&id);
    }
}

impl LaneState {
    /// Returns the work that is the first to get a place in a lane.
    fn first(&self, lane: usize, open: &[Waiting]) -> Option<Waiting> {
        let is_served = |author| self.running.values().any(|running| running.author == author);
        let waits = |work: &&Waiting| {
            let own = self.moved.get(&work.id).copied().unwrap_or(0);
            own == lane && !self.running.contains_key(&work.id) && !is_served(work.author)
        };
        // Of equals, the first one is the oldest.
        let served = |work: &&Waiting| self.served.get(&(lane, work.author)).copied();
        open.iter().filter(waits).min_by_key(served).copied()
    }

    fn has_place(&self, lane: usize) -> bool {
        let used = self.running.values().filter(|running| running.lane == lane).count();
        used < self.places[lane]
    }

    /// Returns how long work may stay in its lane, as things are now; `None` without a limit.
    fn time(&self, id: i64) -> Option<Duration> {
        let lane = self.running.get(&id)?.lane;
        if lane == 0 && self.is_crowded { Some(HASTE) } else { TIMES[lane] }
    }

    /// Moves work to the next lane. Without a free place there, the work has to stop.
    fn move_on(&mut self, id: i64) {
        let Some(lane) = self.running.get(&id).map(|running| running.lane + 1) else { return };
        let has_place = self.has_place(lane);
        self.moved.insert(id, lane);
        let Some(running) = self.running.get_mut(&id) else { return };
        if has_place {
            running.lane = lane;
            self.served.insert((lane, running.author), Instant::now());
        } else {
            running.stop.store(true, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn work(ids: impl IntoIterator<Item = i64>) -> Vec<Waiting> {
        ids.into_iter().map(|id| Waiting { id, author: id }).collect()
    }

    fn time(lanes: &Lanes, id: i64) -> Option<Duration> {
        lanes.lock().time(id)
    }

    #[test]
    fn endless_work_leaves_the_fast_lane_to_others() {
        let lanes = Lanes::new([2, 1, 1]);
        let open = work(1..=12);
        // The first ten never end.
        let mut began = Vec::new();
        while began.len() < 12 {
            let Some(id) = lanes.take(&open) else { panic!("{began:?} hold up the others") };
            began.push(id);
            if id > 10 {
                continue;
            }
            if !lanes.lock().has_place(0) {
                let running: Vec<i64> = lanes.lock().running.keys().copied().collect();
                for id in running {
                    if time(&lanes, id) == TIMES[0] {
                        lanes.lock().move_on(id);
                        if lanes.waits(id) {
                            assert!(lanes.stop_of(id).unwrap().load(Ordering::Relaxed));
                            lanes.leave(id);
                        }
                    }
                }
            }
        }
        assert_eq!(began, (1..=12).collect::<Vec<_>>());
        assert_eq!(lanes.lock().running.values().filter(|running| running.lane == 1).count(), 1);
    }

    #[test]
    fn work_in_the_fast_lane_makes_room_sooner_if_others_wait() {
        let lanes = Lanes::new([2, 1, 1]);
        assert_eq!([0; 3].map(|_| lanes.take(&work([1, 2]))), [Some(1), Some(2), None]);
        assert_eq!(time(&lanes, 1), TIMES[0]);
        assert_eq!(lanes.take(&work([1, 2, 3])), None);
        assert_eq!(time(&lanes, 1), Some(HASTE));
        lanes.lock().move_on(1);
        assert_eq!(lanes.take(&work([1, 2, 3])), Some(3));
        assert_eq!(lanes.take(&work([1, 2, 3])), None);
        assert_eq!((time(&lanes, 2), time(&lanes, 1)), (TIMES[0], TIMES[1]), "nobody waits");
    }

    #[test]
    fn slow_work_goes_on_in_another_lane_or_waits_for_it() {
        let lanes = Lanes::new([2, 1, 1]);
        let open = work([1, 2]);
        let fast = TIMES[0];
        assert_eq!((lanes.take(&open), lanes.take(&open)), (Some(1), Some(2)));
        lanes.lock().move_on(1);
        assert!(!lanes.waits(1) && time(&lanes, 1) == TIMES[1]);
        lanes.lock().move_on(2);
        assert!(lanes.waits(2) && time(&lanes, 2) == fast);
        lanes.leave(2);
        assert_eq!(lanes.take(&open), None, "the slow lane is full");
        lanes.leave(1);
        assert_eq!(lanes.take(&work([2])), Some(2));
        assert_eq!(time(&lanes, 2), TIMES[1], "it starts again where it waited");
        // Others have the whole fast lane.
        let open = work([2, 3, 4, 5]);
        assert_eq!([0; 3].map(|_| lanes.take(&open)), [Some(3), Some(4), None]);
        assert_eq!(TIMES[2], None, "the last lane has time for everything");
    }

    #[test]
    fn authors_take_turns_and_have_one_place() {
        let lanes = Lanes::new([2, 1, 1]);
        let of = |id, author| Waiting { id, author };
        let open = [of(1, 7), of(2, 7), of(3, 7), of(4, 8)];
        assert_eq!([0; 3].map(|_| lanes.take(&open)), [Some(1), Some(4), None]);
        lanes.leave(1);
        lanes.leave(4);
        let open = [of(2, 7), of(3, 7), of(5, 8), of(6, 9)];
        assert_eq!([0; 2].map(|_| lanes.take(&open)), [Some(6), Some(2)]);
    }
}
