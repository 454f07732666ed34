//! No bot outlives the arena, however the arena ends.

mod common;

use std::{
    env, fs,
    process::{Command, Stdio},
};

use agon_games::cluster::{Cluster, Rules};
use common::{Arena, Workshop, assert_gone, new_game, patient};

/// In the process that this test starts, and kills: the command line of a bot.
const BOT: &str = "AGON_TEST_BOT";

#[test]
fn bots_die_with_an_arena_that_is_killed() {
    if let Ok(bot) = env::var(BOT) {
        let mut arena =
            Arena::new(new_game::<Cluster>(&Rules::default(), 2), &[&bot, "builtin:random"], &patient());
        arena.step();
        unreachable!("the bot never answers, and time is long");
    }
    let workshop = Workshop::new();
    let mut arena = Command::new(env::current_exe().unwrap())
        .args(["bots_die_with_an_arena_that_is_killed", "--exact", "--nocapture"])
        .env(BOT, workshop.sh("exec sleep 1000"))
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let group = workshop.group();
    assert!(fs::exists(format!("/proc/{group}")).unwrap(), "the bot runs");
    arena.kill().unwrap();
    arena.wait().unwrap();
    assert_gone(&group);
}
