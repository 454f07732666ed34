//! The classic command lines, in folders of their own. Their result files are those which a replay
//! is exported to.

use std::{fs, path::Path, process::Command};

use agon_testkit::{needs, slow};
use serde_json::Value;

use crate::support::{Done, TestDir, names};

#[track_caller]
fn same_file(dir: &TestDir, one: &str, other: &str) {
    let [one_bytes, other_bytes] = [one, other].map(|name| dir.bytes(name));
    assert!(!one_bytes.is_empty() && one_bytes == other_bytes, "{one} and {other} differ");
}

/// The rules of a recorded match.
fn rules(dir: &TestDir) -> Value {
    dir.ok("replay info m.agon --json").data("replay")["rules"].clone()
}

#[test]
fn cellhack_counts_the_survivors_and_writes_its_result_file() {
    let dir = TestDir::new();
    let [rosa, tom] = ["EXAMPLES/cellhack/pioneers.c", "EXAMPLES/cellhack/amoeboid.c"];
    let players = format!("rosa {rosa} tom {tom}");
    let done = dir.ok(&format!("cellhack 30 16 12 old.replay {players} --seed 2 --replay m.agon"));
    let lines: Vec<&str> = done.out.lines().collect();
    assert_eq!((lines[0], lines.len()), ("Player: Cells surviving", 3));
    dir.ok("replay export m.agon --cellhack exported.replay");
    same_file(&dir, "old.replay", "exported.replay");
    let sets = "--set turns=30 --set width=16 --set height=12 --seed 2";
    dir.ok(&format!("play cellhack rosa={rosa} tom={tom} {sets} --replay-cellhack new"));
    same_file(&dir, "old.replay", "new");

    let states = dir.ok("replay export old.replay --import-cellhack --states -").lines();
    let cells = states.last().unwrap()["cells"].as_array().unwrap();
    let of = |owner: u64| cells.iter().filter(|cell| cell["owner"] == owner).count();
    assert_eq!([format!("rosa: {}", of(1)), format!("tom: {}", of(2))], [lines[1], lines[2]]);
}

#[test]
fn games_of_the_official_battlesnake_program_come_and_go() {
    let dir = TestDir::new();
    let snakes = "rosa=builtin:careful tom=builtin:hungry builtin:random";
    let sets = "--set width=7 --set height=7 --set map=hz_rings --seed 3";
    dir.ok(&format!("play battlesnake {snakes} {sets} --replay m.agon"));
    dir.ok("replay export m.agon --battlesnake m.jsonl");
    dir.ok("replay import m.jsonl one.agon").says("one.agon: each state is the recorded one");
    dir.ok("replay verify one.agon");
    dir.ok("replay export one.agon --battlesnake one.jsonl");
    dir.ok("replay import one.jsonl two.agon");
    same_file(&dir, "one.agon", "two.agon");
    let facts = |file: &str| {
        let info = dir.ok(&format!("replay info {file} --json")).data("replay").clone();
        [info["rules"].clone(), info["steps"].clone(), info["players"][0]["name"].clone()]
    };
    assert_eq!(facts("m.agon"), facts("one.agon"));

    let text = dir.read("one.jsonl");
    let start: String = text.split_inclusive('\n').take(5).collect();
    dir.write("cut.jsonl", start);
    dir.ok("replay import cut.jsonl cut.agon").says("the recording stops before the end");
    dir.ok("replay verify cut.agon").says("3 steps");
    dir.write("bad.jsonl", text.replacen("\"health\":99", "\"health\":90", 1));
    let wanted = ["bad.jsonl: line 3: turn 1: snake `rosa` has health 90, its head at"];
    dir.refuses("replay import bad.jsonl bad.agon", wanted);
    assert!(!dir.path("bad.agon").exists());
    dir.refuses("replay import one.jsonl one.jsonl", ["one.jsonl"]);
    assert_eq!(dir.read("one.jsonl"), text);
}

#[test]
fn cellhack_keeps_an_older_replay_file_if_no_match_begins() {
    let dir = TestDir::new();
    dir.write("old.replay", "old");
    let line = "cellhack 3 9 8 old.replay rosa builtin:hunter tom";
    dir.fails(&format!("{line} missing.c"));
    assert_eq!(dir.read("old.replay"), "old");
    dir.ok(&format!("{line} builtin:swarm")).says("Player: Cells surviving\nrosa: ");
    let header = b"width: 9\nheight: 8\nplayers: rosa, tom\n\0";
    assert!(dir.bytes("old.replay").starts_with(header));
    assert_eq!(dir.bytes("old.replay").len(), header.len() + 4 * 72 * 10);
}

#[test]
fn amoebas_writes_its_statistics() {
    let dir = TestDir::new();
    let species = "red=builtin:nasty?probability=40 blue=builtin:mindless --set world_size=12";
    let flags =
        "--rounds 60 --generational-stats --report-extinctions --last-gen-stats --csv-stats";
    let files = "--directory new/out --seed 3 --replay m.agon";
    let done = dir.ok(&format!("amoebas {species} {flags} {files}"));
    let generations = done.out.lines().filter(|line| line.contains(" : {:size {")).count();
    assert_eq!(generations, 60, "{done:?}");
    done.says("extinct at ").says("(:blue)").says("finished ( 60 generations): {:size {:red ");
    let popsize = dir.read("new/out/popsize.csv");
    let lines: Vec<&str> = popsize.lines().collect();
    assert_eq!((lines[0], lines[1], lines.len()), (":red,:blue", "1,1", 62));
    dir.ok("replay export m.agon --csv exported");
    same_file(&dir, "new/out/popsize.csv", "exported/popsize.csv");
    same_file(&dir, "new/out/energy.csv", "exported/energy.csv");
}

#[test]
fn rezzo_takes_its_short_flags() {
    needs!("python3");
    let dir = TestDir::new();
    let flags = "-w 40 -h 36 -t 100 -q -r 7 --max-ticks 20 --replay m.agon";
    let bots = "'python3 EXAMPLES/rezzo/guard.py' builtin:wanderer";
    dir.ok(&format!("rezzo {flags} {bots}")).says("all alive after 20 ticks");
    let info = dir.ok("replay info m.agon --json").data("replay");
    let facts = [&info["rules"]["width"], &info["rules"]["height"], &info["seed"]];
    assert_eq!(facts, [&40.into(), &36.into(), &Value::from("7")]);
}

/// A folder with a small field of binfection.
fn small_field() -> TestDir {
    let dir = TestDir::new();
    let settings = "[GENERAL]\nTURNS_LIMIT: 3\nFIELD_WIDTH: 40\nFIELD_HEIGHT: 30\n";
    dir.write("settings.ini", settings);
    dir
}

#[test]
fn binfection_prints_the_field_and_writes_its_result_file() {
    let dir = small_field();
    let bots = "builtin:random builtin:spreader";
    let done = dir.ok(&format!("binfection {bots} --seed 2 --print --replay m.agon"));
    let turns: Vec<&str> = done.out.lines().filter(|line| line.starts_with("turn ")).collect();
    let phases = ["turn 0", "turn 1, before growth", "turn 1", "turn 2, before growth", "turn 2"];
    assert_eq!(turns[..5], phases);
    dir.ok("replay export m.agon --res exported.res");
    same_file(&dir, "games/random-spreader-2.res", "exported.res");
    let snapshots: Vec<Value> = serde_json::from_slice(&dir.bytes("exported.res")).unwrap();
    assert_eq!(snapshots.len(), turns.len());
    dir.ok(&format!("binfection --seed 2 {}", ["builtin:spreader"; 40].join(" ")));
    assert_eq!(names(dir.path("games")).len(), 2, "many names are not too long for a file");
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
fn repository() -> TestDir {
    let dir = small_field();
    for name in ["alice", "bob"] {
        dir.write(&format!("test/bots/{name}.py"), bot(name));
        let runner = format!("#!/usr/bin/env bash\nARGS=$1\n\npython3 test/bots/{name}.py $ARGS\n");
        dir.program(&format!("test/runners/{name}.sh"), runner);
    }
    dir
}

#[test]
fn binfection_runners_see_the_folder_that_they_start_in() {
    slow!();
    let dir = repository();
    let runners = "test/runners/alice.sh test/runners/bob.sh --seed 2";
    dir.ok(&format!("binfection {runners}")).hides("faults");
    // The owners of all cells after the first turn, in order: who has moved has two.
    let snapshots: Vec<Vec<Value>> =
        serde_json::from_slice(&dir.bytes("games/alice-bob-2.res")).unwrap();
    let owner = |cell: &Value| cell["owner"].as_str().unwrap().to_owned();
    let mut owners: Vec<String> = snapshots[1].iter().map(owner).collect();
    owners.sort();
    assert_eq!(owners, ["alice", "alice", "bob", "bob"]);
    let sets = "--set turns_limit=3 --set field_width=40 --set field_height=30";
    dir.ok(&format!("play binfection {runners} {sets}")).hides("faults");
    let plan = "game = 'binfection'
bots = ['test/runners/alice.sh', 'test/runners/bob.sh']
settings = { turns_limit = 3, field_width = 40, field_height = 30 }
format = { kind = 'round-robin' }
";
    dir.write("cup.toml", plan);
    dir.ok("tournament cup.toml --json").hides("\"crash\"");
}

#[test]
fn binfection_runners_see_and_change_no_more_than_they_are_in() {
    needs!("python3");
    let dir = repository();
    let runner = |script: &str| {
        let text = format!("#!/bin/sh\n{script}\nexec python3 test/bots/alice.py $1\n");
        dir.program("test/runners/alice.sh", text);
    };
    dir.write("seen", "");
    runner(
        "cat seen > /dev/null || exit 3
if (echo x > written) 2> /dev/null; then exit 4; fi",
    );
    dir.ok("binfection alice bob --seed 2").hides("faults");
    assert!(!dir.path("written").exists());

    // Of a home folder they see only the folder in which they are. As root runs them they may be
    // the same user: only the sandbox hides anything.
    dir.write(".ssh/id", "secret");
    dir.write("notes.txt", "secret");
    runner("if cat .ssh/id notes.txt 2> /dev/null; then exit 3; fi");
    for home in [dir.path("").as_path(), Path::new("/nonexistent")] {
        let done = Done::of(dir.agon("binfection alice bob --seed 2").env("HOME", home));
        assert_eq!(done.hides("faults").code, Some(0));
        let test = dir.path("test").canonicalize().unwrap();
        let note = "Start in a folder of their own";
        done.says(&format!("of it they see {}. {note}", test.display()));
    }
}

#[test]
fn binfection_looks_for_bare_names_where_the_original_keeps_runners() {
    slow!();
    let dir = repository();
    for runners in ["alice.sh bob.sh", "alice b=bob"] {
        dir.ok(&format!("binfection {runners} --seed 2")).says("alice").hides("faults");
    }
    assert!(dir.path("games/alice-b-2.res").exists());
    dir.refuses("binfection alise bob", ["did you mean `alice.sh`?"]);
    fs::rename(dir.path("test/runners"), dir.path("bots")).unwrap();
    let settings =
        "[GENERAL]\nTURNS_LIMIT: 2\nFIELD_WIDTH: 9\nFIELD_HEIGHT: 9\nRUNNERS_DIR: bots\n";
    dir.write("settings.ini", settings);
    dir.ok("binfection alice bob --seed 4");
}

#[test]
fn binfection_takes_settings_files_of_the_original() {
    let dir = TestDir::new();
    let settings = "[DEFAULT]
FIELD_HEIGHT: 8
[GENERAL]
TURNS_LIMIT: 2
FIELD_WIDTH: 9
GAMES_DIR: results
[OTHER]
COLOR: red
";
    dir.write("settings.ini", settings);
    let done = dir.ok("binfection builtin:random builtin:spreader --seed 2 --replay m.agon");
    done.says("note: settings.ini: line 1: [DEFAULT] holds only");
    done.says(
        "note: settings.ini: line 6: GAMES_DIR: the result file goes to the folder `results`",
    );
    done.says("note: settings.ini: line 7: the section [OTHER] is ignored");
    assert!(dir.path("results/random-spreader-2.res").exists());
    assert!(!dir.path("games").exists());
    let rules = rules(&dir);
    assert_eq!((&rules["field_width"], &rules["field_height"]), (&9.into(), &8.into()));
}

#[test]
fn a_match_without_a_limit_says_so() {
    slow!();
    let dir = TestDir::new();
    let settings = "[GENERAL]\nTURNS_LIMIT: -1\nFIELD_WIDTH: 6\nFIELD_HEIGHT: 4\n";
    dir.write("settings.ini", settings);
    // Nobody is left on a field this small once all units walk off it.
    dir.write("test/bots/alice.py", bot("alice"));
    dir.program("test/runners/alice.sh", "#!/bin/sh\nexec python3 test/bots/alice.py $1\n");
    let endless = dir.ok("binfection alice builtin:general --seed 1");
    endless.says("no limit of turns (turns_limit is -1)").says("Ctrl-C ends it");
    dir.ok("binfection alice builtin:general --seed 1 --set turns_limit=5").hides("no limit");
}

#[test]
fn every_classic_command_line_takes_settings_and_refuses_them_as_play_does() {
    let dir = TestDir::new();
    let two = "builtin:random builtin:random";
    for (line, sets, wrong, right) in [
        (
            "cellhack 3 9 8 a builtin:random b builtin:random",
            &["energy_start=90"][..],
            "energy_strat=9",
            "energy_start",
        ),
        ("cluster TWO", &["side=4", "run_length=3"], "sied=4", "side"),
        (
            "binfection TWO",
            &["field_width=9", "field_height=8", "turns_limit=2"],
            "turn_limit=4",
            "turns_limit",
        ),
        (
            "rezzo -q -w 20 TWO",
            &["height=24", "max_ticks=5", "base_of=any"],
            "base_off=any",
            "base_of",
        ),
        ("amoebas builtin:mindless", &["world_size=12", "rounds=4"], "word_size=4", "world_size"),
    ] {
        let line = line.replace("TWO", two);
        let given = sets.iter().map(|set| format!("--set {set}")).collect::<Vec<_>>().join(" ");
        dir.ok(&format!("{line} {given} --seed 1 --replay m.agon"));
        let rules = rules(&dir);
        for (name, value) in sets.iter().map(|set| set.split_once('=').unwrap()) {
            assert_eq!(rules[name].to_string().trim_matches('"'), value, "{line}: {name}");
        }
        dir.refuses(&format!("{line} --set {wrong}"), [&format!("did you mean `{right}`")]);
        dir.refuses(&format!("{line} --set x"), ["expected key=value"]);
    }
    for (line, twice) in [
        ("cellhack 3 9 8 a builtin:random --set width=5", "--set width=5: WIDTH sets `width`"),
        ("rezzo -q -w 5 builtin:random --set width=5", "-w sets `width` already"),
        ("amoebas builtin:mindless --rounds 5 --set rounds=6", "--rounds sets `rounds` already"),
    ] {
        dir.refuses(line, [twice]);
    }
}

#[test]
fn the_kits_for_cellhack_have_what_a_shared_object_needs() {
    needs!("c++");
    let dir = TestDir::new();
    for (language, compiler, file) in [("c", "cc", "cell.c"), ("c++", "c++", "cell.cpp")] {
        dir.ok(&format!("new cellhack {language} {language}"));
        let readme = dir.read(&format!("{language}/README.md"));
        let build = format!("{compiler} -shared -fPIC -O2 -o cell.so {file}");
        assert!(readme.contains(&build), "{readme}");
        let kit = dir.path(language);
        let built = Command::new("sh").args(["-c", &build]).current_dir(kit).status().unwrap();
        assert!(built.success(), "{build}");
        let so = format!("{language}/cell.so");
        let classic = format!("cellhack 40 16 16 mine {so} theirs builtin:random --seed 1");
        let text = dir.ok(&classic).out;
        let mine = text.lines().find_map(|line| line.strip_prefix("mine: ")).unwrap();
        assert!(mine.parse::<u32>().unwrap() > 6, "the colony grows: {text}");
        let sets = "--set turns=40 --set width=16 --set height=16 --seed 1";
        for bot in [so, format!("{language}/{file}")] {
            let line = format!("play cellhack {bot} builtin:random {sets}");
            dir.ok(&line).hides("faults").says(mine);
        }
    }
}
