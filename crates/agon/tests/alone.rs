//! Matches that nobody can win: of one player, and of bots that never answer.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::{
    fs,
    io::{BufRead, BufReader},
    process::{Command, Output, Stdio},
};

use serde_json::{Value, json};
use tempfile::TempDir;

fn agon(folder: &TempDir, args: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("agon"));
    command
        .args(args)
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .env_remove("DISPLAY")
        .stdin(Stdio::null());
    command
}

/// Runs it; returns the exit code, standard output and standard error.
fn run(folder: &TempDir, args: &[&str]) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = agon(folder, args).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (status.code(), text(stdout), text(stderr))
}

/// The data of the line of this type.
fn data(lines: &str, kind: &str) -> Value {
    let mut lines = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.find(|line| line["type"] == kind).unwrap()["data"].clone()
}

#[test]
fn one_player_alone_plays_to_the_end_without_a_winner() {
    let folder = TempDir::new().unwrap();
    for (words, reason) in [
        (["cellhack", "builtin:grower", "--set", "turns=20"], "one player alone, after 20 turns"),
        (
            ["rezzo", "builtin:wanderer", "--set", "max_ticks=20"],
            "one player alone, after 20 ticks",
        ),
    ] {
        let args = [&["play"][..], &words, &["--seed", "1", "--replay", "m.agon"]].concat();
        let (code, text, notes) = run(&folder, &args);
        assert_eq!(code, Some(0), "{text}{notes}");
        assert!(text.contains(&format!("no winner: {reason}")), "{text}");
        assert_eq!(run(&folder, &["replay", "verify", "m.agon"]).0, Some(0));
        let info = run(&folder, &["replay", "info", "m.agon"]).1;
        assert!(info.contains(&format!("no winner: {reason}")), "{info}");
        let result = data(&run(&folder, &[&args[..], &["--json"]].concat()).1, "result");
        assert_eq!(result["standing"]["outcome"], json!({ "winners": [], "reason": reason }));
        assert_eq!(result["end"], "over");
    }
}

#[test]
fn classic_command_lines_take_one_player() {
    let folder = TempDir::new().unwrap();
    let (code, text, notes) =
        run(&folder, &["cellhack", "5", "9", "9", "m.replay", "rosa", "builtin:grower"]);
    assert_eq!((code, notes.as_str()), (Some(0), ""), "{text}");
    assert!(text.contains("rosa: "), "{text}");
    let file = fs::read(folder.path().join("m.replay")).unwrap();
    assert!(file.starts_with(b"width: 9\nheight: 9\nplayers: rosa\n\0"));
    let args = ["rezzo", "-q", "-w", "20", "-h", "20", "--max-ticks", "5", "builtin:wanderer"];
    let (code, text, _) = run(&folder, &args);
    assert_eq!(code, Some(0));
    assert!(text.contains("no winner: one player alone, after 5 ticks"), "{text}");
}

#[test]
fn a_match_alone_without_a_limit_is_announced() {
    let folder = TempDir::new().unwrap();
    let args = ["rezzo", "-q", "-w", "20", "-h", "20", "builtin:wanderer"];
    let mut child =
        agon(&folder, &args).stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let line = BufReader::new(child.stderr.take().unwrap()).lines().next().unwrap().unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(line.contains("it goes on while the one bot holds out. Ctrl-C ends it"), "{line}");
    // With a limit there is nothing to tell.
    let limited = ["play", "rezzo", "builtin:wanderer", "--set", "max_ticks=0", "--turns", "3"];
    let (code, text, notes) = run(&folder, &limited);
    assert_eq!((code, notes.as_str()), (Some(0), ""), "{text}");
}

#[test]
fn nobody_is_compared_or_rated_alone() {
    let folder = TempDir::new().unwrap();
    let plan = "game = \"rezzo\"\nplayers = 1\nbots = [\"builtin:wanderer\", \"builtin:random\"]\n\
                [format]\nkind = \"round-robin\"\n";
    fs::write(folder.path().join("alone.toml"), plan).unwrap();
    for args in [
        &["compare", "--game", "rezzo", "builtin:raider", "builtin:random", "--players", "1"][..],
        &["tournament", "alone.toml"],
        &[
            "tune",
            "--game",
            "cellhack",
            "builtin:grower",
            "--param",
            "rich=20..90",
            "--players",
            "1",
        ],
    ] {
        let (code, text, notes) = run(&folder, args);
        assert_eq!(code, Some(2), "{args:?}: {text}{notes}");
        assert!(notes.contains("players"), "{args:?}: {notes}");
    }
}

#[test]
fn a_match_in_which_every_answer_failed_says_so() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("fails.sh"), "exit 1\n").unwrap();
    let bad = "sh fails.sh";
    let dead = "jsonl:sh -c 'exit 3'";
    for (words, bot) in [
        (
            &[
                "binfection",
                "--set",
                "turns_limit=3",
                "--set",
                "field_width=8",
                "--set",
                "field_height=8",
            ][..],
            bad,
        ),
        (
            &[
                "binfection",
                "--set",
                "turns_limit=3",
                "--set",
                "field_width=8",
                "--set",
                "field_height=8",
            ],
            dead,
        ),
        (&["cellhack", "--set", "turns=3"], dead),
        (&["rezzo", "--set", "max_ticks=3", "--set", "width=30", "--set", "height=30"], dead),
        (&["amoebas", "--set", "rounds=3", "--set", "world_size=20"], dead),
    ] {
        let args = [&["play"], words, &[bot, bot, "--seed", "1"]].concat();
        let (code, text, _) = run(&folder, &args);
        assert_eq!(code, Some(1), "{args:?}: {text}");
        assert!(
            text.contains("no valid answer: no bot gave one in the whole match"),
            "{args:?}: {text}"
        );
        let (code, lines, _) = run(&folder, &[&args[..], &["--json"]].concat());
        assert_eq!(code, Some(1), "{args:?}");
        assert_eq!(data(&lines, "result")["unanswered"], true);
    }
    // A bot that answers makes a result of it.
    let args =
        ["play", "binfection", bad, "builtin:random", "--set", "turns_limit=3", "--seed", "1"];
    let (code, text, _) =
        run(&folder, &[&args[..], &["--set", "field_width=8", "--set", "field_height=8"]].concat());
    assert_eq!(code, Some(0), "{text}");
    assert!(!text.contains("no valid answer"), "{text}");
}
