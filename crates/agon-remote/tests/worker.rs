//! A worker, event by event.

use agon_remote::fleet::{Held, Wanted, WorkerActions, WorkerState};

/// A worker with two slots.
struct Test {
    worker: WorkerState,
}

impl Test {
    fn new() -> Test {
        Test { worker: WorkerState::new(2, 300) }
    }

    /// Tells the worker something at a time, and returns what it does.
    fn tell(&mut self, now: u64, event: impl FnOnce(&mut WorkerState)) -> WorkerActions {
        event(&mut self.worker);
        self.worker.actions(now)
    }

    fn tick(&mut self, now: u64) -> WorkerActions {
        self.tell(now, |_| ())
    }

    fn arrived(&mut self, now: u64, number: u64, jobs: u32) -> WorkerActions {
        let held = Held { batch: number * 10, delivery: 1 };
        self.tell(now, |worker| worker.arrived(now, number, 0, held, jobs))
    }

    fn ready(&mut self, now: u64, number: u64) -> WorkerActions {
        self.tell(now, |worker| worker.ready(number))
    }

    fn over(&mut self, now: u64, number: u64, us: u64) -> WorkerActions {
        self.tell(now, |worker| worker.over(now, number, us))
    }

    fn reported(&mut self, now: u64, number: u64, results: u32) -> WorkerActions {
        self.tell(now, |worker| worker.reported(number, results))
    }

    /// Returns at which times the worker says that it lives.
    fn beats(&mut self, from: u64, until: u64) -> Vec<u64> {
        (from..until).step_by(100).filter(|now| self.tick(*now).beats).collect()
    }
}

#[test]
fn a_batch_is_acknowledged_once_its_results_are_there() {
    let mut test = Test::new();
    let actions = test.tick(10_000);
    let want = Some(Wanted { batches: 2, arrived: 0 });
    assert_eq!(actions, WorkerActions { want, beats: true, ..WorkerActions::default() });
    let actions = test.arrived(10_001, 1, 1);
    assert!(actions.beats && actions.prepare == [1], "{actions:?}");
    assert!(actions.play.is_empty(), "its bots are not there yet");
    assert_eq!(test.worker.held(0), [Held { batch: 10, delivery: 1 }]);
    assert!(test.worker.held(1).is_empty());
    assert_eq!(test.ready(10_002, 1).play, [(1, 0)]);
    let actions = test.over(10_050, 1, 40_000);
    assert!(actions.report == [1] && actions.acknowledge.is_empty(), "{actions:?}");
    assert_eq!(test.reported(10_060, 1, 1).acknowledge, [1]);
    assert!(test.worker.held(0).is_empty());
}

#[test]
fn results_of_a_long_batch_are_sent_meanwhile() {
    let mut test = Test::new();
    test.arrived(0, 1, 5);
    assert_eq!(test.ready(0, 1).play, [(1, 0), (1, 1)]);
    let actions = test.over(500, 1, 500_000);
    assert_eq!(actions.play, [(1, 2)]);
    assert!(actions.report.is_empty(), "others may follow soon");
    assert_eq!(test.tick(650).report, [1]);
    assert!(test.tick(810).report.is_empty(), "they are on their way");
}

#[test]
fn of_very_short_matches_many_are_given_out_at_once() {
    let mut test = Test::new();
    test.arrived(0, 1, 500);
    test.ready(0, 1);
    let actions = test.over(1, 1, 200);
    // 20 ms of matches of 0.2 ms for each of two slots.
    assert_eq!(actions.play.len(), 1 + 200);
    let want = Some(Wanted { batches: 1, arrived: 1 });
    assert_eq!(actions.want, want, "one more batch waits");
}

#[test]
fn a_worker_that_drains_plays_what_has_begun_and_gives_back_the_rest() {
    let mut test = Test::new();
    test.arrived(0, 1, 3);
    test.arrived(0, 2, 4);
    test.ready(0, 1);
    let actions = test.tell(10, WorkerState::drain);
    assert!(actions.give_back == [2] && !actions.ends, "{actions:?}");
    // What comes late goes back at once.
    assert_eq!(test.arrived(11, 3, 1).give_back, [3]);
    for _ in 0..2 {
        assert!(test.over(20, 1, 9_000).play.is_empty(), "no other match begins");
    }
    let actions = test.reported(30, 1, 2);
    assert!(actions.give_back == [1] && actions.ends, "{actions:?}");
    assert!(!test.tick(40).ends, "once");
}

#[test]
fn an_unplayable_batch_is_reported_and_not_played() {
    let mut test = Test::new();
    test.arrived(0, 1, 2);
    let actions = test.tell(1, |worker| worker.unplayable(1, 1));
    assert!(actions.report == [1] && actions.play.is_empty(), "{actions:?}");
    assert_eq!(test.reported(2, 1, 2).acknowledge, [1]);
}

#[test]
fn a_worker_without_matches_says_less_often_that_it_lives() {
    let mut test = Test::new();
    assert_eq!(test.beats(0, 30_000), [4_000, 19_000]);
    assert!(test.arrived(30_000, 1, 1).beats, "who has a batch is known at once");
    test.ready(30_000, 1);
    assert_eq!(test.beats(30_100, 43_000), [34_000, 38_000, 42_000]);
    assert_eq!(test.tick(46_000).progress, [1]);
    test.over(46_100, 1, 16_000_000);
    test.reported(46_200, 1, 1);
    // Once more soon, so that everybody knows that it has nothing.
    assert_eq!(test.beats(46_300, 66_000), [50_000, 65_000]);
}

#[test]
fn a_worker_answers_roll_calls_but_not_all_of_a_flood() {
    let mut test = Test::new();
    test.tick(10_000);
    test.tell(15_000, |worker| worker.roll_call(15_000));
    assert_eq!(test.beats(15_000, 16_000), [15_300]);
    let answers = |now: &u64| test.tell(*now, |worker| worker.roll_call(*now)).beats;
    assert_eq!((15_400..25_400).filter(answers).count(), 4);
}
