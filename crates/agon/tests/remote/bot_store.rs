//! Bots travel through a folder that all machines see (`--bot-store`).

use std::fs;

use agon_testkit::nats::PROGRAM;

use super::fleet::{Fleet, wait_for};
use crate::tournament::test_dir::root;

/// Two built-in bots and one in Python.
fn plan() -> String {
    let bots = root().join("examples/bots/cluster").canonicalize().unwrap();
    format!(
        "game = \"cluster\"\nseed = 5\nmatches = 2\n\
         bots = [\"builtin:greedy\", \"builtin:random\", \
         \"python3 {}/greedy.py\"]\n\n[settings]\nside = 3\n\n[format]\nkind = \"round-robin\"\n",
        bots.display()
    )
}

#[test]
fn bots_travel_through_a_folder_that_all_machines_see() {
    agon_testkit::needs!(PROGRAM, "python3");
    let mut fleet = Fleet::start(&plan(), 0);
    let folder = fleet.dir.path("share");
    fs::create_dir(&folder).unwrap();
    let share = folder.display().to_string();
    fleet.add_worker(&["--bot-store", &share]);
    fleet.play(&["plan.toml", "--out", "there", "--bot-store", &share]);
    fleet.check("there");
    assert!(fs::read_dir(&folder).unwrap().next().is_some(), "the bot is in the folder");
    let gone = fleet.tournament(&["plan.toml", "--out", "x", "--bot-store", "not-mounted"]);
    let output = { gone }.output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("--bot-store not-mounted"), "{said}");
}

#[test]
fn a_bot_that_cannot_be_stored_holds_up_its_own_matches_alone() {
    agon_testkit::needs!(PROGRAM, "python3");
    let mut fleet = Fleet::start(&plan(), 0);
    let folder = fleet.dir.path("share");
    fs::create_dir(&folder).unwrap();
    // Files where the store wants folders: as with a full disk, nothing can be written.
    let blocks: Vec<_> = (0..256).map(|byte| folder.join(format!("{byte:02x}"))).collect();
    blocks.iter().for_each(|path| fs::write(path, "").unwrap());
    let share = folder.display().to_string();
    fleet.add_worker(&["--bot-store", &share]);
    let mut run = fleet.tournament(&["plan.toml", "--out", "there", "--bot-store", &share]);
    let run = run.spawn().unwrap();
    let journal = fleet.dir.path("there/journal.jsonl");
    let results = || fs::read_to_string(&journal).unwrap_or_default().lines().skip(1).count();
    wait_for("matches of built-in bots", || results() == 2);
    blocks.iter().for_each(|path| fs::remove_file(path).unwrap());
    let output = run.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{said}");
    assert!(said.contains("a bot's files cannot be stored yet"), "{said}");
    fleet.check("there");
}
