//! Trial matches of what is in the editor, against built-in bots. They count for nothing.
//!
//! They are played on the cores that play no rated matches, and are forgotten after an hour.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use std::{num::NonZero, sync::Arc};

use agon_arena::{BlobStore, BotEntry, Job, MatchQueue, Pool, PoolOptions, host_options, unpacked};
use agon_core::Seed;
use agon_match::replay::Replay;
use agon_match::spec::{BlobSeat, MatchOutcome, MatchSettings, MatchSpec, Recording};
use anyhow::{Context, Result, ensure};
use parking_lot::Mutex;
use tokio::task::spawn_blocking;

use crate::intake::build::{Failure, shown};
use crate::intake::lanes::{Lanes, Waiting};
use crate::{
    arena_handle::ArenaHandle, intake::complete::Complete, shared::Shared, store::fresh_id,
};

/// The most trial matches that are kept.
const KEPT: usize = 200;

/// How many of them one person may have waiting.
const WAITING_EACH: usize = 2;

/// How many trial matches of a person are kept.
const KEPT_EACH: usize = 6;

/// The most bytes of the files of all trial matches.
const BYTES: u64 = 512 << 20;

/// How many trial matches a person may begin within [`RECENT`].
const RECENT_EACH: usize = 30;

/// See [`RECENT_EACH`].
const RECENT: Duration = Duration::from_secs(600);

/// How long a trial match is kept.
const LASTS: Duration = Duration::from_secs(3600);

/// How long a trial match may take. Then it is given up.
const LONGEST: Duration = Duration::from_secs(60);

/// How often a trial match looks whether it has to stop.
const LOOK: Duration = Duration::from_millis(100);

/// A trial match.
#[derive(Clone, Debug)]
pub(crate) struct Trial {
    pub(crate) arena: ArenaHandle,
    pub(crate) owner: i64,
    pub(crate) bot: Complete,
    pub(crate) language: String,
    pub(crate) message: String,
    /// The built-in bot on the other seats.
    pub(crate) opponent: String,
    pub(crate) state: TrialState,
    began: Instant,
}

/// How far a trial match is.
#[derive(Clone, Debug)]
pub(crate) enum TrialState {
    Waiting,
    Building,
    Playing,
    Over(Arc<TrialResult>),
    /// It could not be played: why, and what the build wrote.
    Failed(String, String),
}

/// A trial match that is over. The author's bot had the first seat.
#[derive(Debug)]
pub(crate) struct TrialResult {
    pub(crate) outcome: MatchOutcome,
    pub(crate) replay: Vec<u8>,
    /// What the bot wrote to stderr.
    pub(crate) stderr: String,
}

/// All trial matches.
#[derive(Debug)]
pub(crate) struct Tries {
    list: Mutex<List>,
    lanes: Lanes,
}

#[derive(Debug, Default)]
struct List {
    tries: BTreeMap<i64, Trial>,
    /// When each person began trial matches.
    began: BTreeMap<i64, VecDeque<Instant>>,
}

impl Default for Tries {
    fn default() -> Tries {
        Tries { list: Mutex::default(), lanes: Lanes::new(PLACES) }
    }
}

impl Trial {
    fn is_over(&self) -> bool {
        matches!(self.state, TrialState::Over(_) | TrialState::Failed(..))
    }

    fn waits(&self) -> bool {
        matches!(self.state, TrialState::Waiting)
    }
}

impl List {
    /// Returns whether another trial match of a person, with so many bytes of files, has no room.
    fn is_full(&self, owner: i64, bytes: u64) -> bool {
        let all: u64 = self.tries.values().map(|trial| trial.bot.files.bytes()).sum();
        let own = self.tries.values().filter(|trial| trial.owner == owner).count();
        self.tries.len() >= KEPT || own >= KEPT_EACH || all + bytes > BYTES
    }

    /// Notes that a person begins a trial match, if not too many were begun before.
    fn may_begin(&mut self, owner: i64) -> bool {
        self.began.retain(|_, times| {
            times.retain(|at| at.elapsed() < RECENT);
            !times.is_empty()
        });
        let times = self.began.entry(owner).or_default();
        let may = times.len() < RECENT_EACH;
        if may {
            times.push_back(Instant::now());
        }
        may
    }

    /// Returns those that are not over, the oldest first.
    fn open(&self) -> Vec<(i64, &Trial)> {
        let all = self.tries.iter().map(|(&id, trial)| (id, trial));
        let mut open: Vec<(i64, &Trial)> = all.filter(|(_, trial)| !trial.is_over()).collect();
        open.sort_by_key(|(_, trial)| trial.began);
        open
    }
}

impl Tries {
    /// Adds a trial match, and returns its number.
    ///
    /// # Errors
    /// If this person has too many waiting, in a sentence.
    pub(crate) fn add(
        &self,
        arena: ArenaHandle,
        owner: i64,
        bot: Complete,
        language: String,
        message: String,
        opponent: String,
    ) -> Result<i64> {
        let mut list = self.list.lock();
        list.tries.retain(|_, trial| trial.began.elapsed() < LASTS);
        let own = list.tries.values().filter(|trial| trial.owner == owner);
        let own_waiting = own.filter(|trial| trial.waits()).count();
        ensure!(own_waiting < WAITING_EACH, "wait for your other trial matches first");
        // Only those that are over make room: the own ones first.
        while list.is_full(owner, bot.files.bytes()) {
            let over = list.tries.iter().filter(|(_, trial)| trial.is_over());
            let oldest = over.min_by_key(|(_, trial)| (trial.owner != owner, trial.began));
            let Some(oldest) = oldest.map(|(&id, _)| id) else {
                anyhow::bail!("too many trial matches wait; try again in a minute");
            };
            list.tries.remove(&oldest);
        }
        ensure!(list.may_begin(owner), "you have tried often; wait some minutes");
        let id = fresh_id();
        let state = TrialState::Waiting;
        let began = Instant::now();
        let trial = Trial { arena, owner, bot, language, message, opponent, state, began };
        list.tries.insert(id, trial);
        self.lanes.wake();
        Ok(id)
    }

    /// Forgets the trial matches of a person.
    pub(crate) fn forget(&self, owner: i64) {
        let mut list = self.list.lock();
        list.tries.retain(|_, trial| trial.owner != owner);
        list.began.remove(&owner);
    }

    /// Returns a trial match.
    pub(crate) fn get(&self, id: i64) -> Option<Trial> {
        self.list.lock().tries.get(&id).cloned()
    }

    /// Returns how many are before this one.
    pub(crate) fn before(&self, id: i64) -> usize {
        let list = self.list.lock();
        let mut waiting = list.open().into_iter().filter(|(_, trial)| trial.waits());
        waiting.position(|(other, _)| other == id).unwrap_or(0)
    }

    fn set(&self, id: i64, state: TrialState) {
        if let Some(trial) = self.list.lock().tries.get_mut(&id) {
            trial.state = state;
        }
    }

    /// Takes the next one, with what tells it to stop.
    fn next(&self) -> Option<(i64, Arc<AtomicBool>)> {
        let list = self.list.lock();
        let work = |(id, trial): (i64, &Trial)| Waiting { id, author: trial.owner };
        let open: Vec<Waiting> = list.open().into_iter().map(work).collect();
        let id = self.lanes.take(&open)?;
        Some((id, self.lanes.stop_of(id).unwrap_or_default()))
    }

    /// Notes how a trial match has ended, or that it waits for a place in another lane.
    fn leave(&self, id: i64, state: TrialState) {
        let mut list = self.list.lock();
        let is_again = self.lanes.waits(id) && matches!(state, TrialState::Failed(..));
        self.lanes.leave(id);
        if let Some(trial) = list.tries.get_mut(&id) {
            trial.state = if is_again { TrialState::Waiting } else { state };
        }
    }
}

/// How many trial matches are played at a time in each lane.
const PLACES: [usize; 3] = [2, 1, 1];

/// How many trial matches are played at a time.
pub(crate) const AT_A_TIME: usize = PLACES[0] + PLACES[1] + PLACES[2];

/// Makes the pool for trial matches. `cores` are those that play no rated matches.
pub(crate) fn pool(shared: &Shared, cores: Vec<usize>) -> Pool {
    Pool::new(PoolOptions {
        machine: shared.workshop.machine.clone(),
        workers: NonZero::new(AT_A_TIME),
        attempts: 2,
        cores,
        ..PoolOptions::default()
    })
}

/// Plays trial matches until the program ends; there are several of these tasks.
pub(crate) async fn run(shared: Shared, tries: Arc<Tries>, pool: Pool) {
    loop {
        let Some((id, stop)) = tries.next() else {
            tokio::select! {
                () = tries.lanes.changed() => continue,
                () = shared.ended() => return,
            }
        };
        // Perhaps more wait.
        tries.lanes.wake();
        let Some(trial) = tries.get(id) else {
            tries.leave(id, failed("it was forgotten"));
            continue;
        };
        let (inner, list, pool) = (shared.clone(), Arc::clone(&tries), pool.clone());
        let told = Arc::clone(&stop);
        let played = spawn_blocking(move || play(&inner, &list, &pool, id, &trial, &told));
        let played = tokio::select! {
            played = played => played,
            never = tries.lanes.move_on(id) => match never {},
        };
        let state = match played {
            Ok(Ok(state)) => state,
            Ok(Err(problem)) if stop.load(Ordering::Relaxed) => failed(&problem.to_string()),
            Ok(Err(problem)) => {
                shared.problems.note("trial match", &format!("{problem:#}"));
                failed("the server could not play it; its operator sees why")
            }
            Err(problem) => failed(&problem.to_string()),
        };
        tries.leave(id, state);
    }
}

/// Says why a trial match was not played. Lines after the first are output of a compiler.
fn failed(why: &str) -> TrialState {
    let (why, output) = why.split_once('\n').unwrap_or((why, ""));
    TrialState::Failed(why.trim_end_matches(':').to_owned(), output.to_owned())
}

fn play(
    shared: &Shared,
    tries: &Tries,
    pool: &Pool,
    id: i64,
    trial: &Trial,
    stop: &Arc<AtomicBool>,
) -> Result<TrialState> {
    let settings = trial.arena.settings();
    tries.set(id, TrialState::Building);
    let folder = shared.workshop.new_folder()?;
    // What plays is kept for this match only.
    let kept = shared.workshop.new_folder()?;
    let store = BlobStore::open(&kept.path())?;
    let Complete { files, manifest } = &trial.bot;
    let digest = match shared.workshop.make(&folder, files, manifest, &settings, stop) {
        Ok(bundle) => store.put(&bundle.to_bytes())?,
        Err(Failure::Bot { why, output }) => return Ok(TrialState::Failed(why, output)),
        Err(Failure::Server(problem)) => return Err(problem),
    };
    tries.set(id, TrialState::Playing);
    let seat = BlobSeat { digest, build: None, run: manifest.spec(), runtime: None };
    let host = host_options(&settings.matches, &shared.workshop.machine);
    let own = match unpacked("your bot", &seat, &store, &host) {
        Ok(own) => own,
        Err(error) => {
            let why = shown(&error.to_string(), &folder.path());
            return Ok(failed(&why));
        }
    };
    let boss = BotEntry::of(format!("builtin:{}", trial.opponent).parse()?)?;
    let mut bots = vec![Arc::new(own)];
    for number in 1..settings.players {
        let name = match settings.players {
            2 => boss.info.name.clone(),
            _ => format!("{} {number}", boss.info.name),
        };
        bots.push(Arc::new(boss.named(&name)));
    }
    let recording = Recording { replay: true, ..Recording::default() };
    let matches = MatchSettings { recording, ..settings.matches.clone() };
    let base = MatchSpec {
        max_turns: settings.max_turns,
        ..MatchSpec::new(settings.game, settings.rules.clone(), matches)
    };
    let seed = Seed(fresh_id().cast_unsigned());
    let mut client = pool.client(Arc::clone(stop));
    client.submit(Job::new(1, &base, seed, bots))?;
    let began = Instant::now();
    let finished = loop {
        let finished = client.wait_for(LOOK)?;
        // A client that is dropped ends its matches.
        ensure!(!stop.load(Ordering::Relaxed), "the trial match was stopped");
        if finished.is_some() || began.elapsed() > LONGEST {
            break finished;
        }
    };
    let Some(finished) = finished else {
        let seconds = LONGEST.as_secs();
        return Ok(failed(&format!("the match took longer than {seconds} s and was given up")));
    };
    let outcome = match finished.outcome {
        Ok(outcome) => outcome,
        Err(error) => {
            let why = shown(&error.to_string(), &folder.path());
            return Ok(failed(&shown(&why, &kept.path())));
        }
    };
    let replay = finished.replay.context("a replay was wanted")?;
    let stderr = stderr(&replay);
    Ok(TrialState::Over(Arc::new(TrialResult { outcome, replay, stderr })))
}

/// Returns what the bot in the first seat wrote to stderr.
fn stderr(replay: &[u8]) -> String {
    let diagnosis = Replay::open(replay).ok().and_then(|replay| replay.diagnosis().ok()?);
    let Some(diagnosis) = diagnosis else { return String::new() };
    let turns = diagnosis.of(agon_core::Player(0)).into_iter().flat_map(|bot| bot.stderr.turns());
    turns.map(|turn| turn.text.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_begins_so_many_trial_matches_and_no_more() {
        let mut list = List::default();
        // They are over at once, and not kept.
        assert!((0..RECENT_EACH).all(|_| list.may_begin(7)));
        assert!(!list.may_begin(7));
        assert!(list.may_begin(8), "others may go on");
        list.began.get_mut(&7).unwrap().pop_front();
        assert!(list.may_begin(7) && !list.may_begin(7));
    }
}
