//! Classic command lines, in folders of their own.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::{
    fs,
    process::{Command, Output},
};

use serde_json::Value;
use tempfile::TempDir;

fn run(folder: &TempDir, args: &[&str]) -> Output {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("agon"));
    command.args(args).current_dir(folder.path()).env("NO_COLOR", "1").output().expect("agon runs")
}

#[track_caller]
fn succeed(folder: &TempDir, args: &[&str]) -> String {
    let output = run(folder, args);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{args:?}: {text}{}", String::from_utf8_lossy(&output.stderr));
    text
}

/// A folder with a small field of binfection.
fn small_field() -> TempDir {
    let folder = TempDir::new().unwrap();
    let settings = "[GENERAL]\nTURNS_LIMIT: 3\nFIELD_WIDTH: 40\nFIELD_HEIGHT: 30\n";
    fs::write(folder.path().join("settings.ini"), settings).unwrap();
    folder
}

#[test]
fn binfection_prints_the_field_after_every_phase() {
    let folder = small_field();
    let text =
        succeed(&folder, &["binfection", "builtin:random", "builtin:spreader", "--seed", "2", "--print"]);
    let turns: Vec<&str> = text.lines().filter(|line| line.starts_with("turn ")).collect();
    let phases = ["turn 0", "turn 1, before growth", "turn 1", "turn 2, before growth", "turn 2"];
    assert_eq!(turns[..5], phases);
    let result = fs::read(folder.path().join("games/random-spreader-2.res")).unwrap();
    let snapshots: Vec<Value> = serde_json::from_slice(&result).unwrap();
    assert_eq!(snapshots.len(), turns.len());
}

#[test]
fn binfection_writes_the_result_of_many_bots() {
    let folder = small_field();
    let args = [&["binfection", "--seed", "2"], &["builtin:spreader"; 40][..]].concat();
    succeed(&folder, &args);
    assert_eq!(fs::read_dir(folder.path().join("games")).unwrap().count(), 1);
}

#[test]
fn cellhack_keeps_an_older_replay_file_if_no_match_begins() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("old.replay");
    fs::write(&file, "old").unwrap();
    let args = |path| ["cellhack", "3", "9", "8", "old.replay", "rosa", "builtin:hunter", "tom", path];
    assert!(!run(&folder, &args("missing.c")).status.success());
    assert_eq!(fs::read(&file).unwrap(), b"old");
    assert!(succeed(&folder, &args("builtin:swarm")).starts_with("Player: Cells surviving\nrosa: "));
    let header = b"width: 9\nheight: 8\nplayers: rosa, tom\n\0";
    let written = fs::read(&file).unwrap();
    assert!(written.starts_with(header));
    assert_eq!(written.len(), header.len() + 4 * 72 * 10);
}
