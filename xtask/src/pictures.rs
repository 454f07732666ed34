//! `cargo xtask pictures`: films a match of each game for the documentation.
//!
//! The films are in `docs/pictures`.

use std::{fs, process::Command};

use anyhow::Result;

use crate::run::{self, cargo, root, step};

/// A match to film: the game, and the other arguments.
const FILMS: [(&str, &[&str]); 5] = [
    (
        "cellhack",
        &[
            "--seed",
            "1",
            "--set",
            "width=64",
            "--set",
            "height=48",
            "--turns",
            "160",
            "--every",
            "2",
        ],
    ),
    ("cluster", &["--seed", "3", "--set", "side=7", "--smooth", "5"]),
    ("amoebas", &["--seed", "1", "--set", "world_size=60", "--turns", "160", "--every", "2"]),
    (
        "binfection",
        &["--seed", "1", "--set", "field_width=48", "--set", "field_height=36", "--turns", "60"],
    ),
    (
        "rezzo",
        &[
            "--seed",
            "1",
            "--set",
            "width=96",
            "--set",
            "height=64",
            "--turns",
            "240",
            "--every",
            "3",
        ],
    ),
];

/// The largest size of films, in pixels.
const SIZE: &str = "480x400";

/// Plays a match of each game and writes a film of it to `docs/pictures`.
pub(crate) fn run() -> Result<()> {
    step(&mut cargo(&["build", "--release", "--package", "agon"]))?;
    let target = run::target()?;
    let folder = root().join("docs").join("pictures");
    for (game, args) in FILMS {
        let film = folder.join(game).with_extension("gif");
        if film.exists() {
            fs::remove_file(&film)?;
        }
        let mut agon = Command::new(target.join("release").join("agon"));
        step(agon.args(["play", game, "--size", SIZE, "--gif"]).arg(&film).args(args))?;
    }
    Ok(())
}
