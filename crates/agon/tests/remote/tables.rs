//! Whoever plays the matches, and however bots get there, the results are the same; also on
//! machines of other speeds, where limits in CPU time mean the same.

use std::fs::{self, File};

use agon_testkit::nats::PROGRAM;
use rustix::process::Signal;
use serde_json::Value;

use super::{Fleet, end, interrupt, same_as_here};
use crate::support::{round_robin, signal, until};

const BUILTINS: [&str; 3] = ["builtin:random", "builtin:greedy", "builtin:random?rotate=50"];

const GREEDY: &str = "python3 EXAMPLES/cluster/greedy.py";

#[test]
fn built_in_bots_give_the_same_table() {
    agon_testkit::needs!(PROGRAM);
    let fleet = Fleet::start(&round_robin(3, 100, 3, &BUILTINS), 2);
    let done = fleet.play("plan.toml --out remote --replays none");
    done.tells(["300 matches played"]);
    assert_eq!(fleet.dir.results("remote").len(), 300);
    same_as_here(&fleet.dir, "plan.toml --replays none", "remote");
}

/// Bots of all kinds that travel: a program of one file, a folder, C, and a built-in one.
#[test]
fn bots_with_files_travel_and_their_replays_come_back() {
    agon_testkit::slow!();
    let bots = [GREEDY, "EXAMPLES/cluster/planner.cpp", "fox", "builtin:greedy"];
    let mut fleet = Fleet::start(&round_robin(5, 2, 3, &bots), 1);
    fleet.dir.ok("new cluster python fox");
    // This one plays another game: all matches come to the first.
    fleet.add_worker("--games rezzo --label other");
    fleet.play("plan.toml --out remote");
    fleet.check("remote");
    let replays = crate::support::names(fleet.dir.path("remote/replays"));
    assert_eq!(replays.len(), 12);
    for replay in replays {
        fleet.dir.ok(&format!("replay verify remote/replays/{replay}"));
    }
    for worker in &fleet.workers {
        signal(&worker.child, Signal::TERM);
    }
    for (at, played) in ["played 12 matches", "played 0 matches"].into_iter().enumerate() {
        assert!(fleet.workers[at].child.wait().unwrap().success());
        assert!(fleet.said(at).contains(played), "{}", fleet.said(at));
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
    fleet.play("plan.toml --out remote");
    fleet.check("remote");
    let replay = &crate::support::names(fleet.dir.path("remote/replays"))[0];
    let bytes = fleet.dir.bytes(&format!("remote/replays/{replay}")).len();
    assert!(bytes > 3 << 20, "{bytes} bytes are too few for this test");
    fleet.dir.ok(&format!("replay verify remote/replays/{replay}"));
}

#[test]
fn comparisons_and_tunings_are_played_by_workers_too() {
    agon_testkit::needs!(PROGRAM);
    let fleet = Fleet::start("", 1);
    let on = format!("--on {}", fleet.server.address());
    let last = |on: &str| {
        let line = "compare builtin:greedy builtin:random --game cluster --seed 0 --set side=3";
        fleet.dir.ok(&format!("{line} --json {on}")).lines().pop()
    };
    assert_eq!(last(&on), last(""));
    let tune = "tune builtin:random?rotate=50 --game cluster --param rotate=0..100 --set side=3";
    fleet.dir.ok(&format!("{tune} --against builtin:random --matches 60 --out tuned {on}"));
}

/// Makes a fleet with a folder for bots that all machines see.
fn with_share() -> (Fleet, String) {
    let bots = ["builtin:greedy", "builtin:random", GREEDY];
    let fleet = Fleet::start(&round_robin(5, 2, 3, &bots), 0);
    let share = fleet.dir.path("share");
    fs::create_dir(&share).unwrap();
    (fleet, format!("--bot-store {}", share.display()))
}

#[test]
fn bots_travel_through_a_folder_that_all_machines_see() {
    agon_testkit::needs!(PROGRAM, "python3");
    let (mut fleet, store) = with_share();
    fleet.add_worker(&store);
    fleet.play(&format!("plan.toml --out there {store}"));
    fleet.check("there");
    let is_used = fs::read_dir(fleet.dir.path("share")).unwrap().next().is_some();
    assert!(is_used, "the bot is in the folder");
    let gone = fleet.dir.run(&fleet.line("plan.toml --out x --bot-store not-mounted"));
    gone.tells(["--bot-store not-mounted"]);
}

#[test]
fn a_bot_that_cannot_be_stored_holds_up_its_own_matches_alone() {
    agon_testkit::needs!(PROGRAM, "python3");
    let (mut fleet, store) = with_share();
    // Files where the store wants folders: as with a full disk, nothing can be written.
    let blocks = (0..256).map(|byte| fleet.dir.write(&format!("share/{byte:02x}"), ""));
    let blocks: Vec<_> = blocks.collect();
    fleet.add_worker(&store);
    let run = fleet.begin(&format!("plan.toml --out there {store}"));
    until("matches of built-in bots", || fleet.dir.records("there") == 2);
    blocks.iter().for_each(|path| fs::remove_file(path).unwrap());
    end(run).tells(["a bot's files cannot be stored yet"]);
    fleet.check("there");
}

/// Returns the percentages by which limits were multiplied.
fn scales(fleet: &Fleet, folder: &str) -> Vec<u64> {
    let scale = |line: &str| {
        let record: Value = serde_json::from_str(line).unwrap();
        assert!(record["machine"]["worker"].is_string(), "{record}");
        record["machine"]["scale"].as_u64().unwrap()
    };
    fleet.dir.read(&format!("{folder}/journal.jsonl")).lines().skip(1).map(scale).collect()
}

#[test]
fn slower_machines_give_more_time_and_far_slower_ones_do_not_play() {
    agon_testkit::needs!(PROGRAM, "python3");
    let fleet = Fleet::start(&round_robin(5, 4, 3, &[GREEDY, "builtin:greedy"]), 1);
    let line = format!("worker status {} --json", fleet.server.address());
    let status: Value = serde_json::from_str(&fleet.dir.run(&line).out).unwrap();
    let worker = status["workers"][0].clone();
    let speed = worker["speed"].as_u64().unwrap();
    // As if the limits were for a machine that is half as fast again.
    let reference = speed * 3 / 2;
    fleet.play(&format!("plan.toml --out slow --speed {reference}"));
    fleet.check("slow");
    let slow = scales(&fleet, "slow");
    assert_eq!(slow.len(), 4);
    assert!(slow.iter().all(|scale| (140..=160).contains(scale)), "{slow:?}");
    let file = fleet.dir.read("slow/run-on");
    assert!(file.ends_with(&format!("\nspeed {reference}\n")), "{file}");

    // Nobody is fast enough, and nobody has this processor; built-in bots need no clock.
    let far = format!("--speed {}", speed * 10);
    for (out, flags, expected) in [
        ("far", &*far, "its time limits are for a machine of speed"),
        ("other", "--processor Z80", "it is for `Z80` only"),
    ] {
        let mut run = fleet.dir.agon(&fleet.line(&format!("plan.toml --out {out} {flags}")));
        let run = run.stderr(File::create(fleet.dir.path("log")).unwrap()).spawn().unwrap();
        until("the reason", || fleet.dir.read("log").contains(expected));
        interrupt(run);
    }
    fleet.dir.write("plan.toml", round_robin(5, 2, 3, &["builtin:random", "builtin:greedy"]));
    fleet.play(&format!("plan.toml --out built-in {far}"));
    assert_eq!(scales(&fleet, "built-in"), [100, 100]);
    let model = worker["processor"].as_str().unwrap();
    fleet.play(&format!("plan.toml --out model --processor {}", shlex::try_quote(model).unwrap()));
}
