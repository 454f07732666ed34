//! Whole matches from the command line, with the bots of `examples/bots/` and built-in ones.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::{
    fs, io,
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

fn run(args: &[&str]) -> Output {
    agon(args).output().expect("agon runs")
}

#[track_caller]
fn succeed(args: &[&str]) -> String {
    let output = run(args);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{args:?}: {text}{}", String::from_utf8_lossy(&output.stderr));
    text
}

/// A short match of each game, with bots in the game's original form where it has one.
const MATCHES: [&[&str]; 5] = [
    &[
        "amoebas",
        "builtin:nasty",
        "builtin:slightly-brainy?low=15",
        "--set",
        "world_size=60",
        "--set",
        "rounds=80",
    ],
    &[
        "binfection",
        "examples/bots/binfection/alice.sh",
        "examples/bots/binfection/bob.sh",
        "builtin:general",
        "--set",
        "field_width=12",
        "--set",
        "field_height=12",
        "--set",
        "turns_limit=6",
    ],
    &[
        "cellhack",
        "examples/bots/cellhack/amoeboid.c",
        "examples/bots/cellhack/drifter.c",
        "examples/bots/cellhack/pioneers.c",
        "builtin:hunter",
        "--set",
        "width=30",
        "--set",
        "height=30",
        "--set",
        "turns=60",
    ],
    &["cluster", "python3 examples/bots/cluster/greedy.py", "builtin:random", "--set", "side=5"],
    &[
        "rezzo",
        "python3 examples/bots/rezzo/guard.py",
        "builtin:wanderer",
        "--set",
        "width=40",
        "--set",
        "height=40",
        "--set",
        "max_ticks=150",
    ],
];

#[test]
fn the_same_seed_gives_the_same_match_and_its_replay_verifies() {
    agon_testkit::slow!();
    let folder = TempDir::new().unwrap();
    for game in MATCHES {
        let replay = |name: &str| {
            let path = folder.path().join(format!("{}-{name}.agon", game[0]));
            let path = path.to_str().unwrap().to_owned();
            let args = [&["play"], game, &["--seed", "7", "--replay", &path]].concat();
            let text = succeed(&args);
            assert!(!text.contains("faults"), "{text}");
            path
        };
        let (first, second) = (replay("first"), replay("second"));
        // What programs cost differs; without any the replay is the same byte by byte.
        if game[1..].iter().all(|word| word.starts_with("builtin:") || !word.contains('/')) {
            assert!(
                fs::read(&first).unwrap() == fs::read(&second).unwrap(),
                "{}: the replays differ",
                game[0]
            );
        }
        assert!(succeed(&["replay", "verify", &first]).contains("proven"));
        assert!(succeed(&["replay", "info", &first]).contains(game[0]));
        let states = succeed(&["replay", "export", &first, "--states", "-"]);
        assert!(
            states == succeed(&["replay", "export", &second, "--states", "-"]),
            "{}: states differ",
            game[0]
        );
        assert!(states.lines().count() > 2, "{} has few states", game[0]);
        states.lines().for_each(|line| drop(serde_json::from_str::<Value>(line).unwrap()));
    }
}

#[test]
fn a_state_of_a_replay_can_be_played_on_as_a_scenario() {
    agon_testkit::needs!("python3");
    let folder = TempDir::new().unwrap();
    for game in MATCHES {
        let path = folder.path().join("m.agon").to_str().unwrap().to_owned();
        succeed(&[&["play"], game, &["--seed", "3", "--turns", "5", "--replay", &path]].concat());
        let line = succeed(&["replay", "export", &path, "--states", "-", "--step", "3"]);
        let state: Value = serde_json::from_str(&line).unwrap();
        let info = succeed(&["replay", "info", &path, "--json"]);
        let info: Value = serde_json::from_str(&info).unwrap();
        let scenario = serde_json::json!({ "game": game[0], "rules": info["data"]["rules"],
            "seed": info["data"]["seed"], "position": state["position"], "steps": [[]] });
        let file = folder.path().join("scenario.json");
        fs::write(&file, scenario.to_string()).unwrap();
        let played = succeed(&["scenario", file.to_str().unwrap()]);
        let first: Value = serde_json::from_str(played.lines().next().unwrap()).unwrap();
        assert_eq!(first["state_hash"], state["state_hash"], "{}", game[0]);
        assert_eq!(played.lines().count(), 2);
    }
}

#[test]
fn json_lines_tell_the_whole_match() {
    let text =
        succeed(&["play", "cluster", "sh -c 'exit 1'", "builtin:random", "--seed", "1", "--json"]);
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let types: Vec<&str> = lines.iter().map(|line| line["type"].as_str().unwrap()).collect();
    assert_eq!(types, ["match", "fault", "result"]);
    assert_eq!(lines[1]["data"]["kind"], "crash");
    assert_eq!(lines[1]["data"]["evidence"]["exit_status"], 1);
    assert_eq!(lines[2]["data"]["standing"]["outcome"]["winners"], serde_json::json!([1]));
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    // It has gone before a word is written.
    let (reader, writer) = io::pipe().unwrap();
    drop(reader);
    let output = agon(&["rules", "cluster"]).stdout(writer).output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(141), &b""[..]));
}

/// A match that takes long enough to be stopped, and the file its replay goes to.
fn start_long_match(folder: &TempDir) -> (std::process::Child, String) {
    let path = folder.path().join("long.agon").to_str().unwrap().to_owned();
    let args = ["play", "amoebas", "--seed", "1", "--set", "rounds=1000000", "--replay", &path];
    let child = agon(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let begun = Instant::now();
    while fs::metadata(&path).map_or(0, |file| file.len()) < 100_000 {
        assert!(begun.elapsed() < Duration::from_secs(120), "the replay does not grow");
        thread::sleep(Duration::from_millis(20));
    }
    (child, path)
}

fn signal(child: &std::process::Child, name: &str) {
    let sent = Command::new("kill").args(["-s", name, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

#[test]
fn ctrl_c_ends_a_match_in_order() {
    agon_testkit::needs!("kill");
    let folder = TempDir::new().unwrap();
    let (child, path) = start_long_match(&folder);
    signal(&child, "INT");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert!(String::from_utf8_lossy(&output.stdout).contains("interrupted"), "{output:?}");
    assert!(succeed(&["replay", "verify", &path]).contains("proven"));
}

#[test]
fn ctrl_c_while_a_bot_is_compiled_ends_the_compiler_with_all_its_programs() {
    agon_testkit::needs!("kill");
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    fs::write(path("bot.c"), "int x;").unwrap();
    let part = path("part");
    fs::write(
        path("cc.sh"),
        format!("sleep 1000 & echo $! > {part}.new; mv {part}.new {part}; wait"),
    )
    .unwrap();
    // It tells the number of a process, by a file.
    let child = agon(&["play", "cluster", &path("bot.c"), "builtin:greedy", "--sandbox", "off"])
        .env("CC", format!("sh {}", path("cc.sh")))
        .env("XDG_CACHE_HOME", folder.path())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    let soon = |done: &dyn Fn() -> bool, what: &str| {
        while !done() {
            assert!(begun.elapsed() < Duration::from_secs(120), "{what}");
            thread::sleep(Duration::from_millis(20));
        }
    };
    soon(&|| Path::new(&part).exists(), "the compiler starts");
    let part = fs::read_to_string(part).unwrap().trim().to_owned();
    signal(&child, "INT");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let stat = || fs::read_to_string(format!("/proc/{part}/stat")).unwrap_or_default();
    soon(&|| stat().is_empty() || stat().contains(") Z "), "what the compiler had started ends");
}

#[test]
fn a_killed_arena_leaves_a_replay_that_is_good_up_to_there() {
    agon_testkit::needs!("kill");
    let folder = TempDir::new().unwrap();
    let (mut child, path) = start_long_match(&folder);
    signal(&child, "KILL");
    child.wait().unwrap();
    let verdict = run(&["replay", "verify", &path]);
    assert_eq!(verdict.status.code(), Some(1));
    let text = String::from_utf8_lossy(&verdict.stdout).into_owned();
    assert!(text.contains("not proven") && text.contains("steps follow the rules"), "{text}");
}

#[test]
fn damage_is_reported_with_exit_code_1() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("m.agon").to_str().unwrap().to_owned();
    succeed(&["play", "cluster", "--seed", "4", "--replay", &path]);
    let mut bytes = fs::read(&path).unwrap();
    let middle = bytes.len() - bytes.len() / 4;
    bytes[middle] ^= 1;
    fs::write(&path, &bytes).unwrap();
    let verdict = run(&["replay", "verify", &path]);
    assert_eq!(verdict.status.code(), Some(1), "{}", String::from_utf8_lossy(&verdict.stderr));
}

/// The result is on standard error here; `NO_COLOR` is not set, so only the pipe says that colours
/// are unwanted.
#[test]
fn a_tournaments_result_has_no_colours_in_a_pipe() {
    let args = ["amoebas", "builtin:mindless", "--rounds", "3", "--seed", "1", "--last-gen-stats"];
    let output = agon(&args).env_remove("NO_COLOR").output().unwrap();
    let [out, err] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert!(out.starts_with("finished ( 3 generations): {:size {:mindless 1}"), "{out}");
    assert!(err.contains("amoebas · 3 rounds · seed 1") && !err.contains('\x1b'), "{err:?}");
}

#[test]
fn options_of_a_display_are_refused_with_a_remedy() {
    let output = run(&["rezzo", "-q", "builtin:random", "builtin:random", "--", "-rfbport", "1"]);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("`-- -rfbport 1`: Agon's displays have no options"), "{said}");
    assert!(said.contains("`--view vnc:5901`"), "{said}");
}
