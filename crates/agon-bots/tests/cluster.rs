//! Tests of programs for cluster, most of which misbehave.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::time::Duration;

use agon_bots::{Clock, HostOptions, Timing};
use agon_core::{Fault, FaultKind, Player};
use agon_games::cluster::{Cluster, Rules};

use crate::common::{AGES, Arena, Workshop, new_game, patient, script, within};

fn bot(workshop: &Workshop, mode: &str, bad_turn: u32) -> String {
    format!(
        "python3 {} {mode} {bad_turn} {}",
        script("cluster.py"),
        workshop.path("group").display()
    )
}

/// Plays four turns of a bot that misbehaves against a built-in one.
fn play(workshop: &Workshop, mode: &str, bad_turn: u32, options: &HostOptions) -> Arena {
    let game = new_game::<Cluster>(&Rules::default(), 2);
    let mut arena = Arena::new(game, &[&bot(workshop, mode, bad_turn), "builtin:random"], options);
    arena.steps(8);
    arena
}

/// Returns the fault of a bot that misbehaves; checks that it has lost and left nothing.
#[track_caller]
fn check(mode: &str, bad_turn: u32, kind: FaultKind, options: &HostOptions) -> Fault {
    let workshop = Workshop::new();
    let arena = play(&workshop, mode, bad_turn, options);
    assert_eq!(arena.game.standing().outcome.map(|outcome| outcome.winners), Some(vec![Player(1)]));
    workshop.assert_group_gone();
    arena.expect(kind).clone()
}

/// Returns plenty of time for the first answer, in which Python starts, and then a moment.
fn a_moment_after_the_first(wall_factor: u32) -> HostOptions {
    within(Clock { wall_factor, first: AGES, ..Clock::cpu(Duration::from_millis(200)) })
}

#[test]
fn two_programs_play_to_the_end() {
    agon_testkit::needs!("python3");
    let blue = Workshop::new();
    let red = Workshop::new();
    let game = new_game::<Cluster>(&Rules { side: 3, ..Rules::default() }, 2);
    let mut arena = Arena::new(game, &[&bot(&blue, "good", 0), &bot(&red, "good", 0)], &patient());
    arena.steps(1000);
    assert_eq!(arena.faults, []);
    assert!(arena.game.is_over());
}

/// Writes a bot that reads exactly the lines in the document.
fn reads_only_what_is_listed(workshop: &Workshop) -> String {
    let text = "import sys
def block():
    return [sys.stdin.readline().split() for _ in range(int(sys.stdin.readline()))]
for _ in range(4):
    block()
while True:
    gravity = int(sys.stdin.readline())
    columns, _, _, hand = block(), block(), block(), block()
    print('PLACE', columns[0][0], hand[0][0], flush=True)
";
    let path = workshop.path("short.py");
    std::fs::write(&path, text).unwrap();
    format!("python3 {}", path.display())
}

#[test]
fn a_bot_that_overlooks_the_empty_line_is_told_of_it() {
    agon_testkit::needs!("python3");
    let workshop = Workshop::new();
    let bot = reads_only_what_is_listed(&workshop);
    let game = new_game::<Cluster>(&Rules::default(), 2);
    let mut arena = Arena::new(game, &[&bot, "builtin:random"], &patient());
    arena.steps(8);
    let fault = arena.expect(FaultKind::Crash);
    assert_eq!(fault.step, 2, "its second answer");
    assert!(
        fault.detail.contains("each message ends with an empty line: read it too"),
        "{}",
        fault.detail
    );
    assert!(
        fault.evidence.stderr_tail.contains("invalid literal"),
        "{}",
        fault.evidence.stderr_tail
    );
}

#[test]
fn other_deaths_are_not_put_down_to_the_empty_line() {
    agon_testkit::needs!("python3");
    for turn in [0, 1, 2] {
        let fault = check("exit", turn, FaultKind::Crash, &patient());
        assert!(!fault.detail.contains("empty line"), "{}", fault.detail);
    }
}

#[test]
fn a_spinner_is_stopped_by_its_cpu_time() {
    agon_testkit::needs!("python3");
    // The wall limit would stop it after 200 000 seconds.
    let fault = check("spin", 1, FaultKind::Timeout, &a_moment_after_the_first(1_000_000));
    assert_eq!(fault.step, 2);
}

#[test]
fn a_slow_answer_is_too_late_by_the_wall_but_not_by_cpu_time() {
    agon_testkit::needs!("python3");
    let fault = check("slow", 1, FaultKind::Timeout, &a_moment_after_the_first(1));
    assert_eq!(fault.step, 2);
    let workshop = Workshop::new();
    let arena = play(&workshop, "slow", 1, &a_moment_after_the_first(1_000_000));
    assert_eq!(arena.faults, []);
}

#[test]
fn without_a_clock_a_slow_answer_is_fine() {
    agon_testkit::needs!("python3");
    let workshop = Workshop::new();
    let options = HostOptions { timing: Timing::Unlimited, ..patient() };
    assert_eq!(play(&workshop, "slow", 1, &options).faults, []);
}

#[test]
fn a_second_answer_is_too_early_for_the_next_question() {
    agon_testkit::needs!("python3");
    let fault = check("twice", 1, FaultKind::Early, &patient());
    assert_eq!(fault.step, 4, "found when it is asked next");
    assert!(fault.evidence.last_output.starts_with("PLACE "));
}

#[test]
fn garbage_is_quoted() {
    agon_testkit::needs!("python3");
    let fault = check("garbage", 1, FaultKind::Garbage, &patient());
    assert_eq!(fault.evidence.last_output, "PLACE the red one\\n");
    assert!(fault.detail.contains("PLACE"), "{}", fault.detail);
}

#[test]
fn an_answer_before_the_first_question_is_too_early() {
    agon_testkit::needs!("python3");
    let workshop = Workshop::new();
    let game = new_game::<Cluster>(&Rules::default(), 2);
    let mut arena = Arena::new(game, &["builtin:random", &bot(&workshop, "first", 0)], &patient());
    // It writes its group to a file after its answer.
    workshop.group();
    arena.steps(2);
    let fault = arena.only_fault();
    assert_eq!((fault.kind, fault.player, fault.step), (FaultKind::Early, Player(1), 1));
    assert_eq!(fault.evidence.last_output, "ROTATE 1\\n");
}

#[test]
fn an_answer_before_the_question_is_read_is_too_early() {
    let workshop = Workshop::new();
    let bot = workshop.sh("sleep 0.5; echo ROTATE 1; sleep 1000");
    let mut arena = Arena::new(
        new_game::<Cluster>(&Rules::default(), 2),
        &[&bot, "builtin:random"],
        &patient(),
    );
    arena.step();
    let fault = arena.expect(FaultKind::Early);
    assert_eq!((fault.step, fault.evidence.last_output.as_str()), (0, "ROTATE 1\\n"));
    assert!(arena.game.is_over());
}

#[test]
fn the_last_line_feed_may_stay_unread() {
    agon_testkit::needs!("python3");
    let workshop = Workshop::new();
    assert_eq!(play(&workshop, "numbers", 0, &patient()).faults, []);
}

#[test]
fn whoever_does_not_read_times_out() {
    agon_testkit::needs!("python3");
    let workshop = Workshop::new();
    // The initialization message for this board is larger than a pipe.
    let game = new_game::<Cluster>(&Rules { side: 64, ..Rules::default() }, 2);
    let options = within(Clock::wall(Duration::from_millis(300)));
    let mut arena = Arena::new(game, &[&bot(&workshop, "deaf", 0), "builtin:random"], &options);
    workshop.group();
    arena.steps(2);
    let fault = arena.expect(FaultKind::Timeout);
    assert!(fault.detail.starts_with("it did not read its input"), "{}", fault.detail);
    workshop.assert_group_gone();
}
