//! `agon check` with good bots and bots that are bad in every way: the report names the right
//! number.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::{path::Path, process::Command};

use serde_json::Value;
use tempfile::TempDir;

/// What `agon check` printed as JSON Lines.
struct Report {
    examinations: Vec<Value>,
    verdict: Value,
    code: i32,
}

fn check(args: &[&str]) -> Report {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("agon"));
    let output = command.arg("check").args(args).arg("--json").current_dir(root).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    let mut lines: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 12, "{args:?}: {text}{errors}");
    let verdict = lines.pop().unwrap()["data"].clone();
    let examinations: Vec<Value> =
        lines.split_off(1).iter().map(|line| line["data"].clone()).collect();
    for (number, examination) in (1..).zip(&examinations) {
        assert_eq!(examination["number"], number);
        let failed = examination["status"] == "failed";
        assert!(!failed || examination["remedy"].is_string(), "no remedy: {examination}");
    }
    Report { examinations, verdict, code: output.status.code().unwrap() }
}

impl Report {
    fn of(&self, number: usize) -> &Value {
        &self.examinations[number - 1]
    }

    #[track_caller]
    fn assert_status(&self, number: usize, status: &str) {
        assert_eq!(self.of(number)["status"], status, "{:#}", self.of(number));
    }

    /// Exactly these examinations failed.
    #[track_caller]
    fn assert_failed(&self, numbers: &[u64]) {
        let found: Vec<String> = self.examinations.iter().map(Value::to_string).collect();
        assert_eq!(self.verdict["failed"], serde_json::json!(numbers), "{}", found.join("\n"));
        assert_eq!(self.code, i32::from(!numbers.is_empty()));
    }

    /// Some line of an examination's evidence has this text.
    #[track_caller]
    fn assert_tells(&self, number: usize, text: &str) {
        assert!(self.of(number).to_string().contains(text), "no `{text}` in {:#}", self.of(number));
    }
}

#[test]
fn a_missing_file_is_named_with_the_remedy() {
    agon_testkit::needs!("python3");
    let folder = tempfile::tempdir().unwrap();
    let bot = folder.path().join("bot.py");
    std::fs::write(&bot, "open('weights.bin')\n").unwrap();
    let run = |run: &str| {
        let manifest = format!("game = \"cluster\"\nprotocol = \"jsonl\"\nrun = \"{run}\"\n");
        std::fs::write(folder.path().join("agon.toml"), manifest).unwrap();
        check(&["cluster", folder.path().to_str().unwrap()])
    };
    let report = run("python3 bot.py");
    // It may end before or after its first question.
    let remedy = "`weights.bin` is missing: put it among the bot's files";
    let all = &report.examinations;
    assert!(all.iter().any(|of| of.to_string().contains(remedy)), "{all:#?}");
    let report = run("./fox");
    report.assert_failed(&[1]);
    report.assert_tells(1, "put the file that it names among");
}

/// Python draws the order of sets anew in each run.
#[test]
fn the_order_of_a_set_is_no_random_number() {
    agon_testkit::needs!("python3");
    let folder = tempfile::tempdir().unwrap();
    let bot = "import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message['type'] == 'decide':
        first = next(iter({word + 'x' for word in 'abcdefgh'}))
        answer = {'action': 'ROTATE', 'cycles': 1 + ord(first[0]) % 2}
        print(json.dumps({'step': message['step'], 'answers': [answer]}), flush=True)
";
    let path = folder.path().join("sets.py");
    std::fs::write(&path, bot).unwrap();
    let typed = format!("jsonl:python3 {}", path.display());
    let report = check(&["cluster", &typed, "--seed", "1", "--set", "side=3"]);
    report.assert_status(9, "passed");
}

#[test]
fn a_bot_of_cluster_that_overlooks_the_empty_line_is_told_of_it() {
    agon_testkit::needs!("python3");
    let folder = tempfile::tempdir().unwrap();
    let bot = "import sys
def block():
    return [sys.stdin.readline().split() for _ in range(int(sys.stdin.readline()))]
for _ in range(4):
    block()
while True:
    gravity = int(sys.stdin.readline())
    columns, _, _, hand = block(), block(), block(), block()
    print('PLACE', columns[0][0], hand[0][0], flush=True)
";
    let path = folder.path().join("short.py");
    std::fs::write(&path, bot).unwrap();
    let report = check(&["cluster", &format!("python3 {}", path.display()), "--time", "10000"]);
    report.assert_failed(&[4]);
    report.assert_tells(4, "each message ends with an empty line: read it before you answer");
    report.assert_tells(4, "each message ends with an empty line: read it too");
}

/// A short check of `tests/bots/cluster.py` in a mode.
fn cluster(mode: &str, args: &[&str]) -> Report {
    let bot = format!("python3 {}/tests/bots/cluster.py {mode}", env!("CARGO_MANIFEST_DIR"));
    let games: &[&str] = if args.contains(&"--games") { &[] } else { &["--games", "2"] };
    check(&[&["cluster", &bot, "--set", "side=5"], games, args].concat())
}

/// Enough for a good bot on a busy machine.
const PATIENT: [&str; 2] = ["--time", "60000"];

#[test]
fn a_good_program_passes() {
    agon_testkit::needs!("python3");
    let report =
        check(&[&["cluster", "python3 examples/bots/cluster/greedy.py"], &PATIENT[..]].concat());
    report.assert_failed(&[]);
    (1..=10).for_each(|number| report.assert_status(number, "passed"));
    assert!(report.of(7)["figures"]["peak_bytes"].as_u64().unwrap() > 1 << 20);
    let times = &report.of(6)["figures"];
    let mark = |name: &str| times[name].as_u64().unwrap();
    assert!(
        mark("p50_us") > 0 && mark("p50_us") <= mark("p99_us") && mark("p99_us") <= mark("max_us")
    );
    assert_eq!(
        (times["clock"].as_str(), times["limit_us"].as_u64()),
        (Some("cpu"), Some(60_000_000))
    );
    assert_eq!(report.of(8)["figures"]["exit_status"], 0);
}

#[test]
fn good_bots_of_other_games_pass() {
    agon_testkit::slow!();
    let rezzo = ["rezzo", "python3 examples/bots/rezzo/guard.py", "--turns", "200"];
    let report = check(&[&rezzo, &PATIENT[..]].concat());
    report.assert_failed(&[]);
    report.assert_status(5, "passed");

    let cell = ["cellhack", "examples/bots/cellhack/drifter.c", "--turns", "30"];
    let report = check(&[&cell, &PATIENT[..]].concat());
    report.assert_failed(&[]);
    for (number, status) in [(5, "not_applicable"), (7, "passed"), (8, "passed")] {
        report.assert_status(number, status);
    }

    let runner =
        ["binfection", "examples/bots/binfection/alice.sh", "--turns", "2", "--games", "1"];
    let report = check(&runner);
    report.assert_failed(&[]);
    assert_eq!(report.of(6)["figures"]["clock"], "cpu");
    assert!(report.of(3)["figures"]["cpu_us"].as_u64().unwrap() > 1000, "python's CPU time counts");
    for (number, status) in
        [(2, "not_applicable"), (5, "not_applicable"), (7, "passed"), (8, "passed")]
    {
        report.assert_status(number, status);
    }

    let report = check(&["amoebas", "builtin:nasty", "--turns", "20"]);
    report.assert_failed(&[]);
    [2, 3, 5, 6, 7, 8, 10]
        .into_iter()
        .for_each(|number| report.assert_status(number, "not_applicable"));
}

#[test]
fn a_script_around_a_bot_does_not_hide_its_memory() {
    agon_testkit::needs!("python3");
    let bot = "sh -c 'python3 examples/bots/cluster/greedy.py; exit $?'";
    let report =
        check(&[&["cluster", bot, "--games", "1", "--set", "side=5"], &PATIENT[..]].concat());
    report.assert_failed(&[]);
    assert_eq!(report.of(6)["figures"]["helpers"], 1);
    report.assert_tells(6, "`exec`");
    assert!(report.of(7)["figures"]["peak_bytes"].as_u64().unwrap() > 5 << 20, "python takes more");
}

#[test]
fn what_is_not_there_does_not_open() {
    let report = check(&["cluster", "./no-such-bot"]);
    report.assert_failed(&[1]);
    report.assert_tells(1, "there is no file");
    (2..=10).for_each(|number| report.assert_status(number, "not_applicable"));
}

#[test]
fn what_does_not_compile_does_not_open() {
    let folder = TempDir::new().unwrap();
    let source = folder.path().join("bad.c");
    std::fs::write(&source, "this is no C").unwrap();
    let report = check(&["cellhack", source.to_str().unwrap()]);
    report.assert_failed(&[1]);
    report.assert_tells(1, "error");
}

#[test]
fn dying_at_the_start_is_told() {
    let report = check(&["cluster", "sh -c 'echo no map >&2; exit 3'"]);
    report.assert_failed(&[2]);
    report.assert_tells(2, "\"exit_status\":3");
    report.assert_tells(2, "no map");
    report.assert_tells(4, "not examined, because 2 failed");
}

#[test]
fn a_silent_bot_gives_no_first_answer() {
    agon_testkit::needs!("python3");
    let report = cluster("silent", &["--time", "50"]);
    report.assert_failed(&[3]);
    report.assert_tells(3, "\"kind\":\"timeout\"");
}

#[test]
fn a_slow_bot_fails_in_time() {
    agon_testkit::slow!();
    let report = cluster("slow", &["--time", "1000"]);
    report.assert_failed(&[6]);
    report.assert_tells(4, "not examined, because 6 failed");
}

#[test]
fn a_bot_near_its_limit_is_warned() {
    agon_testkit::slow!();
    let report = cluster("near-limit", &["--time", "1200", "--turns", "4", "--games", "1"]);
    report.assert_failed(&[]);
    report.assert_status(6, "warning");
}

#[test]
fn garbage_and_illegal_answers_are_told_with_evidence() {
    agon_testkit::needs!("python3");
    let report = cluster("garbage", &PATIENT);
    report.assert_failed(&[4]);
    report.assert_tells(4, "PLACE the red one");
    let report = cluster("illegal", &PATIENT);
    report.assert_failed(&[4]);
    report.assert_tells(4, " in 2 of 2 matches");
}

#[test]
fn dying_in_the_middle_is_told_with_its_last_words() {
    agon_testkit::needs!("python3");
    let report = cluster("dies", &PATIENT);
    report.assert_failed(&[4]);
    report.assert_tells(4, "I give up");
    report.assert_tells(5, "as long as it played");
    assert!(report.of(10)["figures"]["bytes"].as_u64().unwrap() >= "I give up\n".len() as u64);
}

#[test]
fn junk_after_answers_breaks_the_protocol() {
    agon_testkit::needs!("python3");
    let report = cluster("junk", &PATIENT);
    report.assert_failed(&[5]);
    report.assert_tells(5, "that was a good move");
}

#[test]
fn output_before_any_question_breaks_the_protocol() {
    agon_testkit::needs!("python3");
    let report = cluster("early", &PATIENT);
    report.assert_failed(&[5]);
    report.assert_tells(5, "hello, I am a bot");
}

#[test]
fn memory_is_measured_and_may_be_limited() {
    agon_testkit::slow!();
    let report = cluster("hog", &[&PATIENT[..], &["--turns", "6", "--memory", "50"]].concat());
    report.assert_failed(&[7]);
    cluster("hog", &[&PATIENT[..], &["--turns", "6", "--memory", "2000"]].concat())
        .assert_failed(&[]);
    let report = cluster("out-of-memory", &PATIENT);
    report.assert_failed(&[7]);
    report.assert_tells(7, "MemoryError");
}

#[test]
fn the_end_of_the_input_is_to_be_heeded() {
    agon_testkit::slow!();
    for (mode, text) in [
        ("ignores-end", "it still ran"),
        ("fails-at-end", "no more lines?"),
        ("leaves-child", "it left a process running"),
    ] {
        let report = cluster(mode, &[&PATIENT[..], &["--turns", "4", "--games", "1"]].concat());
        report.assert_failed(&[8]);
        report.assert_tells(8, text);
    }
}

#[test]
fn runners_leave_nothing_behind_either() {
    let folder = TempDir::new().unwrap();
    let script = folder.path().join("runner.sh");
    let text =
        "sleep 1000 < /dev/null > /dev/null 2>&1 &\necho '{\"moves\": [], \"blob\": {}}' > $1\n";
    std::fs::write(&script, text).unwrap();
    let bot = format!("sh {}", script.display());
    let report = check(&["binfection", &bot, "--turns", "2", "--games", "1"]);
    report.assert_failed(&[8]);
}

#[test]
fn answers_may_differ_but_that_is_told() {
    agon_testkit::needs!("python3");
    let report = cluster("random", &PATIENT);
    report.assert_failed(&[]);
    report.assert_status(9, "warning");
}

#[test]
fn talk_is_counted() {
    agon_testkit::needs!("python3");
    let report = cluster("chatty", &[&PATIENT[..], &["--turns", "4"]].concat());
    report.assert_failed(&[]);
    // Two answers in each of the three matches.
    assert_eq!(report.of(10)["figures"]["bytes"], 3 * 2 * "thinking\n".len());
}
