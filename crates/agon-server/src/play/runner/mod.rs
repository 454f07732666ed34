//! The loop that plays: it plans matches, hands them to a pool, and learns from their results
//! (`outcomes`). Bots of people who are erased end their part (`erased`).

mod erased;
mod outcomes;

use std::{
    collections::{BTreeMap, BTreeSet},
    num::NonZero,
    sync::{
        Arc,
        mpsc::{Receiver, RecvTimeoutError, TryRecvError},
    },
    time::{Duration, Instant},
};

use agon_arena::{Job, PoolOptions};
use agon_core::Seed;
use agon_ladder::VersionId;
use agon_ladder::ledger::{Pairing, sealed_seed};
use agon_match::spec::{BlobSeat, MatchSpec, Recording, Seat as SpecSeat, SeatBot};
use agon_remote::RemoteOptions;
use tokio::runtime::Handle;
use tracing::{debug, error, warn};

use super::{
    comparisons::{Comparisons, Leg},
    entries::{Code, Entries},
    field::Field,
    ids::{id_of, players, version_id},
    orders::{Order, Orders},
    place::Place,
    recorder::{Entry, Logged, Recorder},
    slot_use::SlotUse,
};
use crate::{
    shared::Shared,
    store::{Stored, fresh_id, matches, now},
};

/// Where matches are played.
#[derive(Clone, Debug)]
pub(crate) struct Slots {
    /// How many this machine plays at a time.
    pub(crate) count: NonZero<usize>,
    /// The cores that they have for themselves.
    pub(crate) cores: Vec<usize>,
    /// The workers that play instead of this machine.
    pub(crate) remote: Option<RemoteOptions>,
}

impl Default for Slots {
    fn default() -> Slots {
        Slots { count: NonZero::<usize>::MIN, cores: Vec::new(), remote: None }
    }
}

/// What others see and say of the matches.
#[derive(Clone, Debug)]
pub(crate) struct Controls {
    pub(crate) orders: Orders,
    pub(crate) comparisons: Arc<Comparisons>,
    pub(crate) slots: Arc<SlotUse>,
}

/// The most matches that are planned before it is looked what else there is to do.
const AT_ONCE: u32 = 200;

/// How long the runner sleeps at most while matches are played: as late it hears of changes.
const LISTENS_EVERY: Duration = Duration::from_millis(20);

/// How long the runner sleeps at most while nothing is played.
const IDLE: Duration = Duration::from_millis(500);

/// How long an arena rests after a match that could not be played; longer after several in a row.
const REST: Duration = Duration::from_secs(2);

/// The time of rated matches for one of comparisons, while both are wanted.
const COMPARED: u64 = 3;

/// When the times are halved: what was long ago should not count.
const FORGET_US: u64 = 600_000_000;

/// Why a match is given up.
#[derive(Clone, Copy, Debug)]
enum WhyGivenUp<'a> {
    /// The author of a bot was erased.
    Erased,
    /// In words.
    Trouble(&'a str),
}

/// The times that a match is played if it is void again and again.
const ATTEMPTS: usize = 3;

/// Plays until it is told to finish.
pub(super) fn run(
    shared: Shared,
    controls: Controls,
    slots: &Slots,
    received: &Receiver<Order>,
    runtime: &Handle,
) {
    let recorder = match Recorder::start(shared.clone(), runtime.clone()) {
        Ok(recorder) => recorder,
        Err(problem) => {
            error!("matches cannot be played: {problem:#}");
            return;
        }
    };
    let place = match &slots.remote {
        Some(remote) => Place::elsewhere(remote.clone()),
        None => Place::here(PoolOptions {
            machine: shared.workshop.machine.clone(),
            workers: Some(slots.count),
            attempts: ATTEMPTS,
            cores: slots.cores.clone(),
            ..PoolOptions::default()
        }),
    };
    let Controls { orders, comparisons, slots } = controls;
    let mut runner = Runner {
        shared,
        orders,
        comparisons,
        slots,
        runtime: runtime.clone(),
        place,
        recorder,
        fields: BTreeMap::new(),
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
    runner.run(received);
}

struct Runner {
    shared: Shared,
    orders: Orders,
    comparisons: Arc<Comparisons>,
    slots: Arc<SlotUse>,
    runtime: Handle,
    place: Place,
    recorder: Recorder,
    /// By arena.
    fields: BTreeMap<i64, Field>,
    entries: Entries,
    /// Versions of people who are being erased, or were since the start.
    erased: BTreeSet<i64>,
    /// The matches that were given to the pool, by ticket.
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

/// A match that was given to the pool.
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
    fn run(&mut self, orders: &Receiver<Order>) {
        for arena in self.shared.arenas() {
            self.refresh(arena.id());
        }
        loop {
            loop {
                match orders.try_recv() {
                    Ok(Order::Finish) | Err(TryRecvError::Disconnected) => return self.finish(),
                    Ok(order) => self.follow(order),
                    Err(TryRecvError::Empty) => break,
                }
            }
            let mut planned = 0;
            while planned < AT_ONCE
                && self.place.open() < self.place.wanted(self.mean_us)
                && self.plan()
            {
                planned += 1;
            }
            self.slots.set(self.place.slots());
            if let Some(fleet) = self.place.fleet() {
                self.slots.set_fleet(fleet);
            }
            if self.place.open() == 0 && !self.place.has_news() {
                match orders.recv_timeout(IDLE) {
                    Ok(Order::Finish) | Err(RecvTimeoutError::Disconnected) => {
                        return self.finish();
                    }
                    Ok(order) => self.follow(order),
                    Err(RecvTimeoutError::Timeout) => {}
                }
                continue;
            }
            let patience = if planned == AT_ONCE { Duration::ZERO } else { LISTENS_EVERY };
            if let Some(finished) = self.place.wait_for(patience) {
                self.over(finished);
                // Those that ended meanwhile.
                while let Some(finished) = self.place.wait_for(Duration::ZERO) {
                    self.over(finished);
                }
            }
        }
    }

    fn follow(&mut self, order: Order) {
        match order {
            Order::Refresh { arena } => self.refresh(arena),
            Order::Erase { versions, done } => self.erase(versions, done),
            Order::Keep { versions } => self.keep(&versions),
            // The loop itself ends with it.
            Order::Finish => {}
        }
    }

    /// Plays what has begun to its end.
    fn finish(&mut self) {
        self.place.stop();
        let until = Instant::now() + self.shared.patience;
        while self.place.open() > 0 && Instant::now() < until {
            if let Some(finished) = self.place.wait_for(LISTENS_EVERY) {
                self.over(finished);
            }
        }
        debug!(left = self.place.open(), ran = ?self.begun.elapsed(), "the runner ends");
    }

    /// Follows changes of an arena.
    fn refresh(&mut self, arena: i64) {
        let Some(handle) = self.shared.arena_of(arena) else { return };
        let refreshed: Stored<()> = self.runtime.block_on(async {
            match self.fields.get_mut(&arena) {
                Some(field) => field.refresh(&self.shared).await,
                None => {
                    let mut field = Field::read(&self.shared, handle).await?;
                    let least = self.fields.values().map(|field| field.charged).min();
                    field.charged = least.unwrap_or(0);
                    self.fields.insert(arena, field);
                    Ok(())
                }
            }
        });
        if let Err(problem) = refreshed {
            error!(arena, "an arena cannot be read: {problem}");
            self.shared.problems.note("arena", &problem.to_string());
            // The order must not get lost.
            std::thread::sleep(Duration::from_millis(200));
            self.orders.send(Order::Refresh { arena });
        }
    }

    /// Gives a match to the pool; returns whether there was one.
    fn plan(&mut self) -> bool {
        // What has begun needs the rest of the room.
        if self.shared.disk.is_low() {
            return false;
        }
        // While somebody compares, a quarter of the time is for that.
        let is_due = self.compared_us.saturating_mul(COMPARED) <= self.rated_us;
        (is_due && self.compare()) || self.plan_rated() || self.compare()
    }

    /// Gives a match of a comparison to the pool; returns whether there was one.
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
                if self.place.submit(job).is_err() {
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
        self.recorder.record(Entry { statements, replay: None, logged, arena, over: None });
        self.submit(planned);
        true
    }

    fn submit(&mut self, planned: Planned) {
        if self.is_erased(&planned) {
            return self.give_up(&planned, WhyGivenUp::Erased);
        }
        match self.job(planned.arena, planned.number, planned.seed, &planned.players) {
            Ok(job) => {
                let ticket = job.ticket;
                self.playing.insert(ticket, Given::Rated(planned));
                if let Err(problem) = self.place.submit(job)
                    && let Some(Given::Rated(planned)) = self.playing.remove(&ticket)
                {
                    let why = problem.to_string();
                    self.give_up(&planned, WhyGivenUp::Trouble(&why));
                }
            }
            Err((version, problem)) => {
                warn!(version, "a bot cannot be opened: {problem}");
                self.shared.problems.note("match", &problem);
                let why = "a bot could not be opened by the server";
                self.give_up(&planned, WhyGivenUp::Trouble(why));
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
                Code::Files(built, run) => {
                    let run = run.clone();
                    let seat = BlobSeat { digest: *built, build: None, run, runtime: None };
                    SpecSeat { name, bot: SeatBot::Blob(seat) }
                }
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
            ..MatchSpec::with_rules(field.settings.game, field.settings.rules.clone(), settings)
        };
        self.tickets += 1;
        Ok(Job { ticket: self.tickets, spec, bots })
    }
}
