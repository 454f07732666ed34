//! Classic command lines, in folders of their own.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::Path,
    process::{Command, Output},
};

use serde_json::Value;
use tempfile::TempDir;

fn command(folder: &TempDir, args: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("agon"));
    command.args(args).current_dir(folder.path()).env("NO_COLOR", "1");
    command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
    command
}

fn run(folder: &TempDir, args: &[&str]) -> Output {
    command(folder, args).output().expect("agon runs")
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
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
    let text = succeed(
        &folder,
        &["binfection", "builtin:random", "builtin:spreader", "--seed", "2", "--print"],
    );
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
    let args =
        |path| ["cellhack", "3", "9", "8", "old.replay", "rosa", "builtin:hunter", "tom", path];
    assert!(!run(&folder, &args("missing.c")).status.success());
    assert_eq!(fs::read(&file).unwrap(), b"old");
    assert!(
        succeed(&folder, &args("builtin:swarm")).starts_with("Player: Cells surviving\nrosa: ")
    );
    let header = b"width: 9\nheight: 8\nplayers: rosa, tom\n\0";
    let written = fs::read(&file).unwrap();
    assert!(written.starts_with(header));
    assert_eq!(written.len(), header.len() + 4 * 72 * 10);
}

fn write(folder: &TempDir, file: &str, text: &str) {
    let path = folder.path().join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    let mode = if file.ends_with(".sh") { 0o755 } else { 0o644 };
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
}

/// Moves every stack of the bot of this name to the right.
fn bot(name: &str) -> String {
    format!(
        "import json, sys
turn = json.load(open(sys.argv[1]))
moves = [dict(x=c['x'], y=c['y'], direction=1) for c in turn['cells'] if c['owner'] == '{name}']
json.dump(dict(moves=moves, blob=dict()), open(sys.argv[1], 'w'))
"
    )
}

/// A folder as the original game has it: runners name their programs from it.
fn repository() -> TempDir {
    let folder = small_field();
    for name in ["alice", "bob"] {
        write(&folder, &format!("test/bots/{name}.py"), &bot(name));
        let runner = format!("#!/usr/bin/env bash\nARGS=$1\n\npython3 test/bots/{name}.py $ARGS\n");
        write(&folder, &format!("test/runners/{name}.sh"), &runner);
    }
    folder
}

/// The owners of all cells after the first turn, in order: who has moved has two.
fn owners(folder: &TempDir, file: &str) -> Vec<String> {
    let text = fs::read(folder.path().join(file)).unwrap();
    let snapshots: Vec<Vec<Value>> = serde_json::from_slice(&text).unwrap();
    let mut owners: Vec<String> =
        snapshots[1].iter().map(|cell| cell["owner"].as_str().unwrap().to_owned()).collect();
    owners.sort();
    owners
}

#[test]
fn binfection_runners_see_the_folder_that_they_start_in() {
    agon_testkit::slow!();
    let folder = repository();
    let runners = ["test/runners/alice.sh", "test/runners/bob.sh"];
    let seed = ["--seed", "2"];
    let text = succeed(&folder, &[&["binfection"][..], &runners, &seed].concat());
    assert!(!text.contains("faults"), "{text}");
    assert_eq!(owners(&folder, "games/alice-bob-2.res"), ["alice", "alice", "bob", "bob"]);
    let sets = ["--set", "turns_limit=3", "--set", "field_width=40", "--set", "field_height=30"];
    let text = succeed(&folder, &[&["play", "binfection"][..], &runners, &sets, &seed].concat());
    assert!(!text.contains("faults"), "{text}");
    let plan = "game = 'binfection'
bots = ['test/runners/alice.sh', 'test/runners/bob.sh']
[settings]
turns_limit = 3
field_width = 40
field_height = 30
[format]
kind = 'round-robin'
";
    write(&folder, "cup.toml", plan);
    let report = succeed(&folder, &["tournament", "cup.toml", "--json"]);
    let report: Value = serde_json::from_str(report.lines().last().unwrap()).unwrap();
    assert!(!report.to_string().contains("\"crash\""), "{report}");
}

#[test]
fn binfection_runners_cannot_change_the_folder_that_they_start_in() {
    agon_testkit::needs!("python3");
    let folder = repository();
    let runner = "#!/bin/sh
cat seen > /dev/null || exit 3
if (echo x > written) 2> /dev/null; then exit 4; fi
exec python3 test/bots/alice.py $1
";
    write(&folder, "seen", "");
    write(&folder, "test/runners/alice.sh", runner);
    let text = succeed(&folder, &["binfection", "alice", "bob", "--seed", "2"]);
    assert!(!text.contains("faults") && !folder.path().join("written").exists(), "{text}");
}

#[test]
fn binfection_runners_see_of_a_home_folder_only_what_they_are_in() {
    agon_testkit::needs!("python3");
    let folder = repository();
    let runner = "#!/bin/sh
if cat .ssh/id notes.txt 2> /dev/null; then exit 3; fi
exec python3 test/bots/alice.py $1
";
    write(&folder, ".ssh/id", "secret");
    write(&folder, "notes.txt", "secret");
    write(&folder, "test/runners/alice.sh", runner);
    // As root runs them they may be the same user: only the sandbox hides anything.
    for home in [folder.path(), Path::new("/nonexistent")] {
        let mut agon = command(&folder, &["binfection", "alice", "bob", "--seed", "2"]);
        let output = agon.env("HOME", home).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && !text.contains("faults"), "{text}{}", stderr(&output));
        let test = folder.path().canonicalize().unwrap().join("test");
        let note = format!("of it they see {}. Start in a folder of their own", test.display());
        assert!(stderr(&output).contains(&note), "{}", stderr(&output));
    }
}

#[test]
fn binfection_looks_for_bare_names_where_the_original_keeps_runners() {
    agon_testkit::slow!();
    let folder = repository();
    for names in [["alice.sh", "bob.sh"], ["alice", "b=bob"]] {
        let text = succeed(&folder, &["binfection", names[0], names[1], "--seed", "2"]);
        assert!(text.contains("alice") && !text.contains("faults"), "{text}");
    }
    assert!(folder.path().join("games/alice-b-2.res").exists());
    let output = run(&folder, &["binfection", "alise", "bob"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("did you mean `alice.sh`?"), "{}", stderr(&output));
    fs::rename(folder.path().join("test/runners"), folder.path().join("bots")).unwrap();
    let settings =
        "[GENERAL]\nTURNS_LIMIT: 2\nFIELD_WIDTH: 9\nFIELD_HEIGHT: 9\nRUNNERS_DIR: bots\n";
    write(&folder, "settings.ini", settings);
    succeed(&folder, &["binfection", "alice", "bob", "--seed", "4"]);
}

#[test]
fn binfection_takes_settings_files_of_the_original() {
    let folder = TempDir::new().unwrap();
    let settings = "[DEFAULT]
FIELD_HEIGHT: 8
[GENERAL]
TURNS_LIMIT: 2
FIELD_WIDTH: 9
GAMES_DIR: results
[OTHER]
COLOR: red
";
    write(&folder, "settings.ini", settings);
    let args =
        ["binfection", "builtin:random", "builtin:spreader", "--seed", "2", "--replay", "m.agon"];
    let output = run(&folder, &args);
    let talk = stderr(&output);
    assert!(output.status.success(), "{talk}");
    for note in [
        "note: settings.ini: line 1: [DEFAULT] holds only",
        "note: settings.ini: line 6: GAMES_DIR: the result file goes to the folder `results`",
        "note: settings.ini: line 7: the section [OTHER] is ignored",
    ] {
        assert!(talk.contains(note), "{talk}");
    }
    assert!(folder.path().join("results/random-spreader-2.res").exists());
    assert!(!folder.path().join("games").exists());
    let info: Value =
        serde_json::from_str(&succeed(&folder, &["replay", "info", "m.agon", "--json"])).unwrap();
    let rules = &info["data"]["rules"];
    assert_eq!((&rules["field_width"], &rules["field_height"]), (&9.into(), &8.into()));
}

#[test]
fn a_match_without_a_limit_says_so() {
    agon_testkit::slow!();
    let folder = TempDir::new().unwrap();
    write(&folder, "settings.ini", "[GENERAL]\nTURNS_LIMIT: -1\nFIELD_WIDTH: 6\nFIELD_HEIGHT: 4\n");
    // Nobody is left on a field this small once all units walk off it.
    let off = "#!/bin/sh\nexec python3 test/bots/alice.py $1\n";
    write(&folder, "test/bots/alice.py", &bot("alice"));
    write(&folder, "test/runners/alice.sh", off);
    let note = |args: &[&str]| {
        let output = run(&folder, args);
        assert!(output.status.success(), "{}", stderr(&output));
        stderr(&output)
    };
    let endless = note(&["binfection", "alice", "builtin:general", "--seed", "1"]);
    assert!(endless.contains("no limit of turns (turns_limit is -1)"), "{endless}");
    assert!(endless.contains("Ctrl-C ends it"), "{endless}");
    let limited =
        ["binfection", "alice", "builtin:general", "--seed", "1", "--set", "turns_limit=5"];
    assert!(!note(&limited).contains("no limit"));
}

#[test]
fn every_classic_command_line_takes_settings() {
    let folder = TempDir::new().unwrap();
    let rules = |args: &[&str]| {
        succeed(&folder, &[args, &["--seed", "1", "--replay", "m.agon"]].concat());
        let info = succeed(&folder, &["replay", "info", "m.agon", "--json"]);
        serde_json::from_str::<Value>(&info).unwrap()["data"]["rules"].clone()
    };
    let bots = ["builtin:random", "builtin:random"];
    let cellhack =
        ["cellhack", "3", "9", "8", "a", bots[0], "b", bots[1], "--set", "energy_start=90"];
    assert_eq!(rules(&cellhack)["energy_start"], 90);
    let cluster =
        rules(&[&["cluster"][..], &bots, &["--set", "side=4", "--set", "run_length=3"]].concat());
    assert_eq!((&cluster["side"], &cluster["run_length"]), (&4.into(), &3.into()));
    let binfection =
        ["--set", "field_width=9", "--set", "field_height=8", "--set", "turns_limit=2"];
    assert_eq!(rules(&[&["binfection"][..], &bots, &binfection].concat())["field_width"], 9);
    let rezzo =
        ["-q", "-w", "20", "--set", "height=24", "--set", "base_of=any", "--set", "max_ticks=5"];
    let rezzo = rules(&[&["rezzo"][..], &bots, &rezzo].concat());
    assert_eq!((&rezzo["base_of"], &rezzo["width"]), (&"any".into(), &20.into()));
    assert_eq!((&rezzo["height"], &rezzo["max_ticks"]), (&24.into(), &5.into()));
    let amoebas = ["amoebas", "builtin:mindless", "--set", "world_size=12", "--set", "rounds=4"];
    let amoebas = rules(&amoebas);
    assert_eq!((&amoebas["world_size"], &amoebas["rounds"]), (&12.into(), &4.into()));
}

#[test]
fn classic_command_lines_refuse_settings_as_play_does() {
    let folder = TempDir::new().unwrap();
    let error = |args: &[&str]| {
        let output = run(&folder, args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        stderr(&output)
    };
    let bots = ["builtin:random", "builtin:random"];
    let lines: [&[&str]; 5] = [
        &["cellhack", "3", "9", "8", "a", bots[0], "b", bots[1]],
        &["cluster", bots[0], bots[1]],
        &["binfection", bots[0], bots[1]],
        &["rezzo", "-q", bots[0], bots[1]],
        &["amoebas", "builtin:mindless"],
    ];
    for (line, [wrong, right]) in lines.into_iter().zip([
        ["energy_strat=9", "energy_start"],
        ["sied=4", "side"],
        ["turn_limit=4", "turns_limit"],
        ["base_off=any", "base_of"],
        ["word_size=4", "world_size"],
    ]) {
        let text = error(&[line, &["--set", wrong]].concat());
        assert!(text.contains(&format!("did you mean `{right}`")), "{text}");
        assert!(error(&[line, &["--set", "x"]].concat()).contains("expected key=value"));
    }
    let twice = error(&[lines[0], &["--set", "width=5"]].concat());
    assert!(twice.contains("--set width=5: WIDTH sets `width` already"), "{twice}");
    let twice = error(&[lines[3], &["-w", "5", "--set", "width=5"]].concat());
    assert!(twice.contains("-w sets `width` already"), "{twice}");
    let twice = error(&[lines[4], &["--rounds", "5", "--set", "rounds=6"]].concat());
    assert!(twice.contains("--rounds sets `rounds` already"), "{twice}");
}

#[test]
fn the_kits_for_cellhack_have_what_a_shared_object_needs() {
    agon_testkit::needs!("c++");
    let folder = TempDir::new().unwrap();
    for (language, compiler, file) in [("c", "cc", "cell.c"), ("c++", "c++", "cell.cpp")] {
        succeed(&folder, &["new", "cellhack", language, language]);
        let kit = folder.path().join(language);
        let readme = fs::read_to_string(kit.join("README.md")).unwrap();
        let build = format!("{compiler} -shared -fPIC -O2 -o cell.so {file}");
        assert!(readme.contains(&build), "{readme}");
        let built = Command::new("sh").args(["-c", &build]).current_dir(&kit).status().unwrap();
        assert!(built.success(), "{build}");
        let so = format!("{language}/cell.so");
        let classic =
            ["cellhack", "40", "16", "16", "mine", &so, "theirs", "builtin:random", "--seed", "1"];
        let text = succeed(&folder, &classic);
        let mine = text.lines().find_map(|line| line.strip_prefix("mine: ")).unwrap();
        assert!(mine.parse::<u32>().unwrap() > 6, "the colony grows: {text}");
        let sets = ["--set", "turns=40", "--set", "width=16", "--set", "height=16", "--seed", "1"];
        for bot in [so, format!("{language}/{file}")] {
            let text = succeed(
                &folder,
                &[&["play", "cellhack", &bot, "builtin:random"][..], &sets].concat(),
            );
            assert!(!text.contains("faults") && text.contains(mine), "{text}");
        }
    }
}
