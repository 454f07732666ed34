//! The coordinator, event by event.

use agon_match::spec::Digest;
use agon_remote::fleet::{Actions, BatchId, Beat, Coordinator, Held, JobKey, Limits, NewBatch};

/// A coordinator with a clock.
struct Test {
    coordinator: Coordinator,
    now: u64,
}

fn key(number: u64) -> JobKey {
    JobKey(Digest::of(&number.to_le_bytes()))
}

/// Returns the keys of the matches of each batch.
fn jobs(batches: &[NewBatch]) -> Vec<Vec<JobKey>> {
    batches.iter().map(|batch| batch.jobs.clone()).collect()
}

impl Test {
    fn new() -> Test {
        Test { coordinator: Coordinator::new(Limits::default(), 0), now: 0 }
    }

    /// Tells the coordinator something, and returns what is to be done.
    fn tell(&mut self, event: impl FnOnce(&mut Coordinator)) -> Actions {
        event(self.coordinator.at(self.now));
        self.coordinator.actions()
    }

    fn tick(&mut self, now: u64) -> Actions {
        self.now = now;
        self.tell(Coordinator::tick)
    }

    /// Submits matches of a class, and returns the batches that travel.
    fn submit(&mut self, numbers: impl IntoIterator<Item = u64>, class: u32) -> Vec<NewBatch> {
        let submit = |coordinator: &mut Coordinator| {
            numbers.into_iter().for_each(|number| coordinator.submit(key(number), class));
        };
        self.tell(submit).publish
    }

    /// Submits a match that travels alone, and has the carrier take it at a place.
    fn carry(&mut self, number: u64, place: u64) -> BatchId {
        let batches = self.submit([number], 0);
        assert_eq!(jobs(&batches), [[key(number)]]);
        let batch = batches[0].batch;
        self.tell(|coordinator| coordinator.carried(batch, place));
        batch
    }

    /// A worker with two slots says that it has batches.
    fn beat(&mut self, worker: &str, held: &[(BatchId, u32)]) -> Actions {
        let held = held.iter().map(|&(batch, delivery)| Held { batch, delivery }).collect();
        let beat = Beat { worker: worker.to_owned(), slots: 2, held, returned: Vec::new() };
        self.tell(|coordinator| coordinator.beat(beat))
    }

    /// A worker brings the result of a match that took a millisecond. Returns whether it counts.
    fn over(&mut self, worker: &str, number: u64) -> (bool, Actions) {
        let counts = self.coordinator.at(self.now).over(worker, key(number), 1_000);
        (counts, self.coordinator.actions())
    }

    #[track_caller]
    fn counts(&mut self, worker: &str, number: u64) -> Actions {
        let (counts, actions) = self.over(worker, number);
        assert!(counts);
        actions
    }
}

#[test]
fn a_result_counts_once_whoever_brings_it() {
    let mut test = Test::new();
    assert_eq!(jobs(&test.submit([1], 0)), [[key(1)]]);
    test.counts("a", 1);
    assert!(!test.over("b", 1).0);
    test.submit([2], 0);
    test.counts("a", 2);
    // Twice, and one that nobody has submitted.
    assert!(!test.over("a", 2).0 && !test.over("a", 9).0);
    let status = test.coordinator.status();
    assert_eq!((status.over, status.again, test.coordinator.open()), (2, 3, 0));
}

#[test]
fn what_the_carrier_refuses_or_forgets_is_published_again() {
    let mut test = Test::new();
    let batch = test.submit([1], 0)[0].batch;
    // A carrier that is full would refuse it again at once.
    assert_eq!(test.tell(|coordinator| coordinator.refused(batch)), Actions::default());
    let again = test.tick(100).publish;
    assert_eq!(jobs(&again), [[key(1)]]);
    let batch = again[0].batch;
    assert_eq!(test.tell(|coordinator| coordinator.carried(batch, 7)), Actions::default());
    // Nobody tells anything of it for a lease: it is looked for, and gone.
    assert_eq!(test.tick(16_000).look, [(batch, 7)]);
    let again = test.tell(|coordinator| coordinator.found(batch, false)).publish;
    assert_eq!(jobs(&again), [[key(1)]]);
    // A late result of the first batch counts, and takes the match out of the second.
    test.counts("a", 1);
    let second = again[0].batch;
    let late = test.tell(|coordinator| coordinator.carried(second, 8));
    assert_eq!(late.remove, [(second, 8)]);
    assert_eq!(test.coordinator.status().carried, 0);
}

#[test]
fn a_carrier_that_does_not_answer_is_asked_again() {
    let mut test = Test::new();
    let batch = test.submit([1], 0)[0].batch;
    // It has not even said that it has the batch: others may come before.
    assert_eq!(test.tick(16_000), Actions::default());
    let next = test.tick(130_000).publish[0].batch;
    assert_ne!(next, batch);
    test.tell(|coordinator| coordinator.carried(next, 1));
    assert_eq!(test.tick(150_000).look, [(next, 1)]);
    assert_eq!(test.tick(170_000).publish.len(), 1, "the question was lost");
}

#[test]
fn a_match_that_three_workers_lose_is_given_up() {
    let mut test = Test::new();
    let mut batch = test.submit([1], 0)[0].batch;
    for (round, worker) in ["a", "b", "c"].into_iter().enumerate() {
        test.tell(|coordinator| coordinator.carried(batch, batch));
        test.beat(worker, &[(batch, 1)]);
        // It is gone without a word.
        test.tick(test.now + 40_000);
        let actions = test.tell(|coordinator| coordinator.found(batch, false));
        assert_eq!(actions.remove, [(batch, batch)]);
        if round < 2 {
            batch = actions.publish[0].batch;
            continue;
        }
        let [(lost, loss)] = &actions.give_up[..] else { panic!("{actions:?}") };
        assert_eq!((*lost, loss.times), (key(1), 3));
        assert_eq!(loss.workers, ["a", "b", "c"]);
    }
    assert_eq!(test.coordinator.open(), 0);
}

#[test]
fn a_match_that_no_worker_can_play_is_given_up_too() {
    let mut test = Test::new();
    test.submit([1, 2], 0);
    for worker in ["a", "b"] {
        let actions = test.tell(|coordinator| coordinator.lacking(worker, key(1)));
        assert_eq!(actions.publish.len(), 1, "{actions:?}");
    }
    let actions = test.tell(|coordinator| coordinator.lacking("c", key(1)));
    assert_eq!((actions.give_up.len(), actions.publish.len()), (1, 0), "{actions:?}");
    test.counts("c", 2);
}

#[test]
fn after_a_stop_only_what_workers_have_is_played() {
    let mut test = Test::new();
    let batches = test.submit(1..=20, 0);
    let (first, taken) = (batches[0].batch, batches[0].jobs.len());
    test.tell(|coordinator| coordinator.carried(first, 1));
    test.beat("a", &[(first, 1)]);
    assert_eq!(test.tell(Coordinator::stop).withdraw.len(), 20 - taken);
    assert_eq!(test.coordinator.open(), taken);
    let late = test.tell(|coordinator| coordinator.submit(key(99), 0));
    assert_eq!(late.withdraw, [key(99)]);
    assert_eq!((1..=20).filter(|number| test.over("a", *number).0).count(), taken);
    assert_eq!(test.coordinator.open(), 0);
}

#[test]
fn a_worker_that_gives_batches_back_is_not_lost() {
    let mut test = Test::new();
    let batch = test.carry(1, 1);
    for delivery in 1..20 {
        test.beat("a", &[(batch, delivery)]);
        let returned = vec![Held { batch, delivery }];
        let beat = Beat { worker: "a".to_owned(), returned, ..Beat::default() };
        assert_eq!(test.tell(|coordinator| coordinator.beat(beat)), Actions::default());
    }
    assert_eq!((test.coordinator.status().lost, test.coordinator.open()), (0, 1));
}

#[test]
fn a_match_that_is_given_up_is_taken_back_wherever_it_is() {
    let mut test = Test::new();
    // Nobody knows yet how long they take: each travels alone.
    let [first, second, _] = [0, 1, 2].map(|number| test.carry(number, 10 + number));
    // One that lies with the carrier, and one that a worker has.
    assert_eq!(test.tell(|coordinator| coordinator.give_up(key(0))).remove, [(first, 10)]);
    test.beat("lab", &[(second, 1)]);
    assert_eq!(test.tell(|coordinator| coordinator.give_up(key(1))), Actions::default());
    // Its result is dropped, and the third one goes on.
    assert!(!test.over("lab", 1).0);
    assert_eq!(test.coordinator.open(), 1);
}

#[test]
fn who_could_not_be_heard_is_not_dead() {
    for (event, workers) in [(Coordinator::back as fn(&mut Coordinator), 2), (Coordinator::tick, 0)]
    {
        let mut test = Test::new();
        test.beat("a", &[]);
        test.beat("b", &[]);
        test.now = 600_000;
        test.tell(event);
        assert_eq!(test.coordinator.status().workers, workers);
    }
}

#[test]
fn what_travelled_while_nobody_could_be_heard_is_not_lost() {
    let mut test = Test::new();
    let batch = test.carry(1, 7);
    test.beat("a", &[(batch, 1)]);
    test.now = 600_000;
    test.tell(Coordinator::back);
    // Its result is on the way: nobody looks for it yet.
    assert_eq!(test.tick(614_000), Actions::default());
    test.counts("a", 1);
}

#[test]
fn matches_that_no_worker_takes_hold_up_no_others() {
    let mut test = Test::new();
    test.beat("a", &[]);
    // The first class waits for a worker that is not there.
    test.submit(0..40, 0);
    let mut travelled = test.submit(100..140, 1).len();
    assert_eq!(travelled, 6, "three for each of two slots");
    for number in 100..140 {
        let batches = test.counts("a", number).publish;
        travelled += batches.iter().map(|batch| batch.jobs.len()).sum::<usize>();
    }
    assert_eq!(travelled, 40);
}

#[test]
fn short_matches_travel_together_once_their_length_is_known() {
    let mut test = Test::new();
    test.beat("a", &[]);
    let batches = test.submit(0..5_000, 0);
    assert!(batches.iter().all(|batch| batch.jobs.len() == 1), "nothing is known of them yet");
    let batches = test.counts("a", 0).publish;
    // 400 ms of matches that take 1 ms each.
    assert_eq!(batches.iter().map(|batch| batch.jobs.len()).max(), Some(400));
}

#[test]
fn short_matches_travel_together_whatever_their_class() {
    let mut test = Test::new();
    test.beat("a", &[]);
    let mut submitted = 0_u64;
    let (mut batches, mut matches) = (0, 0);
    let mut travelling = std::collections::VecDeque::new();
    while matches < 60_000 {
        // As `play_all` does: as many as are wanted, of three classes in a mixed order.
        while test.coordinator.open() < test.coordinator.wanted() {
            let class = (submitted.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as u32 % 3;
            test.coordinator.submit(key(submitted), class);
            submitted += 1;
        }
        travelling.extend(test.coordinator.actions().publish);
        let NewBatch { jobs, .. } = travelling.pop_front().unwrap();
        matches += jobs.len();
        // The first ones show how short they are.
        batches += usize::from(matches > 20_000);
        for key in jobs {
            test.coordinator.over("a", key, 1_000);
        }
    }
    assert!((matches - 20_000) / batches > 100, "{} of 400", (matches - 20_000) / batches);
}

#[test]
fn a_match_whose_result_is_lost_again_and_again_is_given_up() {
    let mut test = Test::new();
    test.submit([1], 0);
    for round in 1..=12 {
        let actions = test.tell(|coordinator| coordinator.result_lost(key(1)));
        assert_eq!(!actions.give_up.is_empty(), round == 12, "{actions:?}");
    }
    assert_eq!(test.tell(|coordinator| coordinator.result_lost(key(1))), Actions::default());
}

#[test]
fn what_a_worker_keeps_for_too_long_others_get_and_each_time_it_may_take_longer() {
    let mut test = Test::new();
    test.submit([1], 0);
    test.counts("b", 1);
    let batch = test.carry(2, 7);
    // It lives, and says so, for more than five minutes.
    for now in (0..304_000).step_by(4_000) {
        test.now = now;
        assert_eq!(test.beat("silent", &[(batch, 1)]), Actions::default(), "{now}");
        assert_eq!(test.tick(now), Actions::default(), "{now}");
    }
    test.now = 304_000;
    test.beat("silent", &[(batch, 1)]);
    let Actions { publish, silent, .. } = test.tick(304_000);
    assert_eq!((jobs(&publish), silent), (vec![vec![key(2)]], vec!["silent".to_owned()]));
    let next = publish[0].batch;
    test.beat("b", &[(next, 1)]);
    // Of the second worker it is taken after twice the time: the match may just be long.
    test.now = 900_000;
    test.beat("b", &[(next, 1)]);
    assert_eq!(test.tick(900_000), Actions::default());
    test.counts("silent", 2);
    assert_eq!(test.coordinator.status().lost, 0);
}
