//! The coordinator, event by event.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use agon_match::spec::Digest;
use agon_remote::fleet::{
    BatchId, Beat, Command, Coordinator, Event, Held, JobKey, Limits, Result, Speeds, Verdict,
};

/// A coordinator with a clock, and what it has published.
struct Test {
    coordinator: Coordinator,
    now: u64,
}

fn key(number: u64) -> JobKey {
    JobKey(Digest::of(&number.to_le_bytes()))
}

impl Test {
    fn new() -> Test {
        Test { coordinator: Coordinator::new(Limits::default(), 0), now: 0 }
    }

    fn learn(&mut self, event: Event) -> Vec<Command> {
        self.coordinator.learn(self.now, event)
    }

    /// Submits matches, and returns the batches that travel.
    fn submit(&mut self, numbers: impl IntoIterator<Item = u64>) -> Vec<(BatchId, Vec<JobKey>)> {
        for number in numbers {
            assert!(self.learn(Event::Submit { key: key(number), class: 0 }).is_empty());
        }
        let commands = self.learn(Event::Flush);
        published(&commands)
    }

    fn beat(&mut self, worker: &str, held: &[(BatchId, u32)]) -> Vec<Command> {
        let held = held.iter().map(|&(batch, delivery)| Held { batch, delivery }).collect();
        let worker = worker.to_owned();
        self.learn(Event::Beat(Beat { worker, slots: 2, held, ..Beat::default() }))
    }

    fn results(&mut self, worker: &str, results: &[(u64, Verdict)]) -> Vec<Command> {
        let result =
            |&(number, verdict): &(u64, Verdict)| Result { key: key(number), verdict, us: 1_000 };
        let results = results.iter().map(result).collect();
        self.learn(Event::Results { worker: worker.to_owned(), results })
    }
}

fn published(commands: &[Command]) -> Vec<(BatchId, Vec<JobKey>)> {
    let batch = |command: &Command| match command {
        Command::Publish { batch, jobs, .. } => Some((*batch, jobs.clone())),
        _ => None,
    };
    commands.iter().filter_map(batch).collect()
}

fn delivered(commands: &[Command]) -> Vec<JobKey> {
    let key = |command: &Command| match command {
        Command::Deliver { key } => Some(*key),
        _ => None,
    };
    commands.iter().filter_map(key).collect()
}

#[test]
fn a_result_counts_once_whoever_brings_it() {
    let mut test = Test::new();
    let first = test.submit([1]);
    assert_eq!(first, [(1, vec![key(1)])]);
    assert_eq!(delivered(&test.results("a", &[(1, Verdict::Over)])), [key(1)]);
    assert!(delivered(&test.results("b", &[(1, Verdict::Over)])).is_empty());
    // Twice in one message, and one that nobody has submitted.
    test.submit([2]);
    let twice = [(2, Verdict::Over), (2, Verdict::Over), (9, Verdict::Over)];
    assert_eq!(delivered(&test.results("a", &twice)), [key(2)]);
    let status = test.coordinator.status();
    assert_eq!((status.over, status.again, test.coordinator.open()), (2, 3, 0));
}

#[test]
fn what_the_carrier_refuses_or_forgets_is_published_again() {
    let mut test = Test::new();
    let [(batch, _)] = test.submit([1])[..] else { panic!("one batch") };
    // A carrier that is full would refuse it again at once.
    assert!(published(&test.learn(Event::Refused { batch })).is_empty());
    test.now = 100;
    let again = published(&test.learn(Event::Tick));
    assert_eq!(again.len(), 1);
    let batch = again[0].0;
    assert!(test.learn(Event::Carried { batch, place: 7 }).is_empty());
    // Nobody tells anything of it for a lease: it is looked for, and gone.
    test.now = 16_000;
    let commands = test.learn(Event::Tick);
    assert_eq!(commands, [Command::Look { batch, place: 7 }]);
    let commands = test.learn(Event::Found { batch, is_there: false });
    assert_eq!(published(&commands).len(), 1, "{commands:?}");
    // A late result of the first batch counts, and takes the match out of the second.
    let second = published(&commands)[0].0;
    assert_eq!(delivered(&test.results("a", &[(1, Verdict::Over)])), [key(1)]);
    let late = test.learn(Event::Carried { batch: second, place: 8 });
    assert_eq!(late, [Command::Remove { batch: second, place: 8 }]);
    assert_eq!(test.coordinator.status().carried, 0);
}

#[test]
fn a_carrier_that_does_not_answer_is_asked_again() {
    let mut test = Test::new();
    let [(batch, _)] = test.submit([1])[..] else { panic!("one batch") };
    // It has not even said that it has the batch: others may come before.
    test.now = 16_000;
    assert!(test.learn(Event::Tick).is_empty());
    test.now = 130_000;
    let commands = test.learn(Event::Tick);
    let [(next, _)] = published(&commands)[..] else { panic!("{commands:?}") };
    assert_ne!(next, batch);
    test.learn(Event::Carried { batch: next, place: 1 });
    test.now = 150_000;
    assert_eq!(test.learn(Event::Tick), [Command::Look { batch: next, place: 1 }]);
    test.now = 170_000;
    assert_eq!(published(&test.learn(Event::Tick)).len(), 1, "the question was lost");
}

#[test]
fn a_match_that_three_workers_lose_is_given_up() {
    let mut test = Test::new();
    let mut batch = test.submit([1])[0].0;
    for (round, worker) in ["a", "b", "c"].into_iter().enumerate() {
        test.learn(Event::Carried { batch, place: batch });
        test.beat(worker, &[(batch, 1)]);
        // It is gone without a word.
        test.now += 40_000;
        test.learn(Event::Tick);
        let commands = test.learn(Event::Found { batch, is_there: false });
        if round < 2 {
            batch = published(&commands)[0].0;
            continue;
        }
        let [Command::Remove { .. }, Command::Quarantine { key: lost, loss }] = &commands[..]
        else {
            panic!("{commands:?}")
        };
        assert_eq!((*lost, loss.times), (key(1), 3));
        assert_eq!(loss.workers, ["a", "b", "c"]);
    }
    assert_eq!(test.coordinator.open(), 0);
}

#[test]
fn a_match_that_no_worker_can_play_is_given_up_too() {
    let mut test = Test::new();
    test.submit([1, 2]);
    for worker in ["a", "b"] {
        let commands = test.results(worker, &[(1, Verdict::Lacking)]);
        assert_eq!(published(&commands).len(), 1, "{commands:?}");
    }
    let commands = test.results("c", &[(1, Verdict::Lacking)]);
    assert!(matches!(commands[..], [Command::Quarantine { .. }]), "{commands:?}");
    assert_eq!(delivered(&test.results("c", &[(2, Verdict::Over)])), [key(2)]);
}

#[test]
fn after_a_stop_only_what_workers_have_is_played() {
    let mut test = Test::new();
    let batches = test.submit(1..=20);
    test.learn(Event::Carried { batch: batches[0].0, place: 1 });
    test.beat("a", &[(batches[0].0, 1)]);
    let commands = test.learn(Event::Stop);
    let withdrawn =
        commands.iter().filter(|command| matches!(command, Command::Withdraw { .. })).count();
    assert_eq!(withdrawn, 20 - batches[0].1.len());
    assert_eq!(test.coordinator.open(), batches[0].1.len());
    let late = test.learn(Event::Submit { key: key(99), class: 0 });
    assert_eq!(late, [Command::Withdraw { key: key(99) }]);
    let numbers: Vec<(u64, Verdict)> = (1..=20).map(|number| (number, Verdict::Over)).collect();
    assert_eq!(delivered(&test.results("a", &numbers)).len(), batches[0].1.len());
    assert_eq!(test.coordinator.open(), 0);
}

#[test]
fn short_matches_travel_together_once_their_length_is_known() {
    let mut test = Test::new();
    test.beat("a", &[]);
    let batches = test.submit(0..5_000);
    assert!(batches.iter().all(|(_, jobs)| jobs.len() == 1), "nothing is known of them yet");
    let commands = test.results("a", &[(0, Verdict::Over)]);
    let largest = published(&commands).iter().map(|(_, jobs)| jobs.len()).max();
    // 400 ms of matches that take 1 ms each.
    assert_eq!(largest, Some(400));
}

#[test]
fn a_worker_that_gives_batches_back_is_not_lost() {
    let mut test = Test::new();
    let batch = test.submit([1])[0].0;
    test.learn(Event::Carried { batch, place: 1 });
    for delivery in 1..20 {
        test.beat("a", &[(batch, delivery)]);
        let returned = vec![Held { batch, delivery }];
        let beat = Beat { worker: "a".to_owned(), returned, ..Beat::default() };
        assert!(test.learn(Event::Beat(beat)).is_empty());
    }
    assert_eq!(test.coordinator.status().lost, 0);
    assert_eq!(test.coordinator.open(), 1);
}

#[test]
fn a_match_that_is_given_up_is_taken_back_wherever_it_is() {
    let mut test = Test::new();
    let batches = test.submit(0..3);
    assert_eq!(batches.len(), 3, "nobody knows yet how long they take: each travels alone");
    for (place, (batch, _)) in batches.iter().enumerate() {
        test.learn(Event::Carried { batch: *batch, place: place as u64 });
    }
    // One that lies with the carrier, and one that a worker has.
    let commands = test.learn(Event::GiveUp { key: batches[0].1[0] });
    assert!(commands.contains(&Command::Remove { batch: batches[0].0, place: 0 }), "{commands:?}");
    assert!(commands.contains(&Command::Withdraw { key: batches[0].1[0] }));
    test.beat("lab", &[(batches[1].0, 1)]);
    let commands = test.learn(Event::GiveUp { key: batches[1].1[0] });
    assert_eq!(commands, [Command::Withdraw { key: batches[1].1[0] }]);
    // Its result is dropped, and the third one goes on.
    let key = batches[1].1[0];
    let late = Result { key, verdict: Verdict::Over, us: 1_000 };
    let late = Event::Results { worker: "lab".to_owned(), results: vec![late] };
    assert!(delivered(&test.learn(late)).is_empty());
    assert_eq!(test.coordinator.open(), 1);
    assert!(test.learn(Event::GiveUp { key }).is_empty(), "it is gone");
}

/// Returns the speeds that batches ask for.
fn least_speeds(commands: &[Command]) -> Vec<u32> {
    let least = |command: &Command| match command {
        Command::Publish { least_speed, .. } => Some(*least_speed),
        _ => None,
    };
    commands.iter().filter_map(least).collect()
}

/// A run with a fast and a slow worker, of which a match of 20 s is over.
fn with_speeds(workers: &[(u32, u32)]) -> Test {
    let mut test = Test::new();
    test.beat("fast", &[]);
    test.beat("slow", &[]);
    test.speeds(workers);
    test.submit([1]);
    let result = Result { key: key(1), verdict: Verdict::Over, us: 20_000_000 };
    test.learn(Event::Results { worker: "fast".to_owned(), results: vec![result] });
    test
}

impl Test {
    fn speeds(&mut self, workers: &[(u32, u32)]) {
        let by_class = [(0, Speeds::of(workers.iter().copied()))].into();
        self.learn(Event::Speeds { by_class });
    }

    /// Submits matches, and returns the speeds that their batches ask for.
    fn asks(&mut self, numbers: std::ops::Range<u64>) -> Vec<u32> {
        for number in numbers {
            self.learn(Event::Submit { key: key(number), class: 0 });
        }
        let commands = self.learn(Event::Flush);
        least_speeds(&commands)
    }
}

#[test]
fn the_last_matches_are_for_fast_workers_and_after_a_while_for_all() {
    let mut test = with_speeds(&[(1_000, 2), (500, 2)]);
    // Many wait behind the first ones.
    assert!(test.asks(10..110).iter().all(|least| *least == 0));
    let mut test = with_speeds(&[(1_000, 2), (500, 2)]);
    let [least] = test.asks(2..3)[..] else { panic!("one batch") };
    assert!((501..=1_000).contains(&least), "{least}");
    // The fast one is busy with something else.
    test.now = 10_000;
    assert!(least_speeds(&test.learn(Event::Tick)).is_empty());
    test.now = 40_000;
    assert_eq!(least_speeds(&test.learn(Event::Tick)), [0]);

    let mut test = with_speeds(&[(1_000, 2), (500, 2)]);
    assert_ne!(test.asks(2..3), [0]);
    test.speeds(&[(500, 2)]);
    assert_eq!(least_speeds(&test.learn(Event::Tick)), [0], "the fast one has gone");
}

#[test]
fn workers_of_nearly_the_same_speed_and_unknown_ones_get_all_matches() {
    for workers in [&[(1_000, 2), (960, 2)][..], &[(1_000, 2)], &[(0, 2), (0, 2)], &[]] {
        let mut test = with_speeds(workers);
        let fastest = workers.iter().map(|(speed, _)| *speed).max().unwrap_or(0);
        for least in test.asks(2..8) {
            let left_out = workers.iter().filter(|(speed, _)| *speed < least).count();
            assert_eq!(left_out, 0, "{workers:?}: {least}");
            assert!(least <= fastest);
        }
    }
}

#[test]
fn who_could_not_be_heard_is_not_dead() {
    for (event, workers) in [(Event::Back, 2), (Event::Tick, 0)] {
        let mut test = Test::new();
        test.beat("a", &[]);
        test.beat("b", &[]);
        test.now = 600_000;
        test.learn(event);
        assert_eq!(test.coordinator.status().workers, workers);
    }
}

#[test]
fn what_travelled_while_nobody_could_be_heard_is_not_lost() {
    let mut test = Test::new();
    let [(batch, _)] = test.submit([1])[..] else { panic!("one batch") };
    test.learn(Event::Carried { batch, place: 7 });
    test.beat("a", &[(batch, 1)]);
    test.now = 600_000;
    test.learn(Event::Back);
    // Its result is on the way: nobody looks for it yet.
    test.now = 614_000;
    assert!(test.learn(Event::Tick).is_empty());
    assert_eq!(delivered(&test.results("a", &[(1, Verdict::Over)])), [key(1)]);
}

#[test]
fn matches_that_no_worker_takes_hold_up_no_others() {
    let mut test = Test::new();
    test.beat("a", &[]);
    // The first class waits for a worker that is not there.
    let matches = (0..40).map(|number| (number, 0)).chain((100..140).map(|number| (number, 1)));
    for (number, class) in matches {
        test.learn(Event::Submit { key: key(number), class });
    }
    let of_second = |batches: Vec<(BatchId, Vec<JobKey>)>| {
        let keys = batches.into_iter().flat_map(|(_, keys)| keys);
        keys.filter(|of| (100..140).any(|number| key(number) == *of)).count()
    };
    let mut travelled = of_second(published(&test.learn(Event::Flush)));
    assert_eq!(travelled, 6, "three for each of two slots");
    for number in 100..140 {
        travelled += of_second(published(&test.results("a", &[(number, Verdict::Over)])));
    }
    assert_eq!(travelled, 40);
}

#[test]
fn short_matches_travel_together_whatever_their_class() {
    let mut test = Test::new();
    let worker = "a".to_owned();
    test.learn(Event::Beat(Beat { worker, slots: 2, ..Beat::default() }));
    let mut submitted = 0_u64;
    let mut batches = 0;
    let mut matches = 0;
    let mut travelling = std::collections::VecDeque::new();
    while matches < 60_000 {
        // As `play_all` does: as many as are wanted, of three classes in a mixed order.
        while test.coordinator.open() < test.coordinator.wanted() {
            let class = (submitted.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as u32 % 3;
            test.learn(Event::Submit { key: key(submitted), class });
            submitted += 1;
        }
        travelling.extend(published(&test.learn(Event::Flush)));
        let (_, keys) = travelling.pop_front().unwrap();
        matches += keys.len();
        // The first ones show how short they are.
        batches += usize::from(matches > 20_000);
        let result = |key| Result { key, verdict: Verdict::Over, us: 1_000 };
        let results = keys.into_iter().map(result).collect();
        let worker = "a".to_owned();
        let commands = test.learn(Event::Results { worker, results });
        travelling.extend(published(&commands));
    }
    assert!((matches - 20_000) / batches > 100, "{} of 400", (matches - 20_000) / batches);
}

#[test]
fn a_match_whose_result_is_lost_again_and_again_is_given_up() {
    let mut test = Test::new();
    test.submit([1]);
    for round in 1..=12 {
        let commands = test.learn(Event::ResultLost { key: key(1) });
        let is_given_up = commands.iter().any(|of| matches!(of, Command::Quarantine { .. }));
        assert_eq!(is_given_up, round == 12, "{commands:?}");
    }
    assert!(test.learn(Event::ResultLost { key: key(1) }).is_empty());
}

/// Returns the batches in which a match travels, and which workers must not have them.
fn avoided(commands: &[Command]) -> Vec<Vec<String>> {
    let avoid = |command: &Command| match command {
        Command::Publish { avoid, .. } => Some(avoid.clone()),
        _ => None,
    };
    commands.iter().filter_map(avoid).collect()
}

#[test]
fn a_worker_that_keeps_matches_and_brings_no_results_gets_no_more_until_it_brings_one() {
    let mut test = Test::new();
    let [(first, _)] = test.submit([1])[..] else { panic!("one batch") };
    test.results("b", &[(1, Verdict::Over)]);
    let [(batch, _)] = test.submit([2])[..] else { panic!("one batch") };
    assert!(batch > first);
    test.learn(Event::Carried { batch, place: 7 });
    // It lives, and says so, for more than five minutes.
    let mut commands = Vec::new();
    for now in (0..=304_000).step_by(4_000) {
        test.now = now;
        assert!(test.beat("silent", &[(batch, 1)]).is_empty(), "{now}");
        commands = test.learn(Event::Tick);
        if !commands.is_empty() {
            break;
        }
    }
    assert_eq!(test.now, 304_000);
    let again = published(&commands);
    assert_eq!(again[0].1, [key(2)], "somebody else gets it");
    assert_eq!(avoided(&commands), [[""; 0]], "the match may just be long");
    // It was not: others need no time for it.
    let commands = test.results("b", &[(2, Verdict::Over)]);
    let named = Command::Avoid { worker: "silent".to_owned() };
    assert_eq!(commands, [named, Command::Deliver { key: key(2) }]);
    test.learn(Event::Submit { key: key(3), class: 0 });
    assert_eq!(avoided(&test.learn(Event::Flush)), [["silent"]]);
    test.results("silent", &[(3, Verdict::Over)]);
    test.learn(Event::Submit { key: key(4), class: 0 });
    assert_eq!(avoided(&test.learn(Event::Flush)), [[""; 0]]);
}

#[test]
fn a_match_that_takes_its_worker_long_blames_nobody() {
    let mut test = Test::new();
    test.submit([1]);
    test.results("b", &[(1, Verdict::Over)]);
    let [(batch, _)] = test.submit([2])[..] else { panic!("one batch") };
    test.beat("a", &[(batch, 1)]);
    test.now = 301_000;
    test.beat("a", &[(batch, 1)]);
    let again = published(&test.learn(Event::Tick));
    test.beat("b", &[(again[0].0, 1)]);
    // Of the second worker it is taken after twice the time.
    test.now = 900_000;
    test.beat("b", &[(again[0].0, 1)]);
    assert!(published(&test.learn(Event::Tick)).is_empty());
    assert_eq!(test.results("a", &[(2, Verdict::Over)]), [Command::Deliver { key: key(2) }]);
    assert_eq!(test.coordinator.status().lost, 0);
}
