//! `cargo xtask tutorial`: builds the game of `docs/add-a-game.md`, and plays with it.
//!
//! So the page stays correct when the code changes.

mod page;
mod tour;
mod workspace_copy;

use std::{fs, path::Path, process::Command};

use anyhow::{Context, Result, bail, ensure};

use crate::{
    run::{cargo, quiet_step, root, target},
    stages::Stages,
};
use page::Page;
use tour::Tour;
use workspace_copy::WorkspaceCopy;

/// The path of the page below the root.
const PAGE: &str = "docs/add-a-game.md";

/// The path of the list of games below the root.
const LIST: &str = "crates/agon-games/src/lib.rs";

/// The most lines and files of the game, because the page promises a small one.
const MAX_LINES: usize = 300;
const MAX_FILES: usize = 3;

/// The number of damaged positions and answers that the generic tests try.
const ROUNDS: &str = "5000";

/// Builds the page's game in a copy of the workspace and plays the whole command line with it.
pub(crate) fn run() -> Result<()> {
    let stages = Stages::new();
    let result = (|| {
        let page = Page::read(&fs::read_to_string(root().join(PAGE)).context(PAGE)?)?;
        let copy = WorkspaceCopy::new(target()?.join("tutorial"));
        stages.run("tutorial: copy", || prepare(&page, &copy))?;
        stages.run("tutorial: size", || check_size(&page, &copy))?;
        stages.run("tutorial: build tests", || {
            quiet_step(&mut generic_tests(&page, &copy, &["--no-run"]))
        })?;
        stages.run("tutorial: build", || quiet_step(&mut build(&copy)))?;
        stages.run("tutorial: tests", || quiet_step(&mut generic_tests(&page, &copy, &[])))?;
        stages.run("tutorial: play", || Tour::new(&page, &copy)?.take())
    })();
    stages.tell(result)
}

/// Copies the workspace and adds the game.
fn prepare(page: &Page, copy: &WorkspaceCopy) -> Result<()> {
    copy.update(&root(), |path, content| match path {
        LIST => page.register(content).map(String::into_bytes),
        _ => Ok(content.to_owned()),
    })?;
    for (path, text) in &page.files {
        copy.write(Path::new(path), text.as_bytes())?;
    }
    copy.share_crates(&target()?)
}

/// Checks that the code is formatted, and as small as the page promises.
fn check_size(page: &Page, copy: &WorkspaceCopy) -> Result<()> {
    let sources = page.files.keys().filter(|path| path.ends_with(".rs"));
    let sources: Vec<_> = sources.map(|path| copy.sources().join(path)).collect();
    let mut check = Command::new("rustfmt");
    quiet_step(check.args(["--check", "--edition", "2024"]).args(sources))
        .with_context(|| format!("the code in {PAGE} is not as rustfmt writes it"))?;

    let lines = page.lines();
    eprintln!("{}: {lines} lines in {} files", page.game, page.files.len());
    ensure!(lines <= MAX_LINES, "{PAGE}: the game has {lines} lines; {MAX_LINES} were promised");
    if page.files.len() > MAX_FILES {
        bail!("{PAGE}: the game has {} files; {MAX_FILES} were promised", page.files.len());
    }
    Ok(())
}

fn build(copy: &WorkspaceCopy) -> Command {
    let mut command = cargo(&["build", "--quiet", "-p", "agon", "-p", "agon-sandbox"]);
    copy.redirect(&mut command);
    command
}

/// Returns the command that runs the tests of every game for this game.
fn generic_tests(page: &Page, copy: &WorkspaceCopy, more: &[&str]) -> Command {
    let test = ["test", "--quiet", "-p", "agon-games", "--test", "every_game"];
    let mut command = cargo(&[&test, more].concat());
    copy.redirect(&mut command);
    command.env("AGON_GAME", &page.game).env("AGON_ROUNDS", ROUNDS);
    command
}
