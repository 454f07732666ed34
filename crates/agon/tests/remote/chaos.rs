//! Workers, coordinators and the server die, stand still and forget: no match is lost, and none
//! counts twice.

use std::{
    io::{BufRead, BufReader},
    process::Command,
    thread,
    time::Duration,
};

use agon_testkit::nats::{NatsServer, PROGRAM};

use super::fleet::{Fleet, end, wait_for, with_parts, without_void};
use crate::tournament::test_dir::{TestDir, root, signal};

const PLAN: &str = r#"
game = "cluster"
seed = 5
matches = MATCHES
bots = ["builtin:searcher", "builtin:greedy", "builtin:random"]

[format]
kind = "round-robin"
"#;

fn plan(matches: u32) -> String {
    PLAN.replace("MATCHES", &matches.to_string())
}

const BEGIN: [&str; 5] = ["plan.toml", "--out", "remote", "--replays", "none"];

/// Compares with the table of this machine.
#[track_caller]
fn check(fleet: &Fleet) {
    let (table, _) = fleet.dir.succeed(&["plan.toml", "--out", "local", "--replays", "none"]);
    let (again, _) = fleet.dir.succeed(&["resume", "remote"]);
    assert_eq!(without_void(&again), without_void(&table));
    assert_eq!(fleet.dir.results("remote"), fleet.dir.results("local"));
}

/// Copies the folder of the tournament, as if somebody took it to another machine.
fn copy(fleet: &Fleet) {
    let mut command = Command::new("cp");
    command.args(["-r", "remote", "copy"]).current_dir(fleet.dir.path(""));
    assert!(command.status().unwrap().success());
}

#[test]
fn a_worker_that_is_killed_and_one_that_drains_lose_nothing() {
    agon_testkit::slow!();
    let mut fleet = Fleet::start(&plan(40), 3);
    let mut run = fleet.tournament(&BEGIN).spawn().unwrap();
    fleet.dir.wait_for("remote", 20, &mut run);
    fleet.workers[0].kill();
    fleet.workers[1].signal("TERM");
    assert!(fleet.workers[1].child.wait().unwrap().success());
    let said = fleet.workers[1].said();
    assert!(said.contains("others play the rest") && said.contains("played "), "{said}");
    end(run);
    assert_eq!(fleet.dir.results("remote").len(), 120, "each match once");
}

#[test]
fn a_worker_leaves_no_folder_behind_however_it_ends() {
    agon_testkit::needs!(PROGRAM);
    let server = NatsServer::start();
    let dir = TestDir::with_plan("");
    let temporary = dir.path("temporary");
    std::fs::create_dir(&temporary).unwrap();
    let left = || std::fs::read_dir(&temporary).unwrap().count();
    for how in ["KILL", "INT"] {
        let mut worker = with_parts(&dir, &["worker", &server.address()]);
        let mut worker = worker.env("TMPDIR", &temporary).spawn().unwrap();
        let mut said = String::new();
        BufReader::new(worker.stderr.take().unwrap()).read_line(&mut said).unwrap();
        assert!(said.contains("matches at a time") && left() == 1, "{said}");
        signal(&worker, how);
        worker.wait().unwrap();
        wait_for(&format!("the end of its folder after {how}"), || left() == 0);
    }
}

#[test]
fn a_coordinator_that_is_killed_goes_on_with_its_folder_and_a_second_one_is_refused() {
    agon_testkit::slow!();
    // More than are played while the second one waits.
    let fleet = Fleet::start(&plan(200), 2);
    let mut run = fleet.tournament(&BEGIN).spawn().unwrap();
    fleet.dir.wait_for("remote", 20, &mut run);
    // A copy has the same run, but no lock of this machine protects it.
    copy(&fleet);
    let second = fleet.tournament(&["resume", "copy"]).output().unwrap();
    let said = String::from_utf8_lossy(&second.stderr);
    assert_eq!(second.status.code(), Some(2), "{said}");
    assert!(said.contains("another process leads this run"), "{said}");
    let is_over = run.try_wait().unwrap().is_some();
    assert!(!is_over, "the tournament is too short");
    run.kill().unwrap();
    run.wait().unwrap();
    let begun = fleet.dir.records("remote");
    fleet.play(&["resume", "remote", "--replays", "none"]);
    assert!(begun < 600, "{begun}");
    assert_eq!(fleet.dir.results("remote").len(), 600, "each match once");
}

#[test]
fn a_coordinator_that_stood_still_too_long_writes_nothing_more() {
    agon_testkit::slow!();
    let fleet = Fleet::start(&plan(70), 2);
    let mut run = fleet.tournament(&BEGIN).spawn().unwrap();
    fleet.dir.wait_for("remote", 20, &mut run);
    let stopped = |name: &str| {
        // The coordinator and its carrier, as if the machine slept.
        let children = Command::new("pgrep").args(["-P", &run.id().to_string()]).output().unwrap();
        for child in String::from_utf8(children.stdout).unwrap().split_whitespace() {
            assert!(Command::new("kill").args([name, child]).status().unwrap().success());
        }
    };
    stopped("-STOP");
    signal(&run, "STOP");
    copy(&fleet);
    let begun = fleet.dir.records("copy");
    let mut copy = fleet.tournament(&["resume", "copy", "--replays", "none"]).spawn().unwrap();
    fleet.dir.wait_for("copy", begun + 20, &mut copy);
    assert!(copy.try_wait().unwrap().is_none(), "the tournament is too short");
    let before = fleet.dir.records("remote");
    stopped("-CONT");
    signal(&run, "CONT");
    let output = run.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    // It has the results that came before, and those only.
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("another process"), "{said}");
    assert!(fleet.dir.records("remote") <= before + 1, "{said}");
    let said = end(copy);
    assert!(said.contains("waiting 10 s"), "{said}");
    assert_eq!(fleet.dir.results("copy").len(), 210, "each match once");
}

#[test]
fn the_server_may_die_and_forget_everything_in_the_middle() {
    agon_testkit::slow!();
    // A bot with files: they are lost with the server.
    let greedy = root().join("examples/bots/cluster/greedy.py").canonicalize().unwrap();
    let python = format!("\"python3 {}\"", greedy.display());
    let mut fleet = Fleet::start(&plan(20).replace("\"builtin:random\"", &python), 2);
    let mut run = fleet.tournament(&BEGIN).spawn().unwrap();
    fleet.dir.wait_for("remote", 20, &mut run);
    // Streams in memory are gone with the server, and so is what it has on the disk.
    fleet.server.kill();
    std::fs::remove_dir_all(fleet.server.folder().join("jetstream")).unwrap();
    thread::sleep(Duration::from_secs(1));
    fleet.server.start_again();
    // New workers have no bot yet.
    fleet.workers.clear();
    fleet.add_worker(&[]);
    let said = end(run);
    assert!(said.contains("bots and matches are sent again"), "{said}");
    check(&fleet);
}
