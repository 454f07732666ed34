//! Bots that take all memory there is.

use super::{Outcome, TestDir};

const MIB: u64 = 1 << 20;

/// Plays with a limit of 128 MiB.
fn play(attack: &str) -> Outcome {
    let dir = TestDir::new();
    dir.play(&dir.attacker(attack), &["--bot-memory", "128", "--time", "10000"])
}

#[test]
fn one_process_gets_no_more_than_it_may() {
    let outcome = play("grow");
    let fault = outcome.fault();
    let failed =
        fault["evidence"]["stderr_tail"].as_str().unwrap_or_default().contains("MemoryError");
    assert!(failed || fault["kind"] == "memory", "{outcome:?}");
    let peak = fault["evidence"]["peak_memory"].as_u64();
    assert!(peak.is_some_and(|peak| peak < 256 * MIB), "{outcome:?}");
}

#[test]
fn many_processes_together_get_no_more() {
    let outcome = play("many");
    outcome.expect("memory", "MiB of memory; the limit is 128 MiB");
    let peak = outcome.fault()["evidence"]["peak_memory"].as_u64().unwrap();
    // It is looked at every 20 ms, and machines write a few GiB in a second.
    assert!(peak < 1024 * MIB, "{} MiB: {outcome:?}", peak / MIB);
    eprintln!("peak {} MiB", peak / MIB);
}

/// Pages that could belong to no process: without a file, or of devices.
#[test]
fn there_is_no_memory_that_belongs_to_nobody() {
    for attack in ["shared", "zeros"] {
        let outcome = play(attack);
        let fault = outcome.fault();
        let said = fault["evidence"]["stderr_tail"].as_str().unwrap_or_default();
        assert!(fault["kind"] == "crash" && said.contains("Error: [Errno "), "{outcome:?}");
    }
}

#[test]
fn sockets_are_filled_no_further_than_files_may_be_open() {
    agon_testkit::slow!();
    let outcome = play("queues");
    // Where memory is slow to come, the bot is ended for its time before it has filled all of them.
    if outcome.fault()["kind"] != "timeout" {
        outcome.assert_harmless();
    }
}
