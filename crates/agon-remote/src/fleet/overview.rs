//! Workers and runs at a server, for people: what they say about themselves, put together.

use std::collections::BTreeMap;

use agon_text::{escape, name::cut, number::plural};
use serde::Serialize;

use crate::fleet::{
    Lane, Limits, Status,
    message::{Lately, RunMessage, WorkerMessage},
};

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

/// What workers and coordinators have said lately.
#[derive(Clone, Debug, Default)]
pub struct Overview {
    workers: BTreeMap<String, Heard<WorkerMessage>>,
    runs: BTreeMap<String, Heard<RunMessage>>,
    /// When those that are silent are looked for again.
    next: u64,
    /// Of workers that have gone.
    gone: Counts,
}

#[derive(Clone, Debug)]
struct Heard<T> {
    /// Forgotten after this time.
    until: u64,
    message: T,
}

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    played: u64,
    void: u64,
    faults: u64,
    lacking: u64,
}

impl Counts {
    fn add(&mut self, worker: &WorkerMessage) {
        self.played = self.played.saturating_add(worker.played);
        self.void = self.void.saturating_add(worker.void);
        self.faults = self.faults.saturating_add(worker.faults);
        self.lacking = self.lacking.saturating_add(worker.lacking);
    }
}

/// How everything stands at a moment.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Snapshot {
    /// All together.
    pub total: Totals,
    /// The runs, the most urgent first.
    pub runs: Vec<RunView>,
    /// The workers, by name.
    pub workers: Vec<WorkerView>,
}

/// All workers and runs together.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Totals {
    /// Workers that live.
    pub workers: u64,
    /// Their slots.
    pub slots: u64,
    /// Matches that they play now.
    pub playing: u64,
    /// Matches that no worker has yet.
    pub waiting: u64,
    /// Matches played within a second, lately.
    pub per_second: f64,
    /// Matches played since these workers started; also by workers that have gone since this
    /// overview began.
    pub played: u64,
    /// Attempts of them that were void.
    pub void: u64,
    /// Matches in which a bot committed a fault.
    pub faults: u64,
    /// Matches that a worker could not play.
    pub refused: u64,
    /// Workers with a match that takes far longer than usual.
    pub stragglers: u64,
}

/// A run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RunView {
    /// Its name.
    pub run: String,
    /// What people call it.
    pub title: String,
    /// Its lane.
    pub lane: Lane,
    /// Matches that no worker has yet.
    pub waiting: u64,
    /// For how long the first of them waits, in milliseconds.
    pub oldest_ms: u64,
    /// Matches that workers have.
    pub at_workers: u64,
    /// Matches that are over.
    pub over: u64,
    /// Batches whose worker was lost.
    pub lost: u64,
    /// Batches that the server has forgotten.
    pub forgotten: u64,
}

/// Credentials that expire within so many seconds are named.
const SOON: u64 = 14 * 24 * 3600;

/// The most bytes of a worker's name in a sentence.
const WIDTH: usize = 32;

/// Returns within how many days credentials expire, if it is soon. Times are in seconds since 1970;
/// 0 if they do not expire.
pub fn expire_soon(expires: u64, now: u64) -> Option<u64> {
    (expires > 0 && expires < now + SOON).then(|| expires.saturating_sub(now).div_ceil(24 * 3600))
}

/// Says whose credentials expire soon, with the remedy, of workers with the times at which theirs
/// expire; nothing if there are none.
pub fn expiring<'a>(workers: impl Iterator<Item = (&'a str, u64)>, now: u64) -> Option<String> {
    let mut ending: Vec<(u64, &str)> = workers
        .filter_map(|(worker, expires)| Some((expire_soon(expires, now)?, worker)))
        .collect();
    ending.sort_unstable();
    let &(days, first) = ending.first()?;
    let all = match ending.len() {
        1 => "the credentials of a worker expire".to_owned(),
        all => format!("the credentials of {all} workers expire"),
    };
    Some(format!(
        "{all} within 14 days, those of {} within {}: write new ones (`agon worker credential`)",
        cut(&escape(first), WIDTH),
        plural(days, "day"),
    ))
}

/// A worker.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WorkerView {
    /// Its name.
    pub worker: String,
    /// What its owner calls it.
    pub label: String,
    /// The version of its Agon.
    pub agon: String,
    /// The model of its processor.
    pub processor: String,
    /// How much one of its cores computes ([`Abilities::speed`](crate::fleet::Abilities::speed)).
    pub speed: u32,
    /// Since when it lives, in milliseconds since 1970.
    pub since_ms: u64,
    /// When its credentials expire, in seconds since 1970; 0 if they do not.
    pub expires: u64,
    /// How many matches it plays at a time.
    pub slots: u32,
    /// How many it plays now.
    pub playing: u32,
    /// Whether it takes no more.
    pub is_draining: bool,
    /// Matches that it plays within a second, lately.
    pub per_second: f64,
    /// Matches that it has played.
    pub played: u64,
    /// Attempts of them that were void.
    pub void: u64,
    /// Matches in which a bot committed a fault.
    pub faults: u64,
    /// Matches that it could not play.
    pub refused: u64,
    /// For how long the match plays that began first, in milliseconds.
    pub longest_ms: u64,
    /// Whether that is far longer than matches took lately.
    pub is_straggler: bool,
}

impl Overview {
    /// Hears what a worker says, at a time in milliseconds that never goes back.
    pub fn hear_worker(&mut self, now: u64, message: WorkerMessage) {
        self.forget_sometimes(now);
        // Only what is shown is kept, and no more of it than people read.
        let WorkerMessage { worker, label, agon, mut abilities, .. } = message;
        abilities.games.clear();
        abilities.programs.clear();
        abilities.processor = short(&abilities.processor);
        let name = short(&worker);
        let silence = Limits::default().silence_of(message.held.is_empty());
        let message = WorkerMessage {
            worker: name.clone(),
            label: short(&label),
            agon: short(&agon),
            abilities,
            held: BTreeMap::new(),
            returned: BTreeMap::new(),
            ..message
        };
        if self.workers.len() < MOST_WORKERS || self.workers.contains_key(&name) {
            self.workers.insert(name, Heard { until: now + silence, message });
        }
    }

    /// Hears what a coordinator says.
    pub fn hear_run(&mut self, now: u64, message: RunMessage) {
        self.forget_sometimes(now);
        let name = short(&message.run);
        let message = RunMessage { run: name.clone(), title: short(&message.title), ..message };
        if self.runs.len() < MOST_RUNS || self.runs.contains_key(&name) {
            let until = now + Limits::default().silence;
            self.runs.insert(name, Heard { until, message });
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
        let gone = &mut self.gone;
        self.workers.retain(|_, heard| {
            let lives = heard.until >= now;
            if !lives {
                gone.add(&heard.message);
            }
            lives
        });
        self.runs.retain(|_, heard| heard.until >= now);
    }

    /// Returns how everything stands.
    pub fn snapshot(&mut self, now: u64) -> Snapshot {
        self.forget(now);
        let recent = self.recent_ms();
        let workers = self.workers.values();
        let workers: Vec<WorkerView> =
            workers.map(|heard| WorkerView::of(&heard.message, recent)).collect();
        let mut runs: Vec<RunView> =
            self.runs.values().map(|heard| RunView::of(&heard.message)).collect();
        runs.sort_by(|one, other| (one.lane, &one.run).cmp(&(other.lane, &other.run)));
        let mut counts = self.gone;
        self.workers.values().for_each(|heard| counts.add(&heard.message));
        let total = Totals {
            workers: workers.len() as u64,
            slots: workers.iter().map(|worker| u64::from(worker.slots)).sum(),
            playing: workers.iter().map(|worker| u64::from(worker.playing)).sum(),
            waiting: runs.iter().map(|run| run.waiting).sum(),
            // The sum of nothing would be -0.
            per_second: workers.iter().fold(0.0, |sum, worker| sum + worker.per_second),
            played: counts.played,
            void: counts.void,
            faults: counts.faults,
            refused: counts.lacking,
            stragglers: workers.iter().filter(|worker| worker.is_straggler).count() as u64,
        };
        Snapshot { total, runs, workers }
    }

    /// Returns how long recent matches took, in milliseconds; 0 if none was over.
    fn recent_ms(&self) -> u64 {
        let lately = self.workers.values().map(|heard| heard.message.lately);
        let (mut busy, mut played) = (0_u64, 0_u64);
        for Lately { busy_ms, played: matches, .. } in lately {
            busy = busy.saturating_add(busy_ms);
            played += u64::from(matches);
        }
        busy.checked_div(played).unwrap_or(0)
    }
}

/// Returns the beginning of a name.
fn short(name: &str) -> String {
    cut(name, MOST_NAME).to_owned()
}

impl WorkerView {
    fn of(worker: &WorkerMessage, recent_ms: u64) -> WorkerView {
        let per_second = match worker.lately.ms {
            0 => 0.0,
            ms => f64::from(worker.lately.played) * 1000.0 / f64::from(ms),
        };
        let long = STRAGGLER_MIN_MS.max(recent_ms.saturating_mul(STRAGGLER_FACTOR));
        WorkerView {
            worker: worker.worker.clone(),
            label: worker.label.clone(),
            agon: worker.agon.clone(),
            processor: worker.abilities.processor.clone(),
            speed: worker.abilities.speed,
            since_ms: worker.since,
            expires: worker.expires,
            slots: worker.slots.min(4096),
            playing: worker.playing.min(4096),
            is_draining: worker.is_draining,
            per_second,
            played: worker.played,
            void: worker.void,
            faults: worker.faults,
            refused: worker.lacking,
            longest_ms: worker.longest,
            is_straggler: worker.longest > long,
        }
    }
}

impl RunView {
    fn of(run: &RunMessage) -> RunView {
        let Status { waiting, carried, taken, over, lost, forgotten, .. } = run.status;
        RunView {
            run: run.run.clone(),
            title: run.title.clone(),
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
mod tests {
    use super::*;
    use crate::fleet::{Abilities, VERSION};

    fn worker(name: &str, played: u64, longest: u64) -> WorkerMessage {
        WorkerMessage {
            version: VERSION,
            worker: name.to_owned(),
            label: name.to_owned(),
            agon: "1".to_owned(),
            slots: 2,
            playing: 1,
            played,
            void: 1,
            faults: 2,
            lacking: 0,
            lately: Lately { ms: 2000, played: 10, busy_ms: 2000 },
            longest,
            since: 0,
            expires: 0,
            is_draining: name == "draining",
            abilities: Abilities::default(),
            held: [("a".to_owned(), Vec::new())].into(),
            returned: BTreeMap::new(),
        }
    }

    fn run(name: &str, lane: Lane) -> RunMessage {
        let status = Status { waiting: 5, carried: 7, taken: 3, over: 9, ..Status::default() };
        let (version, run, title) = (VERSION, name.to_owned(), name.to_owned());
        RunMessage { version, run, title, lane, status, oldest: 400 }
    }

    #[test]
    fn everything_is_put_together() {
        let mut overview = Overview::default();
        overview.hear_worker(0, worker("ada", 100, 50));
        overview.hear_worker(0, worker("draining", 10, 0));
        overview.hear_run(0, run("b", Lane::Background));
        overview.hear_run(0, run("a", Lane::Urgent));
        let Snapshot { total, runs, workers } = overview.snapshot(1000);
        let counts = (total.workers, total.slots, total.playing, total.played, total.void);
        assert_eq!(counts, (2, 4, 2, 110, 2));
        assert_eq!((total.waiting, total.per_second, total.faults), (18, 10.0, 4));
        assert_eq!((runs[0].run.as_str(), runs[0].waiting, runs[0].at_workers), ("a", 9, 3));
        assert_eq!((workers[0].per_second, total.stragglers), (5.0, 0));
    }

    #[test]
    fn those_that_are_silent_are_forgotten_but_their_matches_count() {
        let mut overview = Overview::default();
        overview.hear_worker(0, worker("ada", 100, 0));
        overview.hear_worker(9_000, worker("bob", 1, 0));
        // Without matches it says less often that it lives.
        let idle = WorkerMessage { held: BTreeMap::new(), ..worker("idle", 7, 0) };
        overview.hear_worker(0, idle);
        overview.hear_run(0, run("a", Lane::Normal));
        let Snapshot { total, runs, workers } = overview.snapshot(20_000);
        assert_eq!((workers.len(), runs.len(), total.played), (2, 0, 108));
        // Once.
        assert_eq!(overview.snapshot(20_000).total.played, 108);
        assert!(overview.snapshot(48_000).workers.is_empty());
        assert_eq!(Overview::default().snapshot(5).total, Totals::default());
    }

    #[test]
    fn a_match_that_takes_far_longer_than_others_is_shown() {
        let mut overview = Overview::default();
        // A match takes 200 ms.
        overview.hear_worker(0, worker("ada", 100, 10_001));
        overview.hear_worker(0, worker("bob", 100, 9_999));
        let shown = overview.snapshot(0);
        let which: Vec<bool> = shown.workers.iter().map(|worker| worker.is_straggler).collect();
        assert_eq!((which, shown.total.stragglers), (vec![true, false], 1));
        // Where all matches are long, none is.
        let slow = Lately { ms: 60_000, played: 1, busy_ms: 50_000 };
        let mut overview = Overview::default();
        overview.hear_worker(0, WorkerMessage { lately: slow, ..worker("ada", 1, 59_000) });
        assert_eq!(overview.snapshot(0).total.stragglers, 0);
        // Where none has ended, those are that take very long.
        let none = Lately { ms: 60_000, ..Lately::default() };
        overview.hear_worker(0, WorkerMessage { lately: none, ..worker("ada", 0, 59_000) });
        assert_eq!(overview.snapshot(0).total.stragglers, 1);
    }

    #[test]
    fn only_what_is_shown_is_kept() {
        let mut overview = Overview::default();
        let mut long = worker(&"x".repeat(5_000), 1, 0);
        long.abilities.programs.insert("cc".to_owned());
        overview.hear_worker(0, long);
        let kept = &overview.workers.values().next().unwrap().message;
        assert!(kept.worker.len() == MOST_NAME && kept.held.is_empty());
        assert!(kept.abilities.programs.is_empty());
        // Nobody has asked, and the silent ones are gone all the same.
        overview.hear_worker(60_000, worker("ada", 1, 0));
        assert_eq!(overview.workers.len(), 1);
    }

    #[test]
    fn there_is_a_limit_of_those_that_are_followed() {
        let mut overview = Overview::default();
        for number in 0..MOST_RUNS + 5 {
            overview.hear_run(0, run(&number.to_string(), Lane::Normal));
        }
        assert_eq!(overview.snapshot(0).runs.len(), MOST_RUNS);
    }
}
