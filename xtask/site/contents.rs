//! The table of contents: each page of the site, and where its text comes from.

use std::{fs, path::Path};

use anyhow::{Context, Result};

/// The folder of the games: a folder with a page is a game.
const GAMES: &str = "crates/agon-games/src";

/// Where the text of a page is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// A file of the repository.
    File(&'static str),
    /// A file of `xtask/site/pages`, under the page's own path.
    Own,
    /// The page of a game, with a match and first bots.
    Game(String),
    /// The list of JSON Schemas.
    Schemas,
}

/// A page of the site.
#[derive(Clone, Debug)]
pub(crate) struct Page {
    /// Its name in the navigation.
    pub(crate) title: String,
    /// Its path in the book, with `.md`.
    pub(crate) path: String,
    pub(crate) source: Source,
}

/// Pages under a common heading of the navigation.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// The heading; the first part has none.
    title: Option<&'static str>,
    pages: Vec<Page>,
}

/// The whole site, in the order of its navigation.
#[derive(Clone, Debug)]
pub(crate) struct Contents {
    parts: Vec<Part>,
}

fn page(title: &str, path: &str, source: Source) -> Page {
    Page { title: title.to_owned(), path: path.to_owned(), source }
}

fn file(title: &str, path: &str, from: &'static str) -> Page {
    page(title, path, Source::File(from))
}

fn own(title: &str, path: &str) -> Page {
    page(title, path, Source::Own)
}

fn part(title: &'static str, pages: Vec<Page>) -> Part {
    Part { title: Some(title), pages }
}

impl Contents {
    /// Returns the contents for a repository: the games are those that it has.
    pub(crate) fn of(repository: &Path) -> Result<Contents> {
        let games = games(&repository.join(GAMES))?;
        let of_game = |name: String| {
            let path = format!("games/{name}.md");
            page(&name.clone(), &path, Source::Game(name))
        };
        let first = Part { title: None, pages: vec![own("Agon", "index.md")] };
        let parts = vec![
            first,
            paths(),
            getting_started(),
            guides(),
            part("Games", games.into_iter().map(of_game).collect()),
            concepts(),
            reference(),
            internals(),
        ];
        Ok(Contents { parts })
    }

    /// Returns all pages.
    pub(crate) fn pages(&self) -> impl Iterator<Item = &Page> {
        self.parts.iter().flat_map(|part| &part.pages)
    }

    /// Returns the names of the games.
    pub(crate) fn games(&self) -> impl Iterator<Item = &str> {
        self.pages().filter_map(|page| match &page.source {
            Source::Game(name) => Some(name.as_str()),
            _ => None,
        })
    }

    /// Returns the page of a file or folder of the repository.
    pub(crate) fn page_of(&self, repository_path: &str) -> Option<&str> {
        if repository_path == "README.md" {
            return Some("index.md");
        }
        let found = self.pages().find(|page| page.repository_path() == repository_path);
        found.map(|page| page.path.as_str())
    }

    /// Returns mdBook's table of contents.
    pub(crate) fn summary(&self) -> String {
        let mut text = "# Summary\n".to_owned();
        for part in &self.parts {
            let bullet = if part.title.is_some() { "- " } else { "" };
            let title = part.title.map(|title| format!("\n# {title}\n"));
            text.push_str(&title.unwrap_or_default());
            text.push('\n');
            for page in &part.pages {
                text.push_str(&format!("{bullet}[{}]({})\n", page.title, page.path));
            }
        }
        text
    }
}

impl Page {
    /// Returns the path of its text in the repository.
    pub(crate) fn repository_path(&self) -> String {
        match &self.source {
            Source::File(path) => (*path).to_owned(),
            Source::Own => format!("xtask/site/pages/{}", self.path),
            Source::Game(name) => format!("{GAMES}/{name}/page.md"),
            Source::Schemas => "docs/schemas".to_owned(),
        }
    }
}

fn games(folder: &Path) -> Result<Vec<String>> {
    let entries = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry?;
        if entry.path().join("page.md").is_file() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}

fn paths() -> Part {
    part(
        "Paths",
        vec![
            own("For players", "paths/players.md"),
            own("For bot authors", "paths/bot-authors.md"),
            own("For organisers", "paths/organisers.md"),
            own("For contributors", "paths/contributors.md"),
        ],
    )
}

fn getting_started() -> Part {
    part(
        "Getting started",
        vec![
            file("Install", "start/install.md", "docs/install.md"),
            file("Let bots play", "start/play.md", "docs/first-match.md"),
            file("Write a bot", "start/bot.md", "docs/first-bot.md"),
            file("Who is best?", "start/best.md", "docs/who-is-best.md"),
            file("The paths, recorded", "start/transcripts.md", "docs/transcripts.md"),
            own("Troubleshooting", "start/troubleshooting.md"),
        ],
    )
}

fn guides() -> Part {
    part(
        "Guides",
        vec![
            file("Play yourself", "guides/playing.md", "docs/playing.md"),
            file("Watch matches", "guides/watch.md", "docs/watch.md"),
            file("Watch in a browser", "guides/web.md", "docs/web.md"),
            file("Watch over VNC", "guides/vnc.md", "docs/vnc.md"),
            file("Films, pictures, charts", "guides/film.md", "docs/film.md"),
            file("Bots: JSON Lines", "guides/protocol.md", "docs/protocol.md"),
            file("Bots: folders", "guides/folders.md", "docs/folders.md"),
            file("Bots: WebAssembly", "guides/wasm.md", "docs/wasm.md"),
            file("Bots: Clojure", "guides/clojure.md", "docs/clojure.md"),
            file("Check a bot", "guides/checking.md", "docs/checking.md"),
            file("Debug a lost match", "guides/debugging.md", "docs/debugging.md"),
            file("Compare two versions", "guides/compare.md", "docs/compare.md"),
            file("Tune parameters", "guides/tuning.md", "docs/tuning.md"),
            file("Tournaments", "guides/tournaments.md", "docs/tournaments.md"),
            file("Several machines", "guides/scale.md", "docs/scale.md"),
            file("A ladder", "guides/ladder.md", "docs/ladder.md"),
            file("Hand in from a shell", "guides/submit.md", "docs/submit.md"),
            file("A ladder's API", "guides/api.md", "docs/api.md"),
            file("Scenarios", "guides/scenarios.md", "docs/scenarios.md"),
            file("Add a game", "guides/add-a-game.md", "docs/add-a-game.md"),
        ],
    )
}

fn concepts() -> Part {
    part(
        "Concepts",
        vec![
            own("Glossary", "concepts/glossary.md"),
            file("Ratings", "concepts/ratings.md", "docs/ratings.md"),
            file("Proof of a ladder", "concepts/ladder-proof.md", "docs/ladder-proof.md"),
            file("Clocks", "concepts/clocks.md", "docs/clocks.md"),
            file("Security", "concepts/security.md", "docs/security.md"),
            file("Presets", "concepts/presets.md", "docs/presets.md"),
            file("Diagnosis", "concepts/diagnosis.md", "docs/diagnosis.md"),
        ],
    )
}

fn reference() -> Part {
    part(
        "Reference",
        vec![
            file("Questions and exit codes", "reference/questions.md", "docs/questions.md"),
            file("Versions", "reference/versions.md", "docs/versions.md"),
            file("Other systems", "reference/other-systems.md", "docs/other-systems.md"),
            file("agon doctor", "reference/doctor.md", "docs/doctor.md"),
            file("Flat memory for native code", "reference/batch-abi.md", "docs/batch-abi.md"),
            file("Replay format", "reference/replay-format.md", "docs/replay-format.md"),
            page("JSON Schemas", "reference/schemas.md", Source::Schemas),
            file("Colours", "reference/colours.md", "docs/colours.md"),
            file("Changelog", "reference/changelog.md", "CHANGELOG.md"),
            own("This site", "reference/site.md"),
        ],
    )
}

fn internals() -> Part {
    part(
        "Internals",
        vec![
            file("Architecture", "internals/architecture.md", "ARCHITECTURE.md"),
            file("How matches travel", "internals/queue.md", "docs/queue.md"),
            file("Contributing", "internals/contributing.md", "CONTRIBUTING.md"),
            file("Packages", "internals/packages.md", "docs/packages.md"),
            file("Performance", "internals/performance.md", "docs/performance.md"),
        ],
    )
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn repository() -> &'static Path {
        Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
    }

    fn contents() -> Contents {
        Contents::of(repository()).unwrap()
    }

    #[test]
    fn each_page_has_a_path_and_a_source() {
        let mut seen = BTreeSet::new();
        for page in contents().pages() {
            assert!(seen.insert(page.path.clone()), "{} is there twice", page.path);
            let from = page.repository_path();
            assert!(repository().join(&from).exists(), "there is no {from}");
        }
    }

    #[test]
    fn each_page_of_the_documentation_is_in_the_site() {
        for folder in ["docs", GAMES] {
            for entry in fs::read_dir(repository().join(folder)).unwrap() {
                let name = entry.unwrap().file_name().into_string().unwrap();
                let path = match folder {
                    "docs" => format!("docs/{name}"),
                    _ => format!("{folder}/{name}/page.md"),
                };
                let is_page = path.ends_with(".md") && repository().join(&path).is_file();
                assert!(
                    !is_page || contents().page_of(&path).is_some(),
                    "add {path} to a part in contents.rs"
                );
            }
        }
    }

    #[test]
    fn each_own_page_is_in_the_site() {
        let mut open = vec![repository().join("xtask/site/pages")];
        let own: BTreeSet<_> = contents().pages().map(Page::repository_path).collect();
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let name = path.strip_prefix(repository()).unwrap().to_str().unwrap().to_owned();
                if path.is_dir() {
                    open.push(path);
                } else if name.ends_with(".md") {
                    assert!(own.contains(&name), "add {name} to a part in contents.rs");
                }
            }
        }
    }
}
