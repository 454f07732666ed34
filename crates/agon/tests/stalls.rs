//! The arena is stopped in the middle of a match and goes on later: such a match is void, and
//! played again.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::{
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    thread,
    time::Duration,
};

use serde_json::Value;
use tempfile::TempDir;

/// Longer than the second that makes a match void, and than a tick of [`TICK`].
const STALL: Duration = Duration::from_millis(2500);

/// A steady tick in milliseconds; a slow one, so that a busy machine does not make bots late.
const TICK: &str = "2000";

struct Scene {
    folder: TempDir,
}

impl Scene {
    fn new() -> Scene {
        Scene { folder: TempDir::new().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The bot that waits in its second turn.
    fn bot(&self, game: &str) -> String {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bots/waits.py");
        format!("python3 {} {game} {}", script.display(), self.folder.path().display())
    }

    fn let_it_go_on(&self) {
        std::fs::write(self.path("go"), "").unwrap();
    }

    /// Starts a match and stops the arena for a while as soon as the bot waits; `meanwhile` is done
    /// before it goes on.
    fn stall(&self, args: &[&str], meanwhile: impl FnOnce()) -> Output {
        let mut command = agon(args);
        let arena = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        while !self.path("asked").exists() {
            thread::sleep(Duration::from_millis(5));
        }
        signal(&arena, "STOP");
        thread::sleep(STALL);
        meanwhile();
        signal(&arena, "CONT");
        arena.wait_with_output().unwrap()
    }

    fn replay_info(&self, replay: &str) -> Value {
        let output = agon(&["replay", "info", "--json", replay]).output().unwrap();
        serde_json::from_slice::<Value>(&output.stdout).unwrap()["data"].take()
    }
}

fn agon(args: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("agon"));
    // Bots tell by files where they are.
    let plays = args.first().is_some_and(|&command| command != "replay");
    command
        .args(args)
        .args(plays.then_some("--sandbox=off"))
        .env("NO_COLOR", "1")
        .stdin(Stdio::null());
    command
}

fn signal(arena: &Child, signal: &str) {
    let status = Command::new("kill")
        .args([&format!("-{signal}"), &arena.id().to_string()])
        .status()
        .unwrap();
    assert!(status.success());
}

fn lines(output: &Output) -> Vec<Value> {
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn a_match_during_which_the_arena_stood_still_is_played_again() {
    agon_testkit::needs!("python3", "kill");
    let scene = Scene::new();
    let replay = scene.path("match.agon");
    let bot = scene.bot("cluster");
    let replay = replay.to_str().unwrap();
    let args = [
        "play",
        "cluster",
        &bot,
        "builtin:greedy",
        "--set",
        "side=5",
        "--seed",
        "3",
        "--time",
        "60000",
    ];
    let log = scene.path("log");
    let logged = ["--log", log.to_str().unwrap()];
    let args = [&args[..], &["--json", "--replay", replay]].concat();
    let output = scene.stall(&[&args[..], &logged].concat(), || scene.let_it_go_on());
    let talk = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{talk}");
    assert!(talk.contains("void: the arena stood still for"), "{talk}");
    assert!(talk.contains("played again (2 of 3); it helps to end other programs"), "{talk}");

    let printed = lines(&output);
    let types: Vec<&str> = printed.iter().map(|line| line["type"].as_str().unwrap()).collect();
    assert_eq!(types, ["match", "void", "result"]);
    assert_eq!(
        (&printed[1]["data"]["attempt"], &printed[1]["data"]["void"]["reason"]),
        (&1.into(), &"stall".into())
    );
    assert!(printed[1]["data"]["void"]["stall_ms"].as_u64().unwrap() >= 1000);
    let result = &printed[2]["data"];
    assert!(result["void"].is_null() && result["faults"] == serde_json::json!([]), "{result:#}");

    // The replay is that of the second attempt: the one that would be without any stall.
    let again = scene.path("again.agon");
    let args: Vec<&str> =
        args.iter().map(|&arg| if arg == replay { again.to_str().unwrap() } else { arg }).collect();
    let undisturbed = agon(&args).output().unwrap();
    assert_eq!(lines(&undisturbed).len(), 2);
    let states = |replay: &str| {
        agon(&["replay", "export", replay, "--states", "-"]).output().unwrap().stdout
    };
    let expected = states(again.to_str().unwrap());
    assert!(expected.len() > 1000 && states(replay) == expected);
    // So is the log; that of the first is beside it.
    for folder in [scene.path("log"), scene.path("log-void-1")] {
        assert!(folder.join("match.json").is_file(), "{} is there", folder.display());
    }
}

#[test]
fn a_bot_that_was_late_because_the_arena_stood_still_is_not_blamed() {
    agon_testkit::slow!();
    let scene = Scene::new();
    let replay = scene.path("match.agon");
    let bot = scene.bot("rezzo");
    let replay = replay.to_str().unwrap();
    let args = [
        "rezzo",
        "-w",
        "40",
        "-h",
        "40",
        "-t",
        TICK,
        "-r",
        "5",
        "--max-ticks",
        "3",
        "--replay",
        replay,
    ];
    let output =
        scene.stall(&[&args[..], &[&bot, "builtin:random"]].concat(), || scene.let_it_go_on());
    let talk = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{talk}{}", String::from_utf8_lossy(&output.stdout));
    assert!(talk.contains("played again"), "{talk}");
    let info = scene.replay_info(replay);
    assert!(
        info["result"]["void"].is_null() && info["faults"] == serde_json::json!([]),
        "{info:#}"
    );
    assert_eq!(info["steps"], 3);
}

#[test]
fn a_void_match_that_is_kept_says_so_wherever_it_is_shown() {
    agon_testkit::slow!();
    let scene = Scene::new();
    let replay = scene.path("match.agon");
    let bot = scene.bot("rezzo");
    let replay = replay.to_str().unwrap();
    let args = [
        "rezzo",
        "-w",
        "40",
        "-h",
        "40",
        "-t",
        TICK,
        "-r",
        "5",
        "--max-ticks",
        "3",
        "--replay",
        replay,
    ];
    // The bot does not go on: its tick is over when the arena does.
    let output =
        scene.stall(&[&args[..], &["--keep-void", &bot, "builtin:random"]].concat(), || ());
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("void: the arena stood still for"), "{text}");
    let said = "in which a bot was late; the result counts for nothing; it helps to end other";
    assert!(text.contains(said), "{text}");
    let info = scene.replay_info(replay);
    assert_eq!(info["result"]["void"]["reason"], "timeout", "{info:#}");
    assert_eq!(
        (&info["faults"][0]["kind"], &info["faults"][0]["step"]),
        (&"timeout".into(), &1.into())
    );
    let output = agon(&["replay", "info", replay]).output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("void: the arena stood still for"));
    let verified = agon(&["replay", "verify", replay]).output().unwrap();
    assert!(verified.status.success(), "what is void is still proven");
}

#[test]
fn a_match_without_clocks_is_never_void() {
    agon_testkit::needs!("python3", "kill");
    let scene = Scene::new();
    let bot = scene.bot("cluster");
    let args =
        ["play", "cluster", &bot, "builtin:greedy", "--set", "side=5", "--no-clock", "--json"];
    let output = scene.stall(&args, || scene.let_it_go_on());
    let printed = lines(&output);
    assert_eq!((printed.len(), output.status.code()), (2, Some(0)));
    assert!(
        printed[1]["data"].get("longest_stall_ms").is_none()
            && printed[1]["data"].get("void").is_none()
    );
}
