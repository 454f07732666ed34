//! No bot finds out the seed of its match, and seeds that nobody chose are too many to try.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::{fs, path::Path, process::Command};

use serde_json::Value;
use tempfile::TempDir;

/// Prints all seeds that fit the number in its first message, as the streams of older versions
/// could be computed back, and leaves.
const SPY: &str = r#"
import json, sys

ONES = (1 << 64) - 1
STEP = 0x9E3779B97F4A7C15

def unmix(x):
    x ^= x >> 31 ^ x >> 62
    x = x * pow(0x94D049BB133111EB, -1, 1 << 64) & ONES
    x ^= x >> 27 ^ x >> 54
    x = x * pow(0xBF58476D1CE4E5B9, -1, 1 << 64) & ONES
    return x ^ x >> 30 ^ x >> 60

def mix(x):
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & ONES
    x = (x ^ x >> 27) * 0x94D049BB133111EB & ONES
    return x ^ x >> 31

def seed_of(first, player):
    word = first * pow(9, -1, 1 << 64) & ONES
    word = (word >> 7 | word << 57) & ONES
    word = word * pow(5, -1, 1 << 64) & ONES
    key = unmix(word) - 2 * STEP & ONES
    return unmix(unmix(key - mix(ONES) & ONES) ^ (1 << 32 | player)) ^ 0xA607

start = json.loads(sys.stdin.readline())
with open(sys.argv[1], "w") as file:
    for low in range(1 << 11):
        print(seed_of(start["seed"] << 11 | low, start["player"]), file=file)
"#;

fn agon(folder: &Path, words: &[&str]) -> (String, String) {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("agon"));
    let output = command.args(words).current_dir(folder).env("NO_COLOR", "1").output().unwrap();
    let [out, err] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    assert_ne!(output.status.code(), Some(2), "{words:?}: {err}");
    (out, err)
}

/// The seeds in what a command prints with `--json`.
fn seeds(text: &str) -> Vec<Value> {
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.map(|line| line["data"]["seed"].clone()).filter(|seed| !seed.is_null()).collect()
}

#[test]
fn no_program_computes_the_seed_of_its_match() {
    agon_testkit::needs!("python3");
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("spy.py"), SPY).unwrap();
    for game in ["cellhack", "cluster", "amoebas", "binfection", "rezzo"] {
        let replay = format!("{game}.agon");
        let words = [
            "play",
            game,
            "jsonl:python3 spy.py found",
            "builtin:random",
            "--turns",
            "2",
            "--sandbox",
            "off",
            "--seed",
            "20261128",
            "--replay",
            &replay,
        ];
        agon(folder.path(), &words);
        let found = fs::read_to_string(folder.path().join("found")).unwrap();
        assert_eq!(found.lines().count(), 2048, "{game}");
        assert!(!found.lines().any(|seed| seed == "20261128"), "{game}: the spy knows the seed");
    }
}

#[test]
fn seeds_that_nobody_chose_are_too_many_to_try() {
    let folder = TempDir::new().unwrap();
    let plan = "game = \"cluster\"\nbots = [\"builtin:greedy\", \"builtin:random\"]\n\
                [settings]\nside = 3\n[format]\nkind = \"round-robin\"\n";
    fs::write(folder.path().join("cup.toml"), plan).unwrap();
    let tune = ["tune", "--game", "cluster", "builtin:searcher", "--param", "width=1..9"];
    let short = ["--set", "side=3", "--json", "--matches", "4", "--verify", "0"];
    let commands: [&[&str]; 5] = [
        &["play", "cluster", "--set", "side=3", "--json"],
        &["check", "cluster", "builtin:greedy", "--games", "1", "--json"],
        &[
            "compare",
            "--game",
            "cluster",
            "builtin:greedy",
            "builtin:random",
            "--set",
            "side=3",
            "--max",
            "2",
            "--json",
        ],
        &[&tune[..], &short].concat(),
        &["tournament", "cup.toml", "--json"],
    ];
    for words in commands {
        let (text, _) = agon(folder.path(), words);
        let (again, _) = match words[0] {
            // In their folders these two would continue.
            "tune" => agon(folder.path(), &[words, &["--out", "again"]].concat()),
            "tournament" => agon(folder.path(), &[words, &["--out", "another"]].concat()),
            _ => agon(folder.path(), words),
        };
        let [one, other] = [&text, &again].map(|text| match words[0] {
            "tournament" => {
                serde_json::from_str::<Value>(text).unwrap()["tournament"]["seed"].clone()
            }
            _ => seeds(text).first().cloned().unwrap_or_default(),
        });
        assert_ne!(one, other, "{words:?}");
        for seed in [one, other] {
            let number: u64 = seed.as_str().unwrap_or_default().parse().unwrap_or_default();
            assert!((1 << 32..1 << 53).contains(&number), "{words:?}: {seed}");
        }
    }
}

#[test]
fn runs_without_a_seed_continue_with_theirs() {
    let folder = TempDir::new().unwrap();
    let plan = "game = \"cluster\"\nbots = [\"builtin:greedy\", \"builtin:random\"]\n\
                [settings]\nside = 3\n[format]\nkind = \"round-robin\"\n";
    fs::write(folder.path().join("cup.toml"), plan).unwrap();
    let seed = |words: &[&str]| {
        let (report, talk) = agon(folder.path(), words);
        let report: Value = serde_json::from_str(&report).unwrap();
        (report["tournament"]["seed"].as_str().unwrap().to_owned(), talk)
    };
    let (drawn, _) = seed(&["tournament", "cup.toml", "--json"]);
    for words in [
        &["tournament", "cup.toml", "--json"][..],
        &["tournament", "resume", "cup-results", "--json"],
        &["tournament", "report", "cup-results", "--json"],
        &["tournament", "cup.toml", "--fresh", "--json"],
        &["tournament", "cup.toml", "--out", "other", "--reuse", "cup-results", "--json"],
    ] {
        let (again, talk) = seed(words);
        assert_eq!(again, drawn, "{words:?}");
        assert!(!talk.contains("has changed"), "{words:?}: {talk}");
    }
    // What the plan says counts.
    fs::write(folder.path().join("cup.toml"), format!("seed = 5\n{plan}")).unwrap();
    let (said, talk) = seed(&["tournament", "cup.toml", "--json"]);
    assert_eq!(said, "5");
    assert!(talk.contains("the plan has changed"), "{talk}");

    let compare = ["compare", "--game", "cluster", "builtin:greedy", "builtin:searcher?width=1"];
    let compare = [&compare[..], &["--set", "side=3", "--out", "duel", "--json", "--max"]].concat();
    let [two, four] = ["2", "4"].map(|most| {
        let (text, _) = agon(folder.path(), &[&compare[..], &[most]].concat());
        seeds(&text)
    });
    assert_eq!(two[..2], four[..2], "the seed of all, and the first one");
}
