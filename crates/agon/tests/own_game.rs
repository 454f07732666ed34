//! A game from outside: the example `own-game` is `agon` with one more game.

use std::{fs, process::Command};

use assert_cmd::cargo::cargo_bin;

use crate::support::{Done, TestDir};

#[test]
fn a_game_from_outside_has_the_whole_command_line() {
    let program = cargo_bin("agon").with_file_name("examples").join("own-game");
    if !program.is_file() {
        return agon_testkit::leave_out("need an example, which `cargo test -p agon` builds");
    }
    let dir = TestDir::new();
    let run = |line: &str| {
        let mut command = Command::new(&program);
        command.args(line.split(' ')).current_dir(dir.path("")).env("NO_COLOR", "1");
        let done = Done::of(&mut command);
        assert_eq!(done.code, Some(0), "{line}: {}", done.all());
        done
    };
    run("games").prints(["cluster", "coins"]);
    run("rules coins").prints(["drops on a free square", "Squares of each side"]);
    run("game check coins");
    run("play coins --set turns=9 --seed 1 --replay coins.agon").says("most coins after 9 turns");
    run("replay verify coins.agon").says("proven");
    // Pages do not know the game, so they are sent what is to be seen: message 7.
    let plan = "game = \"coins\"\nmatches = 2\n\
        bots = [\"a=builtin:random\", \"b=builtin:random\"]\n[format]\nkind = \"round-robin\"\n";
    dir.write("cup.toml", plan);
    run("tournament cup.toml");
    run("tournament report cup-results --site site");
    let files = fs::read_dir(dir.path("site/replays")).unwrap();
    let files = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    let (scenes, replays): (Vec<_>, Vec<_>) = files.partition(|name| name.ends_with(".scenes"));
    assert_eq!((scenes.len(), replays.len()), (2, 2), "{scenes:?}");
    for name in scenes {
        assert!(dir.read("site/index.html").contains(&format!("..%2Freplays%2F{name}")), "{name}");
        assert_eq!(dir.bytes(&format!("site/replays/{name}"))[0], 7, "{name}");
    }
    // Who has only Agon's own games learns which one is missing.
    dir.refuses("replay verify coins.agon", ["there is no game `coins`"]);
}
