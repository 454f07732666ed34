//! `agon-site`: writes Agon's documentation as a static site. `cargo xtask site` runs it.
//!
//! It is a separate program because mdBook takes long to build and only this chore needs it.
//! The pages stay where they are in the repository. This program copies them into a book
//! (`book`), adapts their links (`links`), lets mdBook write HTML, and checks every link
//! of the result (`check`).

mod book;
mod check;
mod contents;
mod links;

use std::path::{Path, PathBuf};
use std::{fs, process::ExitCode};

use anyhow::{Context, Result, bail};
use mdbook_driver::{MDBook, config::Config};
use xtask::{files_below, write};

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
    replace(&site, &built)?;
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

/// Marks a folder as written by this program, so that the next run may replace it.
const MARK: &str = ".agon-site";

/// Replaces an earlier site, or fills a new folder, with what was built.
/// Fails if the folder has other files than a site, because they would be lost.
fn replace(site: &Path, built: &Path) -> Result<()> {
    let used = site.exists() && fs::read_dir(site).map_or(true, |mut all| all.next().is_some());
    if used && !site.join(MARK).is_file() {
        bail!("{} has other files; name a new or empty folder", site.display());
    }
    if used {
        let removed = fs::remove_dir_all(site);
        removed.with_context(|| format!("cannot empty {}", site.display()))?;
    }
    // First the mark: if the copy is interrupted, the next one may begin again.
    write(&site.join(MARK), "`cargo xtask site` replaces this folder.\n")?;
    copy_tree(built, site)
}

/// Copies all files below a folder.
fn copy_tree(from: &Path, to: &Path) -> Result<()> {
    for file in files_below(from)? {
        let copy = to.join(file.strip_prefix(from)?);
        write(&copy, fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_with_other_files_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let (site, built) = (folder.path().join("site"), folder.path().join("built"));
        write(&built.join("a/new.html"), "new").unwrap();
        replace(&site, &built).unwrap();
        write(&site.join("old.html"), "old").unwrap();
        replace(&site, &built).unwrap();
        assert!(site.join("a/new.html").exists() && !site.join("old.html").exists());
        fs::remove_file(site.join(MARK)).unwrap();
        write(&site.join("letter.txt"), "dear").unwrap();
        let error = replace(&site, &built).unwrap_err().to_string();
        assert!(error.contains("name a new or empty folder"), "{error}");
        assert!(site.join("letter.txt").exists());
    }
}
