//! Machines of other speeds: limits in CPU time mean the same on all.

use agon_testkit::nats::PROGRAM;
use serde_json::Value;

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
