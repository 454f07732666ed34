//! Trial matches of what is in the editor, against built-in bots. They count for nothing.
//!
//! They are played one after another on the cores that play no rated matches, and are forgotten
//! after an hour.

use std::{
    collections::{BTreeMap, VecDeque},
    num::NonZero,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use agon_arena::{BlobStore, BotEntry, Job, Pool, PoolOptions, host_options, unpacked};
use agon_core::Seed;
use agon_replay::Replay;
use agon_spec::{BlobSeat, MatchOutcome, MatchSettings, MatchSpec, Recording};
use anyhow::{Context, Result, ensure};
use tokio::{sync::Notify, task::spawn_blocking};

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
#[derive(Debug, Default)]
pub(crate) struct Tries {
    list: Mutex<List>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct List {
    tries: BTreeMap<i64, Trial>,
    /// Those that wait.
    waiting: VecDeque<i64>,
    /// When a person was served last.
    served: BTreeMap<i64, Instant>,
}

impl Trial {
    fn is_over(&self) -> bool {
        matches!(self.state, TrialState::Over(_) | TrialState::Failed(..))
    }
}

impl List {
    /// Returns whether another trial match of a person, with so many bytes of files, has no room.
    fn is_full(&self, owner: i64, bytes: u64) -> bool {
        let all: u64 = self.tries.values().map(|trial| trial.bot.files.bytes()).sum();
        let own = self.tries.values().filter(|trial| trial.owner == owner).count();
        self.tries.len() >= KEPT || own >= KEPT_EACH || all + bytes > BYTES
    }

    /// Takes the next one that waits: of the person who was not served for longest.
    fn take(&mut self) -> Option<i64> {
        let served =
            |id: &&i64| self.tries.get(id).and_then(|trial| self.served.get(&trial.owner)).copied();
        let next = *self.waiting.iter().min_by_key(served)?;
        self.waiting.retain(|&id| id != next);
        self.served.retain(|_, at| at.elapsed() < LASTS);
        if let Some(trial) = self.tries.get(&next) {
            self.served.insert(trial.owner, Instant::now());
        }
        Some(next)
    }
}

impl Tries {
    fn lock(&self) -> MutexGuard<'_, List> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }

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
        let mut list = self.lock();
        list.tries.retain(|_, trial| trial.began.elapsed() < LASTS);
        let List { tries, waiting, .. } = &mut *list;
        waiting.retain(|id| tries.contains_key(id));
        let own_waiting = waiting.iter().filter(|id| tries[id].owner == owner).count();
        ensure!(own_waiting < WAITING_EACH, "wait for your other trial matches first");
        let recent = tries.values().filter(|trial| trial.owner == owner);
        let recent = recent.filter(|trial| trial.began.elapsed() < RECENT).count();
        ensure!(recent < RECENT_EACH, "you have tried often; wait some minutes");
        // Only those that are over make room: the own ones first.
        while list.is_full(owner, bot.files.bytes()) {
            let over = list.tries.iter().filter(|(_, trial)| trial.is_over());
            let oldest = over.min_by_key(|(_, trial)| (trial.owner != owner, trial.began));
            let Some(oldest) = oldest.map(|(&id, _)| id) else {
                anyhow::bail!("too many trial matches wait; try again in a minute");
            };
            list.tries.remove(&oldest);
        }
        let id = fresh_id();
        let state = TrialState::Waiting;
        let began = Instant::now();
        let trial = Trial { arena, owner, bot, language, message, opponent, state, began };
        list.tries.insert(id, trial);
        list.waiting.push_back(id);
        self.changed.notify_one();
        Ok(id)
    }

    /// Forgets the trial matches of a person.
    pub(crate) fn forget(&self, owner: i64) {
        let mut list = self.lock();
        let List { tries, waiting, served } = &mut *list;
        tries.retain(|_, trial| trial.owner != owner);
        waiting.retain(|id| tries.contains_key(id));
        served.remove(&owner);
    }

    /// Returns a trial match.
    pub(crate) fn get(&self, id: i64) -> Option<Trial> {
        self.lock().tries.get(&id).cloned()
    }

    /// Returns how many are before this one.
    pub(crate) fn before(&self, id: i64) -> usize {
        self.lock().waiting.iter().position(|&other| other == id).unwrap_or(0)
    }

    fn set(&self, id: i64, state: TrialState) {
        if let Some(trial) = self.lock().tries.get_mut(&id) {
            trial.state = state;
        }
    }

    fn next(&self) -> Option<i64> {
        self.lock().take()
    }
}

/// How many trial matches are played at a time.
pub(crate) const AT_A_TIME: usize = 2;

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

/// Plays trial matches until the program ends; there are [`AT_A_TIME`] of these tasks.
pub(crate) async fn run(shared: Shared, tries: Arc<Tries>, pool: Pool) {
    loop {
        let Some(id) = tries.next() else {
            tokio::select! {
                () = tries.changed.notified() => continue,
                () = shared.ended() => return,
            }
        };
        // Perhaps more wait.
        tries.changed.notify_one();
        let Some(trial) = tries.get(id) else { continue };
        let (inner, list, pool) = (shared.clone(), Arc::clone(&tries), pool.clone());
        let played = spawn_blocking(move || play(&inner, &list, &pool, id, &trial)).await;
        let state = match played {
            Ok(Ok(state)) => state,
            Ok(Err(problem)) => {
                shared.problems.note("trial match", &format!("{problem:#}"));
                failed("the server could not play it; its operator sees why")
            }
            Err(problem) => failed(&problem.to_string()),
        };
        tries.set(id, state);
    }
}

/// Says why a trial match was not played. Lines after the first are output of a compiler.
fn failed(why: &str) -> TrialState {
    let (why, output) = why.split_once('\n').unwrap_or((why, ""));
    TrialState::Failed(why.trim_end_matches(':').to_owned(), output.to_owned())
}

fn play(shared: &Shared, tries: &Tries, pool: &Pool, id: i64, trial: &Trial) -> Result<TrialState> {
    let settings = trial.arena.settings();
    tries.set(id, TrialState::Building);
    let folder = shared.workshop.new_folder()?;
    // What plays is kept for this match only.
    let kept = shared.workshop.new_folder()?;
    let store = BlobStore::open(&kept.path())?;
    let Complete { files, manifest } = &trial.bot;
    let made = shared.workshop.make(&folder, files, manifest, &settings)?;
    let digest = match made {
        Ok(bundle) => store.put(&bundle.to_bytes())?,
        Err(refusal) => return Ok(TrialState::Failed(refusal.why, refusal.output)),
    };
    tries.set(id, TrialState::Playing);
    let seat = BlobSeat { digest, build: None, run: manifest.spec(), runtime: None };
    let host = host_options(&settings.matches, &shared.workshop.machine);
    let own = match unpacked("your bot", &seat, &store, &host) {
        Ok(own) => own,
        Err(error) => {
            let why = crate::intake::build::shown(&error.to_string(), &folder.path());
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
        ..MatchSpec::with_rules(settings.game, settings.rules.clone(), matches)
    };
    let seed = Seed(fresh_id().cast_unsigned());
    let mut client = pool.client(Arc::default());
    client.submit(Job::new(1, &base, seed, bots))?;
    let Some(finished) = client.wait_for(LONGEST) else {
        let seconds = LONGEST.as_secs();
        return Ok(failed(&format!("the match took longer than {seconds} s and was given up")));
    };
    let outcome = match finished.outcome {
        Ok(outcome) => outcome,
        Err(error) => {
            let why = crate::intake::build::shown(&error.to_string(), &folder.path());
            return Ok(failed(&crate::intake::build::shown(&why, &kept.path())));
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
