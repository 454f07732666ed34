//! What volunteers say counts once it was checked.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use agon_queue::{
    Audience, BatchId, Beat, Command, Coordinator, Event, Exclusion, Held, JobKey, Limits, Owner,
    Result, Terms, Verdict,
};
use agon_spec::Digest;

const OPEN: Terms = Terms { audience: Audience::Everybody, is_repeatable: true };
const NATIVE: Terms = Terms { audience: Audience::Everybody, is_repeatable: false };

/// A coordinator with a clock.
struct Test {
    coordinator: Coordinator,
    now: u64,
    next: u64,
}

fn key(number: u64) -> JobKey {
    JobKey(Digest::of(&number.to_le_bytes()))
}

fn volunteer(name: &str) -> Owner {
    Owner::Volunteer(name.to_owned())
}

fn right(number: u64) -> Digest {
    key(number).0
}

impl Test {
    fn new() -> Test {
        let mut coordinator = Coordinator::new(Limits::default(), 0, 5);
        coordinator.learn(0, Event::Tick);
        // So late it knows who is there.
        Test { coordinator, now: 20_000, next: 0 }
    }

    fn learn(&mut self, event: Event) -> Vec<Command> {
        self.coordinator.learn(self.now, event)
    }

    fn submit(&mut self, number: u64, terms: Terms) -> Vec<Command> {
        assert!(self.learn(Event::Submit { key: key(number), class: 0, terms }).is_empty());
        self.learn(Event::Flush)
    }

    fn beat(&mut self, owner: &Owner, held: &[BatchId]) -> Vec<Command> {
        let held = held.iter().map(|&batch| Held { batch, delivery: 1 }).collect();
        let worker = owner.worker("m");
        self.learn(Event::Beat(Beat {
            worker,
            owner: owner.clone(),
            slots: 2,
            held,
            ..Beat::default()
        }))
    }

    fn result(&mut self, owner: &Owner, number: u64, digest: Digest) -> Vec<Command> {
        self.tell(owner, number, digest, false)
    }

    fn tell(
        &mut self,
        owner: &Owner,
        number: u64,
        digest: Digest,
        is_weighty: bool,
    ) -> Vec<Command> {
        let (key, verdict, digest) = (key(number), Verdict::Over, Some(digest));
        let result = Result { key, verdict, us: 1_000, digest, is_weighty };
        let (worker, owner) = (owner.worker("m"), owner.clone());
        self.learn(Event::Results { worker, owner, results: vec![result] })
    }

    /// A worker says that it cannot play a match.
    fn lacking(&mut self, owner: &Owner, number: u64) -> Vec<Command> {
        let (key, verdict) = (key(number), Verdict::Lacking);
        let result = Result { key, verdict, us: 0, digest: None, is_weighty: false };
        let (worker, owner) = (owner.worker("m"), owner.clone());
        self.learn(Event::Results { worker, owner, results: vec![result] })
    }

    /// A volunteer becomes known for right results.
    fn prove(&mut self, owner: &Owner, results: u64) {
        for _ in 0..results {
            let number = 1_000_000 + self.next;
            self.next += 1;
            self.submit(number, OPEN);
            self.result(owner, number, right(number));
            // Whether it was chosen or not: a trusted worker plays it, too.
            self.result(&Owner::Trusted, number, right(number));
        }
        self.learn(Event::Tick);
    }

    /// A run in which the last results of a volunteer, of matches 1 to `count`, were not chosen for
    /// a check.
    fn holding(owner: &Owner, count: u64) -> Test {
        let begin = |secret| {
            let coordinator = Coordinator::new(Limits::default(), 0, secret);
            let mut test = Test { coordinator, now: 0, next: 0 };
            test.beat(&Owner::Trusted, &[]);
            test.beat(owner, &[]);
            test.prove(owner, 50);
            for number in 1..=count {
                test.submit(number, OPEN);
                test.result(owner, number, right(number));
            }
            test
        };
        let is_held = |test: &Test| test.coordinator.status().held == count;
        (0..1_000).map(begin).find(is_held).unwrap()
    }
}

/// Where matches are published, and who must not have them.
fn published(commands: &[Command]) -> Vec<(Audience, Vec<String>, Vec<JobKey>)> {
    let batch = |command: &Command| match command {
        Command::Publish { audience, avoid, jobs, .. } => {
            Some((*audience, avoid.clone(), jobs.clone()))
        }
        _ => None,
    };
    commands.iter().filter_map(batch).collect()
}

/// The batch that is published.
fn batch_of(commands: &[Command]) -> BatchId {
    let batch = |command: &Command| match command {
        Command::Publish { batch, .. } => Some(*batch),
        _ => None,
    };
    commands.iter().find_map(batch).unwrap()
}

fn delivered(commands: &[Command]) -> Vec<(JobKey, Option<String>)> {
    let found = |command: &Command| match command {
        Command::Deliver { key, kept } => Some((*key, kept.clone())),
        _ => None,
    };
    commands.iter().filter_map(found).collect()
}

fn excluded(commands: &[Command]) -> Vec<&Exclusion> {
    let mut all = Vec::new();
    for command in commands {
        if let Command::Exclude { why, .. } = command {
            all.push(why);
        }
    }
    all
}

#[test]
fn only_public_matches_go_to_volunteers_and_what_they_say_of_others_is_nothing() {
    let mut test = Test::new();
    let ada = volunteer("ada");
    test.beat(&Owner::Trusted, &[]);
    test.beat(&ada, &[]);
    let secret = published(&test.submit(1, Terms::default()));
    assert_eq!(secret, [(Audience::Trusted, vec![], vec![key(1)])]);
    let public = published(&test.submit(2, OPEN));
    assert_eq!(public, [(Audience::Everybody, vec![], vec![key(2)])]);
    assert!(test.result(&ada, 1, right(1)).is_empty());
    // Nor can it say that it has the batch, and lose it again and again.
    test.beat(&ada, &[1]);
    assert_eq!(test.coordinator.status().taken, 0);
    assert_eq!(delivered(&test.result(&Owner::Trusted, 1, right(1))), [(key(1), None)]);
}

#[test]
fn the_first_results_of_a_volunteer_are_played_again_by_a_trusted_worker() {
    let mut test = Test::new();
    let ada = volunteer("ada");
    test.beat(&Owner::Trusted, &[]);
    test.submit(1, OPEN);
    let commands = test.result(&ada, 1, right(1));
    assert!(commands.contains(&Command::Keep { key: key(1), owner: "ada".to_owned() }));
    assert_eq!(published(&commands), [(Audience::Trusted, vec![], vec![key(1)])]);
    assert!(test.coordinator.has_claims(key(1)));
    // It says so again: that is no second opinion.
    assert!(test.result(&ada, 1, right(1)).is_empty());
    let commands = test.result(&Owner::Trusted, 1, right(1));
    assert_eq!(delivered(&commands), [(key(1), None)]);
    assert!(commands.contains(&Command::Forget { key: key(1), owner: "ada".to_owned() }));
    let status = &test.coordinator.volunteers()[0];
    assert_eq!((status.owner.as_str(), status.right, status.waiting), ("ada", 1, 0));
}

#[test]
fn without_a_trusted_worker_another_volunteer_checks_and_never_the_same() {
    let mut test = Test::new();
    let (ada, bob) = (volunteer("ada"), volunteer("bob"));
    test.beat(&ada, &[]);
    test.submit(1, OPEN);
    let commands = test.result(&ada, 1, right(1));
    let again = published(&commands);
    assert_eq!(again, [(Audience::Everybody, vec!["ada".to_owned()], vec![key(1)])]);
    assert!(test.coordinator.is_stuck(&["ada"].into()));
    assert!(!test.coordinator.is_stuck(&["ada", "bob"].into()));
    // Whom nobody has asked cannot check it.
    assert!(test.result(&bob, 1, right(1)).is_empty());
    test.beat(&bob, &[batch_of(&commands)]);
    let commands = test.result(&bob, 1, right(1));
    assert_eq!(delivered(&commands), [(key(1), Some("ada".to_owned()))]);
    let right_results: Vec<u64> = test.coordinator.volunteers().iter().map(|of| of.right).collect();
    assert_eq!(right_results, [1, 1]);
    // Two who contradict each other: a third one decides.
    test.submit(2, OPEN);
    let commands = test.result(&ada, 2, right(2));
    test.beat(&bob, &[batch_of(&commands)]);
    let commands = test.result(&bob, 2, right(99));
    assert_eq!(published(&commands)[0].1, ["ada", "bob"]);
    test.beat(&volunteer("eve"), &[batch_of(&commands)]);
    let commands = test.result(&volunteer("eve"), 2, right(2));
    assert_eq!(delivered(&commands), [(key(2), Some("ada".to_owned()))]);
    assert_eq!(excluded(&commands), [&Exclusion::Wrong { key: key(2) }]);
    let status = test.coordinator.volunteers();
    assert!(status[1].is_excluded && !status[0].is_excluded, "{status:?}");
}

#[test]
fn what_is_not_chosen_counts_once_a_later_result_was_right() {
    let ada = volunteer("ada");
    let mut test = Test::holding(&ada, 1);
    // One that changes who leads is always checked, and releases what came before.
    test.submit(7, OPEN);
    let commands = test.tell(&ada, 7, right(7), true);
    assert!(delivered(&commands).is_empty());
    let commands = test.result(&Owner::Trusted, 7, right(7));
    assert_eq!(delivered(&commands), [(key(7), None), (key(1), Some("ada".to_owned()))]);
    assert_eq!(test.coordinator.open(), 0);
}

#[test]
fn a_cheat_loses_all_that_was_not_checked_and_takes_part_no_more() {
    let ada = volunteer("ada");
    let mut test = Test::holding(&ada, 2);
    let held = [1, 2];
    test.submit(7, OPEN);
    test.tell(&ada, 7, right(8), true);
    let commands = test.result(&Owner::Trusted, 7, right(7));
    assert_eq!(delivered(&commands), [(key(7), None)]);
    assert_eq!(excluded(&commands), [&Exclusion::Wrong { key: key(7) }]);
    for number in held {
        assert!(commands.contains(&Command::Forget { key: key(number), owner: "ada".to_owned() }));
    }
    let again: Vec<JobKey> = published(&commands).into_iter().flat_map(|of| of.2).collect();
    assert_eq!(again.len(), 2, "they are played again: {commands:?}");
    assert!(published(&commands).iter().all(|of| of.1 == ["ada"]));
    // What it still sends counts for nothing.
    assert!(test.result(&ada, held[0], right(held[0])).is_empty());
    let commands = test.result(&Owner::Trusted, held[0], right(held[0]));
    assert_eq!(delivered(&commands), [(key(held[0]), None)]);
    let commands = test.submit(20, OPEN);
    assert!(test.beat(&ada, &[batch_of(&commands)]).is_empty());
    assert_eq!(test.coordinator.status().taken, 0);
}

#[test]
fn results_of_native_bots_are_all_checked_and_a_difference_is_no_proof() {
    let mut test = Test::new();
    let ada = volunteer("ada");
    test.beat(&Owner::Trusted, &[]);
    test.prove(&ada, 100);
    for number in 1..60 {
        test.submit(number, NATIVE);
        let commands = test.result(&ada, number, right(0));
        assert_eq!(published(&commands).len(), 1);
        let commands = test.result(&Owner::Trusted, number, right(number));
        assert_eq!(delivered(&commands), [(key(number), None)]);
        assert!(excluded(&commands).is_empty());
    }
    assert_eq!(test.coordinator.volunteers()[0].differing, 59);
}

#[test]
fn at_the_end_of_a_run_one_of_the_results_that_wait_is_checked() {
    let ada = volunteer("ada");
    let mut test = Test::holding(&ada, 3);
    let held = [1, 2, 3];
    let commands = test.learn(Event::Tick);
    let again = published(&commands);
    let [(Audience::Trusted, _, jobs)] = &again[..] else { panic!("{commands:?}") };
    let drawn = *held.iter().find(|number| key(**number) == jobs[0]).unwrap();
    assert!(test.learn(Event::Tick).is_empty(), "one at a time");
    let commands = test.result(&Owner::Trusted, drawn, right(drawn));
    assert_eq!(delivered(&commands).len(), 3);
    assert_eq!(test.coordinator.open(), 0);
    // While other matches wait, it takes a minute.
    let mut test = Test::holding(&ada, 1);
    test.submit(7, OPEN);
    assert!(test.learn(Event::Tick).is_empty());
    test.now = 61_000;
    test.beat(&Owner::Trusted, &[]);
    assert!(published(&test.learn(Event::Tick)).iter().any(|of| of.2 == [key(1)]));
}

#[test]
fn what_is_not_checked_when_a_run_stops_does_not_count() {
    let ada = volunteer("ada");
    let mut test = Test::holding(&ada, 1);
    test.submit(7, OPEN);
    test.tell(&ada, 7, right(7), true);
    let commands = test.learn(Event::Stop);
    for number in [1, 7] {
        assert!(commands.contains(&Command::Withdraw { key: key(number) }), "{commands:?}");
        assert!(commands.contains(&Command::Forget { key: key(number), owner: "ada".to_owned() }));
    }
    assert_eq!(test.coordinator.open(), 0);
}

#[test]
fn when_the_last_trusted_worker_goes_another_volunteer_checks() {
    let mut test = Test::new();
    let ada = volunteer("ada");
    test.beat(&Owner::Trusted, &[]);
    test.submit(1, OPEN);
    test.result(&ada, 1, right(1));
    test.now = 80_000;
    test.beat(&ada, &[]);
    let commands = test.learn(Event::Tick);
    assert_eq!(published(&commands)[0].1, ["ada"], "{commands:?}");
}

#[test]
fn volunteers_alone_cannot_have_a_match_given_up() {
    let mut test = Test::new();
    let mut commands = test.submit(1, OPEN);
    let names = ["ada", "bob", "eve", "joe"];
    for name in names {
        let owner = volunteer(name);
        // Whoever does not have it cannot say that it lacks something.
        assert!(test.lacking(&owner, 1).is_empty());
        test.beat(&owner, &[batch_of(&commands)]);
        commands = test.lacking(&owner, 1);
        assert!(published(&commands)[0].1.contains(&name.to_owned()), "{commands:?}");
    }
    assert!(test.coordinator.is_stuck(&names.into()));
    assert_eq!(test.coordinator.open(), 1);
}

#[test]
fn where_trusted_workers_play_two_who_conspire_achieve_nothing() {
    let mut test = Test::new();
    let (eve, joe) = (volunteer("eve"), volunteer("joe"));
    test.beat(&Owner::Trusted, &[]);
    let commands = test.submit(1, OPEN);
    test.beat(&eve, &[batch_of(&commands)]);
    test.result(&eve, 1, right(99));
    // Unasked, and with a batch that is not for it.
    assert!(test.result(&joe, 1, right(99)).is_empty());
    test.beat(&joe, &[batch_of(&commands)]);
    assert!(test.result(&joe, 1, right(99)).is_empty());
    let commands = test.result(&Owner::Trusted, 1, right(1));
    assert_eq!(delivered(&commands), [(key(1), None)]);
    assert_eq!(excluded(&commands), [&Exclusion::Wrong { key: key(1) }]);
}

#[test]
fn trusted_workers_that_cannot_play_a_class_leave_its_checks_to_others() {
    let mut test = Test::new();
    let ada = volunteer("ada");
    test.beat(&Owner::Trusted, &[]);
    test.submit(1, OPEN);
    let commands = test.result(&ada, 1, right(1));
    assert_eq!(published(&commands)[0].0, Audience::Trusted);
    let unable = [0].into();
    test.learn(Event::Volunteers { unable, has_room: true });
    let commands = test.learn(Event::Tick);
    assert_eq!(published(&commands), [(Audience::Everybody, vec!["ada".to_owned()], vec![key(1)])]);
}

#[test]
fn without_room_for_claims_volunteers_get_checks_and_nothing_new() {
    let mut test = Test::new();
    let ada = volunteer("ada");
    test.beat(&volunteer("bob"), &[]);
    test.submit(1, OPEN);
    test.learn(Event::Volunteers { unable: [].into(), has_room: false });
    assert!(test.submit(2, OPEN).is_empty());
    // Only checks make room again.
    let commands = test.result(&ada, 1, right(1));
    assert_eq!(published(&commands), [(Audience::Everybody, vec!["ada".to_owned()], vec![key(1)])]);
    let commands = test.learn(Event::Volunteers { unable: [].into(), has_room: true });
    assert_eq!(published(&commands), [(Audience::Everybody, vec![], vec![key(2)])]);
}

#[test]
fn checks_come_before_new_matches() {
    let mut test = Test::new();
    let ada = volunteer("ada");
    test.beat(&volunteer("bob"), &[]);
    for number in 1..100 {
        test.submit(number, OPEN);
    }
    // All that wait for slots are new.
    assert!(test.coordinator.status().waiting > 50);
    let commands = test.result(&ada, 1, right(1));
    assert_eq!(published(&commands)[0].1, ["ada"], "{commands:?}");
}

/// How a volunteer keeps a batch.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Keeping {
    /// It says each second that it has it.
    Steadily,
    /// It says so each time after the coordinator has looked for the batch.
    Rarely,
    /// Two of its workers have it in turn.
    InTurn,
    /// It gives the batch back and has it again.
    ReturnsAtOnce,
    /// It has the batch, and gives it back a second later, every 40 seconds.
    ReturnsLater,
}

/// Returns after how many seconds others get a batch that a volunteer keeps.
fn kept_for(keeping: Keeping) -> u64 {
    let mut test = Test::new();
    let eve = volunteer("eve");
    test.beat(&Owner::Trusted, &[]);
    test.submit(9, OPEN);
    test.result(&Owner::Trusted, 9, right(9));
    let commands = test.submit(1, OPEN);
    let batch = batch_of(&commands);
    test.learn(Event::Carried { batch, place: 1 });
    for second in 0..1_000 {
        test.now = 20_000 + 1_000 * second;
        test.beat(&Owner::Trusted, &[]);
        let speaks = match keeping {
            Keeping::Rarely => second % 18 == 0,
            Keeping::ReturnsLater => second % 40 < 2,
            _ => true,
        };
        if speaks {
            let machine = if keeping == Keeping::InTurn && second % 2 == 0 { "n" } else { "m" };
            let mut held = vec![Held { batch, delivery: 1 }];
            let returned = match keeping {
                Keeping::ReturnsAtOnce => held.clone(),
                Keeping::ReturnsLater if second % 40 == 1 => std::mem::take(&mut held),
                _ => Vec::new(),
            };
            let worker = eve.worker(machine);
            let owner = eve.clone();
            test.learn(Event::Beat(Beat { worker, owner, slots: 2, held, returned }));
        }
        let mut commands = test.learn(Event::Tick);
        if let [Command::Look { batch, .. }] = commands[..] {
            commands = test.learn(Event::Found { batch, is_there: true });
        }
        let again = published(&commands);
        if !again.is_empty() {
            assert_eq!(again, [(Audience::Trusted, vec![], vec![key(1)])]);
            return second;
        }
    }
    panic!("it keeps the batch for ever: {keeping:?}");
}

#[test]
fn a_volunteer_that_keeps_a_batch_loses_it_to_trusted_workers() {
    use Keeping::{InTurn, Rarely, ReturnsAtOnce, ReturnsLater, Steadily};
    for keeping in [Steadily, Rarely, InTurn, ReturnsAtOnce, ReturnsLater] {
        let seconds = kept_for(keeping);
        assert!((50..140).contains(&seconds), "{keeping:?}: {seconds}");
    }
}

#[test]
fn trusted_workers_get_no_more_of_what_volunteers_leave_than_they_play_soon() {
    let mut test = Test::new();
    test.beat(&Owner::Trusted, &[]);
    // Many volunteers are there, so that much travels, and all of them leave.
    for name in 0..50 {
        test.beat(&volunteer(&format!("v{name}")), &[]);
    }
    let open: Vec<BatchId> = (0..200).map(|number| batch_of(&test.submit(number, OPEN))).collect();
    for &batch in &open {
        test.learn(Event::Carried { batch, place: batch });
    }
    let mut left = Vec::new();
    for _ in 0..20 {
        test.now += 16_000;
        test.beat(&Owner::Trusted, &[]);
        for command in test.learn(Event::Tick) {
            if let Command::Look { batch, .. } = command {
                left.extend(published(&test.learn(Event::Found { batch, is_there: true })));
            }
        }
    }
    assert!(left.iter().all(|(audience, ..)| *audience == Audience::Trusted));
    // Three for each of its two slots.
    assert_eq!(left.len(), 6);
}
