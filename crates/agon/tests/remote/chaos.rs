//! Workers, coordinators and the server die, stand still and forget: no match is lost, and none
//! counts twice.

use std::process::{Child, Command, Stdio};
use std::{fs, thread, time::Duration};

use agon_testkit::nats::{NatsServer, PROGRAM};
use rustix::process::Signal;

use super::{Fleet, end, same_as_here};
use crate::support::{TestDir, hears, signal, until};

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

/// Starts two workers for matches that take a while, but no time of the processor.
fn slow(matches: u32) -> Fleet {
    let plan = plan(matches).replace("builtin:searcher", "sh slow/slow.sh");
    let fleet = Fleet::start(&plan, 2);
    fleet.dir.write("slow/slow.sh", "sleep 0.3\nexit 1\n");
    fleet
}

/// Begins the tournament, and waits until some matches are over.
fn begin(fleet: &Fleet) -> Child {
    let mut run = fleet.begin("plan.toml --out remote --replays none");
    fleet.dir.wait_for("remote", 20, &mut run);
    run
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
    let mut fleet = Fleet::start(&plan(30), 3);
    let run = begin(&fleet);
    fleet.workers[0].child.kill().unwrap();
    signal(&fleet.workers[1].child, Signal::TERM);
    assert!(fleet.workers[1].child.wait().unwrap().success());
    let said = fleet.said(1);
    assert!(said.contains("others play the rest") && said.contains("played "), "{said}");
    end(run);
    assert_eq!(fleet.dir.results("remote").len(), 90, "each match once");
}

#[test]
fn a_worker_leaves_no_folder_behind_however_it_ends() {
    agon_testkit::needs!(PROGRAM);
    let server = NatsServer::start();
    let dir = TestDir::new();
    let temporary = dir.path("temporary");
    fs::create_dir(&temporary).unwrap();
    let left = || fs::read_dir(&temporary).unwrap().count();
    for how in [Signal::KILL, Signal::INT] {
        let mut worker = dir.agon(&format!("worker {}", server.address()));
        let mut worker = worker.env("TMPDIR", &temporary).stderr(Stdio::piped()).spawn().unwrap();
        hears(&mut worker, "at a time");
        assert_eq!(left(), 1);
        signal(&worker, how);
        worker.wait().unwrap();
        until(&format!("an end of its folder after {how:?}"), || left() == 0);
    }
}

#[test]
fn a_coordinator_that_is_killed_goes_on_with_its_folder_and_a_second_one_is_refused() {
    agon_testkit::slow!();
    // More than are played while the second one waits.
    let fleet = slow(140);
    let mut run = begin(&fleet);
    // A copy has the same run, but no lock of this machine protects it.
    copy(&fleet);
    let second = fleet.dir.ends(2, &fleet.line("resume copy"));
    second.tells(["another process leads this run"]);
    let is_over = run.try_wait().unwrap().is_some();
    assert!(!is_over, "the tournament is too short");
    run.kill().unwrap();
    run.wait().unwrap();
    let begun = fleet.dir.records("remote");
    fleet.play("resume remote --replays none");
    assert!(begun < 420, "{begun}");
    assert_eq!(fleet.dir.results("remote").len(), 420, "each match once");
}

#[test]
fn a_coordinator_that_stood_still_too_long_writes_nothing_more() {
    agon_testkit::slow!();
    let fleet = slow(70);
    let run = begin(&fleet);
    // The coordinator and its carrier, as if the machine slept.
    let stopped = |name: &str| {
        let children = Command::new("pgrep").args(["-P", &run.id().to_string()]).output().unwrap();
        for child in String::from_utf8(children.stdout).unwrap().split_whitespace() {
            assert!(Command::new("kill").args([name, child]).status().unwrap().success());
        }
    };
    stopped("-STOP");
    signal(&run, Signal::STOP);
    copy(&fleet);
    let begun = fleet.dir.records("copy");
    let mut copy = fleet.begin("resume copy --replays none");
    fleet.dir.wait_for("copy", begun + 20, &mut copy);
    assert!(copy.try_wait().unwrap().is_none(), "the tournament is too short");
    let before = fleet.dir.records("remote");
    stopped("-CONT");
    signal(&run, Signal::CONT);
    let done = crate::support::end_of(run);
    // It has the results that came before, and those only.
    assert_eq!(done.tells(["another process"]).code, Some(2));
    assert!(fleet.dir.records("remote") <= before + 1, "{}", done.err);
    end(copy).tells(["waiting 10 s"]);
    assert_eq!(fleet.dir.results("copy").len(), 210, "each match once");
}

#[test]
fn the_server_may_die_and_forget_everything_in_the_middle() {
    agon_testkit::slow!();
    // A bot with files: they are lost with the server.
    let python = "python3 EXAMPLES/cluster/greedy.py";
    let mut fleet = Fleet::start(&plan(20).replace("builtin:random", python), 2);
    let run = begin(&fleet);
    // Streams in memory are gone with the server, and so is what it has on the disk.
    fleet.server.kill();
    fs::remove_dir_all(fleet.server.folder().join("jetstream")).unwrap();
    thread::sleep(Duration::from_secs(1));
    fleet.server.start_again();
    // New workers have no bot yet.
    fleet.workers.clear();
    fleet.add_worker("");
    end(run).tells(["bots and matches are sent again"]);
    same_as_here(&fleet.dir, "plan.toml --replays none", "remote");
}
