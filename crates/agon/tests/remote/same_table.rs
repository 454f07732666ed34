//! Whoever plays the matches, the results are the same.

use std::process::Command;

use agon_testkit::nats::PROGRAM;

use super::fleet::{Fleet, with_parts, without_void};
use crate::tournament::test_dir::root;

const BUILT_IN: &str = r#"
game = "cluster"
seed = 3
matches = 400
bots = ["builtin:random", "builtin:greedy", "builtin:random?rotate=50"]

[settings]
side = 3

[format]
kind = "round-robin"
"#;

#[test]
fn built_in_bots_give_the_same_table() {
    agon_testkit::needs!(PROGRAM);
    let fleet = Fleet::start(BUILT_IN, 2);
    let (_, talk) = fleet.play(&["plan.toml", "--out", "remote", "--replays", "none"]);
    assert!(talk.contains("1\u{202f}200 matches played"), "{talk}");
    assert_eq!(fleet.dir.results("remote").len(), 1_200);
    let (table, _) = fleet.dir.succeed(&["plan.toml", "--out", "local", "--replays", "none"]);
    let (again, _) = fleet.dir.succeed(&["resume", "remote"]);
    assert_eq!(without_void(&again), without_void(&table));
    assert_eq!(fleet.dir.results("remote"), fleet.dir.results("local"));
}

/// Bots of all kinds that travel: a program of one file, a folder, C, and a built-in one.
#[test]
fn bots_with_files_travel_and_their_replays_come_back() {
    agon_testkit::slow!();
    let bots = root().join("examples/bots/cluster").canonicalize().unwrap();
    let plan = format!(
        "game = \"cluster\"\nseed = 5\nmatches = 4\n\
         bots = [\"python3 {0}/greedy.py\", \"{0}/planner.cpp\", \
         \"fox\", \"builtin:greedy\"]\n\n[settings]\nside = 3\n\n[format]\n\
         kind = \"round-robin\"\n",
        bots.display()
    );
    let mut fleet = Fleet::start(&plan, 1);
    let made = with_parts(&fleet.dir, &["new", "cluster", "python", "fox"]);
    succeed(made);
    // This one plays another game: all matches come to the first.
    fleet.add_worker(&["--games", "rezzo", "--label", "other"]);
    fleet.play(&["plan.toml", "--out", "remote"]);
    fleet.check("remote");
    let replays = std::fs::read_dir(fleet.dir.path("remote/replays")).unwrap();
    let replays: Vec<_> = replays.map(|entry| entry.unwrap().path()).collect();
    assert_eq!(replays.len(), 24);
    for replay in replays {
        let mut verify = with_parts(&fleet.dir, &["replay", "verify"]);
        verify.arg(replay);
        succeed(verify);
    }
    for worker in &fleet.workers {
        worker.signal("TERM");
    }
    for (worker, played) in fleet.workers.iter_mut().zip(["played 24 matches", "played 0 matches"])
    {
        assert!(worker.child.wait().unwrap().success());
        assert!(worker.said().contains(played), "{}", worker.said());
    }
}

/// A replay that does not fit into a message goes through the store.
#[test]
fn large_replays_come_back_whole() {
    agon_testkit::slow!();
    let plan = "game = \"amoebas\"\nseed = 5\nmatches = 2\n\
                bots = [\"builtin:random\", \"builtin:nasty\"]\n\n\
                [format]\nkind = \"round-robin\"\n";
    let fleet = Fleet::start(plan, 1);
    fleet.play(&["plan.toml", "--out", "remote"]);
    fleet.check("remote");
    let mut replays = std::fs::read_dir(fleet.dir.path("remote/replays")).unwrap();
    let replay = replays.next().unwrap().unwrap().path();
    let bytes = std::fs::metadata(&replay).unwrap().len();
    assert!(bytes > 3 << 20, "{bytes} bytes are too few for this test");
    let mut verify = with_parts(&fleet.dir, &["replay", "verify"]);
    verify.arg(replay);
    succeed(verify);
}

#[test]
fn comparisons_and_tunings_are_played_by_workers_too() {
    agon_testkit::needs!(PROGRAM);
    let fleet = Fleet::start(BUILT_IN, 1);
    let address = fleet.server.address();
    let line = |on: &[&str]| {
        let mut command = with_parts(&fleet.dir, &["compare", "builtin:greedy", "builtin:random"]);
        command.args(["--game", "cluster", "--seed", "0", "--set", "side=3", "--json"]).args(on);
        let output = command.output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let last = text.lines().last().unwrap_or_default().to_owned();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{text}{said}");
        last
    };
    assert_eq!(line(&["--on", &address]), line(&[]));
    let mut tune = with_parts(&fleet.dir, &["tune", "builtin:random?rotate=50"]);
    tune.args([
        "--game",
        "cluster",
        "--param",
        "rotate=0..100",
        "--against",
        "builtin:random",
        "--matches",
        "60",
    ]);
    tune.args(["--set", "side=3", "--out", "tuned", "--on", &address]);
    succeed(tune);
}

#[track_caller]
fn succeed(mut command: Command) {
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {said}");
}
