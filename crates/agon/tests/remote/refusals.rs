//! What cannot work is said at once, with the remedy.

use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    process::Output,
};

use agon_testkit::nats::{NatsServer, PROGRAM};

use super::fleet::{Fleet, wait_for, with_parts};
use crate::tournament::test_dir::{TestDir, root};

const PLAN: &str = r#"
game = "cluster"
seed = 5
matches = 2
bots = ["builtin:random", "builtin:greedy"]

[settings]
side = 3

[format]
kind = "round-robin"
"#;

fn run(dir: &TestDir, args: &[&str]) -> (Option<i32>, String) {
    let Output { status, stderr, .. } = with_parts(dir, args).output().unwrap();
    (status.code(), String::from_utf8(stderr).unwrap())
}

#[test]
fn a_server_that_is_not_there_or_no_jetstream() {
    agon_testkit::needs!(PROGRAM);
    let dir = TestDir::with_plan(PLAN);
    for args in [
        &["tournament", "plan.toml", "--on", "nats://127.0.0.1:9"][..],
        &["worker", "nats://127.0.0.1:9"],
    ] {
        let (code, said) = run(&dir, args);
        assert_eq!(code, Some(2), "{said}");
        assert!(said.contains("no NATS server answers at nats://127.0.0.1:9"), "{said}");
        assert!(said.contains("nats-server -js"), "{said}");
    }
    for (args, expected) in [
        (&["worker", "localhost"][..], "`localhost` is no address of a NATS server"),
        (&["worker"], "<SERVER>"),
        (&["tournament", "plan.toml", "--on", "nats://x", "-j", "2"], "cannot be used with"),
        (&["tournament", "plan.toml", "--lane", "urgent"], "--on <SERVER>"),
        (&["worker", "nats://x", "--games", "clustr"], "did you mean `cluster`?"),
    ] {
        let (code, said) = run(&dir, args);
        assert_eq!(code, Some(2), "{said}");
        assert!(said.contains(expected), "{args:?}: {said}");
    }
}

#[test]
fn a_server_that_wants_another_password() {
    agon_testkit::needs!(PROGRAM);
    let server = NatsServer::start_with(&["--user", "agon", "--pass", "secret"]);
    let dir = TestDir::with_plan(PLAN);
    let wrong = server.address().replace("nats://", "nats://agon:wrong@");
    for args in [&["worker", wrong.as_str()][..], &["tournament", "plan.toml", "--on", &wrong]] {
        let (code, said) = run(&dir, args);
        assert_eq!(code, Some(2), "{said}");
        assert!(said.contains("does not take this user"), "{said}");
        assert!(!said.contains("wrong@"), "a password is not shown: {said}");
    }
    let mut right = with_parts(&dir, &["worker", "--slots", "2"]);
    right.arg(server.address().replace("nats://", "nats://agon:secret@"));
    let mut worker = right.spawn().unwrap();
    let address = server.address().replace("nats://", "nats://agon:secret@");
    let (code, said) = run(&dir, &["tournament", "plan.toml", "--on", &address]);
    worker.kill().unwrap();
    worker.wait().unwrap();
    assert_eq!(code, Some(0), "{said}");
}

#[test]
fn bots_that_cannot_travel_or_that_no_worker_can_play() {
    agon_testkit::slow!();
    let mut fleet = Fleet::start(PLAN, 0);
    // Nobody is there.
    let run = fleet.tournament(&["plan.toml", "--out", "alone"]).spawn().unwrap();
    let watch = std::thread::spawn(move || run.wait_with_output().unwrap());
    fleet.add_worker(&["--games", "rezzo"]);
    std::thread::sleep(std::time::Duration::from_secs(7));
    fleet.add_worker(&[]);
    let said = String::from_utf8(watch.join().unwrap().stderr).unwrap();
    assert!(said.contains("none of 1 workers can play them") && said.contains("cluster"), "{said}");

    // A program at an address of this machine.
    fleet.dir.write("plan.toml", &PLAN.replace("builtin:greedy", "connect:127.0.0.1:9"));
    let output = fleet.tournament(&["plan.toml", "--out", "peers"]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "{said}");

    // Bots without a sandbox.
    fleet.dir.write("plan.toml", &format!("{PLAN}\n[sandbox]\nlevel = \"off\"\n"));
    let output = fleet.tournament(&["plan.toml", "--out", "open"]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("workers confine bots"), "{said}");
}

#[test]
fn a_bot_that_misbehaves_is_no_trouble_of_the_queue() {
    agon_testkit::needs!(PROGRAM, "python3");
    let fleet = Fleet::start(PLAN, 1);
    fleet.dir.write("fox.py", "import sys\nprint('no')\n");
    fleet.dir.write("plan.toml", &PLAN.replace("builtin:greedy", "python3 fox.py"));
    let (table, _) = fleet.play(&["plan.toml", "--out", "faults"]);
    let row = table.lines().find(|line| line.contains("fox")).unwrap();
    assert!(row.starts_with(" 2  fox"), "{table}");
    assert_eq!(fleet.dir.results("faults").len(), 2);
}

#[test]
fn a_tournament_goes_on_without_a_bot_that_cannot_travel_or_start_on_workers() {
    agon_testkit::needs!(PROGRAM, "cc");
    let mut fleet = Fleet::start(PLAN, 0);
    fs::create_dir(fleet.dir.path("linked")).unwrap();
    let manifest = "name = \"linked\"\ngame = \"cellhack\"\nrun = \"linked.c\"\n";
    fleet.dir.write("linked/agon.toml", manifest);
    let cell = fs::read_to_string(root().join("examples/bots/cellhack/drifter.c")).unwrap();
    fleet.dir.write("linked/linked.c", &cell);
    fs::create_dir(fleet.dir.path("own")).unwrap();
    fleet.dir.write("own/drifter.c", &cell);
    symlink("linked.c", fleet.dir.path("linked/link")).unwrap();
    let plan = "game = \"cellhack\"\nseed = 5\nmatches = 1\nmirrored = false\n\
                bots = [\"own/drifter.c\", \"./linked\", \"builtin:random\", \"builtin:swarm\"]\n\
                \n[format]\nkind = \"round-robin\"\n";
    fleet.dir.write("plan.toml", plan);
    // On these workers no source compiles.
    fleet.dir.write("no-cc", "#!/bin/sh\necho 'no header here' >&2\nexit 1\n");
    let compiler = fleet.dir.path("no-cc");
    fs::set_permissions(&compiler, fs::Permissions::from_mode(0o755)).unwrap();
    for cache in ["one", "two", "three"] {
        let cache = fleet.dir.path(cache);
        fleet.add_worker_with(&["--cache", &cache.display().to_string()], &[("CC", &compiler)]);
    }
    let (table, said) = fleet.play(&["plan.toml", "--out", "cup"]);
    assert!(said.contains("linked does not play: its `link` is neither a folder"), "{said}");
    let forfeits = "drifter forfeits all open matches: it could not be started";
    assert!(said.contains(forfeits) && said.contains("no header here"), "{said}");
    assert_eq!(said.matches(forfeits).count(), 1, "{said}");
    assert!(table.contains("drifter") && !table.contains(" linked  "), "{table}");
    let counts = |fleet: &Fleet| {
        let results = fleet.dir.results("cup");
        let forfeits = results.values().filter(|record| record.get("forfeits").is_some());
        (results.len(), forfeits.count())
    };
    assert_eq!(counts(&fleet), (3, 2));

    // Where it can be started, it plays what it has forfeited.
    fleet.workers.clear();
    fleet.add_worker(&[]);
    fleet.play(&["resume", "cup"]);
    assert_eq!(counts(&fleet), (3, 0));
}

/// Starts a server that may use little memory, and so much disk.
fn with_room(dir: &TestDir, disk: &str) -> NatsServer {
    let config = format!(
        "jetstream {{ store_dir: {:?}, max_memory_store: 100MB, max_file_store: {disk} }}",
        dir.path(disk)
    );
    dir.write("server.conf", &config);
    let config = dir.path("server.conf").display().to_string();
    NatsServer::start_with(&["--config", &config])
}

#[test]
fn a_server_with_little_room_is_used_and_one_with_none_is_refused() {
    agon_testkit::needs!(PROGRAM);
    let mut fleet = Fleet::start(PLAN, 0);
    fleet.server = with_room(&fleet.dir, "500MB");
    fleet.add_worker(&[]);
    let (_, said) = fleet.play(&["plan.toml", "--out", "there"]);
    assert!(said.contains("the server has little room ("), "{said}");
    assert!(said.contains("64 of 512 MiB for matches, "), "{said}");
    assert!(said.contains("128 of 4096 MiB for bots)"), "{said}");
    fleet.check("there");
    fleet.workers.clear();

    fleet.server = with_room(&fleet.dir, "10MB");
    let output = fleet.tournament(&["plan.toml", "--out", "none"]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("no room for replays; free its disk"), "{said}");
}

#[test]
fn a_worker_whose_disk_is_full_leaves_the_matches_to_others() {
    agon_testkit::needs!(PROGRAM, "python3");
    let mut fleet = Fleet::start(PLAN, 0);
    fleet.dir.write("fox.py", "import sys\nprint('no')\n");
    let plan = PLAN.replace("builtin:greedy", "python3 fox.py").replace("= 2", "= 8");
    fleet.dir.write("plan.toml", &plan);
    // Files where it wants folders: nothing can be kept.
    let cache = fleet.dir.path("cache");
    fs::create_dir_all(cache.join("blobs")).unwrap();
    for byte in 0..256 {
        fs::write(cache.join(format!("blobs/{byte:02x}")), "").unwrap();
    }
    fleet.add_worker(&["--cache", &cache.display().to_string()]);
    let run = fleet.tournament(&["plan.toml", "--out", "there"]).spawn().unwrap();
    wait_for("a match that it cannot play", || fleet.workers[0].said().contains("cannot be kept"));
    fleet.add_worker(&[]);
    let output = run.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{said}");
    assert!(said.contains("a worker could not play a match: "), "{said}");
    assert!(said.contains("a bot cannot be kept on the disk"), "{said}");
    assert_eq!(fleet.dir.results("there").len(), 8);
    let said = fleet.workers[0].said();
    assert!(said.matches("cannot be kept").count() < 8, "{said}");
}
