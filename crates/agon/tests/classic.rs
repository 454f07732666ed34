//! The classic command lines, and that their result files are those which a replay is exported to.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use tempfile::TempDir;

fn example(path: &str) -> String {
    let root: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/bots");
    fs::canonicalize(root.join(path)).unwrap().to_str().unwrap().to_owned()
}

/// Runs `agon` in a folder and gives stdout.
#[track_caller]
fn agon(folder: &TempDir, args: &[&str]) -> String {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("agon"));
    command.args(args).current_dir(folder).env("NO_COLOR", "1");
    let output = command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{args:?}: {text}{}", String::from_utf8_lossy(&output.stderr));
    text
}

#[track_caller]
fn same_file(folder: &TempDir, one: &str, other: &str) {
    let [one_bytes, other_bytes] =
        [one, other].map(|name| fs::read(folder.path().join(name)).unwrap());
    assert!(!one_bytes.is_empty() && one_bytes == other_bytes, "{one} and {other} differ");
}

#[test]
fn cellhack_counts_the_survivors_and_writes_its_result_file() {
    let folder = TempDir::new().unwrap();
    let rosa = example("cellhack/pioneers.c");
    let tom = example("cellhack/amoeboid.c");
    let players = ["rosa", &rosa, "tom", &tom];
    let args = [
        &["cellhack", "30", "16", "12", "old.replay"][..],
        &players,
        &["--seed", "2", "--replay", "m.agon"],
    ];
    let text = agon(&folder, &args.concat());
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "Player: Cells surviving");
    assert!(
        lines[1].starts_with("rosa: ") && lines[2].starts_with("tom: ") && lines.len() == 3,
        "{text}"
    );
    agon(&folder, &["replay", "export", "m.agon", "--cellhack", "exported.replay"]);
    same_file(&folder, "old.replay", "exported.replay");
    let sets = ["--set", "turns=30", "--set", "width=16", "--set", "height=12"];
    let bots = [format!("rosa={rosa}"), format!("tom={tom}")];
    let args = [
        &["play", "cellhack", &bots[0], &bots[1]][..],
        &sets,
        &["--seed", "2", "--replay-cellhack", "new"],
    ];
    agon(&folder, &args.concat());
    same_file(&folder, "old.replay", "new");

    let states =
        agon(&folder, &["replay", "export", "old.replay", "--import-cellhack", "--states", "-"]);
    let last: serde_json::Value = serde_json::from_str(states.lines().last().unwrap()).unwrap();
    let of = |owner: u64| {
        last["cells"].as_array().unwrap().iter().filter(|c| c["owner"] == owner).count()
    };
    assert_eq!([format!("rosa: {}", of(1)), format!("tom: {}", of(2))], [lines[1], lines[2]]);
}

#[test]
fn cluster_plays_two_programs() {
    agon_testkit::needs!("python3");
    let folder = TempDir::new().unwrap();
    let program = format!("python3 {}", example("cluster/greedy.py"));
    let text = agon(&folder, &["cluster", &program, "builtin:random", "--seed", "5"]);
    assert!(text.contains("greedy wins") || text.contains("random wins"), "{text}");
}

#[test]
fn amoebas_writes_its_statistics() {
    let folder = TempDir::new().unwrap();
    let species = ["red=builtin:nasty?probability=40", "blue=builtin:mindless"];
    let flags = [
        "--set",
        "world_size=12",
        "--rounds",
        "60",
        "--generational-stats",
        "--report-extinctions",
        "--last-gen-stats",
    ];
    let files = ["--csv-stats", "--directory", "new/out", "--seed", "3", "--replay", "m.agon"];
    let text = agon(&folder, &[&["amoebas"][..], &species, &flags, &files].concat());
    let generations = text.lines().filter(|line| line.contains(" : {:size {")).count();
    assert_eq!(generations, 60, "{text}");
    assert!(text.contains("extinct at ") && text.contains("(:blue)"), "{text}");
    assert!(text.contains("finished ( 60 generations): {:size {:red "), "{text}");
    let popsize = fs::read_to_string(folder.path().join("new/out/popsize.csv")).unwrap();
    let lines: Vec<&str> = popsize.lines().collect();
    assert_eq!((lines[0], lines[1], lines.len()), (":red,:blue", "1,1", 62));
    agon(&folder, &["replay", "export", "m.agon", "--csv", "exported"]);
    same_file(&folder, "new/out/popsize.csv", "exported/popsize.csv");
    same_file(&folder, "new/out/energy.csv", "exported/energy.csv");
}

#[test]
fn binfection_reads_settings_and_writes_its_result_file() {
    agon_testkit::needs!("python3");
    let folder = TempDir::new().unwrap();
    let settings = "[GENERAL]\nTURNS_LIMIT: 4\nFIELD_WIDTH: 7\nFIELD_HEIGHT: 7\n";
    fs::write(folder.path().join("settings.ini"), settings).unwrap();
    let alice = example("binfection/alice.sh");
    let bob = example("binfection/bob.sh");
    let text = agon(
        &folder,
        &["binfection", &alice, &bob, "--seed", "1", "--print", "--replay", "m.agon"],
    );
    assert!(text.contains("turn 4, before growth") && text.contains("turn 4\n"), "{text}");
    agon(&folder, &["replay", "export", "m.agon", "--res", "exported.res"]);
    same_file(&folder, "games/alice-bob-1.res", "exported.res");
    let file: Vec<serde_json::Value> =
        serde_json::from_slice(&fs::read(folder.path().join("exported.res")).unwrap()).unwrap();
    assert_eq!(file.len(), 9, "spawn, and two snapshots a turn");
}

#[test]
fn rezzo_takes_its_short_flags() {
    agon_testkit::needs!("python3");
    let folder = TempDir::new().unwrap();
    let program = format!("python3 {}", example("rezzo/guard.py"));
    let flags = [
        "-w",
        "40",
        "-h",
        "36",
        "-t",
        "100",
        "-q",
        "-r",
        "7",
        "--max-ticks",
        "80",
        "--replay",
        "m.agon",
    ];
    let text = agon(&folder, &[&["rezzo"][..], &flags, &[&program, "builtin:wanderer"]].concat());
    assert!(text.contains("all alive after 80 ticks"), "{text}");
    let info = agon(&folder, &["replay", "info", "m.agon", "--json"]);
    let info: serde_json::Value = serde_json::from_str(&info).unwrap();
    let rules = &info["data"]["rules"];
    assert_eq!(
        (&rules["width"], &rules["height"], &info["data"]["seed"]),
        (&40.into(), &36.into(), &"7".into())
    );
}
