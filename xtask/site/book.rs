//! Assembles the book: all pages with their new links, the viewer, and files for programs.

use std::{fs, path::Path};

use anyhow::{Context, Result};

use crate::{
    agon::Agon,
    contents::{Contents, Page, Source},
    files, game_page,
    links::{self, COPIED},
    markdown, plain,
};

/// The seed of the match on each game's page.
const SEED: u32 = 7;

const SETTINGS: &str = include_str!("book.toml");
const CSS: &str = include_str!("theme/site.css");
const JS: &str = include_str!("theme/site.js");

/// Writes the source of the book to a new folder.
pub(crate) fn write(repository: &Path, agon: &Agon, book: &Path) -> Result<()> {
    let contents = Contents::of(repository)?;
    let src = book.join("src");
    for (from, to) in COPIED {
        files::copy_all(&repository.join(from), &src.join(to))?;
    }
    for page in contents.pages() {
        let text = text(page, &contents, repository, agon)?;
        files::write(&src.join(&page.path), text)?;
    }
    files::write(&src.join("SUMMARY.md"), contents.summary())?;
    files::write(&src.join("llms.txt"), plain::index(&contents))?;
    files::write(&src.join("agents.txt"), plain::for_agents(&contents)?)?;
    viewer(&contents, agon, &src)?;
    files::write(&book.join("book.toml"), SETTINGS)?;
    files::write(&book.join("site.css"), CSS)?;
    files::write(&book.join("site.js"), JS)
}

/// Returns the text of a page, with links of the book.
fn text(page: &Page, contents: &Contents, repository: &Path, agon: &Agon) -> Result<String> {
    let from = page.repository_path();
    let read = || files::read(&repository.join(&from));
    let text = match &page.source {
        Source::Schemas => schemas(&repository.join(&from))?,
        // These links lead to pages of the book already.
        Source::Own => return read(),
        Source::File(_) | Source::Game(_) => read()?,
    };
    let text = links::rewrite(&text, &from, &page.path, contents, repository)?;
    let text = markdown::known_fences(&text);
    match &page.source {
        Source::Game(game) => game_page::complete(&text, game, SEED, agon),
        _ => Ok(text),
    }
}

fn schemas(folder: &Path) -> Result<String> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    let mut page =
        "# JSON Schemas\n\nValidate messages and files with these schemas, or give them \
                    to your editor. A schema named after a game describes its messages.\n\n"
            .to_owned();
    for name in names {
        // Links start in the folder above, like those of a file.
        page.push_str(&format!("- [{name}](schemas/{name})\n"));
    }
    Ok(page)
}

/// Plays a match of each game, and writes them with the viewer.
fn viewer(contents: &Contents, agon: &Agon, src: &Path) -> Result<()> {
    let scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
    let mut replays = Vec::new();
    for game in contents.games() {
        let replay = scratch.path().join(game).with_extension("agon");
        agon.play(game, SEED, &replay)?;
        replays.push(replay);
    }
    agon.export(&src.join("viewer"), &replays)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_link_of_each_page_leads_to_a_file() {
        let repository = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
        let contents = Contents::of(repository).unwrap();
        for page in contents.pages() {
            let from = page.repository_path();
            if let Source::File(_) | Source::Game(_) = page.source {
                let text = files::read(&repository.join(&from)).unwrap();
                links::rewrite(&text, &from, &page.path, &contents, repository).unwrap();
            }
        }
    }
}
