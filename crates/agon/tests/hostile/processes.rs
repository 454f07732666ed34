//! Bots that start what they should not, and do not end.

use super::{TestDir, mode, test_dir::Mode};

/// The bot's processes that may be seen at a time, with the arena's: its limit is 128, and where
/// they are only counted there can be more for a moment.
fn most() -> usize {
    if mode() == Mode::Full { 200 } else { 1500 }
}

#[test]
fn a_fork_bomb_stays_small() {
    agon_testkit::slow!();
    let dir = TestDir::alone();
    let outcome = dir.play(&dir.attacker("bomb"), &["--time", "1000"]);
    outcome.fault();
    assert!((10..most()).contains(&outcome.most), "{outcome:?}");
}

#[test]
fn a_fork_bomb_of_a_shell_stays_small() {
    let dir = TestDir::alone();
    dir.write("fox/bomb.sh", "bomb() { bomb | bomb & }\nbomb\nwhile :; do sleep 1; done\n");
    let outcome =
        dir.play(&format!("sh {}", dir.path("fox/bomb.sh").display()), &["--time", "300"]);
    outcome.fault();
    assert!(outcome.most < most(), "{outcome:?}");
}

#[test]
fn busy_processes_make_no_match_void() {
    let dir = TestDir::alone();
    dir.play(&dir.attacker("busy"), &["--time", "1000"]).expect("timeout", "of CPU time");
}

#[test]
fn a_burst_of_processes_makes_no_match_void() {
    let dir = TestDir::alone();
    dir.play(&dir.attacker("burst"), &["--time", "300"]).expect("timeout", "no answer");
}

#[test]
fn a_program_stays_in_one_session() {
    let dir = TestDir::new();
    dir.play(&dir.attacker("sessions"), &[]).assert_harmless();
}

#[test]
fn children_that_nobody_waits_for_are_charged() {
    let dir = TestDir::new();
    for attack in ["chain", "short_chain"] {
        dir.play(&dir.attacker(attack), &["--time", "300"]).expect("timeout", "of CPU time");
    }
}

#[test]
fn threads_count_as_well() {
    let dir = TestDir::alone();
    let outcome = dir.play(&dir.attacker("threads"), &["--time", "3000"]);
    let fault = outcome.fault();
    if fault["evidence"]["stderr_tail"].as_str().unwrap_or_default().contains("done") {
        outcome.assert_harmless();
    } else {
        outcome.expect("crash", "processes and threads; the limit is 128");
    }
}

#[test]
fn orphans_end_with_their_bot() {
    let dir = TestDir::new();
    dir.play(&dir.attacker("orphan"), &[]).assert_harmless();
}

#[test]
fn orphans_end_with_a_bot_that_hangs() {
    let dir = TestDir::new();
    dir.play(&dir.attacker("orphan_and_hang"), &["--time", "200"]).expect("timeout", "no answer");
}

#[test]
fn a_bot_that_stops_itself_is_ended() {
    let dir = TestDir::new();
    dir.play(&dir.attacker("pause"), &["--time", "200"]).expect("timeout", "no answer");
}

#[test]
fn a_bot_that_waits_for_its_child_is_ended() {
    let dir = TestDir::new();
    dir.play(&dir.attacker("vfork"), &["--time", "200"]).expect("timeout", "no answer");
}

#[test]
fn a_flood_of_answers_ends_the_bot() {
    let dir = TestDir::new();
    dir.play(&dir.attacker("stdout"), &["--time", "3000"])
        .expect("flood", "bytes that are no answer");
}

#[test]
fn a_flood_of_talk_is_read_and_thrown_away() {
    let dir = TestDir::new();
    let outcome = dir.play(&dir.attacker("stderr"), &["--time", "500"]);
    outcome.expect("timeout", "no answer");
    assert!(outcome.everything.len() < 100_000, "{}", outcome.everything.len());
}
