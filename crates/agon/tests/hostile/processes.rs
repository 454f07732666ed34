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
fn busy_processes_and_bursts_of_them_make_no_match_void() {
    for (attack, ms, detail) in [("busy", "1000", "of CPU time"), ("burst", "300", "no answer")] {
        let dir = TestDir::alone();
        dir.play(&dir.attacker(attack), &["--time", ms]).expect("timeout", detail);
    }
}

#[test]
fn sessions_and_orphans_end_with_their_bot() {
    for attack in ["sessions", "orphan"] {
        eprintln!("{attack}");
        let dir = TestDir::new();
        dir.play(&dir.attacker(attack), &[]).assert_harmless();
    }
}

/// Children that nobody waits for are charged; what hangs, stops itself or waits for a child is
/// ended; floods of answers end the bot, and floods of talk are thrown away.
#[test]
fn whoever_does_not_answer_is_ended() {
    for (attack, ms, kind, detail) in [
        ("chain", "300", "timeout", "of CPU time"),
        ("short_chain", "300", "timeout", "of CPU time"),
        ("orphan_and_hang", "200", "timeout", "no answer"),
        ("pause", "200", "timeout", "no answer"),
        ("vfork", "200", "timeout", "no answer"),
        ("stdout", "3000", "flood", "bytes that are no answer"),
        ("stderr", "500", "timeout", "no answer"),
    ] {
        eprintln!("{attack}");
        let dir = TestDir::new();
        let outcome = dir.play(&dir.attacker(attack), &["--time", ms]);
        outcome.expect(kind, detail);
        assert!(outcome.everything.len() < 100_000, "{}", outcome.everything.len());
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
