//! `agon-site`: writes Agon's documentation as a static site. `cargo xtask site` runs it.
//!
//! It is a separate program because mdBook takes long to build and only this chore needs it.
//! The pages stay where they are in the repository. This program copies them into a book
//! (`book`), adapts their links (`links`), lets mdBook write HTML (`render`), and checks every link
//! of the result (`check`).

mod agon;
mod book;
mod check;
mod contents;
mod files;
mod game_page;
mod links;
mod markdown;
mod plain;
mod render;

use std::{path::PathBuf, process::ExitCode};

use anyhow::{Context, Result, bail};

use agon::Agon;

const USAGE: &str = "usage: agon-site AGON REPOSITORY DIR
Writes the documentation of the repository to DIR. AGON is the program `agon`, which plays the
matches of the pages. `cargo xtask site [DIR]` passes all three.";

fn main() -> ExitCode {
    match run(std::env::args_os().skip(1).map(PathBuf::from).collect()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn run(args: Vec<PathBuf>) -> Result<()> {
    let [agon, repository, site] = args.as_slice() else { bail!("{USAGE}") };
    let site = std::path::absolute(site)?;
    let scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
    let agon = Agon::new(agon)?;
    let book = scratch.path().join("book");
    let built = scratch.path().join("site");
    book::write(repository, &agon, &book)?;
    render::write(&book, &built)?;
    // An earlier site stays until this one is right.
    let checked = check::run(&built)?;
    files::replace(&site, &built)?;
    eprintln!("{}: {} pages, {} links checked", site.display(), checked.pages, checked.links);
    Ok(())
}
