//! `agon tune`, with real matches.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::{
    fs,
    io::Read,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;
use tempfile::TempDir;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn agon(args: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("agon"));
    command.args(args).current_dir(root()).env("NO_COLOR", "1");
    command
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A small dish, in which a match takes some milliseconds.
const DISH: [&str; 8] = [
    "tune",
    "--game",
    "amoebas",
    "builtin:mindless-divider",
    "--set",
    "world_size=16",
    "--set",
    "rounds=120",
];

fn tune(folder: &Path, more: &[&str]) -> Command {
    let mut command = agon(&DISH);
    command.args(["--json", "--seed", "0", "--out"]).arg(folder).args(more);
    command
}

#[track_caller]
fn result(output: &Output) -> Value {
    assert!(output.status.success(), "{}", stderr(output));
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    value["data"].clone()
}

fn lines(folder: &Path) -> usize {
    let text = fs::read(folder.join("tune.jsonl")).unwrap_or_default();
    text.iter().filter(|&&byte| byte == b'\n').count()
}

/// Who hardly ever divides is soon crowded out.
#[test]
fn a_value_that_matters_is_found() {
    let folder = TempDir::new().unwrap();
    let more = [
        "--param",
        "probability=0..40",
        "--start",
        "probability=1",
        "--matches",
        "400",
        "--verify",
        "80",
    ];
    let data = result(&tune(folder.path(), &more).output().unwrap());
    let best: i64 = data["params"][0]["best"].as_str().unwrap().parse().unwrap();
    assert!(best >= 8, "{data}");
    assert!(data["verdict"]["low"].as_f64().unwrap() > 0.0, "{data}");
    assert_eq!(
        (&data["matches"], &data["tuned_with"], &data["faulty_matches"]),
        (&480.into(), &400.into(), &0.into())
    );
    assert_eq!(data["bot"], format!("builtin:mindless-divider?probability={best}"));
    assert_eq!(data["params"][0]["deviation"], Value::Null, "one run has no error");
    let chart = fs::read_to_string(folder.path().join("tune.svg")).unwrap();
    assert!(chart.contains("probability=0..40") && chart.contains("<polyline"), "{chart}");
    // The report for people, of the same tuning: nothing is played again.
    let before = fs::read(folder.path().join("tune.jsonl")).unwrap();
    let output = agon(&DISH).arg("--out").arg(folder.path()).args(more).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        text.contains("The values found are better than the starting ones.")
            && text.contains("Measured in 80 new matches, with 95 % intervals: +"),
        "{text}"
    );
    assert!(text.contains(&format!("builtin:mindless-divider?probability={best}\n")), "{text}");
    assert!(text.contains("only in runs with other seeds") && !text.contains('±'), "{text}");
    assert!(stderr(&output).contains("going on after 480 matches"), "{}", stderr(&output));
    assert!(fs::read(folder.path().join("tune.jsonl")).unwrap() == before);
}

const SHORT: [&str; 6] = ["--param", "probability=5..60", "--matches", "160", "--verify", "20"];

#[test]
fn neither_jobs_nor_kills_change_the_result() {
    agon_testkit::slow!();
    let folder = TempDir::new().unwrap();
    let at = |name: &str| folder.path().join(name);
    let run = |name: &str, jobs: &str| {
        let data = result(&tune(&at(name), &SHORT).args(["--jobs", jobs]).output().unwrap());
        (data, fs::read(at(name).join("tune.svg")).unwrap())
    };
    let one = run("one", "1");
    assert!(one == run("four", "4"), "four at a time find something else");
    // Killed again and again, as soon as there are some more lines.
    let killed = at("killed");
    for least in [3, 40, 90] {
        let mut child =
            tune(&killed, &SHORT).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let begun = Instant::now();
        while lines(&killed) < least && child.try_wait().unwrap().is_none() {
            assert!(begun.elapsed() < Duration::from_secs(300), "it plays no matches");
            thread::sleep(Duration::from_millis(2));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(lines(&killed) >= least);
    }
    // A line that was being written.
    let path = killed.join("tune.jsonl");
    let mut text = fs::read_to_string(&path).unwrap();
    text.push_str("{\"match\":1");
    fs::write(&path, text).unwrap();
    assert!(one == run("killed", "2"), "killed in between it finds something else");
    assert_eq!(lines(&killed), lines(&at("one")));
}

#[test]
fn ctrl_c_says_how_to_go_on() {
    agon_testkit::needs!("kill");
    let folder = TempDir::new().unwrap();
    let more = ["--param", "probability=5..60", "--matches", "100000"];
    let mut child =
        tune(folder.path(), &more).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let begun = Instant::now();
    while lines(folder.path()) < 20 {
        assert!(begun.elapsed() < Duration::from_secs(300), "it plays no matches");
        thread::sleep(Duration::from_millis(2));
    }
    let status = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(status.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let mut out = String::new();
    let mut talk = String::new();
    child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    child.stderr.take().unwrap().read_to_string(&mut talk).unwrap();
    let data: Value = serde_json::from_str::<Value>(&out).unwrap()["data"].clone();
    assert_eq!((&data["interrupted"], &data["verdict"]), (&true.into(), &Value::Null));
    assert!(
        talk.contains("continue with: agon tune --game amoebas builtin:mindless-divider"),
        "{talk}"
    );
    assert!(folder.path().join("tune.svg").exists());
}

#[test]
fn both_versions_play_the_same_opponents() {
    let folder = TempDir::new().unwrap();
    let more =
        ["--param", "probability=5..60", "--matches", "48", "--verify", "12", "--players", "3"];
    let against = ["--against", "builtin:nasty", "builtin:mindless", "builtin:mindless-divider"];
    let data = result(&tune(folder.path(), &[&more[..], &against].concat()).output().unwrap());
    assert_eq!((&data["matches"], &data["tuned_with"]), (&60.into(), &48.into()));
    assert_eq!(data["verdict"]["duels"], 2);
    assert!(data["verdict"].get("elo").is_none(), "{data}");
}

#[track_caller]
fn fails(folder: &Path, args: &[&str], expected: &str) {
    let output = agon(args).arg("--out").arg(folder).output().unwrap();
    let text = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains(expected), "{text}");
    assert!(!folder.exists(), "nothing is written");
}

#[test]
fn what_cannot_be_played_is_told_before_anything_is() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path().join("out");
    let fails = |args: &[&str], expected: &str| {
        fails(&folder, &[&["tune", "--game"], args].concat(), expected)
    };
    let slightly = "builtin:slightly-brainy";
    fails(&["amoebas", slightly, "--param", "hight=5..40"], "there is no parameter `hight`");
    fails(&["amoebas", slightly, "--param", "low=5..5"], "the range of `low=5..5` is empty");
    fails(&["amoebas", slightly, "--param", "low=20..40"], "begins with low=10");
    fails(&["amoebas", slightly, "--param", "low=5..20000"], "a number from 0 to 10000");
    fails(
        &["cluster", "builtin:random", "--param", "rotate=0..20", "--matches", "1"],
        "compared by 2 matches",
    );
    let cluster = ["cluster", "builtin:random", "--param", "rotate=0..20"];
    fails(
        &[&cluster[..], &["--players", "3", "--against", "builtin:greedy"]].concat(),
        "cluster is for 2 to 2",
    );
    fails(
        &["cluster", "python3 examples/bots/cluster/greedy.py", "--param", "x=0..20"],
        "put `{x}` there",
    );
}

/// A bot that ends at once with values above 5.
#[test]
fn a_program_that_refuses_a_value_is_named() {
    agon_testkit::slow!();
    let folder = TempDir::new().unwrap();
    let bot = folder.path().join("picky.py");
    let body = fs::read_to_string(root().join("examples/bots/cluster/greedy.py")).unwrap();
    let check = "import sys\nif int(sys.argv[1]) > 5:\n    sys.exit('at most five, please')\n";
    fs::write(&bot, format!("{check}{body}")).unwrap();
    let bot = format!("python3 {} {{x}}", bot.display());
    let args = [
        "tune", "--game", "cluster", &bot, "--param", "x=0..9", "--start", "x=2", "--set", "side=4",
    ];
    let out = folder.path().join("out");
    fails(&out, &args, "9` crashed");
    fails(&out, &args, "at most five, please");
    let narrow: Vec<&str> =
        args.iter().map(|&word| if word == "x=0..9" { "x=0..5" } else { word }).collect();
    let output = agon(&narrow)
        .args(["--matches", "8", "--verify", "0", "--json", "--out"])
        .arg(&out)
        .output()
        .unwrap();
    let data = result(&output);
    assert_eq!((&data["matches"], &data["faulty_matches"]), (&8.into(), &0.into()));
    // Another bot in the same folder is another tuning.
    let other = agon(&args).args(["--json", "--out"]).arg(&out).output().unwrap();
    assert!(
        stderr(&other).contains("belongs to another tuning, with another params"),
        "{}",
        stderr(&other)
    );
}
