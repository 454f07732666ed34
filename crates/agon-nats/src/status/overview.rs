//! Workers and runs at a server, for people: what they say about themselves, put together.

use std::collections::BTreeMap;

use agon_core::text::name::cut;
use agon_remote::fleet::message::{Lately, RunMessage, WorkerMessage};
use agon_remote::fleet::{Lane, Limits, Status};
use serde::Serialize;

/// The most workers that are followed.
const MOST_WORKERS: usize = 20_000;

/// The most runs that are followed.
const MOST_RUNS: usize = 1_000;

/// A match that plays for longer than this, in milliseconds, may be a straggler.
const STRAGGLER_MIN_MS: u64 = 10_000;

/// It is one if it also takes so many times as long as recent matches.
const STRAGGLER_FACTOR: u64 = 10;

/// The most bytes of a name that is kept.
const MOST_NAME: usize = 200;

/// What workers and coordinators have said lately. Only what is shown is kept.
#[derive(Clone, Debug, Default)]
pub(super) struct Overview {
    workers: BTreeMap<String, Heard<(WorkerView, Lately)>>,
    runs: BTreeMap<String, Heard<RunView>>,
    /// When those that are silent are looked for again.
    next: u64,
    /// What workers have played that have gone.
    gone: Totals,
}

#[derive(Clone, Debug)]
struct Heard<T> {
    /// Forgotten after this time.
    until: u64,
    view: T,
}

/// How everything stands at a moment.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Snapshot {
    pub(super) total: Totals,
    /// The runs, the most urgent first.
    pub(super) runs: Vec<RunView>,
    /// The workers, by name.
    pub(super) workers: Vec<WorkerView>,
}

/// All workers and runs together.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct Totals {
    /// Workers that live.
    pub(super) workers: u64,
    /// Their slots.
    pub(super) slots: u64,
    /// Matches that they play now.
    pub(super) playing: u64,
    /// Matches that no worker has yet.
    pub(super) waiting: u64,
    /// Matches played within a second, lately.
    pub(super) per_second: f64,
    /// Matches played since these workers started; also by workers that have gone since this
    /// overview began.
    pub(super) played: u64,
    /// Attempts of them that were void.
    pub(super) void: u64,
    /// Matches in which a bot committed a fault.
    pub(super) faults: u64,
    /// Matches that a worker could not play.
    pub(super) refused: u64,
    /// Workers with a match that takes far longer than usual.
    pub(super) stragglers: u64,
}

impl Totals {
    /// Adds what a worker has played.
    fn add(&mut self, worker: &WorkerView) {
        self.played = self.played.saturating_add(worker.played);
        self.void = self.void.saturating_add(worker.void);
        self.faults = self.faults.saturating_add(worker.faults);
        self.refused = self.refused.saturating_add(worker.refused);
    }
}

/// A run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct RunView {
    pub(super) run: String,
    /// What people call it.
    pub(super) title: String,
    pub(super) lane: Lane,
    /// Matches that no worker has yet.
    pub(super) waiting: u64,
    /// For how long the first of them waits, in milliseconds.
    pub(super) oldest_ms: u64,
    /// Matches that workers have.
    pub(super) at_workers: u64,
    /// Matches that are over.
    pub(super) over: u64,
    /// Batches whose worker was lost.
    pub(super) lost: u64,
    /// Batches that the server has forgotten.
    pub(super) forgotten: u64,
}

/// A worker.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct WorkerView {
    pub(super) worker: String,
    /// What its owner calls it.
    pub(super) label: String,
    /// The version of its Agon.
    pub(super) agon: String,
    /// The model of its processor.
    pub(super) processor: String,
    /// How much one of its cores computes.
    pub(super) speed: u32,
    /// Since when it lives, in milliseconds since 1970.
    pub(super) since_ms: u64,
    /// When its credentials expire, in seconds since 1970; 0 if they do not.
    pub(super) expires: u64,
    /// How many matches it plays at a time.
    pub(super) slots: u32,
    /// How many it plays now.
    pub(super) playing: u32,
    /// Whether it takes no more.
    pub(super) is_draining: bool,
    /// Matches that it plays within a second, lately.
    pub(super) per_second: f64,
    /// Matches that it has played.
    pub(super) played: u64,
    /// Attempts of them that were void.
    pub(super) void: u64,
    /// Matches in which a bot committed a fault.
    pub(super) faults: u64,
    /// Matches that it could not play.
    pub(super) refused: u64,
    /// For how long the match plays that began first, in milliseconds.
    pub(super) longest_ms: u64,
    /// Whether that is far longer than matches took lately.
    pub(super) is_straggler: bool,
}

impl Overview {
    /// Hears what a worker says, at a time in milliseconds that never goes back.
    pub(super) fn hear_worker(&mut self, now: u64, message: WorkerMessage) {
        self.forget_sometimes(now);
        let name = cut(&message.worker, MOST_NAME).to_owned();
        if self.workers.len() < MOST_WORKERS || self.workers.contains_key(&name) {
            let until = now + Limits::default().silence_of(message.held.is_empty());
            let view = (WorkerView::of(&message), message.lately);
            self.workers.insert(name, Heard { until, view });
        }
    }

    /// Hears what a coordinator says.
    pub(super) fn hear_run(&mut self, now: u64, message: &RunMessage) {
        self.forget_sometimes(now);
        let view = RunView::of(message);
        if self.runs.len() < MOST_RUNS || self.runs.contains_key(&view.run) {
            let until = now + Limits::default().silence;
            self.runs.insert(view.run.clone(), Heard { until, view });
        }
    }

    /// Forgets them from time to time, even if nobody ever asks how everything stands.
    fn forget_sometimes(&mut self, now: u64) {
        if now >= self.next {
            self.forget(now);
        }
    }

    /// Forgets those that have said nothing for long.
    fn forget(&mut self, now: u64) {
        self.next = now + Limits::default().silence / 8;
        for gone in self.workers.extract_if(.., |_, heard| heard.until < now) {
            self.gone.add(&gone.1.view.0);
        }
        self.runs.retain(|_, heard| heard.until >= now);
    }

    /// Returns how everything stands.
    pub(super) fn snapshot(&mut self, now: u64) -> Snapshot {
        self.forget(now);
        // How long recent matches took, in milliseconds; 0 if none was over.
        let (mut busy, mut played) = (0_u64, 0_u64);
        for Lately { busy_ms, played: matches, .. } in self.workers.values().map(|of| of.view.1) {
            busy = busy.saturating_add(busy_ms);
            played += u64::from(matches);
        }
        let recent = busy.checked_div(played).unwrap_or(0);
        let long = STRAGGLER_MIN_MS.max(recent.saturating_mul(STRAGGLER_FACTOR));
        let mut total = self.gone.clone();
        let mut workers = Vec::with_capacity(self.workers.len());
        for Heard { view: (worker, _), .. } in self.workers.values() {
            let is_straggler = worker.longest_ms > long;
            total.add(worker);
            total.workers += 1;
            total.slots += u64::from(worker.slots);
            total.playing += u64::from(worker.playing);
            total.per_second += worker.per_second;
            total.stragglers += u64::from(is_straggler);
            workers.push(WorkerView { is_straggler, ..worker.clone() });
        }
        let mut runs: Vec<RunView> = self.runs.values().map(|heard| heard.view.clone()).collect();
        runs.sort_by(|one, other| (one.lane, &one.run).cmp(&(other.lane, &other.run)));
        total.waiting = runs.iter().map(|run| run.waiting).sum();
        Snapshot { total, runs, workers }
    }
}

impl WorkerView {
    pub(super) fn of(worker: &WorkerMessage) -> WorkerView {
        let short = |text: &str| cut(text, MOST_NAME).to_owned();
        let Lately { ms, played, .. } = worker.lately;
        WorkerView {
            worker: short(&worker.worker),
            label: short(&worker.label),
            agon: short(&worker.agon),
            processor: short(&worker.abilities.processor),
            speed: worker.abilities.speed,
            since_ms: worker.since,
            expires: worker.expires,
            slots: worker.slots.min(4096),
            playing: worker.playing.min(4096),
            is_draining: worker.is_draining,
            per_second: if ms == 0 { 0.0 } else { f64::from(played) * 1000.0 / f64::from(ms) },
            played: worker.played,
            void: worker.void,
            faults: worker.faults,
            refused: worker.lacking,
            longest_ms: worker.longest,
            is_straggler: false,
        }
    }
}

impl RunView {
    pub(super) fn of(run: &RunMessage) -> RunView {
        let Status { waiting, carried, taken, over, lost, forgotten, .. } = run.status;
        RunView {
            run: cut(&run.run, MOST_NAME).to_owned(),
            title: cut(&run.title, MOST_NAME).to_owned(),
            lane: run.lane,
            waiting: waiting.saturating_add(carried.saturating_sub(taken)),
            oldest_ms: run.oldest,
            at_workers: taken,
            over,
            lost,
            forgotten,
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use agon_remote::fleet::{Abilities, VERSION};

    use super::*;

    /// A worker that plays two of its slots, and has played matches of 200 ms.
    pub(in super::super) fn worker(name: &str, played: u64, longest: u64) -> WorkerMessage {
        WorkerMessage {
            playing: 1,
            played,
            void: 1,
            faults: 2,
            lately: Lately { ms: 2000, played: 10, busy_ms: 2000 },
            longest,
            held: [("a".to_owned(), Vec::new())].into(),
            ..WorkerMessage::new(name, 2, Abilities::default())
        }
    }

    pub(in super::super) fn run(name: &str, lane: Lane) -> RunMessage {
        let status = Status { waiting: 5, carried: 7, taken: 3, over: 9, ..Status::default() };
        let (version, run, title) = (VERSION, name.to_owned(), name.to_owned());
        RunMessage { version, run, title, lane, status, oldest: 1_500 }
    }

    #[test]
    fn everything_is_put_together() {
        let mut overview = Overview::default();
        overview.hear_worker(0, worker("ada", 100, 50));
        overview.hear_worker(0, worker("bob", 10, 0));
        overview.hear_run(0, &run("b", Lane::Background));
        overview.hear_run(0, &run("a", Lane::Urgent));
        let Snapshot { total, runs, workers } = overview.snapshot(1000);
        let counts = (total.workers, total.slots, total.playing, total.played, total.void);
        assert_eq!(counts, (2, 4, 2, 110, 2));
        assert_eq!((total.waiting, total.per_second, total.faults), (18, 10.0, 4));
        assert_eq!((runs[0].run.as_str(), runs[0].waiting, runs[0].at_workers), ("a", 9, 3));
        assert_eq!((workers[0].per_second, total.stragglers), (5.0, 0));
        assert_eq!(Overview::default().snapshot(5).total, Totals::default());
    }

    #[test]
    fn those_that_are_silent_are_forgotten_but_their_matches_count() {
        let mut overview = Overview::default();
        overview.hear_worker(0, worker("ada", 100, 0));
        overview.hear_worker(9_000, worker(&"b".repeat(5_000), 1, 0));
        // Without matches it says less often that it lives.
        let idle = WorkerMessage { held: BTreeMap::new(), ..worker("idle", 7, 0) };
        overview.hear_worker(0, idle);
        for number in 0..MOST_RUNS + 5 {
            overview.hear_run(0, &run(&number.to_string(), Lane::Normal));
        }
        assert_eq!(overview.snapshot(0).runs.len(), MOST_RUNS);
        let Snapshot { total, runs, workers } = overview.snapshot(20_000);
        assert_eq!((workers.len(), runs.len(), total.played), (2, 0, 108));
        assert_eq!(workers[0].worker.len(), MOST_NAME);
        // Once.
        assert_eq!(overview.snapshot(20_000).total.played, 108);
        // Nobody has asked, and the silent ones are gone all the same.
        overview.hear_worker(60_000, worker("eve", 1, 0));
        assert_eq!(overview.workers.len(), 1);
    }

    #[test]
    fn a_match_that_takes_far_longer_than_others_is_shown() {
        let mut overview = Overview::default();
        overview.hear_worker(0, worker("ada", 100, 10_001));
        overview.hear_worker(0, worker("bob", 100, 9_999));
        let shown = overview.snapshot(0);
        let which: Vec<bool> = shown.workers.iter().map(|worker| worker.is_straggler).collect();
        assert_eq!((which, shown.total.stragglers), (vec![true, false], 1));
        // Where all matches are long, none is; where none has ended, those are that take very long.
        for (played, expected) in [(1, 0), (0, 1)] {
            let lately = Lately { ms: 60_000, played, busy_ms: 50_000 * u64::from(played) };
            let mut overview = Overview::default();
            overview.hear_worker(0, WorkerMessage { lately, ..worker("ada", 1, 59_000) });
            assert_eq!(overview.snapshot(0).total.stragglers, expected);
        }
    }
}
