//! `--strikes` stops bots of every kind.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    process::{Child, Command},
    thread,
    time::Duration,
};

use agon_testkit::{needs, slow};
use serde_json::Value;

use super::{dir, play};
use crate::support::{TestDir, until};

/// The text that the last fault of a stopped bot has.
fn limit(strikes: u32) -> String {
    let s = if strikes == 1 { "" } else { "s" };
    format!("the limit is {strikes} timeout{s} in a row: the bot stays out from now on")
}

/// Plays with this many strikes, and checks that player 0 has as many faults, all timeouts, of
/// which the last one says that the bot is stopped. Returns the result.
#[track_caller]
fn check(dir: &TestDir, line: &str, strikes: u32, expected: usize) -> Value {
    let (result, _) = play(dir, &format!("{line} --strikes {strikes}"));
    let faults = result["faults"].as_array().unwrap();
    let all = faults.iter().all(|fault| fault["kind"] == "timeout" && fault["player"] == 0);
    assert!(all && faults.len() == expected, "{line}: {result:#}");
    let is_last = |fault: &Value| fault["detail"].as_str().unwrap().contains(&limit(strikes));
    assert!(is_last(&faults[expected - 1]), "{line}: {result:#}");
    assert_eq!(faults.iter().filter(|fault| is_last(fault)).count(), 1, "{line}: {result:#}");
    result
}

/// What follows the bot in cellhack.
const REST: &str = "builtin:grower --turns 9 --set width=20 --set height=20";

#[test]
fn a_program_is_stopped() {
    needs!("python3");
    let dir = dir();
    for then in ["loop", "sleep"] {
        for strikes in [1, 2] {
            let line = format!("cellhack 'jsonl:python3 slow.py 1 {then}' {REST} --time 60");
            let result = check(&dir, &line, strikes, strikes as usize);
            assert_eq!(result["turns"], 9, "the match goes on: {result:#}");
        }
    }
    // A program's own limit of three timeouts in a row holds, too.
    let line = format!("cellhack 'jsonl:python3 slow.py 1 sleep' {REST} --time 60 --strikes 9");
    let (result, _) = play(&dir, &line);
    let faults = result["faults"].as_array().unwrap();
    assert_eq!(faults.len(), 3, "{result:#}");
    let last = faults[2]["detail"].as_str().unwrap();
    assert!(last.contains("that was 3 times in a row") && !last.contains("the limit is 9"));
}

#[test]
fn a_native_library_is_stopped() {
    let dir = dir();
    let source = "#include <stdint.h>
        uint8_t cell_decide_action(uint8_t *env, uint8_t energy, uint64_t *memory)
        { for (volatile int i = 0;; i++); return 2; }";
    dir.write("endless.c", source);
    let result = check(&dir, &format!("cellhack endless.c {REST} --time 60"), 2, 2);
    assert_eq!(result["turns"], 9, "{result:#}");
}

#[test]
fn a_runner_is_not_started_any_more() {
    let dir = dir();
    dir.write("runner.sh", "echo >> started; sleep 1000\n");
    // Bots of root have users of their own, who have to be let in.
    fs::set_permissions(dir.path(""), fs::Permissions::from_mode(0o777)).unwrap();
    // A match that is played again starts it again.
    let flags = "--time 60 --turns 6 --keep-void --allow-write";
    let line = format!("'sh runner.sh' builtin:general {flags} {}", dir.path("").display());
    let result = check(&dir, &format!("binfection {line}"), 3, 3);
    assert_eq!(result["turns"], 6, "{result:#}");
    // A runner may have been too late to write.
    let started = fs::read_to_string(dir.path("started")).unwrap_or_default();
    assert!(started.lines().count() <= 3, "{started}");
}

#[test]
fn a_bot_of_rezzo_is_stopped_after_turns_that_do_not_wait_for_it() {
    needs!("python3");
    let dir = dir();
    let own = "import sys, time
for _ in range(2):
    message = sys.stdin.buffer.read(340)
    sys.stdout.buffer.write(message[1:2] + b'^')
    sys.stdout.buffer.flush()
time.sleep(1000)";
    dir.write("own.py", own);
    for bot in ["python3 own.py", "jsonl:python3 slow.py 2 sleep"] {
        // Long enough for good answers on a busy machine.
        let line = format!("rezzo '{bot}' builtin:random --set max_ticks=20 --time 500");
        // The first late tick and the last one are faults.
        let result = check(&dir, &line, 5, 2);
        let [first, last] = [0, 1].map(|at| result["faults"][at]["step"].as_u64().unwrap());
        assert_eq!(last - first, 4, "{bot}: {result:#}");
    }
}

#[test]
fn a_bot_of_cluster_is_out_at_once_as_always() {
    needs!("python3");
    let dir = dir();
    dir.write("silent.py", "import time; time.sleep(1000)");
    let line = "cluster 'python3 silent.py' builtin:random --time 60";
    let result = check(&dir, line, 1, 1);
    assert_eq!(result["standing"]["outcome"]["winners"], serde_json::json!([1]), "{result:#}");
    let (result, _) = play(&dir, &format!("{line} --strikes 2"));
    assert_eq!(result["faults"].as_array().unwrap().len(), 1, "{result:#}");
}

/// A program that listens, until the test is over.
struct Listening(Child);

impl Drop for Listening {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.0.kill().and_then(|()| self.0.wait());
    }
}

#[test]
fn a_program_at_an_address_is_stopped() {
    needs!("python3");
    let dir = dir();
    let mut command = Command::new("python3");
    command.args(["slow.py", "1", "sleep", "bot.sock"]).current_dir(dir.path(""));
    let _running = Listening(command.spawn().unwrap());
    until("a socket", || dir.path("bot.sock").exists());
    // The socket may exist a moment before the program listens at it.
    thread::sleep(Duration::from_millis(50));
    // Its good answer has this limit, too, on the wall.
    let result = check(&dir, &format!("cellhack connect:./bot.sock {REST} --time 1000"), 2, 2);
    assert_eq!(result["turns"], 9, "{result:#}");
}

#[test]
fn a_species_in_clojure_is_stopped() {
    slow!();
    let dir = dir();
    let species = "(ns loops) (defn Evam [energy health species env data] (loop [] (recur)))";
    dir.write("loops.clj", species);
    let flags = "--time 50 --set world_size=30 --turns 6";
    check(&dir, &format!("amoebas loops.clj builtin:mindless {flags}"), 2, 2);
}

#[test]
fn a_plan_has_strikes() {
    needs!("python3");
    let dir = dir();
    let plan = r#"
game = "cellhack"
seed = 3
bots = ["jsonl:python3 slow.py 1 sleep", "builtin:grower"]
settings = { width = 20, height = 20, turns = 9 }
time = { limit = 60, strikes = 2 }
format = { kind = "round-robin" }
"#;
    dir.write("plan.toml", plan);
    dir.ok("tournament plan.toml");
    let journal = dir.read("plan-results/journal.jsonl");
    let records = journal.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let faults: Vec<String> = records
        .filter(|line| line["seats"].is_array())
        .map(|line| line["faults"].to_string())
        .collect();
    assert!(!faults.is_empty(), "{journal}");
    // Without strikes there would be three.
    for faults in faults {
        assert!(faults.contains("\"count\":2") && faults.contains(&limit(2)), "{journal}");
    }
}

#[test]
fn strikes_that_cannot_be_are_refused() {
    let dir = dir();
    for (flags, problem) in [
        ("--strikes 0", "invalid value '0' for '--strikes <N>'"),
        ("--strikes -1", "invalid value '-1' for '--strikes <N>'"),
        ("--strikes 4294967296", "invalid value '4294967296'"),
        ("--strikes 2 --no-clock", "cannot be used with '--no-clock'"),
    ] {
        let error = dir.fails(&format!("play cluster {flags}"));
        assert!(error.contains(problem), "{flags}: {error}");
    }
}
