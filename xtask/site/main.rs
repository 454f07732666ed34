//! `agon-site`: writes Agon's documentation as a static site. `cargo xtask site` runs it.
//!
//! It is a separate program because mdBook takes long to build and only this chore needs it.
//! The pages stay where they are in the repository. This program copies them into a book
//! (`book`), adapts their links (`links`), lets mdBook write HTML, and checks every link
//! of the result (`check`).

mod book;
mod check;
mod contents;
mod files;
mod links;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use mdbook_driver::{MDBook, config::Config};

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
    let agon = book::Agon::new(agon)?;
    let book = scratch.path().join("book");
    let built = scratch.path().join("site");
    book::write(repository, &agon, &book)?;
    render(&book, &built)?;
    // An earlier site stays until this one is right.
    let checked = check::run(&built)?;
    files::replace(&site, &built)?;
    eprintln!("{}: {} pages, {} links checked", site.display(), checked.pages, checked.links);
    Ok(())
}

/// Lets mdBook write the HTML of a book.
fn render(book: &Path, site: &Path) -> Result<()> {
    let mut settings = Config::from_disk(book.join("book.toml"))?;
    settings.build.build_dir = site.to_owned();
    let loaded = MDBook::load_with_config(book, settings).context("mdBook cannot read the book")?;
    loaded.build().context("mdBook cannot write the site")
}
