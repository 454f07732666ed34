//! Tests that texts that people type become bots, or errors that help.

use std::{fs, os::unix::fs::PermissionsExt};

use agon_bots::{BotKind, HostOptions, kinds, open};
use agon_games::GameId;

use crate::common::{Workshop, spec};

fn message(game: GameId, text: &str) -> String {
    match open(game.kind(), &spec(text), &HostOptions::default()) {
        Ok(_) => panic!("`{text}` can be opened"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn every_game_takes_its_kinds() {
    let without = |game: GameId, missing: &[BotKind]| {
        let expected: Vec<_> =
            BotKind::ALL.into_iter().filter(|kind| !missing.contains(kind)).collect();
        assert_eq!(kinds(game.kind()), expected);
    };
    use BotKind::{Clojure, Http, Program};
    without(GameId::Battlesnake, &[Program, Clojure]);
    without(GameId::Cellhack, &[Program, Clojure, Http]);
    without(GameId::Cluster, &[Clojure, Http]);
    without(GameId::Binfection, &[Clojure, Http]);
    without(GameId::Rezzo, &[Clojure, Http]);
}

#[test]
fn a_kind_that_a_game_does_not_take_is_told() {
    let error = message(GameId::Cellhack, "sh -c true");
    assert!(
        error.starts_with("`sh -c true`: cellhack takes only built-in bots (`builtin:NAME`), C or"),
        "{error}"
    );
    assert!(
        error.contains("C or C++ source (`x.c`, `x.cpp`), shared libraries (`x.so`)"),
        "{error}"
    );
}

#[test]
fn a_name_that_is_no_file_may_be_meant_for_a_built_in_bot() {
    for game in GameId::OWN {
        let name = game.kind().builtins()[0].name;
        let expected = format!("there is no file `{name}`; did you mean `builtin:{name}`?");
        assert_eq!(message(game, name), expected);
        assert!(message(game, "builtin:xyzzy-42").contains(name), "all there are");
    }
}

#[test]
fn missing_files_come_before_wrong_kinds() {
    assert_eq!(message(GameId::Cellhack, "./fox"), "there is no file `./fox`");
    assert_eq!(message(GameId::Cellhack, "fox.c"), "there is no file `fox.c`");
    assert!(message(GameId::Rezzo, "no-such-program fox.py").contains("neither a program on PATH"));
}

#[test]
fn a_file_must_be_executable() {
    let workshop = Workshop::new();
    let file = workshop.file("fox.sh", "#!/bin/sh\nexit 0\n");
    assert!(message(GameId::Cluster, &file).contains("is not executable"));
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    assert!(open(GameId::Cluster.kind(), &spec(&file), &HostOptions::default()).is_ok());
}
