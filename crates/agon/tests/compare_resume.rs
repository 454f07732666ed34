//! `agon compare --out`: a comparison that is killed continues, and ends as if it had not been.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use tempfile::TempDir;

/// Versions that differ too little to be told apart by so few matches.
const CLOSE: [&str; 8] =
    ["builtin:random", "v1=builtin:random", "--seed", "0", "--elo1", "1", "--max", "300"];

fn compare(folder: &Path, more: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("agon"));
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    command.args(["compare", "--game", "cluster", "--set", "side=5", "--out"]).arg(folder);
    command.args(more).current_dir(root).env("NO_COLOR", "1");
    command
}

fn journal(folder: &Path) -> PathBuf {
    folder.join("compare.jsonl")
}

fn lines(folder: &Path) -> usize {
    let text = fs::read(journal(folder)).unwrap_or_default();
    text.iter().filter(|&&byte| byte == b'\n').count()
}

/// Standard output of a comparison that ends without a verdict.
#[track_caller]
fn undecided(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[track_caller]
fn refused(command: &mut Command, words: &[&str]) {
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(words.iter().all(|word| text.contains(word)), "{words:?}: {text}");
}

/// Starts a comparison and waits until its journal has so many lines.
#[track_caller]
fn started(folder: &Path, more: &[&str], least: usize) -> std::process::Child {
    let mut command = compare(folder, more);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let begun = Instant::now();
    while lines(folder) < least && child.try_wait().unwrap().is_none() {
        assert!(begun.elapsed() < Duration::from_secs(300), "it plays no matches");
        thread::sleep(Duration::from_millis(2));
    }
    child
}

/// The report without the name of the folder.
fn shared(text: &str, folder: &Path) -> String {
    text.replace(&folder.display().to_string(), "FOLDER")
}

#[test]
fn kills_change_nothing() {
    let dir = TempDir::new().unwrap();
    let [whole, killed] = ["whole", "killed"].map(|name| dir.path().join(name));
    let json = [&CLOSE[..], &["--json"]].concat();
    let expected = undecided(&compare(&whole, &json).output().unwrap());
    for least in [2, 30, 80] {
        let mut child = started(&killed, &CLOSE, least);
        child.kill().unwrap();
        child.wait().unwrap();
        // The line that was being written.
        let mut text = fs::read(journal(&killed)).unwrap();
        text.extend(b"{\"seed\":7,\"mat");
        fs::write(journal(&killed), text).unwrap();
    }
    let output = compare(&killed, &[&json[..], &["-j", "1"]].concat()).output().unwrap();
    let talk = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(talk.contains("continuing after "), "{talk}");
    assert_eq!(shared(&undecided(&output), &killed), shared(&expected, &whole));
    assert_eq!(fs::read(journal(&killed)).unwrap(), fs::read(journal(&whole)).unwrap());
    // One that is over reports again, and plays nothing.
    let before = fs::read(journal(&killed)).unwrap();
    let again = undecided(&compare(&killed, &json).output().unwrap());
    assert_eq!(shared(&again, &killed), shared(&expected, &whole));
    assert_eq!(fs::read(journal(&killed)).unwrap(), before);
    // With more matches it plays on.
    let more = [&CLOSE[..7], &["320"]].concat();
    undecided(&compare(&killed, &more).output().unwrap());
    assert_eq!(lines(&killed), 161);
}

#[test]
fn it_continues_after_ctrl_c() {
    agon_testkit::needs!("kill");
    let dir = TempDir::new().unwrap();
    let folder = dir.path().join("results");
    let mut child = started(&folder, &CLOSE, 5);
    let sent = Command::new("kill").args(["-s", "INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let before = lines(&folder);
    assert!((5..151).contains(&before), "{before}");
    undecided(&compare(&folder, &CLOSE).output().unwrap());
    assert_eq!(lines(&folder), 151);
}

#[test]
fn another_comparison_is_refused() {
    let dir = TempDir::new().unwrap();
    let folder = dir.path().join("results");
    let short = [&CLOSE[..2], &CLOSE[4..7], &["4"]].concat();
    undecided(&compare(&folder, &short).output().unwrap());
    let other = |args: &[&str], words: &[&str]| {
        refused(&mut compare(&folder, args), &[&["compare.jsonl", "--out"], words].concat());
    };
    other(&[&short[..], &["--seed", "1"]].concat(), &["another seed"]);
    other(&[&short[..], &["--alpha", "0.01"]].concat(), &["another alpha"]);
    other(&[&short[..], &["--set", "bag=4"]].concat(), &["another settings"]);
    other(&[&short[..], &["--time", "900"]].concat(), &["another time"]);
    other(&[&["builtin:greedy"], &short[1..]].concat(), &["another new"]);
    other(&[&short[..1], &["builtin:greedy"], &short[2..]].concat(), &["another old"]);
    fs::write(journal(&folder), "notes\n").unwrap();
    other(&short, &["not a journal of a comparison"]);
}

#[test]
fn damaged_and_missing_lines_are_named() {
    let dir = TempDir::new().unwrap();
    let folder = dir.path().join("results");
    let short = [&CLOSE[..7], &["8"]].concat();
    let expected = undecided(&compare(&folder, &short).output().unwrap());
    let text = fs::read_to_string(journal(&folder)).unwrap();
    let rows: Vec<&str> = text.lines().collect();
    assert_eq!(rows.len(), 5);
    for bad in [
        [rows[0], rows[1], "{}", rows[3]],
        [rows[0], rows[1], rows[3], rows[4]],
        [rows[0], rows[1], &rows[2].replace("\"places\":[", "\"places\":[3,"), rows[3]],
    ] {
        fs::write(journal(&folder), format!("{}\n", bad.join("\n"))).unwrap();
        refused(&mut compare(&folder, &short), &["compare.jsonl:3: this line is damaged"]);
    }
    fs::write(journal(&folder), format!("{}\n", rows[..2].join("\n"))).unwrap();
    let repaired = undecided(&compare(&folder, &short).output().unwrap());
    assert_eq!(repaired, expected);
    assert_eq!(fs::read_to_string(journal(&folder)).unwrap(), text);
}

#[test]
fn replays_continue_with_the_results() {
    let dir = TempDir::new().unwrap();
    let [folder, replays] = ["results", "replays"].map(|name| dir.path().join(name));
    let run = |most: &str| {
        let more = [&CLOSE[..7], &[most, "--replays"]].concat();
        let mut command = compare(&folder, &more);
        command.arg(&replays);
        command
    };
    undecided(&run("4").output().unwrap());
    undecided(&run("8").output().unwrap());
    assert_eq!(fs::read_dir(&replays).unwrap().count(), 8);
    // Of the seed after them a killed process may have left some, but not of later ones.
    fs::write(replays.join("00005-1.agon"), "torn").unwrap();
    undecided(&run("10").output().unwrap());
    assert_eq!(fs::read_dir(&replays).unwrap().count(), 10);
    fs::write(replays.join("00009-1.agon"), "").unwrap();
    refused(&mut run("12"), &["00009-1.agon", "not a replay of the seeds that count"]);
    fs::remove_file(replays.join("00002-1.agon")).unwrap();
    refused(&mut run("12"), &["00002-1.agon is missing", "--replays"]);
}
