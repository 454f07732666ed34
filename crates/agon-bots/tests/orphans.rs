//! Tests that no bot outlives the arena, however the arena ends.
#![allow(clippy::unwrap_used)]

use std::{
    env, fs,
    process::{self, Command, Stdio},
    thread,
    time::Duration,
};

use crate::common::{Arena, Workshop, assert_gone, eventually, new_game, patient};
use agon_bots::HostOptions;
use agon_games::{
    amoebas::{self, Amoebas},
    cluster::{Cluster, Rules},
};

/// In the process that this test starts and kills: the command line of a bot.
const BOT: &str = "AGON_TEST_BOT";

/// In the same process: the way the arena ends.
const END: &str = "AGON_TEST_END";

/// In the same process: the file that the bot writes when there is something to kill.
const READY: &str = "AGON_TEST_READY";

#[test]
fn bots_die_with_an_arena_that_is_killed() {
    if let Ok(bot) = env::var(BOT) {
        return play(&bot);
    }
    check("bots_die_with_an_arena_that_is_killed", "exec sleep 1000", "killed");
}

#[test]
fn what_bots_have_started_dies_with_an_arena_that_kills_all() {
    if let Ok(bot) = env::var(BOT) {
        return play(&bot);
    }
    let test = "what_bots_have_started_dies_with_an_arena_that_kills_all";
    check(test, &format!("sleep 1000 & echo > ${READY}; sleep 1000"), "kill_all");
}

#[test]
fn a_jvm_dies_with_an_arena_that_is_killed() {
    agon_testkit::needs_clojure!();
    let test = "a_jvm_dies_with_an_arena_that_is_killed";
    if let Ok(bot) = env::var(BOT) {
        let cache = Some(env!("CARGO_TARGET_TMPDIR").into());
        let game = new_game::<Amoebas>(&amoebas::Rules::default(), 1);
        return Arena::new(game, &[&bot], &HostOptions { cache, ..patient() }).steps(1);
    }
    let workshop = Workshop::new();
    let species = workshop.file(
        "sleeps.clj",
        &format!(
            "(ns sleeps)
             (spit {:?} (str (.pid (java.lang.ProcessHandle/current)) \"\\n\"))
             (defn Evam [energy health species env data] (Thread/sleep 1000000))",
            workshop.path("group")
        ),
    );
    check_bot(test, &workshop, &species, "killed");
}

/// Waits for a bot that never answers.
fn play(bot: &str) {
    if env::var(END).is_ok_and(|end| end == "kill_all") {
        thread::spawn(|| {
            let ready = env::var(READY).unwrap();
            eventually("the bot is ready", || fs::exists(&ready).unwrap().then_some(()));
            agon_bots::kill_all();
            process::exit(130);
        });
    }
    let mut arena =
        Arena::new(new_game::<Cluster>(&Rules::default(), 2), &[bot, "builtin:random"], &patient());
    arena.step();
    // The step ends when all bots are killed, a moment before the process.
    thread::sleep(Duration::from_secs(60));
}

/// Starts this test as a separate arena, and searches for leftovers of its bot.
fn check(test: &str, script: &str, end: &str) {
    let workshop = Workshop::new();
    check_bot(test, &workshop, &workshop.sh(script), end);
}

fn check_bot(test: &str, workshop: &Workshop, bot: &str, end: &str) {
    let mut arena = Command::new(env::current_exe().unwrap())
        .args([&agon_testkit::full_name(module_path!(), test), "--exact", "--nocapture"])
        .env(BOT, bot)
        .env(END, end)
        .env(READY, workshop.path("ready"))
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let group = workshop.group();
    if end == "killed" {
        assert!(fs::exists(format!("/proc/{group}")).unwrap(), "the bot runs");
        arena.kill().unwrap();
    }
    arena.wait().unwrap();
    assert_gone(&group);
}
