//! Each bot's time ends with its own answer, even if the arena waits for others.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::{
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

use serde_json::Value;
use tempfile::TempDir;

fn script() -> String {
    format!("python3 {}/tests/bots/thinks.py", env!("CARGO_MANIFEST_DIR"))
}

fn jsonl(manner: &str, ms: u64) -> String {
    format!("jsonl:{} uniform {manner} {ms}", script())
}

fn rezzo(manner: &str, ms: u64) -> String {
    format!("{} rezzo {manner} {ms}", script())
}

/// A runner: the name of the file comes last.
fn runner(folder: &TempDir, manner: &str, ms: u64) -> String {
    let path = folder.path().join(format!("runner-{manner}-{ms}"));
    let text = match manner {
        // Without Python, which takes long to start.
        "sleep" => format!("sleep {}e-3; echo '{{\"moves\": [], \"blob\": {{}}}}' > \"$1\"\n", ms),
        _ => format!("exec {} \"$1\" {manner} {ms}\n", script()),
    };
    std::fs::write(&path, text).unwrap();
    format!("sh {}", path.display())
}

/// A library with a cell.
fn cell(folder: &TempDir, sleep: u64, work: u64) -> String {
    let path = folder.path().join(format!("cell-{sleep}-{work}.so"));
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bots/thinks.c");
    let mut command = Command::new("cc");
    command.args([
        "-shared",
        "-fPIC",
        &format!("-DSLEEP={sleep}"),
        &format!("-DWORK={work}"),
        "-o",
    ]);
    assert!(command.arg(&path).arg(source).status().unwrap().success());
    path.to_str().unwrap().to_owned()
}

/// A bot that runs already, until the test is over.
struct Running(Child, PathBuf);

impl Running {
    fn new(folder: &TempDir, manner: &str, ms: u64) -> Running {
        let socket = folder.path().join("socket");
        let mut command = Command::new("python3");
        command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bots/thinks.py"));
        let child =
            command.args(["uniform", manner, &ms.to_string()]).arg(&socket).spawn().unwrap();
        while !socket.exists() {
            thread::sleep(Duration::from_millis(5));
        }
        Running(child, socket)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Plays, and returns the result.
#[track_caller]
fn play(game: &str, bots: &[&str], flags: &[&str]) -> Value {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("agon"));
    command.args(["play", game, "--json", "--seed", "1"]).args(flags).args(bots);
    command.env("XDG_CACHE_HOME", Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache"));
    let output = command.stdin(Stdio::null()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let last = text.lines().last().unwrap_or_default();
    let result: Value = serde_json::from_str(last).unwrap_or_default();
    assert_eq!(
        result["type"],
        "result",
        "{bots:?} {last}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    result["data"].clone()
}

/// The median time of a player's answers in milliseconds.
fn median(result: &Value, player: usize) -> u64 {
    let spread = &result["players"][player]["totals"]["wall_per_answer"];
    spread["median_ns"].as_u64().unwrap_or_else(|| panic!("{result:#}")) / 1_000_000
}

/// How long the first one sleeps, and the others.
const SLOW: u64 = 1200;
const QUICK: u64 = 20;

/// A slow first one is waited for, and the others have their own times.
#[track_caller]
fn check(game: &str, bots: &[&str], flags: &[&str]) {
    let result = play(game, bots, flags);
    assert_eq!(result["faults"], Value::Array(vec![]), "{result:#}");
    // It may begin to sleep a moment before the arena, which waits for a core, begins to measure.
    assert!(median(&result, 0) >= SLOW * 3 / 4, "{result:#}");
    for (player, bot) in bots.iter().enumerate().skip(1) {
        let time = median(&result, player);
        assert!((QUICK..SLOW * 3 / 4).contains(&time), "{game}, {bot}: {time} ms");
    }
}

#[test]
fn whoever_is_quick_has_a_clock_of_its_own_behind_a_slow_first_one() {
    agon_testkit::slow!();
    let folder = TempDir::new().unwrap();
    let slow = jsonl("sleep", SLOW);
    let quick = jsonl("sleep", QUICK);
    check("binfection", &[&slow, &runner(&folder, "sleep", QUICK), &quick], &["--turns", "3"]);
    check("rezzo", &[&slow, &rezzo("sleep", QUICK), &quick], &["--turns", "3", "--time", "60000"]);
    let slow_cell = cell(&folder, SLOW, 0);
    check("cellhack", &[&slow_cell, &cell(&folder, QUICK, 0), &quick], &["--turns", "3"]);
    let running = Running::new(&folder, "sleep", QUICK);
    let address = format!("connect:{}", running.1.display());
    check("binfection", &[&runner(&folder, "sleep", SLOW), &address, &quick], &["--turns", "3"]);
}

#[test]
fn single_bots_have_limits_of_their_own() {
    let timeouts = |bots: [String; 2], flags: &[&str]| {
        let result = play("cluster", &bots.each_ref().map(String::as_str), flags);
        [0, 1].map(|player| {
            let faults = result["faults"].as_array().unwrap().iter();
            faults.filter(|fault| fault["player"] == player && fault["kind"] == "timeout").count()
        })
    };
    let bots = |ms| ["slow", "late"].map(|name| format!("{name}={}", jsonl("work", ms)));
    let flags = ["--turns", "6", "--time", "150", "--bank", "0", "--bot-time", "slow=9000"];
    let [own, general] = timeouts(bots(400), &flags);
    assert!(own == 0 && general > 0, "{own} and {general}");
    let flags = ["--turns", "2", "--time", "2", "--start-up", "2", "--bot-start-up", "slow=9000"];
    assert_eq!(timeouts(bots(400), &flags), [0, 1]);
    assert_eq!(timeouts(bots(400), &["--turns", "2", "--time", "2"]), [0, 0]);
}

#[test]
fn a_limit_names_a_bot_that_plays() {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("agon"));
    command.args(["play", "cluster", "hunter=builtin:random", "builtin:greedy"]);
    let output = command.args(["--bot-time", "huntr=5"]).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("no bot has the name `huntr`; did you mean `hunter`?"), "{error}");
}

/// The faults of the last player, without what is measured.
fn faults(result: &Value) -> Vec<(String, u64)> {
    let last = result["players"].as_array().unwrap().len() as u64 - 1;
    let faults = result["faults"].as_array().unwrap();
    let own = faults.iter().filter(|fault| fault["player"].as_u64() == Some(last));
    own.map(|fault| (fault["kind"].as_str().unwrap().to_owned(), fault["step"].as_u64().unwrap()))
        .collect()
}

#[test]
fn whoever_takes_too_long_behind_a_slow_first_one_is_late_as_it_is_alone() {
    agon_testkit::slow!();
    let folder = TempDir::new().unwrap();
    // It sleeps for less than three times the limit, and the other one is done by then.
    let limit = "400";
    let sleep = 1000;
    let work = 800;
    let flags = ["--turns", "2", "--time", limit];
    let others = [
        ("binfection", jsonl("work", work)),
        ("binfection", runner(&folder, "work", work)),
        ("rezzo", jsonl("work", work)),
        ("rezzo", rezzo("work", work)),
        ("cellhack", jsonl("work", work)),
        ("cellhack", cell(&folder, 0, work)),
    ];
    for (game, bot) in others {
        let alone = faults(&play(game, &["builtin:random", &bot], &flags));
        assert!(alone.iter().any(|(kind, _)| kind == "timeout"), "{game}, {bot}: {alone:?}");
        let slow = jsonl("sleep", sleep);
        let result = play(game, &[&slow, &bot], &flags);
        assert_eq!(faults(&result), alone, "{game}, {bot}: {result:#}");
        let late = result["faults"].as_array().unwrap().iter().any(|fault| fault["player"] == 0);
        assert!(!late, "{result:#}");
    }
}

#[test]
fn a_cell_that_sleeps_is_out_when_its_bank_is_used_up() {
    agon_testkit::slow!();
    let folder = TempDir::new().unwrap();
    let bot = cell(&folder, 2000, 0);
    // Each answer is 1 s beyond the wall limit of 3 times 300 ms.
    let flags = ["--time", "300", "--bank", "2500", "--turns", "9"];
    let result = play("cellhack", &["builtin:random", &bot], &flags);
    let fault = &result["faults"][0];
    assert_eq!((&fault["kind"], &fault["step"]), (&"timeout".into(), &2.into()), "{result:#}");
    let detail = fault["detail"].as_str().unwrap();
    assert!(detail.contains("and 900 ms for a bot that waits for something"), "{detail}");
    assert!(detail.contains("2500 of 2500 ms of the bank are used"), "{detail}");
}
