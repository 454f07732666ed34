//! Many matches side by side.

use std::{
    collections::BTreeMap,
    num::NonZero,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use agon_bots::{BotSpec, HostedGame};
use agon_core::Seed;
use agon_games::{cellhack::Cellhack, cluster::Cluster};
use agon_match::Control;
use agon_replay::Replay;
use agon_runner::{BotEntry, End, Finished, Job, JobSource, RunError, Runner, RunnerOptions};

/// So many matches of the same bots, each once.
#[derive(Default)]
struct Series {
    bots: Vec<Arc<BotEntry>>,
    matches: u64,
    record: bool,
    begun: u64,
    over: BTreeMap<u64, Finished>,
    /// Ends after so many.
    enough: Option<usize>,
    /// Set after so many.
    interrupt: Option<(usize, Arc<AtomicBool>)>,
}

impl JobSource for Series {
    type Error = RunError;

    fn next(&mut self) -> Result<Option<Job>, RunError> {
        let ticket = self.begun;
        self.begun = (ticket + 1).min(self.matches);
        let job = Job { ticket, seed: Seed(ticket), seats: self.bots.clone(), record: self.record };
        Ok((ticket < self.matches).then_some(job))
    }

    fn over(&mut self, finished: Finished) -> Result<Control, RunError> {
        assert!(self.over.insert(finished.ticket, finished).is_none(), "each match is over once");
        if let Some((count, stop)) = &self.interrupt
            && self.over.len() == *count
        {
            stop.store(true, Ordering::Relaxed);
        }
        let enough = self.enough.is_some_and(|enough| self.over.len() >= enough);
        Ok(if enough { Control::Stop } else { Control::Continue })
    }
}

fn series(bots: &[&str], matches: u64) -> Series {
    let specs = bots.iter().map(|text| text.parse::<BotSpec>().expect("names a bot"));
    let bots = specs.map(|spec| BotEntry::of(spec).expect("built-in bots have no files")).collect();
    Series { bots, matches, ..Series::default() }
}

fn runner<G: HostedGame>(jobs: usize) -> Runner<G> {
    let jobs = NonZero::new(jobs);
    Runner::new(G::Rules::default(), RunnerOptions { jobs, ..RunnerOptions::default() })
}

fn go(runner: &Runner<Cluster>, series: &mut Series) -> Result<End, RunError> {
    runner.run(series, &AtomicBool::new(false))
}

#[test]
fn results_do_not_depend_on_how_many_are_played_at_a_time() {
    let play = |jobs| {
        let mut series = series(&["builtin:greedy", "builtin:random"], 40);
        series.record = true;
        assert_eq!(go(&runner(jobs), &mut series).unwrap(), End::Done);
        let over = series.over.into_values();
        over.map(|one| (one.ticket, one.result, one.replay.unwrap())).collect::<Vec<_>>()
    };
    let alone = play(1);
    assert_eq!(alone.len(), 40);
    assert_eq!(play(5), alone);
    let replay = Replay::open(alone[7].2.clone()).unwrap();
    assert_eq!(replay.header().seed, Seed(7));
}

#[test]
fn there_are_never_more_threads_than_matches() {
    /// Knows the names of all threads that there were when a match was over.
    struct Watcher(Series, Vec<String>);

    impl JobSource for Watcher {
        type Error = RunError;

        fn next(&mut self) -> Result<Option<Job>, RunError> {
            self.0.next()
        }

        fn over(&mut self, finished: Finished) -> Result<Control, RunError> {
            let tasks = std::fs::read_dir("/proc/self/task").unwrap();
            let name = |task: std::io::Result<std::fs::DirEntry>| {
                std::fs::read_to_string(task.ok()?.path().join("comm")).ok()
            };
            self.1.extend(tasks.filter_map(name).map(|name| name.trim().to_owned()));
            self.0.over(finished)
        }
    }

    let mut watcher = Watcher(series(&["builtin:greedy", "builtin:random"], 40), Vec::new());
    let end = runner::<Cluster>(4096).run(&mut watcher, &AtomicBool::new(false)).unwrap();
    assert_eq!((end, watcher.0.over.len()), (End::Done, 40));
    assert!(watcher.1.contains(&"match 39".to_owned()), "{:?}", watcher.1);
    assert!(!watcher.1.contains(&"match 40".to_owned()), "{:?}", watcher.1);
}

#[test]
fn an_interrupted_run_plays_what_has_begun_to_its_end() {
    let stop = Arc::new(AtomicBool::new(false));
    let mut series = series(&["builtin:greedy", "builtin:random"], 1_000_000);
    series.interrupt = Some((10, Arc::clone(&stop)));
    assert_eq!(runner::<Cluster>(3).run(&mut series, &stop).unwrap(), End::Interrupted);
    // Besides the matches that the job source knew of: those that three workers were playing, and
    // one that each had finished before.
    assert!((10..10 + 2 * 3).contains(&series.over.len()), "{}", series.over.len());
}

#[test]
fn a_job_source_that_has_enough_waits_for_nobody() {
    let mut series = series(&["builtin:swarm", "builtin:hunter"], 1_000_000);
    series.enough = Some(1);
    let runner = runner::<Cellhack>(4);
    assert_eq!(runner.run(&mut series, &AtomicBool::new(false)).unwrap(), End::Stopped);
    assert_eq!(series.over.len(), 1);
}

#[test]
fn a_bot_that_cannot_be_opened_ends_the_run_with_its_name() {
    let mut series = series(&["builtin:greedy", "rosa=builtin:randem"], 100);
    let error = go(&runner(2), &mut series).unwrap_err().to_string();
    assert!(error.starts_with("rosa: ") && error.contains("random"), "{error}");
    let bots = series.bots.iter().map(|bot| &**bot);
    let errors = runner::<Cluster>(2).try_open(bots).unwrap_err();
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0].to_string(), error);
}

#[test]
fn settings_that_cannot_be_played_end_the_run() {
    let mut series = series(&["builtin:greedy"; 7], 100);
    assert!(matches!(go(&runner(2), &mut series), Err(RunError::Setup(_))));
}
