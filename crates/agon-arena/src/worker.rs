//! Plays a job of a pool: makes the [`MatchSetup`] of its game, and turns the result into an
//! outcome.
//!
//! A panic or an error in a match is reported for this match alone.

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::atomic::AtomicBool,
    time::Instant,
};

use agon_bots::HostOptions;
use agon_games::with_game;
use agon_match::MatchOptions;
use agon_match::spec::{Digest, MatchOutcome, OUTCOME_VERSION};

use crate::{
    ArenaError, ArenaGame, CoreLease, Finished, Hosts, Job, MatchSetup, PlayedMatch, ReplayTarget,
    WaitWatcher, host_options, runtimes, wait_watcher::WaitReporter,
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
        let result = guarded(job, || with_game!(job.spec.game, G => self.play_game::<G>(job)));
        let (outcome, replay) = match result {
            Ok(None) => return None,
            Ok(Some((outcome, replay))) => (Ok(outcome), replay),
            Err(error) => (Err(error), None),
        };
        Some(Finished { ticket: job.ticket, outcome, replay, took: began.elapsed() })
    }

    fn play_game<G: ArenaGame>(self, job: &Job) -> Result<Option<Outcome>, ArenaError> {
        let settings = &job.spec.settings;
        let recording = settings.recording;
        let host = HostOptions { loaded_before: true, ..host_options(settings, self.machine) };
        let lease = CoreLease::among(self.cores);
        let setup = MatchSetup::<G> {
            rules: &job.spec.rules::<G>()?,
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
        let runtimes = match recording.runtimes {
            true => runtimes::of(job.bots.iter().map(|bot| &bot.spec), &host),
            false => Default::default(),
        };
        let outcome = MatchOutcome {
            version: OUTCOME_VERSION,
            result,
            replay: replay.as_deref().map(Digest::of),
            void,
            runtimes,
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

/// The text that a panic was raised with.
fn panic_message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|&text| text.to_owned());
    text.or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "the panic has no message".to_owned())
}

#[cfg(test)]
mod tests {
    use agon_core::Seed;
    use agon_games::{GameId, cluster::Cluster};
    use agon_match::spec::{MatchSettings, MatchSpec};

    use super::*;
    use crate::BotEntry;

    #[test]
    fn a_panic_is_an_error_of_its_match() {
        let settings = MatchSettings::default();
        let spec = MatchSpec::new::<Cluster>(GameId::Cluster, &Default::default(), settings);
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
