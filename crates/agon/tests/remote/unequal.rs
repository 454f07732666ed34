//! Machines of other speeds: limits in CPU time mean the same on all.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use agon_testkit::nats::PROGRAM;
use futures_util::StreamExt;
use serde_json::{Value, json};
use tokio::time::sleep;

use super::fleet::{Fleet, wait_for, with_parts};
use crate::tournament::test_dir::{root, signal};

fn plan() -> String {
    let bots = root().join("examples/bots/cluster").canonicalize().unwrap();
    format!(
        "game = \"cluster\"\nseed = 5\nmatches = 4\n\
         bots = [\"python3 {}/greedy.py\", \"builtin:greedy\"]\n\
         \n[settings]\nside = 3\n\n[format]\nkind = \"round-robin\"\n",
        bots.display()
    )
}

/// Returns the percentages by which limits were multiplied.
fn scales(fleet: &Fleet, folder: &str) -> Vec<u64> {
    let journal = std::fs::read_to_string(fleet.dir.path(folder).join("journal.jsonl")).unwrap();
    let scale = |line: &str| {
        let record: Value = serde_json::from_str(line).unwrap();
        assert!(record["machine"]["worker"].is_string(), "{record}");
        record["machine"]["scale"].as_u64().unwrap()
    };
    journal.lines().skip(1).map(scale).collect()
}

fn status(fleet: &Fleet) -> Value {
    let args = ["worker", "status", &fleet.server.address(), "--json"];
    let seen = with_parts(&fleet.dir, &args).output().unwrap();
    serde_json::from_slice(&seen.stdout).unwrap()
}

#[test]
fn slower_machines_give_more_time_and_far_slower_ones_do_not_play() {
    agon_testkit::needs!(PROGRAM, "python3");
    let fleet = Fleet::start(&plan(), 1);
    let worker = status(&fleet)["workers"][0].clone();
    let speed = worker["speed"].as_u64().unwrap();
    // As if the limits were for a machine that is half as fast again.
    let reference = (speed * 3 / 2).to_string();
    fleet.play(&["plan.toml", "--out", "slow", "--speed", &reference]);
    fleet.check("slow");
    let slow = scales(&fleet, "slow");
    assert_eq!(slow.len(), 4);
    assert!(slow.iter().all(|scale| (140..=160).contains(scale)), "{slow:?}");
    let file = std::fs::read_to_string(fleet.dir.path("slow/run-on")).unwrap();
    assert!(file.ends_with(&format!("\nspeed {reference}\n")), "{file}");

    // Nobody is fast enough, and nobody has this processor; built-in bots need no clock.
    let far = (speed * 10).to_string();
    for (flags, expected) in [
        (["--speed", &far], "its time limits are for a machine of speed"),
        (["--processor", "Z80"], "it is for `Z80` only"),
    ] {
        let mut run = fleet.tournament(&["plan.toml", "--out", &flags[0][2..]]);
        let log = fleet.dir.path("log");
        let mut run = run.args(flags).stderr(std::fs::File::create(&log).unwrap()).spawn().unwrap();
        wait_for("the reason", || std::fs::read_to_string(&log).unwrap().contains(expected));
        signal(&run, "INT");
        assert_eq!(run.wait().unwrap().code(), Some(130));
    }
    let built_in = "game = \"cluster\"\nseed = 5\nmatches = 2\nbots = [\"builtin:random\", \
                    \"builtin:greedy\"]\n\n[settings]\nside = 3\n\n[format]\n\
                    kind = \"round-robin\"\n";
    fleet.dir.write("plan.toml", built_in);
    fleet.play(&["plan.toml", "--out", "built-in", "--speed", &far]);
    assert_eq!(scales(&fleet, "built-in"), [100, 100]);
    let model = worker["processor"].as_str().unwrap();
    fleet.play(&["plan.toml", "--out", "model", "--processor", model]);
}

/// A worker that says that it is faster than another one, and takes no match. It runs until it is
/// dropped.
struct Boaster {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Boaster {
    fn start(address: String) -> Boaster {
        let stop = Arc::new(AtomicBool::new(false));
        let stops = Arc::clone(&stop);
        let boast = async move {
            let client = async_nats::connect(address).await.unwrap();
            let mut beats = client.subscribe("agon.beats").await.unwrap();
            client.publish("agon.roll-call", "".into()).await.unwrap();
            let heard = beats.next().await.unwrap();
            let mut says: Value = serde_json::from_slice(&heard.payload).unwrap();
            says["worker"] = json!("boaster");
            says["slots"] = json!(1);
            let speed = says["abilities"]["speed"].as_u64().unwrap();
            // Faster ones are too fast for the limits.
            says["abilities"]["speed"] = json!(speed * 17 / 10);
            while !stops.load(Ordering::Relaxed) {
                client.publish("agon.beats", says.to_string().into()).await.unwrap();
                sleep(Duration::from_millis(500)).await;
            }
        };
        let live = move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.unwrap().block_on(boast);
        };
        Boaster { stop, thread: Some(thread::spawn(live)) }
    }
}

impl Drop for Boaster {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.take().unwrap().join().unwrap();
    }
}

#[test]
fn a_slow_worker_leaves_the_last_matches_to_faster_ones_unless_nobody_takes_them() {
    agon_testkit::slow!();
    agon_testkit::needs!(PROGRAM, "python3");
    let bot = std::fs::read_to_string(root().join("examples/bots/cluster/greedy.py")).unwrap();
    let plan = "game = \"cluster\"\nseed = 5\nmatches = 12\nbots = [\"python3 sleepy/bot.py\", \
                \"builtin:greedy\"]\n\n[settings]\nside = 3\n\n[time]\nlimit = 10000\n\n[format]\n\
                kind = \"round-robin\"\n";
    let mut fleet = Fleet::start(plan, 0);
    std::fs::create_dir(fleet.dir.path("sleepy")).unwrap();
    fleet.dir.write("sleepy/bot.py", &format!("import time\ntime.sleep(5)\n{bot}"));
    fleet.add_worker(&["-v"]);
    let _boaster = Boaster::start(fleet.server.address());
    wait_for("both", || status(&fleet)["workers"].as_array().unwrap().len() == 2);
    fleet.play(&["plan.toml", "--out", "cup"]);
    fleet.check("cup");
    let said = fleet.workers[0].said();
    assert!(said.contains("they are the last ones of a run, for machines of at least"), "{said}");
}
