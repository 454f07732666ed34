//! A worker, event by event.

use agon_remote::fleet::{Held, WorkerCommand, WorkerEvent, WorkerLimits, WorkerState};

const LIMITS: WorkerLimits = WorkerLimits {
    slots: 2,
    gather: 100,
    short: 1_000,
    beat: 4_000,
    idle_beat: 15_000,
    answer: 300,
};

fn arrived(number: u64, jobs: u32) -> WorkerEvent {
    let held = Held { batch: number * 10, delivery: 1 };
    WorkerEvent::Arrived { number, run: 0, held, jobs }
}

fn over(number: u64, job: u32, us: u64) -> WorkerEvent {
    WorkerEvent::Over { number, job, us }
}

fn played(commands: &[WorkerCommand]) -> Vec<(u64, u32)> {
    let play = |command: &WorkerCommand| match command {
        WorkerCommand::Play { number, job } => Some((*number, *job)),
        _ => None,
    };
    commands.iter().filter_map(play).collect()
}

#[test]
fn a_batch_is_acknowledged_once_its_results_are_there() {
    let mut worker = WorkerState::new(LIMITS);
    let commands = worker.learn(10_000, WorkerEvent::Tick);
    assert_eq!(commands, [WorkerCommand::Want { batches: 2, arrived: 0 }, WorkerCommand::Beat]);
    let commands = worker.learn(10_001, arrived(1, 1));
    assert_eq!(commands[..2], [WorkerCommand::Beat, WorkerCommand::Prepare { number: 1 }]);
    assert!(played(&commands).is_empty(), "its bots are not there yet");
    assert_eq!(worker.held(0), [Held { batch: 10, delivery: 1 }]);
    assert!(worker.held(1).is_empty());
    assert_eq!(played(&worker.learn(10_002, WorkerEvent::Ready { number: 1 })), [(1, 0)]);
    let commands = worker.learn(10_050, over(1, 0, 40_000));
    assert!(commands.contains(&WorkerCommand::Report { number: 1 }), "{commands:?}");
    let acknowledged = WorkerCommand::Acknowledge { number: 1 };
    assert!(!commands.contains(&acknowledged));
    let commands = worker.learn(10_060, WorkerEvent::Reported { number: 1, results: 1 });
    assert!(commands.contains(&acknowledged), "{commands:?}");
    assert!(worker.held(0).is_empty());
}

#[test]
fn results_of_a_long_batch_are_sent_meanwhile() {
    let mut worker = WorkerState::new(LIMITS);
    worker.learn(0, arrived(1, 5));
    let commands = worker.learn(0, WorkerEvent::Ready { number: 1 });
    assert_eq!(played(&commands), [(1, 0), (1, 1)]);
    let commands = worker.learn(500, over(1, 0, 500_000));
    assert_eq!(played(&commands), [(1, 2)]);
    let report = WorkerCommand::Report { number: 1 };
    assert!(!commands.contains(&report), "others may follow soon");
    assert!(worker.learn(600, WorkerEvent::Tick).contains(&report));
    assert!(!worker.learn(710, WorkerEvent::Tick).contains(&report), "they are on their way");
}

#[test]
fn of_very_short_matches_many_are_given_out_at_once() {
    let mut worker = WorkerState::new(LIMITS);
    worker.learn(0, arrived(1, 500));
    worker.learn(0, WorkerEvent::Ready { number: 1 });
    let commands = worker.learn(1, over(1, 0, 200));
    // 20 ms of matches of 0.2 ms for each of two slots.
    assert_eq!(played(&commands).len(), 1 + 200);
    let want = WorkerCommand::Want { batches: 1, arrived: 1 };
    assert!(commands.contains(&want), "one more batch waits: {commands:?}");
}

#[test]
fn a_worker_that_drains_plays_what_has_begun_and_gives_back_the_rest() {
    let mut worker = WorkerState::new(LIMITS);
    worker.learn(0, arrived(1, 3));
    worker.learn(0, arrived(2, 4));
    worker.learn(0, WorkerEvent::Ready { number: 1 });
    let commands = worker.learn(10, WorkerEvent::Drain);
    assert_eq!(commands[0], WorkerCommand::Return { number: 2 });
    assert!(!commands.contains(&WorkerCommand::End));
    // What comes late goes back at once.
    let late = worker.learn(11, arrived(3, 1));
    assert_eq!(late[0], WorkerCommand::Return { number: 3 });
    for job in 0..2 {
        let commands = worker.learn(20, over(1, job, 9_000));
        assert!(played(&commands).is_empty(), "no other match begins");
    }
    let commands = worker.learn(30, WorkerEvent::Reported { number: 1, results: 2 });
    assert_eq!(commands[..], [WorkerCommand::Return { number: 1 }, WorkerCommand::End]);
    assert!(!worker.learn(40, WorkerEvent::Tick).contains(&WorkerCommand::End), "once");
}

#[test]
fn an_unplayable_batch_is_reported_and_not_played() {
    let mut worker = WorkerState::new(LIMITS);
    worker.learn(0, arrived(1, 2));
    let commands = worker.learn(1, WorkerEvent::Unplayable { number: 1 });
    assert!(commands.contains(&WorkerCommand::Report { number: 1 }), "{commands:?}");
    assert!(played(&commands).is_empty());
    let commands = worker.learn(2, WorkerEvent::Reported { number: 1, results: 2 });
    assert!(commands.contains(&WorkerCommand::Acknowledge { number: 1 }), "{commands:?}");
}

/// Returns at which times, of so many milliseconds, a worker says that it lives.
fn beats(worker: &mut WorkerState, from: u64, until: u64) -> Vec<u64> {
    let says = |now: &u64| worker.learn(*now, WorkerEvent::Tick).contains(&WorkerCommand::Beat);
    (from..until).step_by(100).filter(says).collect()
}

#[test]
fn a_worker_without_matches_says_less_often_that_it_lives() {
    let mut worker = WorkerState::new(LIMITS);
    assert_eq!(beats(&mut worker, 0, 30_000), [4_000, 19_000]);
    let commands = worker.learn(30_000, arrived(1, 1));
    assert!(commands.contains(&WorkerCommand::Beat), "who has a batch is known at once");
    worker.learn(30_000, WorkerEvent::Ready { number: 1 });
    assert_eq!(beats(&mut worker, 30_100, 43_000), [34_000, 38_000, 42_000]);
    let progress = WorkerCommand::Progress { number: 1 };
    assert!(worker.learn(46_000, WorkerEvent::Tick).contains(&progress));
    worker.learn(46_100, over(1, 0, 16_000_000));
    worker.learn(46_200, WorkerEvent::Reported { number: 1, results: 1 });
    // Once more soon, so that everybody knows that it has nothing.
    assert_eq!(beats(&mut worker, 46_300, 66_000), [50_000, 65_000]);
}

#[test]
fn a_worker_answers_roll_calls_but_not_all_of_a_flood() {
    let mut worker = WorkerState::new(LIMITS);
    worker.learn(10_000, WorkerEvent::Tick);
    worker.learn(15_000, WorkerEvent::RollCall);
    assert_eq!(beats(&mut worker, 15_000, 16_000), [15_300]);
    let mut answered = 0;
    for now in 15_400..25_400 {
        let commands = worker.learn(now, WorkerEvent::RollCall);
        answered += commands.iter().filter(|&&command| command == WorkerCommand::Beat).count();
    }
    assert_eq!(answered, 4);
}
