//! The loop that plays: it plans matches, has them played, and learns from their results
//! (`outcomes`).

mod outcomes;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use agon_arena::{Job, MatchQueue, Pool, PoolOptions};
use agon_core::Seed;
use agon_ladder::VersionId;
use agon_ladder::ledger::{Pairing, sealed_seed};
use agon_match::spec::{MatchSpec, Recording, Seat as SpecSeat, SeatBot};
use tokio::{runtime::Handle, sync::oneshot, time::sleep};
use tracing::{debug, error, warn};

use super::comparisons::{Comparisons, Leg};
use super::field::{Code, Entries, Field, FieldNews};
use super::recorder::{Entry, Logged, Recorder};
use super::{
    Controls, Order, Orders, SlotUse, Slots, id_of, players, reconnecting::Reconnecting, version_id,
};
use crate::shared::Shared;
use crate::store::{fresh_id, matches, now};

/// The most matches that are planned before it is looked what else there is to do.
const AT_ONCE: u32 = 200;

/// How long the runner waits for results: as late it hears of orders while matches are played.
const LISTENS_EVERY: Duration = Duration::from_millis(20);

/// How long the runner waits for orders while nothing is played.
const IDLE: Duration = Duration::from_millis(500);

/// How long an arena rests after a match that could not be played; longer after several in a row.
const REST: Duration = Duration::from_secs(2);

/// How long it takes until an arena is read again, if the database fails.
const READ_AGAIN: Duration = Duration::from_millis(200);

/// The time of rated matches for one of comparisons, while both are wanted.
const COMPARED: u64 = 3;

/// When the times are halved: what was long ago should not count.
const FORGET_US: u64 = 600_000_000;

/// For how long matches are planned ahead, so that no slot waits for the planner; and the most for
/// a slot.
const AHEAD: (Duration, u64) = (Duration::from_millis(40), 64);

/// The same for workers on other machines: a match takes a while to get there.
const AHEAD_ELSEWHERE: (Duration, u64) = (Duration::from_secs(1), 512);

/// Matches that take longer than this in microseconds are not planned ahead.
const LONG_US: u64 = 5_000_000;

/// The times that a match is played if it is void again and again.
const ATTEMPTS: usize = 3;

/// Why a match is given up that nobody needs any more.
const ERASED: &str = "the author of a bot was erased";

/// Plays until it is told to finish.
pub(super) fn run(
    shared: Shared,
    controls: Controls,
    slots: &Slots,
    received: Receiver<Order>,
    runtime: Handle,
) {
    let recorder = match Recorder::start(shared.clone(), runtime.clone()) {
        Ok(recorder) => recorder,
        Err(problem) => {
            error!("matches cannot be played: {problem:#}");
            return;
        }
    };
    let stop = Arc::<AtomicBool>::default();
    let queue: Box<dyn MatchQueue> = match &slots.remote {
        Some(remote) => Box::new(Reconnecting::new(
            remote.clone(),
            Arc::clone(&stop),
            Arc::clone(&controls.slots),
        )),
        // Its matches are few, and played to their end.
        None => Box::new(
            Pool::new(PoolOptions {
                machine: shared.workshop.machine.clone(),
                workers: Some(slots.count),
                attempts: ATTEMPTS,
                cores: slots.cores.clone(),
                ..PoolOptions::default()
            })
            .client(Arc::default()),
        ),
    };
    let Controls { orders, comparisons, slots: slot_use } = controls;
    let mut runner = Runner {
        shared,
        orders,
        received,
        comparisons,
        slots: slot_use,
        runtime,
        queue,
        is_elsewhere: slots.remote.is_some(),
        stop,
        recorder,
        fields: BTreeMap::new(),
        reading: BTreeMap::new(),
        entries: Entries::default(),
        erased: BTreeSet::new(),
        playing: BTreeMap::new(),
        is_comparing: false,
        rated_us: 0,
        compared_us: 0,
        tickets: 0,
        mean_us: 1_000_000,
        begun: Instant::now(),
    };
    runner.run();
}

struct Runner {
    shared: Shared,
    orders: Orders,
    received: Receiver<Order>,
    comparisons: Arc<Comparisons>,
    slots: Arc<SlotUse>,
    runtime: Handle,
    queue: Box<dyn MatchQueue>,
    /// Whether workers on other machines play.
    is_elsewhere: bool,
    /// Once it is set, no match begins on other machines any more.
    stop: Arc<AtomicBool>,
    recorder: Recorder,
    /// By arena.
    fields: BTreeMap<i64, Field>,
    /// The arenas that are being read, each with whether it has changed again since.
    reading: BTreeMap<i64, bool>,
    entries: Entries,
    /// Versions of people who are being erased, or were since the start.
    erased: BTreeSet<i64>,
    /// The matches that were given to the queue, by ticket.
    playing: BTreeMap<u64, Given>,
    /// Whether one of them is a match of a comparison.
    is_comparing: bool,
    /// The time that rated matches took lately, and matches of comparisons, in microseconds.
    rated_us: u64,
    compared_us: u64,
    tickets: u64,
    /// How long a match takes: a moving mean.
    mean_us: u64,
    begun: Instant,
}

/// A match that was given to the queue.
#[derive(Clone, Debug)]
enum Given {
    /// A match of the ladder.
    Rated(Planned),
    /// A match between two versions of a bot.
    Compared(Leg),
}

/// A match of the ladder.
#[derive(Clone, Debug)]
struct Planned {
    arena: i64,
    number: u64,
    seed: u64,
    planned: i64,
    players: Vec<VersionId>,
    /// What its arena was charged for it.
    charged: u64,
}

impl Runner {
    fn run(&mut self) {
        for arena in self.shared.arenas() {
            self.refresh(arena.id());
        }
        let mut patience = Duration::ZERO;
        loop {
            let order = self.received.recv_timeout(patience);
            patience = Duration::ZERO;
            match order {
                Ok(Order::Finish) | Err(RecvTimeoutError::Disconnected) => return self.finish(),
                Ok(Order::Refresh { arena }) => self.refresh(arena),
                Ok(Order::Changed { arena, news }) => self.changed(arena, *news),
                Ok(Order::Erase { versions, done }) => self.erase(versions, done),
                Ok(Order::Keep { versions }) => {
                    self.erased.retain(|version| !versions.contains(version));
                    let arenas: Vec<i64> = self.fields.keys().copied().collect();
                    arenas.into_iter().for_each(|arena| self.refresh(arena));
                }
                Err(RecvTimeoutError::Timeout) => patience = self.work(),
            }
        }
    }

    /// Plans matches, and learns from those that are over. Returns how long to wait for orders.
    fn work(&mut self) -> Duration {
        let has_more = self.plan_ahead();
        self.slots.set(self.queue.slots());
        // Other machines have news even if no match is open.
        if self.queue.open() == 0 && !self.is_elsewhere {
            return IDLE;
        }
        self.learn(if has_more { Duration::ZERO } else { LISTENS_EVERY });
        Duration::ZERO
    }

    /// Plays what has begun to its end.
    fn finish(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        let until = Instant::now() + self.shared.patience;
        while self.queue.open() > 0 && Instant::now() < until {
            self.learn(LISTENS_EVERY);
        }
        debug!(left = self.queue.open(), ran = ?self.begun.elapsed(), "the runner ends");
    }

    /// Waits so long for a match that is over, and learns from it and those that ended meanwhile.
    fn learn(&mut self, patience: Duration) {
        let mut waited = self.queue.wait_for(patience);
        while let Ok(Some(finished)) = waited {
            self.over(finished);
            waited = self.queue.wait_for(Duration::ZERO);
        }
    }

    /// Has an arena read: its news come as an order, so that nobody here waits for the database.
    fn refresh(&mut self, arena: i64) {
        let Some(handle) = self.shared.arena_of(arena) else { return };
        if let Some(has_changed) = self.reading.get_mut(&arena) {
            *has_changed = true;
            return;
        }
        self.reading.insert(arena, false);
        let is_known = self.fields.contains_key(&arena);
        let (shared, orders) = (self.shared.clone(), self.orders.clone());
        drop(self.runtime.spawn(async move {
            while !shared.is_ending() {
                match FieldNews::read(&shared, &handle, is_known).await {
                    Ok(news) => return orders.send(Order::Changed { arena, news: Box::new(news) }),
                    Err(problem) => {
                        error!(arena, "an arena cannot be read: {problem}");
                        shared.problems.note("arena", &problem.to_string());
                        sleep(READ_AGAIN).await;
                    }
                }
            }
        }));
    }

    /// Follows changes of an arena.
    fn changed(&mut self, arena: i64, news: FieldNews) {
        match (news, self.fields.get_mut(&arena)) {
            (FieldNews::New(field), None) => {
                let mut field = *field;
                let least = self.fields.values().map(|field| field.charged).min();
                field.charged = least.unwrap_or(0);
                self.fields.insert(arena, field);
            }
            (FieldNews::Changed(bots, versions), Some(field)) => field.refresh(&bots, versions),
            // It is read as a whole once, and never forgotten.
            (FieldNews::New(_), Some(_)) | (FieldNews::Changed(..), None) => {}
        }
        // It may have been read before an erasure was written.
        if let Some(field) = self.fields.get_mut(&arena) {
            for &version in &self.erased {
                field.ladder.leave(version_id(version));
            }
        }
        if self.reading.remove(&arena) == Some(true) {
            self.refresh(arena);
        }
    }

    /// Has versions play no more. `done` hears when everything is written that they did before.
    fn erase(&mut self, versions: Vec<i64>, done: oneshot::Sender<()>) {
        self.erased.extend(&versions);
        self.entries.forget(&versions);
        self.comparisons.forget(&versions);
        for field in self.fields.values_mut() {
            for &version in &versions {
                field.ladder.leave(version_id(version));
            }
        }
        // Matches of comparisons go on: these were forgotten, so their results are dropped.
        let is_of = |given: &Given| {
            let Given::Rated(planned) = given else { return false };
            planned.players.iter().any(|&id| versions.contains(&id_of(id)))
        };
        let own = self.playing.iter().filter(|(_, given)| is_of(given));
        let tickets: Vec<u64> = own.map(|(ticket, _)| *ticket).collect();
        for ticket in tickets {
            if self.queue.give_up(ticket)
                && let Some(Given::Rated(planned)) = self.playing.remove(&ticket)
            {
                self.give_up(&planned, ERASED);
            }
        }
        self.recorder.tell_when_written(done);
    }

    /// Returns whether the author of one of the players was erased.
    fn is_erased(&self, planned: &Planned) -> bool {
        let field = self.fields.get(&planned.arena);
        planned.players.iter().any(|&id| {
            let known = field.and_then(|field| field.versions.get(&id_of(id)));
            self.erased.contains(&id_of(id)) || known.is_some_and(|known| known.is_erased)
        })
    }

    /// Plans as many matches as should be open. Returns whether there may be more to plan.
    fn plan_ahead(&mut self) -> bool {
        for _ in 0..AT_ONCE {
            if self.queue.open() >= self.wanted() || !self.plan() {
                return false;
            }
        }
        true
    }

    /// Returns how many matches should be open: those that are played, and those ahead.
    fn wanted(&self) -> usize {
        let slots = self.queue.slots().all;
        if slots == 0 {
            return self.queue.wanted();
        }
        let (ahead, most) = if self.is_elsewhere { AHEAD_ELSEWHERE } else { AHEAD };
        let ahead = (ahead.as_micros() as u64 / self.mean_us.max(1)).min(most);
        let wanted = slots.saturating_mul(1 + ahead.max(u64::from(self.mean_us < LONG_US)));
        usize::try_from(wanted).unwrap_or(usize::MAX)
    }

    /// Gives a match to the queue; returns whether there was one.
    fn plan(&mut self) -> bool {
        // What has begun needs the rest of the room.
        if self.shared.disk.is_low() {
            return false;
        }
        // While somebody compares, a quarter of the time is for that.
        let is_due = self.compared_us.saturating_mul(COMPARED) <= self.rated_us;
        (is_due && self.compare()) || self.plan_rated() || self.compare()
    }

    /// Gives a match of a comparison to the queue; returns whether there was one.
    fn compare(&mut self) -> bool {
        // One at a time: nobody knows how long it takes.
        if self.is_comparing {
            return false;
        }
        let now = now();
        let fields = &self.fields;
        let plays = |arena: i64| fields.get(&arena).is_some_and(|field| field.is_playing(now));
        let Some((leg, comparison)) = self.comparisons.next(plays) else { return false };
        let [one, other] = comparison.versions.map(version_id);
        let players = if leg.is_exchanged { vec![other, one] } else { vec![one, other] };
        // Nobody knows a bot again by a name, as in rated matches.
        let number = fresh_id().cast_unsigned();
        match self.job(comparison.arena, number, leg.seed, &players) {
            Ok(job) => {
                let ticket = job.ticket;
                self.playing.insert(ticket, Given::Compared(leg));
                self.is_comparing = true;
                if self.queue.submit(job).is_err() {
                    self.playing.remove(&ticket);
                    self.is_comparing = false;
                    self.comparisons.over(leg, None, 0);
                }
            }
            Err((version, problem)) => {
                warn!(version, "a bot cannot be opened: {problem}");
                self.comparisons.end(comparison.id);
            }
        }
        true
    }

    fn plan_rated(&mut self) -> bool {
        let now = now();
        // The arena whose matches took the least time so far.
        let mut arenas: Vec<(u64, i64)> = self
            .fields
            .iter()
            .filter(|(_, field)| field.is_playing(now))
            .map(|(&arena, field)| (field.charged, arena))
            .collect();
        arenas.sort_unstable();
        let Some(found) = arenas.iter().position(|&(_, arena)| self.plan_in(arena)) else {
            return false;
        };
        // Nobody collects a right to play while there is nothing to play.
        let charged = arenas[found].0;
        for (_, arena) in &arenas[..found] {
            if let Some(field) = self.fields.get_mut(arena) {
                field.charged = field.charged.max(charged);
            }
        }
        true
    }

    fn plan_in(&mut self, arena: i64) -> bool {
        let Some(field) = self.fields.get_mut(&arena) else { return false };
        if let Some(left) = field.left.pop() {
            // Planned before the start, and already known to ladder and database.
            let planned = Planned {
                arena,
                number: left.of.number,
                seed: left.of.seed,
                planned: left.of.planned,
                players: players(&left),
                charged: self.mean_us,
            };
            field.charged = field.charged.saturating_add(self.mean_us);
            self.submit(planned);
            return true;
        }
        let number = field.next;
        let Some((seed, players)) = field.plan_next(self.shared.pace) else {
            let is_open = |given: &Given| matches!(given, Given::Rated(of) if of.arena == arena);
            if field.plan.is_some() && !self.playing.values().any(is_open) {
                field.arena.exhaust(now());
            }
            return false;
        };
        field.charged = field.charged.saturating_add(self.mean_us);
        let planned =
            Planned { arena, number, seed, planned: now(), players, charged: self.mean_us };
        let versions: Vec<i64> = planned.players.iter().map(|&id| id_of(id)).collect();
        let statements = matches::plan(arena, number, planned.seed, &versions, planned.planned);
        let logged = Logged::Planned(Pairing {
            number,
            seed: match field.plan {
                Some(_) => planned.seed.to_string(),
                None => sealed_seed(arena.cast_unsigned(), number, planned.seed),
            },
            versions: planned.players.iter().map(|id| id.0).collect(),
        });
        self.recorder.record(Entry { statements, replay: None, logged, arena });
        self.submit(planned);
        true
    }

    fn submit(&mut self, planned: Planned) {
        if self.is_erased(&planned) {
            return self.give_up(&planned, ERASED);
        }
        match self.job(planned.arena, planned.number, planned.seed, &planned.players) {
            Ok(job) => {
                let ticket = job.ticket;
                self.playing.insert(ticket, Given::Rated(planned));
                if let Err(problem) = self.queue.submit(job)
                    && let Some(Given::Rated(planned)) = self.playing.remove(&ticket)
                {
                    self.give_up(&planned, &problem.to_string());
                }
            }
            Err((version, problem)) => {
                warn!(version, "a bot cannot be opened: {problem}");
                self.shared.problems.note("match", &problem);
                self.give_up(&planned, "a bot could not be opened by the server");
            }
        }
    }

    /// Makes the job of a match. Names in it come from its number.
    ///
    /// # Errors
    /// If a version cannot be opened: which one, and why.
    fn job(
        &mut self,
        arena: i64,
        number: u64,
        seed: u64,
        players: &[VersionId],
    ) -> Result<Job, (i64, String)> {
        let field = self.fields.get(&arena).ok_or((0, "no such arena".to_owned()))?;
        let mut bots = Vec::new();
        let mut seats = Vec::new();
        for (seat, &id) in players.iter().enumerate() {
            let id = id_of(id);
            let known = field.versions.get(&id).ok_or((id, "no such version".to_owned()))?;
            let entry =
                self.entries.get(&self.shared, &field.settings, id, &known.code, &known.seat);
            let entry = entry.map_err(|problem| (id, problem.to_string()))?;
            let name = field.name(number, seat, known);
            seats.push(match &known.code {
                Code::Files(seat) => SpecSeat { name, bot: SeatBot::Blob(seat.clone()) },
                Code::Boss(_) => SpecSeat { name, ..entry.seat(field.settings.game) },
            });
            bots.push(entry);
        }
        let recording = Recording { replay: true, ..field.settings.matches.recording };
        let settings =
            agon_match::spec::MatchSettings { recording, ..field.settings.matches.clone() };
        let spec = MatchSpec {
            seed: Seed(seed),
            max_turns: field.settings.max_turns,
            seats,
            ..MatchSpec::new(field.settings.game, field.settings.rules.clone(), settings)
        };
        self.tickets += 1;
        Ok(Job { ticket: self.tickets, spec, bots })
    }
}
