//! Plays a job of a pool: makes its [`MatchSetup`], and turns the result into an outcome.
//!
//! A panic or an error in a match is reported for this match alone.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::{fmt, sync::atomic::AtomicBool, time::Instant};

use agon_bots::HostOptions;
use agon_match::spec::{Digest, MatchOutcome, OUTCOME_VERSION};
use agon_match::{
    Control, MatchEvent, MatchOptions, Observer, ObserverError, Waiting, panic_message,
};

use crate::{
    ArenaError, CoreLease, Finished, Hosts, Job, MatchSetup, PlayedMatch, ReplayTarget,
    host_options,
};

/// The outcome of a match, with its replay if one was recorded.
type Outcome = (MatchOutcome, Option<Vec<u8>>);

/// Where and how jobs are played.
#[derive(Clone, Copy)]
pub(crate) struct Worker<'a> {
    /// The worker's number in its pool.
    pub(crate) number: usize,
    /// What depends on the installation.
    pub(crate) machine: &'a HostOptions,
    /// The cores for matches; empty if the system does not report them.
    pub(crate) cores: &'a [usize],
    pub(crate) attempts: usize,
    /// Follows matches that wait for bots.
    pub(crate) waits: Option<&'a dyn WaitWatcher>,
    /// Whether the current match is to be given up.
    pub(crate) abandon: &'a AtomicBool,
}

impl Worker<'_> {
    /// Plays a match, and plays it again while it is void. Returns `None` if it was given up.
    pub(crate) fn play(self, job: &Job) -> Option<Finished> {
        let began = Instant::now();
        let result = guarded(job, || self.play_job(job));
        let (outcome, replay) = match result {
            Ok(None) => return None,
            Ok(Some((outcome, replay))) => (Ok(outcome), replay),
            Err(error) => (Err(error), None),
        };
        Some(Finished { ticket: job.ticket, outcome, replay, took: began.elapsed() })
    }

    fn play_job(self, job: &Job) -> Result<Option<Outcome>, ArenaError> {
        // Setting up the game checks the settings.
        job.spec.check_rules_version()?;
        let settings = &job.spec.settings;
        let recording = settings.recording;
        let host = HostOptions { loaded_before: true, ..host_options(settings, self.machine) };
        let lease = CoreLease::among(self.cores);
        let setup = MatchSetup {
            kind: job.spec.game.kind(),
            rules: &job.spec.rules,
            seed: job.spec.seed,
            bots: &job.named(),
            host: &host,
            options: MatchOptions {
                core: lease.as_ref().map(CoreLease::core),
                faults_kept: recording.faults,
                max_turns: job.spec.max_turns,
                strikes: settings.time.strikes,
                ..MatchOptions::default()
            },
            attempts: self.attempts,
            replay: if recording.replay { ReplayTarget::Memory } else { ReplayTarget::None },
            stop: self.abandon,
        };
        let mut observer = WaitReporter::new(self.number, self.waits);
        let PlayedMatch { played, replay, void, time } = setup.play(&mut Hosts, &mut observer)?;
        let result = played.result;
        if result.interrupted {
            return Ok(None);
        }
        if let Some(why) = result.void {
            let attempts = void.len() + 1;
            let seed = job.spec.seed;
            return Err(ArenaError::Void { players: players(job), seed, attempts, void: why });
        }
        let outcome = MatchOutcome {
            version: OUTCOME_VERSION,
            result,
            replay: replay.as_deref().map(Digest::of),
            void,
            ms: u64::try_from(time.as_millis()).unwrap_or(u64::MAX),
            machine: None,
        };
        Ok(Some((outcome, replay)))
    }
}

/// Plays, and turns a panic into an error.
fn guarded<T>(job: &Job, play: impl FnOnce() -> Result<T, ArenaError>) -> Result<T, ArenaError> {
    catch_unwind(AssertUnwindSafe(play)).unwrap_or_else(|payload| {
        let (players, seed) = (players(job), job.spec.seed);
        let text = panic_message(&*payload);
        let message = format!("a match of {players} on seed {seed} ended with a panic: {text}");
        Err(ArenaError::Panic { message, replay: None })
    })
}

/// The names of the players, for a message.
fn players(job: &Job) -> String {
    let names: Vec<&str> = job.bots.iter().map(|bot| bot.info.name.as_str()).collect();
    names.join(" and ")
}

/// Follows the matches of a pool that wait for bots. Calls come from the workers.
pub trait WaitWatcher: fmt::Debug + Send + Sync {
    /// The match of a worker waits; called again and again as long as it does.
    fn waiting(&self, worker: usize, waiting: &Waiting);

    /// The match of a worker does not wait any more.
    fn over(&self, worker: usize);
}

/// Reports the waits of the match that a worker plays. The wait is over when it is dropped, too.
pub(crate) struct WaitReporter<'a> {
    worker: usize,
    watcher: Option<&'a dyn WaitWatcher>,
    is_waiting: bool,
}

impl<'a> WaitReporter<'a> {
    /// Reports waits of a worker's match to `watcher`.
    pub(crate) fn new(worker: usize, watcher: Option<&'a dyn WaitWatcher>) -> WaitReporter<'a> {
        WaitReporter { worker, watcher, is_waiting: false }
    }

    fn end_wait(&mut self) {
        if let (true, Some(watcher)) = (std::mem::take(&mut self.is_waiting), self.watcher) {
            watcher.over(self.worker);
        }
    }
}

impl Observer for WaitReporter<'_> {
    fn step(&mut self, _: &MatchEvent<'_>) -> Result<Control, ObserverError> {
        self.end_wait();
        Ok(Control::Continue)
    }

    fn waiting(&mut self, waiting: &Waiting) {
        if let Some(watcher) = self.watcher {
            self.is_waiting = true;
            watcher.waiting(self.worker, waiting);
        }
    }
}

impl Drop for WaitReporter<'_> {
    fn drop(&mut self) {
        self.end_wait();
    }
}

#[cfg(test)]
mod tests {
    use agon_core::Seed;
    use agon_games::GameId;
    use agon_match::spec::{MatchSettings, MatchSpec};

    use super::*;
    use crate::BotEntry;

    #[test]
    fn a_panic_is_an_error_of_its_match() {
        let rules = GameId::Cluster.kind().default_rules();
        let spec = MatchSpec::new(GameId::Cluster, rules, MatchSettings::default());
        let bots = ["builtin:greedy", "tom=builtin:random"]
            .map(|text| BotEntry::of(text.parse().unwrap()).unwrap());
        let job = Job::new(1, &spec, Seed(5), bots.into());
        let text =
            |play: fn() -> Result<(), ArenaError>| guarded(&job, play).unwrap_err().to_string();
        let begin = "a match of greedy and tom on seed 5 ended with a panic: ";
        assert_eq!(text(|| panic!("no cell")), format!("{begin}no cell"));
        assert_eq!(text(|| panic!("cell {}", 7)), format!("{begin}cell 7"));
        assert!(guarded(&job, || Ok(())).is_ok());
    }
}
