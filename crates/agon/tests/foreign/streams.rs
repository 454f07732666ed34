//! Pipes that end, marks at the beginning of files, folders that are gone.

use std::fs;
use std::process::{Command, Stdio};

use assert_cmd::cargo::cargo_bin;

use crate::support::{Done, TestDir};

#[test]
fn whoever_has_read_enough_hears_of_no_error() {
    let dir = TestDir::new();
    let play = "play cluster builtin:random builtin:random --seed 1";
    dir.ok(&format!("{play} --replay m.agon"));
    // Both ends of what it writes to are closed before it writes: no time of day decides.
    let closed = || std::io::pipe().unwrap().1;
    for line in [
        "replay info m.agon --json",
        "replay info m.agon",
        "replay verify m.agon --json",
        "replay export m.agon --states -",
        "replay chart m.agon",
        "play cluster builtin:random builtin:random --json",
        "rules cluster",
        "rules cluster --json",
        "rules cluster --schema",
        "games --json",
        "bots --json",
        "new --list --json",
        "doctor --json",
        "--help",
    ] {
        let child = dir.agon(line).stdout(closed()).stderr(Stdio::piped()).spawn().unwrap();
        let done = Done::from(child.wait_with_output().unwrap());
        done.hides("roken pipe").hides("panicked");
        let expected = if line == "--help" { 0 } else { 141 };
        assert_eq!(done.code, Some(expected), "{line}: {}", done.err);
    }
    // Nobody reads what it says beside that.
    let mut film = dir.agon(&format!("{play} --set side=3 --gif m.gif"));
    assert_eq!(film.stdout(Stdio::null()).stderr(closed()).status().unwrap().code(), Some(0));
}

#[test]
fn marks_and_ends_of_lines_of_other_systems_are_read() {
    let dir = TestDir::new();
    let plan = "game = \"cluster\"\nbots = [\"builtin:random\", \
                \"builtin:greedy\"]\n[format]\nkind = \"gauntlet\"\n[settings]\nside = 3\n";
    let scenario = r#"{ "game": "cluster", "players": ["a", "b"], "seed": 1, "steps": [] }"#;
    let map = "....\n....\n";
    for (name, text) in [
        ("scenario.json", scenario),
        ("plan.toml", plan),
        ("rules.toml", "side = 3\n"),
        ("settings.ini", "[GENERAL]\nTURNS_LIMIT = 3\n"),
        ("map", map),
    ] {
        dir.write(name, format!("\u{feff}{}", text.replace('\n', "\r\n")));
    }
    for line in [
        "scenario scenario.json",
        "tournament plan.toml",
        "play cluster --rules rules.toml",
        "binfection builtin:random builtin:random",
    ] {
        dir.ok(line);
    }
    let rezzo = "rezzo -q -r 1 --max-ticks 5 --map map builtin:wanderer builtin:wanderer";
    let marked = dir.run(rezzo).all();
    dir.write("map", map);
    assert_eq!(marked, dir.run(rezzo).all(), "the same map is read");
    let input = fs::File::open(dir.path("scenario.json")).unwrap();
    let done = Done::of(dir.agon("scenario -").stdin(input));
    assert_eq!(done.code, Some(0), "{}", done.err);
}

#[test]
fn numbers_that_cannot_be_are_met_with_those_that_can() {
    let dir = TestDir::new();
    for line in [
        "play cluster --seed -1",
        "compare --game cluster builtin:random builtin:greedy --seed -1",
        "rezzo -q -r -1 builtin:random builtin:random",
        "play cluster --seed 18446744073709551616",
    ] {
        let said = dir.fails(line);
        let words = "a seed is a whole number from 0 to 18446744073709551615";
        assert!(said.contains(words) && !said.contains("tip:"), "{line}: {said}");
    }
    dir.refuses("play cluster --turns -1", ["invalid value '-1' for '--turns <N>'"]);
}

#[test]
fn a_current_folder_that_is_gone_is_named() {
    let dir = TestDir::new();
    for (line, code) in [
        ("tournament plan.toml", 2),
        ("scenario s.json", 2),
        ("replay info m.agon", 2),
        ("new cluster python", 2),
        ("binfection builtin:random builtin:random", 2),
        ("tune --game cluster builtin:searcher --param width=1..3", 2),
        ("play cluster jsonl:./bot builtin:random", 2),
        ("play cellhack ./bot.c builtin:random", 2),
        ("games", 0),
    ] {
        fs::create_dir(dir.path("gone")).unwrap();
        let mut shell = Command::new("sh");
        shell.args(["-c", "cd gone && rmdir ../gone && exec \"$0\" \"$@\""]);
        shell.arg(cargo_bin("agon")).args(line.split(' ')).current_dir(dir.path(""));
        let done = Done::of(&mut shell);
        assert_eq!(done.code, Some(code), "{line}: {}", done.all());
        assert!(!done.err.contains("standard output") && !done.err.contains("panicked"), "{line}");
        assert!(!line.starts_with("tournament") || done.err.contains("the current folder"));
    }
}
