//! Hostile bots in the hosts that are not for programs of any kind: native libraries, runners,
//! species.

use std::net::TcpListener;

use super::{Outcome, TestDir};
use crate::support::names;

/// Plays with a C source that does this.
fn native(dir: &TestDir, attack: &str, flags: &str) -> Outcome {
    let program = dir.path("fox/attacker.py");
    let source = format!(
        "#define PROGRAM {program:?}\n#define ATTACK {attack:?}\n{}",
        include_str!("bots/attacker.c")
    );
    dir.play(dir.write("fox/attacker.c", &source).to_str().unwrap(), flags)
}

#[test]
fn a_native_library_may_do_as_little() {
    for attack in ["read", "write", "kernel"] {
        eprintln!("{attack}");
        let dir = TestDir::new();
        native(&dir, attack, "").assert_harmless();
        assert_eq!(names(dir.path("fox")), ["attacker.c", "attacker.py", "bait.json"]);
    }
    native(&TestDir::new(), "orphan_and_hang", "--time 200").expect("closed", "runs on");
    native(&TestDir::new(), "chain", "--time 300").expect("timeout", "of CPU time");
    let outcome = native(&TestDir::alone(), "bomb", "--time 500");
    outcome.fault();
    assert!(outcome.most < 1500, "{outcome:?}");
}

#[test]
fn memory_shared_with_the_arena_cannot_be_cut_or_grown() {
    let outcome = native(&TestDir::new(), "descriptors", "--time 3000");
    assert_ne!(outcome.fault()["evidence"]["exit_status"], 7, "it was cut: {outcome:?}");
}

#[test]
fn nobody_takes_a_steady_tick_from_another_bot() {
    let dir = TestDir::alone();
    std::fs::create_dir(dir.path("owl")).unwrap();
    let program = dir.write("owl/works.py", include_str!("bots/works.py"));
    let works = format!("python3 {}", program.display());
    let hog = dir.attacker("hog");
    // Loading the interpreters takes several ticks.
    let size = "-w 40 -h 40 -r 5 -t 60 --max-ticks 40";
    dir.run(&format!("rezzo {size} '{hog}' '{works}' --keep-void --replay match.agon"));
    let info = dir.agon("replay info --json match.agon").output().unwrap();
    let info: serde_json::Value = serde_json::from_slice(&info.stdout).unwrap();
    let faults = info["data"]["faults"].as_array().unwrap();
    let late = |fault: &&serde_json::Value| fault["step"].as_u64().unwrap() > 5;
    let of = |player: u64| faults.iter().filter(move |fault| fault["player"] == player);
    assert_eq!(of(1).filter(late).count(), 0, "{info:#}");
    assert!(of(0).count() > 0, "{info:#}");
}

/// Plays binfection with a runner that does this.
fn runner(attack: &str, flags: &str) -> Outcome {
    let dir = TestDir::new();
    let secret = dir.path("hen/notes");
    let program = dir.path("fox/attacker.py");
    let script = format!(
        "ATTACK={attack} SECRET={} PROGRAM={}\n{}",
        secret.display(),
        program.display(),
        include_str!("bots/runner.sh")
    );
    let script = dir.write("fox/runner.sh", &script);
    let bots = format!("'sh {}' builtin:random", script.display());
    dir.run(&format!("play binfection {bots} --turns 1 --json --set field_width=12 {flags}"))
}

#[test]
fn what_a_runner_puts_in_the_place_of_its_file_is_not_followed() {
    runner("link", "").expect("garbage", "its file cannot be read");
    runner("pipe", "").expect("garbage", "something that is none");
    for attack in ["hard", "folder", "away", "orphan"] {
        runner(attack, "").expect("garbage", "");
    }
    // It ends as if it had answered; what it says is told with the fault.
    runner("read", "").assert_harmless();
}

#[test]
fn a_runner_fills_no_disk_and_hides_nothing_on_it() {
    let files = "MiB of files; the limit is 256 MiB";
    let folders = "it made more than 128 folders within each other";
    for (attack, ms, detail) in [
        ("fill", "5000", files),
        ("hide", "20000", files),
        ("move", "20000", files),
        ("deep", "20000", folders),
    ] {
        eprintln!("{attack}");
        runner(attack, &format!("--time {ms}")).expect("crash", detail);
    }
    // Where it may make as many as it likes they are removed as well.
    runner("deep", "--time 60000 --sandbox off").expect("garbage", "");
}

#[test]
fn a_species_reads_and_reaches_as_little() {
    agon_testkit::slow!();
    let dir = TestDir::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let secret = format!("{:?}", dir.path("hen/notes"));
    let source = include_str!("bots/species.clj")
        .replace("SECRET", &secret)
        .replace("PROGRAM", &format!("{:?}", dir.path("fox/attacker.py")))
        .replace("PORT", &listener.local_addr().unwrap().port().to_string())
        .replace("VICTIM", &std::process::id().to_string())
        .replace("KEY", &dir.key.to_string());
    let species = dir.write("fox/species.clj", &source);
    let bots = format!("{} builtin:mutating", species.display());
    let outcome = dir.run(&format!("play amoebas {bots} --set rounds=1 --json --no-clock"));
    assert!(outcome.fault()["detail"].as_str().unwrap().contains("worked: []"), "{outcome:?}");
}
