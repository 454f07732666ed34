//! What cannot work is said at once, with the remedy.

use std::{fs, os::unix::fs::symlink, thread, time::Duration};

use agon_testkit::nats::{NatsServer, PROGRAM};

use super::{Fleet, end};
use crate::support::{TestDir, root, round_robin, until};

/// Two matches of a bot against a built-in one.
fn plan(bot: &str) -> String {
    round_robin(5, 2, 3, &["builtin:random", bot])
}

#[test]
fn a_server_that_is_not_there_or_no_jetstream() {
    agon_testkit::needs!(PROGRAM);
    let dir = TestDir::with_plan(&plan("builtin:greedy"));
    let nobody = "no NATS server answers at nats://127.0.0.1:9";
    for (line, expected) in [
        ("tournament plan.toml --on nats://127.0.0.1:9", [nobody, "nats-server -js"]),
        ("worker nats://127.0.0.1:9", [nobody, "nats-server -js"]),
        ("worker localhost", ["`localhost` is no address of a NATS server", ""]),
        ("worker", ["<SERVER>", ""]),
        ("tournament plan.toml --on nats://x -j 2", ["cannot be used with", ""]),
        ("tournament plan.toml --lane urgent", ["--on <SERVER>", ""]),
        ("worker nats://x --games clustr", ["did you mean `cluster`?", ""]),
    ] {
        dir.ends(2, line).tells(expected);
    }
}

#[test]
fn a_server_that_wants_another_password() {
    agon_testkit::needs!(PROGRAM);
    let server = NatsServer::start_with(&["--user", "agon", "--pass", "secret"]);
    let dir = TestDir::with_plan(&plan("builtin:greedy"));
    let address = |user: &str| server.address().replace("nats://", &format!("nats://{user}@"));
    let wrong = address("agon:wrong");
    for line in [format!("worker {wrong}"), format!("tournament plan.toml --on {wrong}")] {
        let done = dir.ends(2, &line);
        // A password is not shown.
        done.tells(["does not take this user"]).tells_not("wrong@");
    }
    let right = address("agon:secret");
    let mut worker = dir.start(&format!("worker --slots 2 {right}"));
    let done = dir.run(&format!("tournament plan.toml --on {right}"));
    worker.kill().unwrap();
    worker.wait().unwrap();
    assert_eq!(done.code, Some(0), "{}", done.err);
}

#[test]
fn bots_that_cannot_travel_or_that_no_worker_can_play() {
    agon_testkit::slow!();
    let mut fleet = Fleet::start(&plan("builtin:greedy"), 0);
    // Nobody is there.
    let run = fleet.begin("plan.toml --out alone");
    let watch = thread::spawn(move || end(run));
    fleet.add_worker("--games rezzo");
    thread::sleep(Duration::from_secs(7));
    fleet.add_worker("");
    watch.join().unwrap().tells(["none of 1 workers can play them", "cluster"]);

    // A program at an address of this machine, and bots without a sandbox.
    let open = format!("{}\n[sandbox]\nlevel = \"off\"\n", plan("builtin:greedy"));
    for (out, plan, words) in
        [("peers", plan("connect:127.0.0.1:9"), ""), ("open", open, "workers confine bots")]
    {
        fleet.dir.write("plan.toml", plan);
        let done = fleet.dir.run(&fleet.line(&format!("plan.toml --out {out}")));
        assert_ne!(done.tells([words]).code, Some(0), "{}", done.all());
    }
}

#[test]
fn a_tournament_goes_on_without_a_bot_that_cannot_travel_or_start_on_workers() {
    agon_testkit::needs!(PROGRAM, "cc");
    let plan = "game = \"cellhack\"\nseed = 5\nmatches = 1\nmirrored = false\n\
                bots = [\"own/drifter.c\", \"./linked\", \"builtin:random\", \"builtin:swarm\"]\n\
                \n[format]\nkind = \"round-robin\"\n";
    let mut fleet = Fleet::start(plan, 0);
    let manifest = "name = \"linked\"\ngame = \"cellhack\"\nrun = \"linked.c\"\n";
    let cell = fs::read_to_string(root().join("examples/bots/cellhack/drifter.c")).unwrap();
    fleet.dir.write("linked/agon.toml", manifest);
    fleet.dir.write("linked/linked.c", &cell);
    fleet.dir.write("own/drifter.c", &cell);
    symlink("linked.c", fleet.dir.path("linked/link")).unwrap();
    // On these workers no source compiles.
    let compiler = fleet.dir.program("no-cc", "#!/bin/sh\necho 'no header here' >&2\nexit 1\n");
    for cache in ["one", "two", "three"] {
        let cache = format!("--cache {}", fleet.dir.path(cache).display());
        fleet.add_worker_with(&cache, &[("CC", &compiler)]);
    }
    let done = fleet.play("plan.toml --out cup");
    let forfeits = "drifter forfeits all open matches: it could not be started";
    done.tells(["linked does not play: its `link` is neither a folder", "no header here"]);
    assert_eq!(done.err.matches(forfeits).count(), 1, "{}", done.err);
    let table = done.out;
    assert!(table.contains("drifter") && !table.contains(" linked  "), "{table}");
    let counts = |fleet: &Fleet| {
        let results = fleet.dir.results("cup");
        let forfeits = results.values().filter(|record| record.get("forfeits").is_some());
        (results.len(), forfeits.count())
    };
    assert_eq!(counts(&fleet), (3, 2));

    // Where it can be started, it plays what it has forfeited.
    fleet.workers.clear();
    fleet.add_worker("");
    fleet.play("resume cup");
    assert_eq!(counts(&fleet), (3, 0));
}

/// Starts a server that may use little memory, and so much disk.
fn with_room(dir: &TestDir, disk: &str) -> NatsServer {
    let config = format!(
        "jetstream {{ store_dir: {:?}, max_memory_store: 100MB, max_file_store: {disk} }}",
        dir.path(disk)
    );
    let config = dir.write("server.conf", config);
    NatsServer::start_with(&["--config", config.to_str().unwrap()])
}

#[test]
fn a_server_with_little_room_is_used_and_one_with_none_is_refused() {
    agon_testkit::needs!(PROGRAM);
    let mut fleet = Fleet::start(&plan("builtin:greedy"), 0);
    fleet.server = with_room(&fleet.dir, "500MB");
    fleet.add_worker("");
    let done = fleet.play("plan.toml --out there");
    done.tells(["the server has little room (", "64 of 512 MiB for matches, "]);
    done.tells(["128 of 4096 MiB for bots)"]);
    fleet.check("there");
    fleet.workers.clear();

    fleet.server = with_room(&fleet.dir, "10MB");
    let done = fleet.dir.ends(2, &fleet.line("plan.toml --out none"));
    done.tells(["no room for replays; free its disk"]);
}

#[test]
fn a_worker_whose_disk_is_full_leaves_the_matches_to_others() {
    agon_testkit::needs!(PROGRAM, "python3");
    let bots = ["builtin:random", "python3 fox.py"];
    let mut fleet = Fleet::start(&round_robin(5, 8, 3, &bots), 0);
    fleet.dir.write("fox.py", "import sys\nprint('no')\n");
    // Files where it wants folders: nothing can be kept.
    for byte in 0..256 {
        fleet.dir.write(&format!("cache/blobs/{byte:02x}"), "");
    }
    fleet.add_worker(&format!("--cache {}", fleet.dir.path("cache").display()));
    let run = fleet.begin("plan.toml --out there");
    until("a match that it cannot play", || fleet.said(0).contains("cannot be kept"));
    fleet.add_worker("");
    let done = end(run);
    done.tells(["a worker could not play a match: ", "a bot cannot be kept on the disk"]);
    assert_eq!(fleet.dir.results("there").len(), 8);
    // A bot that misbehaves is no trouble of the queue.
    let row = done.out.lines().find(|line| line.contains("fox")).unwrap();
    assert!(row.starts_with(" 2  fox"), "{}", done.out);
    let said = fleet.said(0);
    assert!(said.matches("cannot be kept").count() < 8, "{said}");
}
