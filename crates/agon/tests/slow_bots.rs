//! Bots that are slow, on the command line: who a match waits for, and `--strikes` for bots of
//! every kind.

use std::{fs, os::unix::fs::PermissionsExt, process::Command, thread, time::Duration};

use agon_testkit::{needs, slow};
use serde_json::{Value, json};

use crate::support::{Done, TestDir, until};

/// A program for JSON Lines in `cellhack` or `rezzo` that answers some questions.
///
/// Its arguments: how many it answers, what it does then (`loop`, `sleep`, or a number of seconds
/// for each further answer), and the port file of one that listens.
pub(crate) const JSONL: &str = r#"
import json, socket, sys, time

answered, then, game = int(sys.argv[1]), sys.argv[2], None
source, out = sys.stdin, sys.stdout
if len(sys.argv) > 3:
    server = socket.socket(socket.AF_UNIX)
    server.bind(sys.argv[3])
    server.listen()
    connection = server.accept()[0]
    source, out = connection.makefile("r"), connection.makefile("w")
for line in source:
    message = json.loads(line)
    game = message.get("game", None) or game
    if message["type"] != "decide":
        continue
    if answered == 0:
        while then == "loop":
            pass
        time.sleep(1000 if then == "sleep" else float(then))
    answered = max(answered - 1, 0)
    answers = [{"action": "NOP" if game == "rezzo" else "NOTHING"} for _ in message["decisions"]]
    print(json.dumps({"step": message["step"], "answers": answers}), file=out, flush=True)
"#;

/// A program for rezzo's own protocol that answers twice.
const OWN: &str = "import sys, time
for _ in range(2):
    message = sys.stdin.buffer.read(340)
    sys.stdout.buffer.write(message[1:2] + b'^')
    sys.stdout.buffer.flush()
time.sleep(1000)";

/// A cell that never answers.
const ENDLESS: &str = "#include <stdint.h>
    uint8_t cell_decide_action(uint8_t *env, uint8_t energy, uint64_t *memory)
    { for (volatile int i = 0;; i++); return 2; }";

/// A folder with these bots.
fn dir() -> TestDir {
    let dir = TestDir::new();
    let loops = "(ns loops) (defn Evam [energy health species env data] (loop [] (recur)))";
    for (name, text) in [
        ("slow.py", JSONL),
        ("own.py", OWN),
        ("endless.c", ENDLESS),
        ("runner.sh", "echo >> started; sleep 1000\n"),
        ("silent.py", "import time; time.sleep(1000)"),
        ("loops.clj", loops),
    ] {
        dir.write(name, text);
    }
    // Bots of root have users of their own, who have to be let in.
    fs::set_permissions(dir.path(""), fs::Permissions::from_mode(0o777)).unwrap();
    dir
}

/// Plays with `--json`; returns the result, and what was printed.
#[track_caller]
fn play(dir: &TestDir, line: &str) -> (Value, Done) {
    let done = dir.run(&format!("play {line} --json --seed 1"));
    (done.data("result"), done)
}

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
fn a_bot_of_any_kind_is_stopped_and_the_match_goes_on() {
    needs!("python3");
    let dir = dir();
    let program = "cellhack 'jsonl:python3 slow.py 1";
    for (line, strikes, turns) in [
        (format!("{program} loop' {REST} --time 60"), 1, 9),
        (format!("{program} sleep' {REST} --time 60"), 2, 9),
        (format!("cellhack endless.c {REST} --time 60"), 2, 9),
    ] {
        let result = check(&dir, &line, strikes, strikes as usize);
        assert_eq!(result["turns"], turns, "{line}: {result:#}");
    }
    // A program's own limit of three timeouts in a row holds, too.
    let (result, _) = play(&dir, &format!("{program} sleep' {REST} --time 60 --strikes 9"));
    let faults = result["faults"].as_array().unwrap();
    assert_eq!(faults.len(), 3, "{result:#}");
    let last = faults[2]["detail"].as_str().unwrap();
    assert!(last.contains("that was 3 times in a row") && !last.contains("the limit is 9"));

    // A runner is not started any more. A match that is played again would start it again.
    let flags = "--time 60 --turns 6 --keep-void --allow-write";
    let line = format!("'sh runner.sh' builtin:general {flags} {}", dir.path("").display());
    let result = check(&dir, &format!("binfection {line}"), 3, 3);
    assert_eq!(result["turns"], 6, "{result:#}");
    // It may have been too late to write.
    let started = fs::read_to_string(dir.path("started")).unwrap_or_default();
    assert!(started.lines().count() <= 3, "{started}");

    // In cluster a bot is out at once, as always.
    let line = "cluster 'python3 silent.py' builtin:random --time 60";
    let result = check(&dir, line, 1, 1);
    assert_eq!(result["standing"]["outcome"]["winners"], json!([1]), "{result:#}");
    let (result, _) = play(&dir, &format!("{line} --strikes 2"));
    assert_eq!(result["faults"].as_array().unwrap().len(), 1, "{result:#}");
}

#[test]
fn a_bot_of_rezzo_is_stopped_after_turns_that_do_not_wait_for_it() {
    needs!("python3");
    let dir = dir();
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
fn a_program_at_an_address_is_stopped() {
    needs!("python3");
    let dir = dir();
    let mut command = Command::new("python3");
    command.args(["slow.py", "1", "sleep", "bot.sock"]).current_dir(dir.path(""));
    let mut listening = command.spawn().unwrap();
    until("a socket", || dir.path("bot.sock").exists());
    // The socket may exist a moment before the program listens at it.
    thread::sleep(Duration::from_millis(50));
    // Its good answer has this limit, too, on the wall.
    let result = check(&dir, &format!("cellhack connect:./bot.sock {REST} --time 1000"), 2, 2);
    assert_eq!(result["turns"], 9, "{result:#}");
    // It may have ended.
    let _ = listening.kill();
    listening.wait().unwrap();
}

#[test]
fn a_species_in_clojure_is_stopped() {
    slow!();
    let flags = "--time 50 --set world_size=30 --turns 6";
    check(&dir(), &format!("amoebas loops.clj builtin:mindless {flags}"), 2, 2);
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
    let results = dir.results("plan-results");
    assert!(!results.is_empty());
    // Without strikes there would be three.
    for record in results.values() {
        let faults = record["faults"].to_string();
        assert!(faults.contains("\"count\":2") && faults.contains(&limit(2)), "{record}");
    }
}

#[test]
fn strikes_that_cannot_be_are_refused() {
    let dir = TestDir::new();
    for (flags, problem) in [
        ("--strikes 0", "invalid value '0' for '--strikes <N>'"),
        ("--strikes -1", "invalid value '-1' for '--strikes <N>'"),
        ("--strikes 4294967296", "invalid value '4294967296'"),
        ("--strikes 2 --no-clock", "cannot be used with '--no-clock'"),
    ] {
        dir.ends(2, &format!("play cluster {flags}")).tells([problem]);
    }
}

fn waits(done: &Done) -> Vec<&str> {
    done.err.lines().filter_map(|line| line.strip_prefix("waiting for rosa: ")).collect()
}

#[test]
fn a_long_wait_has_one_line_where_nobody_sees_a_bar() {
    slow!();
    let dir = dir();
    let (_, done) = play(&dir, "cluster builtin:greedy builtin:random");
    assert!(!done.err.contains("waiting for "), "a quick match has none");
    // Each of two answers takes long; quick ones lie between them.
    let bots = "'rosa=jsonl:python3 slow.py 1 6' builtin:grower";
    let (result, done) = play(&dir, &format!("cellhack {bots} --turns 2 --time 60000"));
    assert_eq!(result["faults"], json!([]), "{result:#}");
    // It sleeps, so that its wall limit counts: 180 s.
    assert_eq!(waits(&done), ["3 min left"], "{done:?}");
}

/// An endless loop is named with its CPU time.
#[test]
fn check_and_tournament_say_so_too() {
    slow!();
    let dir = dir();
    let check = "check cellhack 'rosa=jsonl:python3 slow.py 0 7' --games 1 --turns 1";
    dir.run(check).tells(["waiting for rosa: "]);
    let plan = r#"
game = "cellhack"
bots = ["rosa=jsonl:python3 slow.py 0 loop", "builtin:grower"]
time = { strikes = 1 }
settings = { turns = 1 }
format = { kind = "round-robin" }
"#;
    dir.write("plan.toml", plan);
    dir.ok("tournament plan.toml").tells(["waiting for rosa: ", " s left"]);
}
