//! Pipes that end, marks at the beginning of files, folders that are gone.

use std::{
    fs,
    io::Read,
    process::{Command, Stdio},
};

use super::test_dir::TestDir;

const SCENARIO: &str = r#"{ "game": "cluster", "players": ["a", "b"], "seed": 1, "steps": [] }"#;

#[test]
fn whoever_has_read_enough_hears_of_no_error() {
    let dir = TestDir::new();
    let play = [
        "play",
        "cluster",
        "builtin:random",
        "builtin:random",
        "--seed",
        "1",
        "--replay",
        "m.agon",
    ];
    assert!(dir.run(&play).status.success());
    for args in [
        &["replay", "info", "m.agon", "--json"][..],
        &["replay", "info", "m.agon"],
        &["replay", "verify", "m.agon", "--json"],
        &["replay", "export", "m.agon", "--states", "-"],
        &["replay", "chart", "m.agon"],
        &["play", "cluster", "builtin:random", "builtin:random", "--json"],
        &["rules", "cluster"],
        &["rules", "cluster", "--json"],
        &["rules", "cluster", "--schema"],
        &["games", "--json"],
        &["bots", "--json"],
        &["new", "--list", "--json"],
        &["doctor", "--json"],
        &["--help"],
    ] {
        // Both ends of what it writes to are closed before it writes: no time of day decides.
        let closed = |dir: &TestDir| {
            let (reader, writer) = std::io::pipe().unwrap();
            drop(reader);
            let mut command = dir.agon(args);
            command.stdout(writer);
            command
        };
        let output = closed(&dir).stderr(Stdio::piped()).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!said.contains("roken pipe") && !said.contains("panicked"), "{args:?}: {said}");
        let expected = if args == ["--help"] { 0 } else { 141 };
        assert_eq!(output.status.code(), Some(expected), "{args:?}: {said}");
    }
    // Nobody reads what it says beside that.
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let film = [&play[..6], &["--set", "side=3", "--gif", "m.gif"]].concat();
    let output = dir.agon(film).stderr(writer).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn marks_and_ends_of_lines_of_other_systems_are_read() {
    let dir = TestDir::new();
    let plan = "game = \"cluster\"\nbots = [\"builtin:random\", \
                \"builtin:greedy\"]\n[format]\nkind = \"gauntlet\"\n[settings]\nside = 3\n";
    let map = "....\n....\n";
    for (name, text) in [
        ("scenario.json", SCENARIO),
        ("plan.toml", plan),
        ("rules.toml", "side = 3\n"),
        ("settings.ini", "[GENERAL]\nTURNS_LIMIT = 3\n"),
        ("map", map),
    ] {
        dir.write(name, format!("\u{feff}{}", text.replace('\n', "\r\n")));
    }
    for args in [
        &["scenario", "scenario.json"][..],
        &["tournament", "plan.toml"],
        &["play", "cluster", "--rules", "rules.toml"],
        &["binfection", "builtin:random", "builtin:random"],
    ] {
        let output = dir.run(args);
        assert_eq!(
            output.status.code(),
            Some(0),
            "{args:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    let bots = ["builtin:wanderer", "builtin:wanderer"];
    let play =
        [&["rezzo", "-q", "-r", "1", "--max-ticks", "5", "--map", "map"][..], &bots].concat();
    let marked = dir.run(&play);
    let _ = dir.write("map", map);
    let plain = dir.run(&play);
    assert_eq!(
        (marked.stdout, marked.stderr),
        (plain.stdout, plain.stderr),
        "the same map is read"
    );
    let input = fs::File::open(dir.path("scenario.json")).unwrap();
    let output = dir.agon(["scenario", "-"]).stdin(input).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn numbers_that_cannot_be_are_met_with_those_that_can() {
    let dir = TestDir::new();
    for args in [
        &["play", "cluster", "--seed", "-1"][..],
        &["compare", "--game", "cluster", "builtin:random", "builtin:greedy", "--seed", "-1"],
        &["rezzo", "-q", "-r", "-1", "builtin:random", "builtin:random"],
        &["play", "cluster", "--seed", "18446744073709551616"],
    ] {
        let said = dir.fails(args);
        assert!(
            said.contains("a seed is a whole number from 0 to 18446744073709551615"),
            "{args:?}: {said}"
        );
        assert!(!said.contains("tip:"), "{said}");
    }
    let said = dir.fails(&["play", "cluster", "--turns", "-1"]);
    assert!(said.contains("invalid value '-1' for '--turns <N>'"), "{said}");
}

#[test]
fn a_current_folder_that_is_gone_is_named() {
    let dir = TestDir::new();
    fs::create_dir(dir.path("gone")).unwrap();
    let agon = assert_cmd::cargo::cargo_bin!("agon");
    let run = |args: &[&str]| {
        let mut shell = Command::new("sh");
        shell.args(["-c", "cd gone && rmdir ../gone && exec \"$0\" \"$@\""]).arg(agon).args(args);
        let mut child = shell
            .current_dir(dir.path(""))
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        let code = child.wait().unwrap().code();
        fs::create_dir(dir.path("gone")).unwrap();
        (code, said)
    };
    let (code, said) = run(&["tournament", "plan.toml"]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("the current folder") && !said.contains("standard output"), "{said}");
    for args in [
        &["scenario", "s.json"][..],
        &["replay", "info", "m.agon"],
        &["new", "cluster", "python"],
        &["binfection", "builtin:random", "builtin:random"],
        &["tune", "--game", "cluster", "builtin:searcher", "--param", "width=1..3"],
        &["play", "cluster", "jsonl:./bot", "builtin:random"],
        &["play", "cellhack", "./bot.c", "builtin:random"],
    ] {
        let (code, said) = run(args);
        assert_eq!(code, Some(2), "{args:?}: {said}");
        assert!(
            !said.contains("standard output") && !said.contains("panicked"),
            "{args:?}: {said}"
        );
    }
    let (code, said) = run(&["games"]);
    assert_eq!(code, Some(0), "{said}");
}
