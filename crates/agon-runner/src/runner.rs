//! Workers, each on a core.

use std::{
    any::Any,
    num::NonZero,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc::{self, Receiver, Sender},
    },
    thread,
};

use agon_bots::{HostOptions, HostedGame};
use agon_match::{Control, pin};

use crate::{
    BotEntry, Finished, Job, JobSource, RunError,
    worker::{Worker, open},
};

/// Options for playing matches.
#[derive(Clone, Debug)]
pub struct RunnerOptions {
    /// How bots are run.
    pub host: HostOptions,
    /// The number of matches that are played at a time; `None` for one on each core.
    pub jobs: Option<NonZero<usize>>,
    /// The maximum number of attempts at a match that is void again and again; at least 1.
    pub attempts: u32,
}

impl Default for RunnerOptions {
    fn default() -> RunnerOptions {
        RunnerOptions { host: HostOptions::default(), jobs: None, attempts: 10 }
    }
}

/// Plays matches side by side.
#[derive(Clone, Debug)]
pub struct Runner<G: HostedGame> {
    rules: G::Rules,
    options: RunnerOptions,
    /// The cores that may be used; empty if the system does not report them.
    cores: Vec<usize>,
}

/// Why a run is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The job source has no more jobs.
    Done,
    /// The job source has stopped it.
    Stopped,
    /// It was stopped from outside. All matches that had begun are over.
    Interrupted,
}

/// The outcome of a job.
enum Outcome {
    Over(Box<Finished>),
    /// It was not begun, or given up.
    Dropped,
    Failed(RunError),
    Panicked(Box<dyn Any + Send>),
}

impl<G: HostedGame> Runner<G> {
    /// Makes a runner for matches with these settings.
    pub fn new(rules: G::Rules, options: RunnerOptions) -> Runner<G> {
        Runner { rules, options, cores: pin::cores().unwrap_or_default() }
    }

    /// Returns how many matches are played at a time.
    pub fn jobs(&self) -> usize {
        let cores = self.cores.len().max(1);
        self.options.jobs.map_or(cores, NonZero::get)
    }

    /// Opens each bot once, and compiles it if it is source code. So a bot that cannot play is
    /// found before the first match.
    ///
    /// # Errors
    /// One for each bot that cannot be opened.
    pub fn try_open<'a>(
        &self,
        bots: impl IntoIterator<Item = &'a BotEntry>,
    ) -> Result<(), Vec<RunError>> {
        let fails = bots.into_iter().filter_map(|bot| open::<G>(bot, &self.options.host).err());
        let fails: Vec<RunError> = fails.collect();
        if fails.is_empty() { Ok(()) } else { Err(fails) }
    }

    /// Plays the jobs of a source. Once `stop` is set, no match begins any more, and those that are
    /// being played are played to their end.
    ///
    /// # Errors
    /// If a match cannot be played, or the job source fails. Matches that are being played are then
    /// given up.
    ///
    /// # Panics
    /// If a match panics, which is a mistake in a game.
    pub fn run<D: JobSource>(&self, source: &mut D, stop: &AtomicBool) -> Result<End, D::Error> {
        let abandon = AtomicBool::new(false);
        let (jobs, waiting) = mpsc::channel::<Job>();
        let waiting = Mutex::new(waiting);
        thread::scope(|scope| {
            let (done, results) = mpsc::channel::<Outcome>();
            let start = |number: usize| {
                let waiting = &waiting;
                let done = done.clone();
                let abandon = &abandon;
                let core = self.core(number);
                let work = move || {
                    let rules = &self.rules;
                    let host = &self.options.host;
                    let worker =
                        Worker { rules, host, core, attempts: self.options.attempts, abandon };
                    work::<G>(&worker, waiting, &done, stop);
                };
                let started = thread::Builder::new()
                    .name(format!("match {number}"))
                    .spawn_scoped(scope, work);
                started.map(drop).map_err(RunError::Thread)
            };
            let crew = Crew { most: self.jobs(), started: 0, start };
            let end = direct(source, jobs, &results, crew, stop);
            abandon.store(true, Ordering::Relaxed);
            end
        })
    }

    /// Workers take turns on the cores; several arenas side by side begin at different ones.
    fn core(&self, worker: usize) -> Option<usize> {
        let first = std::process::id() as usize;
        (!self.cores.is_empty()).then(|| self.cores[(first + worker) % self.cores.len()])
    }
}

/// The workers. They are started when matches need them, so that there are never more than matches.
struct Crew<S> {
    /// The maximum number of workers.
    most: usize,
    started: usize,
    /// Starts the worker of this number.
    start: S,
}

impl<S: Fn(usize) -> Result<(), RunError>> Crew<S> {
    /// Starts a worker unless there is one for each of `matches`, or all are there.
    fn suffice_for(&mut self, matches: usize) -> Result<(), RunError> {
        if self.started < matches.min(self.most) {
            (self.start)(self.started)?;
            self.started += 1;
        }
        Ok(())
    }
}

/// Keeps the workers busy until there is nothing more to do.
fn direct<D: JobSource>(
    source: &mut D,
    jobs: Sender<Job>,
    results: &Receiver<Outcome>,
    mut crew: Crew<impl Fn(usize) -> Result<(), RunError>>,
    stop: &AtomicBool,
) -> Result<End, D::Error> {
    // One more for each worker than it plays: no worker waits for the job source.
    let most = 2 * crew.most;
    let mut open = 0;
    loop {
        while open < most && !stop.load(Ordering::Relaxed) {
            let Some(job) = source.next()? else { break };
            open += 1;
            crew.suffice_for(open)?;
            jobs.send(job).expect("the workers wait for jobs");
        }
        if open == 0 {
            return Ok(if stop.load(Ordering::Relaxed) { End::Interrupted } else { End::Done });
        }
        let outcome = results.recv().expect("each job has an outcome");
        open -= 1;
        match outcome {
            Outcome::Over(finished) => {
                if source.over(*finished)? == Control::Stop {
                    return Ok(End::Stopped);
                }
            }
            Outcome::Dropped => {}
            Outcome::Failed(error) => return Err(error.into()),
            Outcome::Panicked(payload) => resume_unwind(payload),
        }
    }
}

/// Plays jobs until there will be no more.
fn work<G: HostedGame>(
    worker: &Worker<'_, G>,
    waiting: &Mutex<Receiver<Job>>,
    done: &Sender<Outcome>,
    stop: &AtomicBool,
) {
    loop {
        let job = waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(job) = job else { return };
        let outcome = if stop.load(Ordering::Relaxed) || worker.abandon.load(Ordering::Relaxed) {
            Outcome::Dropped
        } else {
            match catch_unwind(AssertUnwindSafe(|| worker.play(&job))) {
                Ok(Ok(Some(finished))) => Outcome::Over(Box::new(finished)),
                Ok(Ok(None)) => Outcome::Dropped,
                Ok(Err(error)) => Outcome::Failed(error),
                Err(payload) => Outcome::Panicked(payload),
            }
        };
        // If the channel is closed, the run is over.
        if done.send(outcome).is_err() {
            return;
        }
    }
}
