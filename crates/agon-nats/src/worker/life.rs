//! The worker's loop: what it learns, and what it does.

use std::{
    collections::{BTreeMap, HashMap, hash_map::RandomState},
    hash::BuildHasher,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use agon_arena::{Finished, Job, Pool, Submitter};
use agon_match::spec::{MatchSpec, PlayedOn, settings::MAX_SCALE};
use agon_remote::fleet::{
    Abilities, Held, VERSION, WorkerCommand, WorkerEvent, WorkerLimits, WorkerState,
    message::{BatchMessage, JobMessage, Lately, WorkerMessage},
};
use agon_text::{escape, number::plural};
use anyhow::{Context, Result, bail};
use tokio::{
    signal::unix::{SignalKind, signal},
    sync::{
        mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel},
        watch,
    },
    task::JoinSet,
    time::{interval, timeout},
};
use tracing::{debug, info, warn};

use super::{
    abilities::Machine,
    bots::{Bots, ReadyBot},
    pauses::Pauses,
    puller::{Pulled, Puller, Wanted},
    recent::Recent,
    results::{Ended, pack},
    sending::send_all,
};
use crate::{
    nats::{ACK_WAIT, Delivery, Line, Nats},
    say::{say, tell_line},
};

/// Results wait for others so long.
const GATHER: Duration = Duration::from_millis(150);

/// Of matches that take less than this, a batch waits here.
const SHORT: Duration = Duration::from_secs(1);

/// How often it sends a beat, and tells the server that it still works on its batches.
const BEAT: Duration = Duration::from_secs(ACK_WAIT.as_secs() / 3);

/// How often it sends a beat while it has no matches. The coordinator takes it for dead after three
/// beats.
const IDLE_BEAT: Duration = Duration::from_secs(15);

/// Workers answer a roll call within this time.
const ANSWER: u64 = 1_000;

/// How long a worker that shall end waits for a server that does not take its results.
const PATIENCE: Duration = Duration::from_secs(30);

/// How long the last messages may take.
const GOODBYE: Duration = Duration::from_secs(2);

/// How often time passes for it.
const TICK: Duration = Duration::from_millis(50);

/// A task of the worker has ended.
enum News {
    Event(WorkerEvent),
    /// The bots of a batch are there.
    Bots(u64, Vec<ReadyBot>),
    /// A bot of a batch cannot play here.
    Unplayable(u64, String),
    /// A match is over.
    Finished(Box<Finished>),
}

/// A batch that it has.
struct Taken {
    queue: String,
    delivery: Arc<Delivery>,
    message: Arc<BatchMessage>,
    held: Held,
    /// The percentage by which limits in CPU time are multiplied here.
    scale: u32,
    /// In order of the seats of the message.
    bots: Vec<ReadyBot>,
    /// Results that were not sent.
    results: Vec<Ended>,
}

/// A worker.
pub(super) struct Life {
    nats: Nats,
    bots: Arc<Bots>,
    /// Gives matches to the pool.
    submitter: Submitter,
    /// Wakes the thread that waits for them.
    waker: std::sync::mpsc::Sender<()>,
    machine: Option<Machine>,
    state: WorkerState,
    taken: HashMap<u64, Taken>,
    /// When each match began that plays, by its ticket.
    running: HashMap<u64, Instant>,
    /// What it has played within the last minute.
    recent: Recent,
    /// The numbers of runs, as the state counts them.
    runs: Vec<String>,
    last: u64,
    began: Instant,
    news: UnboundedSender<News>,
    heard: UnboundedReceiver<News>,
    returned: BTreeMap<String, Vec<Held>>,
    about: WorkerMessage,
    has_ended: bool,
    /// Messages that are on their way to the server.
    sending: JoinSet<()>,
    pauses: Pauses,
    /// Once it is set, results that the server does not take are given up.
    gives_up: Arc<AtomicBool>,
}

impl Life {
    pub(super) fn new(
        nats: Nats,
        pool: Pool,
        bots: Arc<Bots>,
        machine: Machine,
        name: String,
        label: String,
        slots: usize,
    ) -> Result<Life> {
        let (news, heard) = unbounded_channel();
        let mut client = pool.client(Arc::default());
        let submitter = client.submitter();
        let (waker, woken) = std::sync::mpsc::channel();
        let tell = news.clone();
        // It waits for matches as long as there are any, and then for the next one.
        let wait = move || {
            while woken.recv().is_ok() {
                while let Some(finished) = client.wait() {
                    if tell.send(News::Finished(Box::new(finished))).is_err() {
                        return;
                    }
                }
            }
        };
        thread::Builder::new().name("results".to_owned()).spawn(wait)?;
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        let about = WorkerMessage {
            version: VERSION,
            worker: name,
            label,
            agon: env!("CARGO_PKG_VERSION").to_owned(),
            slots: slots as u32,
            playing: 0,
            played: 0,
            void: 0,
            faults: 0,
            lacking: 0,
            lately: Lately::default(),
            longest: 0,
            since: since.map_or(0, |since| since.as_millis() as u64),
            expires: nats.expires(),
            is_draining: false,
            abilities: Abilities::default(),
            held: BTreeMap::new(),
            returned: BTreeMap::new(),
        };
        let limits = WorkerLimits {
            slots,
            gather: GATHER.as_millis() as u64,
            short: SHORT.as_millis() as u64,
            beat: BEAT.as_millis() as u64,
            idle_beat: IDLE_BEAT.as_millis() as u64,
            answer: RandomState::new().hash_one(&about.worker) % ANSWER,
        };
        Ok(Life {
            nats,
            bots,
            submitter,
            waker,
            machine: Some(machine),
            state: WorkerState::new(limits),
            taken: HashMap::new(),
            running: HashMap::new(),
            recent: Recent::new(),
            runs: Vec::new(),
            last: 0,
            began: Instant::now(),
            news,
            heard,
            returned: BTreeMap::new(),
            about,
            has_ended: false,
            sending: JoinSet::new(),
            pauses: Pauses::default(),
            gives_up: Arc::default(),
        })
    }

    /// Runs until a signal ends it and its matches are over.
    pub(super) async fn live(mut self, mut lines: UnboundedReceiver<Line>) -> Result<()> {
        let (wanted, orders) = watch::channel(Wanted::default());
        let (found, mut pulled) = unbounded_channel();
        let machine = self.machine.take().context("a worker lives once")?;
        let puller =
            Puller::new(self.nats.clone(), self.about.worker.clone(), machine, self.pauses.clone());
        tokio::spawn(puller.run(orders, found));
        let mut interrupt = signal(SignalKind::interrupt())?;
        let mut terminate = signal(SignalKind::terminate())?;
        let mut tick = interval(TICK);
        tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut line = Line::Up;
        let mut roll_calls = self.nats.roll_calls().await?;
        while !self.has_ended {
            tokio::select! {
                _ = tick.tick() => {
                    while self.sending.try_join_next().is_some() {}
                    self.learn(WorkerEvent::Tick, &wanted);
                }
                Some(news) = self.heard.recv() => self.hear(news, &wanted),
                Some(pulled) = pulled.recv() => self.pulled(pulled, &wanted),
                Some(_) = roll_calls.next() => self.learn(WorkerEvent::RollCall, &wanted),
                Some(now) = lines.recv() => {
                    match now {
                        Line::Refused(text) => self.refused(text)?,
                        // Nobody takes its results any more.
                        Line::Over(text) => bail!(text),
                        now => {
                            tell_line(&line, &now);
                            line = now;
                            // After the server was away, nobody may know of this worker.
                            self.learn(WorkerEvent::RollCall, &wanted);
                        }
                    }
                }
                _ = interrupt.recv() => self.drain(&wanted),
                _ = terminate.recv() => self.drain(&wanted),
            }
        }
        let all_sent = async { while self.sending.join_next().await.is_some() {} };
        // What is not sent in this time is played again.
        let _ = timeout(GOODBYE, all_sent).await;
        self.nats.flush().await;
        say(&format!("played {}", plural(self.about.played, "match")));
        Ok(())
    }

    /// The server does not allow something: if that is so from the beginning, the worker ends.
    fn refused(&self, text: String) -> Result<()> {
        if self.about.played == 0 && self.taken.is_empty() {
            bail!(text);
        }
        warn!("{text}");
        Ok(())
    }

    fn drain(&mut self, wanted: &watch::Sender<Wanted>) {
        if self.about.is_draining {
            // Others play what it had.
            std::process::exit(130);
        }
        self.about.is_draining = true;
        let playing = self.state.playing();
        say(&format!(
            "ends after {}; others play the rest (Ctrl-C again: at once)",
            plural(playing as u64, "running match")
        ));
        let gives_up = Arc::clone(&self.gives_up);
        tokio::spawn(async move {
            tokio::time::sleep(PATIENCE).await;
            gives_up.store(true, Ordering::Relaxed);
        });
        self.learn(WorkerEvent::Drain, wanted);
    }

    fn hear(&mut self, news: News, wanted: &watch::Sender<Wanted>) {
        match news {
            News::Event(event) => self.learn(event, wanted),
            News::Bots(number, bots) => {
                if let Some(taken) = self.taken.get_mut(&number) {
                    taken.bots = bots;
                }
                self.learn(WorkerEvent::Ready { number }, wanted);
            }
            News::Unplayable(number, error) => {
                warn!("a bot cannot play here: {}", escape(&error));
                if let Some(taken) = self.taken.get_mut(&number) {
                    self.pauses.fails(&taken.queue, Instant::now());
                    let lacking = |job: &JobMessage| Ended::lacking(job.key, &error, None);
                    taken.results = taken.message.jobs.iter().map(lacking).collect();
                    self.about.lacking += taken.message.jobs.len() as u64;
                }
                self.learn(WorkerEvent::Unplayable { number }, wanted);
            }
            News::Finished(finished) => {
                self.running.remove(&finished.ticket);
                let number = finished.ticket >> 16;
                let job = (finished.ticket & 0xffff) as u32;
                let Some(taken) = self.taken.get_mut(&number) else { return };
                let JobMessage { key, seats, .. } = &taken.message.jobs[job as usize];
                let name = |seat: &u32| taken.message.seats[*seat as usize].name.as_str();
                let seats: Vec<&str> = seats.iter().map(name).collect();
                if let Ok(outcome) = &finished.outcome {
                    self.about.void += outcome.void.len() as u64;
                    self.about.faults += u64::from(!outcome.result.faults.is_empty());
                }
                let (worker, scale) = (self.about.worker.clone(), taken.scale);
                let ended = Ended::of(*key, *finished, PlayedOn { worker, scale }, &seats);
                let us = ended.us();
                match ended.is_lacking() {
                    true => {
                        self.about.lacking += 1;
                        self.pauses.fails(&taken.queue, Instant::now());
                    }
                    false => {
                        self.pauses.works(&taken.queue, Instant::now());
                        self.about.played += 1;
                        self.recent.add(us);
                    }
                }
                taken.results.push(ended);
                self.learn(WorkerEvent::Over { number, job, us }, wanted);
            }
        }
    }

    fn pulled(&mut self, pulled: Pulled, wanted: &watch::Sender<Wanted>) {
        match pulled {
            Pulled::Abilities(abilities) => {
                self.about.abilities = abilities;
                self.beat();
            }
            Pulled::Batch(queue, delivery, message) => {
                self.take(queue, *delivery, *message, wanted);
            }
            Pulled::Returned(run, held) => {
                self.returned.entry(run).or_default().push(held);
                self.beat();
            }
        }
    }

    fn take(
        &mut self,
        queue: String,
        delivery: Delivery,
        message: BatchMessage,
        wanted: &watch::Sender<Wanted>,
    ) {
        // A queue that it asks has only matches that it can play.
        let scale = message.class.scale(self.about.abilities.speed).unwrap_or(100);
        self.last += 1;
        let number = self.last;
        let held = Held { batch: message.batch, delivery: delivery.delivery };
        let run = self.run(&message.run);
        let jobs = message.jobs.len() as u32;
        debug!(batch = held.batch, jobs, "has a batch");
        let taken = Taken {
            queue,
            delivery: Arc::new(delivery),
            message: Arc::new(message),
            held,
            scale,
            bots: Vec::new(),
            results: Vec::new(),
        };
        self.taken.insert(number, taken);
        self.learn(WorkerEvent::Arrived { number, run, held, jobs }, wanted);
    }

    /// Returns the number of a run.
    fn run(&mut self, name: &str) -> u32 {
        let known = self.runs.iter().position(|run| run == name);
        known.unwrap_or_else(|| {
            self.runs.push(name.to_owned());
            self.runs.len() - 1
        }) as u32
    }

    fn learn(&mut self, event: WorkerEvent, wanted: &watch::Sender<Wanted>) {
        let now = self.began.elapsed().as_millis() as u64;
        for command in self.state.learn(now, event) {
            self.obey(command, wanted);
        }
    }

    fn obey(&mut self, command: WorkerCommand, wanted: &watch::Sender<Wanted>) {
        match command {
            WorkerCommand::Want { batches, arrived } => {
                wanted.send_replace(Wanted { batches, arrived });
            }
            WorkerCommand::Prepare { number } => self.prepare(number),
            WorkerCommand::Play { number, job } => self.play(number, job),
            WorkerCommand::Report { number } => self.report(number),
            WorkerCommand::Progress { number } => {
                if let Some(taken) = self.taken.get(&number) {
                    let delivery = Arc::clone(&taken.delivery);
                    self.sending.spawn(async move { drop(delivery.progress().await) });
                }
            }
            WorkerCommand::Acknowledge { number } => {
                if let Some(taken) = self.taken.remove(&number) {
                    self.sending.spawn(async move { drop(taken.delivery.acknowledge().await) });
                }
            }
            WorkerCommand::Return { number } => self.give_back(number),
            WorkerCommand::Beat => self.beat(),
            WorkerCommand::End => self.has_ended = true,
        }
    }

    fn prepare(&mut self, number: u64) {
        let Some(taken) = self.taken.get(&number) else { return };
        let (bots, message) = (Arc::clone(&self.bots), Arc::clone(&taken.message));
        let news = self.news.clone();
        tokio::spawn(async move {
            let _ = news.send(match bots.of(&message).await {
                Ok(bots) => News::Bots(number, bots),
                Err(error) => News::Unplayable(number, format!("{error:#}")),
            });
        });
    }

    fn play(&mut self, number: u64, job: u32) {
        let Some(taken) = self.taken.get_mut(&number) else { return };
        let of = &taken.message.jobs[job as usize];
        let base = &taken.message.base;
        let seats: Vec<usize> = of.seats.iter().map(|seat| *seat as usize).collect();
        let mut spec = MatchSpec {
            seed: of.seed,
            repetition: of.repetition,
            seats: seats.iter().map(|seat| taken.message.seats[*seat].clone()).collect(),
            ..base.clone()
        };
        spec.settings.time.scale =
            (spec.settings.time.scale * taken.scale / 100).clamp(1, MAX_SCALE);
        let ticket = number << 16 | u64::from(job);
        let mut bots = Vec::with_capacity(seats.len());
        let mut lack: Option<(String, Option<u32>)> = None;
        for (seat, at) in seats.iter().enumerate() {
            match &taken.bots[*at] {
                Ok(bot) => bots.push(Arc::clone(bot)),
                Err(error) => lack = Some((error.clone(), Some(seat as u32))),
            }
        }
        if lack.is_none() {
            let submitted = self.submitter.submit(Job { ticket, spec, bots });
            lack = submitted.err().map(|error| (error.to_string(), None));
        }
        let Some((error, seat)) = lack else {
            debug!(job, "plays a match");
            self.running.insert(ticket, Instant::now());
            let _ = self.waker.send(());
            return;
        };
        self.about.lacking += 1;
        self.pauses.fails(&taken.queue, Instant::now());
        taken.results.push(Ended::lacking(of.key, &error, seat));
        let _ = self.news.send(News::Event(WorkerEvent::Over { number, job, us: 0 }));
    }

    /// Sends all results of a batch that were not sent.
    fn report(&mut self, number: u64) {
        let Some(taken) = self.taken.get_mut(&number) else { return };
        let all = std::mem::take(&mut taken.results);
        let results = all.len() as u32;
        let run = taken.message.run.clone();
        let packets = pack(&self.about.worker, all, self.nats.most_bytes());
        let (nats, news) = (self.nats.clone(), self.news.clone());
        let gives_up = Arc::clone(&self.gives_up);
        tokio::spawn(async move {
            send_all(&nats, &run, packets, &gives_up).await;
            let _ = news.send(News::Event(WorkerEvent::Reported { number, results }));
        });
    }

    fn give_back(&mut self, number: u64) {
        let Some(taken) = self.taken.remove(&number) else { return };
        info!(batch = taken.held.batch, "gives a batch back");
        self.returned.entry(taken.message.run.clone()).or_default().push(taken.held);
        self.beat();
        self.sending.spawn(async move { drop(taken.delivery.give_back().await) });
    }

    /// Says that it lives, and what it has.
    fn beat(&mut self) {
        // Short matches are given out in advance.
        self.about.playing = (self.state.playing() as u32).min(self.about.slots);
        self.about.lately = self.recent.lately();
        let longest = self.running.values().map(Instant::elapsed).max().unwrap_or_default();
        self.about.longest = longest.as_millis() as u64;
        let of_run = |(number, run): (usize, &String)| {
            let held = self.state.held(number as u32);
            (!held.is_empty()).then(|| (run.clone(), held))
        };
        self.about.held = self.runs.iter().enumerate().filter_map(of_run).collect();
        self.about.returned = std::mem::take(&mut self.returned);
        let bytes = serde_json::to_vec(&self.about).expect("a worker can be written as JSON");
        let nats = self.nats.clone();
        self.sending.spawn(async move { drop(nats.beat(bytes).await) });
    }
}
