//! `--strikes` stops bots of every kind.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    process::{Child, Command},
    thread,
    time::Duration,
};

use serde_json::Value;
use tempfile::TempDir;

use super::{agon, folder, play};

/// The text that the last fault of a stopped bot has.
fn limit(strikes: u32) -> String {
    let s = if strikes == 1 { "" } else { "s" };
    format!("the limit is {strikes} timeout{s} in a row: the bot stays out from now on")
}

/// Plays with this many strikes, and checks that player 0 has as many faults, all timeouts, of
/// which the last one says that the bot is stopped. Returns the result.
#[track_caller]
fn check(folder: &TempDir, args: &[&str], strikes: u32, expected: usize) -> Value {
    let number = strikes.to_string();
    let (result, _) = play(folder, &[args, &["--strikes", &number]].concat());
    let faults = result["faults"].as_array().unwrap();
    let all = faults.iter().all(|fault| fault["kind"] == "timeout" && fault["player"] == 0);
    assert!(all && faults.len() == expected, "{args:?}: {result:#}");
    let is_last = |fault: &Value| fault["detail"].as_str().unwrap().contains(&limit(strikes));
    assert!(is_last(&faults[expected - 1]), "{args:?}: {result:#}");
    assert_eq!(faults.iter().filter(|fault| is_last(fault)).count(), 1, "{args:?}: {result:#}");
    result
}

const CELLHACK: [&str; 9] = [
    "cellhack",
    "builtin:grower",
    "--turns",
    "9",
    "--set",
    "width=20",
    "--set",
    "height=20",
    "--time=60",
];

#[test]
fn a_program_is_stopped() {
    agon_testkit::needs!("python3");
    let folder = folder();
    for then in ["loop", "sleep"] {
        let bot = format!("jsonl:python3 slow.py 1 {then}");
        for strikes in [1, 2] {
            let args = [&["cellhack", &bot][..], &CELLHACK[1..]].concat();
            let result = check(&folder, &args, strikes, strikes as usize);
            assert_eq!(result["turns"], 9, "the match goes on: {result:#}");
        }
    }
}

#[test]
fn a_program_that_answers_in_between_is_not_stopped() {
    agon_testkit::needs!("python3");
    let folder = folder();
    // Its own limit of three timeouts in a row holds, too.
    let args = [&["cellhack", "jsonl:python3 slow.py 1 sleep"][..], &CELLHACK[1..]].concat();
    let (result, _) = play(&folder, &[&args[..], &["--strikes", "9"]].concat());
    let faults = result["faults"].as_array().unwrap();
    assert_eq!(faults.len(), 3, "{result:#}");
    let last = faults[2]["detail"].as_str().unwrap();
    assert!(last.contains("that was 3 times in a row") && !last.contains("the limit is 9"));
}

#[test]
fn a_native_library_is_stopped() {
    let folder = folder();
    let source = "#include <stdint.h>
        uint8_t cell_decide_action(uint8_t *env, uint8_t energy, uint64_t *memory)
        { for (volatile int i = 0;; i++); return 2; }";
    fs::write(folder.path().join("endless.c"), source).unwrap();
    let args = [&["cellhack", "endless.c"][..], &CELLHACK[1..]].concat();
    let result = check(&folder, &args, 2, 2);
    assert_eq!(result["turns"], 9, "{result:#}");
}

#[test]
fn a_runner_is_not_started_any_more() {
    let folder = folder();
    fs::write(folder.path().join("runner.sh"), "echo >> started; sleep 1000\n").unwrap();
    let count = folder.path().join("started");
    // Bots of root have users of their own, who have to be let in.
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
    let here = folder.path().to_str().unwrap();
    let args = [
        "binfection",
        "sh runner.sh",
        "builtin:general",
        "--time=60",
        "--turns",
        "6",
        "--allow-write",
        here,
        // A match that is played again starts it again.
        "--keep-void",
    ];
    let result = check(&folder, &args, 3, 3);
    assert_eq!(result["turns"], 6, "{result:#}");
    // A runner may have been too late to write.
    assert!(fs::read_to_string(count).unwrap_or_default().lines().count() <= 3);
}

#[test]
fn a_bot_of_rezzo_is_stopped_after_turns_that_do_not_wait_for_it() {
    agon_testkit::needs!("python3");
    let folder = folder();
    let own = "import sys, time
for _ in range(2):
    message = sys.stdin.buffer.read(340)
    sys.stdout.buffer.write(message[1:2] + b'^')
    sys.stdout.buffer.flush()
time.sleep(1000)";
    fs::write(folder.path().join("own.py"), own).unwrap();
    // Long enough for good answers on a busy machine.
    let flags = ["builtin:random", "--set", "max_ticks=20", "--time=500"];
    for bot in ["python3 own.py", "jsonl:python3 slow.py 2 sleep"] {
        // The first late tick and the last one are faults.
        let result = check(&folder, &[&["rezzo", bot][..], &flags].concat(), 5, 2);
        let steps: Vec<u64> =
            [0, 1].map(|at| result["faults"][at]["step"].as_u64().unwrap()).into();
        assert_eq!(steps[1] - steps[0], 4, "{bot}: {result:#}");
    }
}

#[test]
fn a_bot_of_cluster_is_out_at_once_as_always() {
    agon_testkit::needs!("python3");
    let folder = folder();
    fs::write(folder.path().join("silent.py"), "import time; time.sleep(1000)").unwrap();
    let args = ["cluster", "python3 silent.py", "builtin:random", "--time=60"];
    let result = check(&folder, &args, 1, 1);
    assert_eq!(result["standing"]["outcome"]["winners"], serde_json::json!([1]), "{result:#}");
    let (result, _) = play(&folder, &[&args[..], &["--strikes", "2"]].concat());
    assert_eq!(result["faults"].as_array().unwrap().len(), 1, "{result:#}");
}

/// A program that listens, until the test is over.
struct Listening(Child);

impl Drop for Listening {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_program_at_an_address_is_stopped() {
    agon_testkit::needs!("python3");
    let folder = folder();
    let socket = folder.path().join("bot.sock");
    let mut command = Command::new("python3");
    command.args(["slow.py", "1", "sleep", "bot.sock"]).current_dir(&folder);
    let _running = Listening(command.spawn().unwrap());
    while !socket.exists() {
        thread::sleep(Duration::from_millis(5));
    }
    // The socket may exist a moment before the program listens at it.
    thread::sleep(Duration::from_millis(50));
    // Its good answer has this limit, too, on the wall.
    let args = [&["cellhack", "connect:./bot.sock"][..], &CELLHACK[1..8], &["--time=1000"]];
    let args = args.concat();
    let result = check(&folder, &args, 2, 2);
    assert_eq!(result["turns"], 9, "{result:#}");
}

#[test]
fn a_species_in_clojure_is_stopped() {
    agon_testkit::slow!();
    let folder = folder();
    let species = "(ns loops) (defn Evam [energy health species env data] (loop [] (recur)))";
    fs::write(folder.path().join("loops.clj"), species).unwrap();
    let args = [
        "amoebas",
        "loops.clj",
        "builtin:mindless",
        "--time=50",
        "--set",
        "world_size=30",
        "--turns",
        "6",
    ];
    check(&folder, &args, 2, 2);
}

#[test]
fn a_plan_has_strikes() {
    agon_testkit::needs!("python3");
    let folder = folder();
    let plan = r#"
game = "cellhack"
seed = 3
bots = ["jsonl:python3 slow.py 1 sleep", "builtin:grower"]
[settings]
width = 20
height = 20
turns = 9
[time]
limit = 60
strikes = 2
[format]
kind = "round-robin"
"#;
    fs::write(folder.path().join("plan.toml"), plan).unwrap();
    let output = agon(&folder, &["tournament", "plan.toml"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let journal = folder.path().join("plan-results/journal.jsonl");
    let journal = fs::read_to_string(journal).unwrap();
    let records: Vec<Value> =
        journal.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let faults: Vec<&Value> = records
        .iter()
        .filter(|line| line["seats"].is_array())
        .map(|line| &line["faults"])
        .collect();
    assert!(!faults.is_empty(), "{journal}");
    // Without strikes there would be three.
    for faults in faults.iter().map(ToString::to_string) {
        assert!(faults.contains("\"count\":2") && faults.contains(&limit(2)), "{journal}");
    }
}

#[test]
fn strikes_that_cannot_be_are_refused() {
    let folder = folder();
    for (flags, problem) in [
        (&["--strikes", "0"][..], "invalid value '0' for '--strikes <N>'"),
        (&["--strikes", "-1"], "invalid value '-1' for '--strikes <N>'"),
        (&["--strikes", "4294967296"], "invalid value '4294967296'"),
        (&["--strikes", "2", "--no-clock"], "cannot be used with '--no-clock'"),
    ] {
        let output = agon(&folder, &[&["play", "cluster"][..], flags].concat());
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && said.contains(problem), "{flags:?}: {said}");
    }
}
