//! The worker's loop: what it learns, and what it does.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use std::{collections::hash_map::RandomState, hash::BuildHasher, thread};

use agon_arena::{Finished, Job, MatchQueue, Pool, Submitter};
use agon_console::say_line;
use agon_core::{text::escape, text::number::plural};
use agon_match::spec::settings::MAX_SCALE;
use agon_match::spec::{MatchSpec, PlayedOn};
use agon_remote::fleet::message::{BatchMessage, JobMessage, WorkerMessage};
use agon_remote::fleet::{Abilities, Held, Wanted, WorkerActions, WorkerState};
use anyhow::{Result, bail};
use futures_util::StreamExt;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{interval, sleep, timeout};
use tokio::{sync::watch, task::JoinSet};
use tracing::{debug, info, warn};

use super::bots::{Bots, ReadyBot};
use super::puller::{Pauses, Puller};
use super::results::{Ended, Recent, pack, send_all};
use crate::nats::{Delivery, Line, Nats, ROLL_CALL};

/// Workers answer a roll call within so many milliseconds.
const ANSWER: u64 = 1_000;

/// How long a worker that shall end waits for a server that does not take its results.
const PATIENCE: Duration = Duration::from_secs(30);

/// How long the last messages may take.
const GOODBYE: Duration = Duration::from_secs(2);

/// How often time passes for it.
const TICK: Duration = Duration::from_millis(50);

/// What the worker hears of the tasks that work for it.
pub(super) enum News {
    /// What this machine can play has changed.
    Abilities(Abilities),
    /// A batch has come from a queue.
    Batch(String, Box<Delivery>, Box<BatchMessage>),
    /// A batch of a run has come and was given back.
    Returned(String, Held),
    /// The bots of a batch are there, or why they cannot play here.
    Bots(u64, Result<Vec<ReadyBot>, String>),
    /// A match is over.
    Finished(Box<Finished>),
    /// The server has so many more results of a batch.
    Reported(u64, u32),
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
    waker: mpsc::Sender<()>,
    state: WorkerState,
    taken: HashMap<u64, Taken>,
    /// When each match began that plays, by its ticket.
    running: HashMap<u64, Instant>,
    /// What it has played within the last minute.
    recent: Recent,
    /// The names of runs, as the state counts them.
    runs: Vec<String>,
    last: u64,
    began: Instant,
    news: UnboundedSender<News>,
    heard: UnboundedReceiver<News>,
    wanted: watch::Sender<Wanted>,
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
        pool: &Pool,
        bots: Bots,
        abilities: Abilities,
        name: &str,
        label: String,
        slots: usize,
    ) -> Result<Life> {
        let (news, heard) = unbounded_channel();
        let mut client = pool.client(Arc::default());
        let submitter = client.submitter();
        let (waker, woken) = mpsc::channel();
        let tell = news.clone();
        // It waits for matches as long as there are any, and then for the next one.
        let wait = move || {
            while woken.recv().is_ok() {
                while let Ok(Some(finished)) = client.wait() {
                    if tell.send(News::Finished(Box::new(finished))).is_err() {
                        return;
                    }
                }
            }
        };
        thread::Builder::new().name("results".to_owned()).spawn(wait)?;
        let pauses = Pauses::default();
        let (wanted, orders) = watch::channel(Wanted::default());
        let puller = Puller::new(nats.clone(), abilities, pauses.clone());
        tokio::spawn(puller.run(orders, news.clone()));
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        let about = WorkerMessage {
            label,
            agon: env!("CARGO_PKG_VERSION").to_owned(),
            since: since.map_or(0, |since| since.as_millis() as u64),
            expires: nats.expires(),
            ..WorkerMessage::new(name, slots as u32, Abilities::default())
        };
        let answer = RandomState::new().hash_one(name) % ANSWER;
        Ok(Life {
            nats,
            bots: Arc::new(bots),
            submitter,
            waker,
            state: WorkerState::new(slots, answer),
            taken: HashMap::new(),
            running: HashMap::new(),
            recent: Recent::new(),
            runs: Vec::new(),
            last: 0,
            began: Instant::now(),
            news,
            heard,
            wanted,
            returned: BTreeMap::new(),
            about,
            has_ended: false,
            sending: JoinSet::new(),
            pauses,
            gives_up: Arc::default(),
        })
    }

    /// Runs until a signal ends it and its matches are over.
    pub(super) async fn live(mut self, mut lines: UnboundedReceiver<Line>) -> Result<()> {
        let mut interrupt = signal(SignalKind::interrupt())?;
        let mut terminate = signal(SignalKind::terminate())?;
        let mut tick = interval(TICK);
        tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut line = Line::Up;
        let mut roll_calls = self.nats.listen(ROLL_CALL).await?;
        while !self.has_ended {
            tokio::select! {
                _ = tick.tick() => while self.sending.try_join_next().is_some() {},
                Some(news) = self.heard.recv() => self.hear(news),
                Some(_) = roll_calls.next() => self.state.roll_call(self.now()),
                Some(now) = lines.recv() => match now {
                    // If that is so from the beginning, the worker ends.
                    Line::Refused(text) if self.about.played == 0 && self.taken.is_empty() => {
                        bail!(text)
                    }
                    Line::Refused(text) => warn!("{text}"),
                    // Nobody takes its results any more.
                    Line::Over(text) => bail!(text),
                    now => {
                        match (&line, &now) {
                            (Line::Up, Line::Down(why)) => say_line(format_args!(
                                "the connection to the server is lost ({}); running matches go on",
                                escape(why)
                            )),
                            (Line::Down(_), Line::Up) => say_line(format_args!(
                                "the connection to the server is there again"
                            )),
                            _ => {}
                        }
                        line = now;
                        // After the server was away, nobody may know of this worker.
                        self.state.roll_call(self.now());
                    }
                },
                _ = interrupt.recv() => self.drain(),
                _ = terminate.recv() => self.drain(),
            }
            self.act();
        }
        let all_sent = async { while self.sending.join_next().await.is_some() {} };
        // What is not sent in this time is played again.
        let _ = timeout(GOODBYE, all_sent).await;
        self.nats.flush().await;
        say_line(format_args!("played {}", plural(self.about.played, "match")));
        Ok(())
    }

    fn now(&self) -> u64 {
        self.began.elapsed().as_millis() as u64
    }

    fn drain(&mut self) {
        if self.about.is_draining {
            // Others play what it had.
            std::process::exit(130);
        }
        self.about.is_draining = true;
        say_line(format_args!(
            "ends after {}; others play the rest (Ctrl-C again: at once)",
            plural(self.state.playing() as u64, "running match")
        ));
        let gives_up = Arc::clone(&self.gives_up);
        tokio::spawn(async move {
            sleep(PATIENCE).await;
            gives_up.store(true, Ordering::Relaxed);
        });
        self.state.drain();
    }

    fn hear(&mut self, news: News) {
        match news {
            News::Abilities(abilities) => {
                self.about.abilities = abilities;
                self.beat();
            }
            News::Batch(queue, delivery, message) => self.take(queue, *delivery, *message),
            News::Returned(run, held) => {
                self.returned.entry(run).or_default().push(held);
                self.beat();
            }
            News::Bots(number, Ok(bots)) => {
                if let Some(taken) = self.taken.get_mut(&number) {
                    taken.bots = bots;
                }
                self.state.ready(number);
            }
            News::Bots(number, Err(error)) => {
                warn!("a bot cannot play here: {}", escape(&error));
                if let Some(taken) = self.taken.get_mut(&number) {
                    self.pauses.fails(&taken.queue, Instant::now());
                    let lacking = |job: &JobMessage| Ended::lacking(job.key, &error, None);
                    taken.results = taken.message.jobs.iter().map(lacking).collect();
                    self.about.lacking += taken.message.jobs.len() as u64;
                }
                self.state.unplayable(self.now(), number);
            }
            News::Finished(finished) => self.finished(*finished),
            News::Reported(number, results) => self.state.reported(number, results),
        }
    }

    /// A batch has come.
    fn take(&mut self, queue: String, delivery: Delivery, message: BatchMessage) {
        self.last += 1;
        let number = self.last;
        let held = Held { batch: message.batch, delivery: delivery.delivery };
        let known = self.runs.iter().position(|run| *run == message.run);
        let run = known.unwrap_or_else(|| {
            self.runs.push(message.run.clone());
            self.runs.len() - 1
        });
        let jobs = message.jobs.len() as u32;
        debug!(batch = held.batch, jobs, "has a batch");
        let taken = Taken {
            queue,
            delivery: Arc::new(delivery),
            held,
            // A queue that it asks has only matches that it can play.
            scale: message.class.scale(self.about.abilities.speed).unwrap_or(100),
            message: Arc::new(message),
            bots: Vec::new(),
            results: Vec::new(),
        };
        self.taken.insert(number, taken);
        self.state.arrived(self.now(), number, run as u32, held, jobs);
    }

    /// A match is over.
    fn finished(&mut self, finished: Finished) {
        self.running.remove(&finished.ticket);
        let (number, job) = (finished.ticket >> 16, (finished.ticket & 0xffff) as usize);
        let Some(taken) = self.taken.get_mut(&number) else { return };
        let JobMessage { key, seats, .. } = &taken.message.jobs[job];
        let name = |seat: &u32| taken.message.seats[*seat as usize].name.as_str();
        let seats: Vec<&str> = seats.iter().map(name).collect();
        if let Ok(outcome) = &finished.outcome {
            self.about.void += outcome.void.len() as u64;
            self.about.faults += u64::from(!outcome.result.faults.is_empty());
        }
        let (worker, scale) = (self.about.worker.clone(), taken.scale);
        let ended = Ended::of(*key, finished, PlayedOn { worker, scale }, &seats);
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
        self.state.over(self.now(), number, us);
    }

    /// Does all that is due.
    fn act(&mut self) {
        loop {
            let actions = self.state.actions(self.now());
            let is_again = !self.perform(actions);
            if !is_again {
                return;
            }
        }
    }

    /// Returns whether all matches have begun that should; others are over already.
    fn perform(&mut self, actions: WorkerActions) -> bool {
        for number in actions.prepare {
            self.prepare(number);
        }
        let mut have_begun = true;
        for (number, job) in actions.play {
            have_begun &= self.play(number, job);
        }
        for number in actions.report {
            self.report(number);
        }
        let mut given_back = Vec::new();
        for number in actions.give_back {
            let Some(taken) = self.taken.remove(&number) else { continue };
            info!(batch = taken.held.batch, "gives a batch back");
            self.returned.entry(taken.message.run.clone()).or_default().push(taken.held);
            given_back.push(taken.delivery);
        }
        // Coordinators hear of what was given back before others get it.
        if actions.beats || !given_back.is_empty() {
            self.beat();
        }
        for delivery in given_back {
            self.sending.spawn(async move { drop(delivery.give_back().await) });
        }
        for taken in actions.progress.iter().filter_map(|number| self.taken.get(number)) {
            let delivery = Arc::clone(&taken.delivery);
            self.sending.spawn(async move { drop(delivery.progress().await) });
        }
        for taken in actions.acknowledge.iter().filter_map(|number| self.taken.remove(number)) {
            self.sending.spawn(async move { drop(taken.delivery.acknowledge().await) });
        }
        if let Some(wanted) = actions.want {
            self.wanted.send_replace(wanted);
        }
        self.has_ended |= actions.ends;
        have_begun
    }

    fn prepare(&mut self, number: u64) {
        let Some(taken) = self.taken.get(&number) else { return };
        let (bots, message) = (Arc::clone(&self.bots), Arc::clone(&taken.message));
        let news = self.news.clone();
        tokio::spawn(async move {
            let bots = bots.of(&message).await.map_err(|error| format!("{error:#}"));
            let _ = news.send(News::Bots(number, bots));
        });
    }

    /// Begins a match. Returns `false` if it cannot be played here; then it is over.
    fn play(&mut self, number: u64, job: u32) -> bool {
        let Some(taken) = self.taken.get_mut(&number) else { return true };
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
            return true;
        };
        self.about.lacking += 1;
        self.pauses.fails(&taken.queue, Instant::now());
        taken.results.push(Ended::lacking(of.key, &error, seat));
        self.state.over(self.now(), number, 0);
        false
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
            let _ = news.send(News::Reported(number, results));
        });
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
