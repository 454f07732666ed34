//! Runs the program `agon`: matches, first bots, and the viewer's files.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail};

/// The program `agon`.
#[derive(Debug)]
pub(crate) struct Agon {
    program: PathBuf,
}

impl Agon {
    /// Takes the program at a path.
    pub(crate) fn new(program: &Path) -> Result<Agon> {
        let program = program.canonicalize();
        let program =
            program.context("there is no program `agon`; `cargo xtask site` builds it")?;
        Ok(Agon { program })
    }

    /// Plays a match with the default preset, and writes its replay.
    pub(crate) fn play(&self, game: &str, seed: u32, replay: &Path) -> Result<()> {
        self.run(&["play", game, "--seed", &seed.to_string(), "--replay", text(replay)?])
    }

    /// Writes a starter kit to a new folder.
    pub(crate) fn new_bot(&self, game: &str, language: &str, folder: &Path) -> Result<()> {
        self.run(&["new", game, language, text(folder)?])
    }

    /// Writes the viewer and replays to a new folder.
    pub(crate) fn export(&self, folder: &Path, replays: &[PathBuf]) -> Result<()> {
        let mut args = vec!["web", "export", text(folder)?];
        for replay in replays {
            args.push(text(replay)?);
        }
        self.run(&args)
    }

    fn run(&self, args: &[&str]) -> Result<()> {
        let output = Command::new(&self.program).args(args).output();
        let output = output.with_context(|| format!("cannot run {}", self.program.display()))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            bail!("`agon {}` failed with {}: {}", args.join(" "), output.status, said.trim());
        }
        Ok(())
    }
}

fn text(path: &Path) -> Result<&str> {
    path.to_str().with_context(|| format!("{} is not UTF-8", path.display()))
}
