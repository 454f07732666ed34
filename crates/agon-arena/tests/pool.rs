//! Tests of a pool: many matches side by side, of several games and clients.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use std::{collections::BTreeMap, num::NonZero, sync::Arc};

use agon_arena::{
    ArenaError, BotEntry, CoreLease, End, Finished, JobSource, MatchQueue, Next, Pool, PoolOptions,
    try_open,
};
use agon_bots::{BotSpec, HostOptions};
use agon_core::Seed;
use agon_games::GameId;
use agon_match::spec::{Digest, MatchOutcome, MatchSettings, MatchSpec, Recording};
use agon_match::{Control, MatchResult, replay::Replay};

use serde_json::Value;

use super::job_series::JobSeries;

type Outcome = (MatchOutcome, Option<Vec<u8>>);

/// Matches of the same bots, each once, with their outcomes.
struct Series {
    jobs: JobSeries,
    over: BTreeMap<u64, Outcome>,
    failed: Vec<String>,
    /// Ends after this many.
    enough: Option<usize>,
    /// Set after this many.
    interrupt: Option<(usize, Arc<AtomicBool>)>,
    /// Whether a match that cannot be played is taken down instead of ending the run.
    survives: bool,
}

impl JobSource for Series {
    type Error = ArenaError;

    fn next(&mut self) -> Result<Next, ArenaError> {
        self.jobs.next()
    }

    fn over(
        &mut self,
        ticket: u64,
        outcome: MatchOutcome,
        replay: Option<Vec<u8>>,
    ) -> Result<Control, ArenaError> {
        assert!(self.over.insert(ticket, (outcome, replay)).is_none(), "each is over once");
        if let Some((count, stop)) = &self.interrupt
            && self.over.len() == *count
        {
            stop.store(true, Ordering::Relaxed);
        }
        let enough = self.enough.is_some_and(|enough| self.over.len() >= enough);
        Ok(if enough { Control::Stop } else { Control::Continue })
    }

    fn failed(&mut self, ticket: u64, error: ArenaError) -> Result<Control, ArenaError> {
        if !self.survives {
            return Err(error);
        }
        self.failed.push(format!("{ticket}: {error}"));
        Ok(Control::Continue)
    }
}

fn base(game: GameId, rules: Value) -> MatchSpec {
    let recording = Recording { replay: true, ..Recording::default() };
    let settings = MatchSettings { recording, ..MatchSettings::default() };
    MatchSpec::new(game, rules, settings)
}

fn entries(bots: &[&str]) -> Vec<Arc<BotEntry>> {
    let specs = bots.iter().map(|text| text.parse::<BotSpec>().expect("names a bot"));
    specs.map(|spec| BotEntry::of(spec).expect("built-in bots have no files")).collect()
}

fn jobs(bots: &[&str], matches: u64) -> JobSeries {
    let base = base(GameId::Cluster, GameId::Cluster.kind().default_rules());
    JobSeries::new(base, entries(bots), matches)
}

fn series(bots: &[&str], matches: u64) -> Series {
    Series {
        jobs: jobs(bots, matches),
        over: BTreeMap::new(),
        failed: Vec::new(),
        enough: None,
        interrupt: None,
        survives: false,
    }
}

fn pool(workers: usize) -> Pool {
    Pool::new(PoolOptions { workers: NonZero::new(workers), ..PoolOptions::default() })
}

fn go(pool: &Pool, series: &mut Series) -> Result<End, ArenaError> {
    pool.client(Arc::default()).run(series)
}

/// Results with replays, in order of tickets; without the time, which differs.
fn results(series: Series) -> Vec<(MatchResult, Option<Vec<u8>>)> {
    series.over.into_values().map(|(outcome, replay)| (outcome.result, replay)).collect()
}

#[test]
fn results_do_not_depend_on_how_many_are_played_at_a_time() {
    let play = |workers| {
        let mut series = series(&["builtin:greedy", "builtin:random"], 40);
        assert_eq!(go(&pool(workers), &mut series).unwrap(), End::Done);
        for (outcome, replay) in series.over.values() {
            assert_eq!(outcome.replay, replay.as_deref().map(Digest::of));
        }
        results(series)
    };
    let alone = play(1);
    assert_eq!(alone.len(), 40);
    assert_eq!(play(5), alone);
    let replay = Replay::open(alone[7].1.clone().unwrap()).unwrap();
    assert_eq!(replay.header().seed, Seed(7));
}

#[test]
fn clients_of_several_games_share_a_pool_that_lives_on() {
    let pool = pool(3);
    let small = |game: GameId| -> Series {
        let kind = game.kind();
        let tiny = kind.read_rules(kind.trials().tiny).unwrap();
        let base = base(game, tiny);
        let bot = format!("builtin:{}", kind.builtins()[0].name);
        let other = format!("other={bot}");
        let mut series = series(&[&bot, &other], 12);
        series.jobs.base = base;
        series
    };
    let alone: Vec<_> = GameId::OWN
        .map(|game| {
            let mut series = small(game);
            assert_eq!(go(&self::pool(1), &mut series).unwrap(), End::Done);
            results(series)
        })
        .into();
    std::thread::scope(|scope| {
        for (game, alone) in GameId::OWN.into_iter().zip(&alone) {
            let pool = &pool;
            scope.spawn(move || {
                // Twice each: a pool is used again.
                for _ in 0..2 {
                    let mut series = small(game);
                    assert_eq!(go(pool, &mut series).unwrap(), End::Done);
                    assert!(results(series) == *alone, "{game:?}");
                }
            });
        }
    });
}

#[test]
fn matches_can_be_submitted_at_any_time() {
    let pool = pool(2);
    let mut client = pool.client(Arc::default());
    assert!(client.wait().unwrap().is_none(), "nothing to wait for");
    let jobs = jobs(&["builtin:greedy", "builtin:random"], 0);
    let mut seen = Vec::new();
    for round in 0..3 {
        for ticket in [2 * round, 2 * round + 1] {
            client.submit(jobs.job(ticket)).unwrap();
        }
        assert_eq!(client.open(), 2);
        while let Some(Finished { ticket, outcome, .. }) = client.wait().unwrap() {
            assert_eq!(outcome.unwrap().result.seed, Seed(ticket));
            seen.push(ticket);
        }
        assert_eq!(client.open(), 0);
    }
    seen.sort_unstable();
    assert_eq!(seen, [0, 1, 2, 3, 4, 5]);
    // A ticket names one open match.
    let job = jobs.job(7);
    client.submit(job.clone()).unwrap();
    let error = client.submit(job).unwrap_err().to_string();
    assert_eq!(error, "job 7 is there already");
    assert!(client.wait().unwrap().is_some() && client.wait().unwrap().is_none());
}

#[test]
fn a_source_that_waits_for_something_else_is_not_done() {
    /// One match, and then the other side is waited for.
    struct Waiting(Series);

    impl JobSource for Waiting {
        type Error = ArenaError;

        fn next(&mut self) -> Result<Next, ArenaError> {
            Ok(match self.0.next()? {
                Next::Done => Next::Wait,
                next => next,
            })
        }

        fn over(
            &mut self,
            ticket: u64,
            outcome: MatchOutcome,
            replay: Option<Vec<u8>>,
        ) -> Result<Control, ArenaError> {
            self.0.over(ticket, outcome, replay)
        }
    }

    let mut source = Waiting(series(&["builtin:greedy", "builtin:random"], 3));
    let end = pool(2).client(Arc::default()).run(&mut source).unwrap();
    assert_eq!((end, source.0.over.len()), (End::Waiting, 3));
}

/// Set in a process whose threads need more memory than any address space has.
const NO_THREADS: &str = "AGON_TEST_NO_THREADS";

/// The exit status of a process that has checked what happens without threads.
const CHECKED: i32 = 47;

#[test]
fn a_match_without_a_thread_is_not_taken() {
    if std::env::var_os(NO_THREADS).is_some() {
        submit_without_threads();
        std::process::exit(CHECKED);
    }
    let test = agon_testkit::full_name(module_path!(), "a_match_without_a_thread_is_not_taken");
    let mut child = agon_testkit::this_program()
        .args([&*test, "--exact", "--nocapture", "--test-threads=1"])
        .env(NO_THREADS, "1")
        .env("RUST_MIN_STACK", (1_u64 << 60).to_string())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if begun.elapsed() > Duration::from_secs(60) {
            child.kill().unwrap();
            panic!("`wait` blocks though no match is open");
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    assert_eq!(status.code(), Some(CHECKED));
}

fn submit_without_threads() {
    let pool = pool(2);
    let mut client = pool.client(Arc::default());
    let jobs = jobs(&["builtin:greedy", "builtin:random"], 0);
    // Nothing is left of the first attempt, so the second one fails in the same way.
    for _ in 0..2 {
        let error = client.submit(jobs.job(7)).unwrap_err();
        assert!(matches!(error, ArenaError::Thread(_)), "{error}");
        assert_eq!(client.open(), 0);
        assert!(client.wait().unwrap().is_none());
    }
}

#[test]
fn there_are_never_more_threads_than_matches() {
    let pool = pool(4096);
    let mut client = pool.client(Arc::default());
    let jobs = jobs(&["builtin:greedy", "builtin:random"], 0);
    for ticket in 0..8 {
        client.submit(jobs.job(ticket)).unwrap();
    }
    let tasks = std::fs::read_dir("/proc/self/task").unwrap();
    let name = |task: std::io::Result<std::fs::DirEntry>| {
        std::fs::read_to_string(task.ok()?.path().join("comm")).ok()
    };
    let names: Vec<String> = tasks.filter_map(name).map(|name| name.trim().to_owned()).collect();
    // Other tests of this program have pools of at most five workers.
    assert!(!names.contains(&"match 8".to_owned()), "{names:?}");
    assert_eq!(std::iter::from_fn(|| client.wait().unwrap()).count(), 8);
}

#[test]
fn an_interrupted_run_plays_what_has_begun_to_its_end() {
    let stop = Arc::new(AtomicBool::new(false));
    let mut series = series(&["builtin:greedy", "builtin:random"], 1_000_000);
    series.interrupt = Some((10, Arc::clone(&stop)));
    assert_eq!(pool(3).client(stop).run(&mut series).unwrap(), End::Interrupted);
    // Besides the matches that the job source knew of: those that three workers were playing, and
    // one that each had finished before.
    assert!((10..10 + 2 * 3).contains(&series.over.len()), "{}", series.over.len());
}

#[test]
fn a_job_source_that_has_enough_waits_for_nobody() {
    let mut series = series(&["builtin:swarm", "builtin:hunter"], 1_000_000);
    series.jobs.base = base(GameId::Cellhack, GameId::Cellhack.kind().default_rules());
    series.enough = Some(1);
    assert_eq!(go(&pool(4), &mut series).unwrap(), End::Stopped);
    assert_eq!(series.over.len(), 1);
}

#[test]
fn a_dropped_client_gives_up_its_matches_alone() {
    let pool = pool(2);
    let mut long = jobs(&["builtin:swarm", "builtin:hunter"], 0);
    long.base = base(GameId::Cellhack, GameId::Cellhack.kind().default_rules());
    let mut given_up = pool.client(Arc::default());
    for ticket in 0..100 {
        given_up.submit(long.job(ticket)).unwrap();
    }
    let mut other = series(&["builtin:greedy", "builtin:random"], 5);
    // In turns: the other client need not wait for a hundred long matches.
    assert_eq!(go(&pool, &mut other).unwrap(), End::Done);
    assert!(given_up.open() > 50);
    drop(given_up);
    let mut other = series(&["builtin:greedy", "builtin:random"], 5);
    assert_eq!(go(&pool, &mut other).unwrap(), End::Done);
    assert_eq!(other.over.len(), 5);
}

#[test]
fn a_bot_that_cannot_be_opened_ends_the_run_with_its_name() {
    let mut series = series(&["builtin:greedy", "rosa=builtin:randem"], 100);
    let error = go(&pool(2), &mut series).unwrap_err().to_string();
    assert!(error.starts_with("rosa: ") && error.contains("random"), "{error}");
    let bots = series.jobs.bots.iter().map(|bot| &**bot);
    let errors = try_open(GameId::Cluster, bots, &HostOptions::default()).unwrap_err();
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0].to_string(), error);
}

#[test]
fn a_match_that_cannot_be_played_is_that_matchs_outcome() {
    let mut series = series(&["builtin:greedy"; 7], 3);
    assert!(matches!(go(&pool(2), &mut series), Err(ArenaError::Setup(_))));
    // A source that does not need the match continues.
    series.jobs.begun = 0;
    series.survives = true;
    assert_eq!(go(&pool(2), &mut series).unwrap(), End::Done);
    assert_eq!((series.over.len(), series.failed.len()), (0, 3));
    let mut broken = series;
    broken.jobs.base.rules_version += 1;
    broken.jobs.begun = 0;
    broken.failed.clear();
    assert_eq!(go(&pool(2), &mut broken).unwrap(), End::Done);
    assert!(broken.failed.iter().all(|error| error.contains("for version")), "{:?}", broken.failed);
}

#[test]
fn two_arenas_in_a_process_take_different_cores() {
    let cores = agon_match::pin::cores().unwrap();
    let leases: Vec<CoreLease> = cores.iter().filter_map(|_| CoreLease::take()).collect();
    assert_eq!(leases.len(), cores.len());
    let pools = [pool(1), pool(1)];
    std::thread::scope(|scope| {
        for pool in &pools {
            scope.spawn(|| {
                let mut series = series(&["builtin:greedy", "builtin:random"], 20);
                assert_eq!(go(pool, &mut series).unwrap(), End::Done);
                assert_eq!(series.over.len(), 20);
            });
        }
    });
}
