//! `cargo xtask tutorial`: builds the game of `docs/add-a-game.md`, and plays with it.
//!
//! So the page stays correct when the code changes.

mod page;
mod tour;
mod workshop;

use std::{fs, path::Path, process::Command};

use anyhow::{Context, Result, bail, ensure};

use crate::{
    run::{cargo, quiet_step, root, target},
    stages::Stages,
};
use page::Page;
use tour::Tour;
use workshop::Workshop;

/// The page, below the root.
const PAGE: &str = "docs/add-a-game.md";

/// Where the list of games is, below the root.
const LIST: &str = "crates/agon-games/src/lib.rs";

/// What a small game may have at most.
const MOST_LINES: usize = 300;
const MOST_FILES: usize = 3;

/// Damaged positions and answers that the generic tests try.
const ROUNDS: &str = "5000";

/// Builds the page's game in a copy of the workspace and plays the whole command line with it.
pub(crate) fn run() -> Result<()> {
    let stages = Stages::new();
    let result = (|| {
        let page = Page::read(&fs::read_to_string(root().join(PAGE)).context(PAGE)?)?;
        let workshop = Workshop::new(target()?.join("tutorial"));
        stages.run("tutorial: copy", || prepare(&page, &workshop))?;
        stages.run("tutorial: size", || check_size(&page, &workshop))?;
        stages.run("tutorial: build tests", || {
            quiet_step(&mut generic_tests(&page, &workshop, &["--no-run"]))
        })?;
        stages.run("tutorial: build", || quiet_step(&mut build(&workshop)))?;
        stages.run("tutorial: tests", || quiet_step(&mut generic_tests(&page, &workshop, &[])))?;
        stages.run("tutorial: play", || Tour::new(&page, &workshop)?.take())
    })();
    stages.tell(result)
}

/// Copies the workspace and adds the game.
fn prepare(page: &Page, workshop: &Workshop) -> Result<()> {
    workshop.copy(&root(), |path, content| match path {
        LIST => page.register(content).map(String::into_bytes),
        _ => Ok(content.to_owned()),
    })?;
    for (path, text) in &page.files {
        workshop.write(Path::new(path), text.as_bytes())?;
    }
    workshop.share_crates(&target()?)
}

/// The code is as rustfmt writes it, and there is little of it.
fn check_size(page: &Page, workshop: &Workshop) -> Result<()> {
    let sources = page.files.keys().filter(|path| path.ends_with(".rs"));
    let sources: Vec<_> = sources.map(|path| workshop.sources().join(path)).collect();
    let mut check = Command::new("rustfmt");
    quiet_step(check.args(["--check", "--edition", "2024"]).args(sources))
        .with_context(|| format!("the code in {PAGE} is not as rustfmt writes it"))?;

    let lines = page.lines();
    eprintln!("{}: {lines} lines in {} files", page.game, page.files.len());
    ensure!(lines <= MOST_LINES, "{PAGE}: the game has {lines} lines; {MOST_LINES} were promised");
    if page.files.len() > MOST_FILES {
        bail!("{PAGE}: the game has {} files; {MOST_FILES} were promised", page.files.len());
    }
    Ok(())
}

fn build(workshop: &Workshop) -> Command {
    let mut command = cargo(&["build", "--quiet", "-p", "agon", "-p", "agon-jail"]);
    workshop.dress(&mut command);
    command
}

/// The tests that hold for every game, for this one.
fn generic_tests(page: &Page, workshop: &Workshop, more: &[&str]) -> Command {
    let test = ["test", "--quiet", "-p", "agon-games", "--test", "every_game"];
    let mut command = cargo(&[&test, more].concat());
    workshop.dress(&mut command);
    command.env("AGON_GAME", &page.game).env("AGON_ROUNDS", ROUNDS);
    command
}
