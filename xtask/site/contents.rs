//! The table of contents: each page of the site, and where its text comes from.

use std::path::{Path, PathBuf};

use anyhow::Result;
use xtask::entries;

/// The folder of the games: a folder with a page is a game.
const GAMES: &str = "crates/agon-games/src";

/// The folder with the pages that only the site has, under the paths that they have there.
const OWN: &str = "xtask/site/pages";

/// The folder with the JSON Schemas; their page is a list.
pub(crate) const SCHEMAS: &str = "docs/schemas";

/// The heading above the pages of the games.
const GAMES_PART: &str = "Games";

/// A page: its name in the navigation, its path in the book, and the file of the repository,
/// which is empty if only the site has it.
type Row = (&'static str, &'static str, &'static str);

/// The headings of the navigation, each with its pages; the first part has none.
const PARTS: &[(&str, &[Row])] = &[
    ("", &[("Agon", "index.md", "")]),
    (
        "Paths",
        &[
            ("For players", "paths/players.md", ""),
            ("For bot authors", "paths/bot-authors.md", ""),
            ("For organisers", "paths/organisers.md", ""),
            ("For contributors", "paths/contributors.md", ""),
        ],
    ),
    (
        "Getting started",
        &[
            ("Install", "start/install.md", "docs/install.md"),
            ("Let bots play", "start/play.md", "docs/first-match.md"),
            ("Write a bot", "start/bot.md", "docs/first-bot.md"),
            ("Who is best?", "start/best.md", "docs/who-is-best.md"),
            ("The paths, recorded", "start/transcripts.md", "docs/transcripts.md"),
            ("Troubleshooting", "start/troubleshooting.md", ""),
        ],
    ),
    (
        "Guides",
        &[
            ("Play yourself", "guides/playing.md", "docs/playing.md"),
            ("Watch matches", "guides/watch.md", "docs/watch.md"),
            ("Watch in a browser", "guides/web.md", "docs/web.md"),
            ("Watch over VNC", "guides/vnc.md", "docs/vnc.md"),
            ("Films, pictures, charts", "guides/film.md", "docs/film.md"),
            ("Bots: JSON Lines", "guides/protocol.md", "docs/protocol.md"),
            ("Bots: folders", "guides/folders.md", "docs/folders.md"),
            ("Bots: WebAssembly", "guides/wasm.md", "docs/wasm.md"),
            ("Bots: Clojure", "guides/clojure.md", "docs/clojure.md"),
            ("Check a bot", "guides/checking.md", "docs/checking.md"),
            ("Debug a lost match", "guides/debugging.md", "docs/debugging.md"),
            ("Compare two versions", "guides/compare.md", "docs/compare.md"),
            ("Tune parameters", "guides/tuning.md", "docs/tuning.md"),
            ("Tournaments", "guides/tournaments.md", "docs/tournaments.md"),
            ("Several machines", "guides/scale.md", "docs/scale.md"),
            ("A ladder", "guides/ladder.md", "docs/ladder.md"),
            ("Hand in from a shell", "guides/submit.md", "docs/submit.md"),
            ("A ladder's API", "guides/api.md", "docs/api.md"),
            ("Scenarios", "guides/scenarios.md", "docs/scenarios.md"),
            ("A game from a file", "guides/game-files.md", "docs/game-files.md"),
            ("Your game", "guides/your-game.md", "docs/your-game.md"),
        ],
    ),
    (GAMES_PART, &[]),
    (
        "Concepts",
        &[
            ("Glossary", "concepts/glossary.md", ""),
            ("Ratings", "concepts/ratings.md", "docs/ratings.md"),
            ("Proof of a ladder", "concepts/ladder-proof.md", "docs/ladder-proof.md"),
            ("Clocks", "concepts/clocks.md", "docs/clocks.md"),
            ("Security", "concepts/security.md", "docs/security.md"),
            ("Presets", "concepts/presets.md", "docs/presets.md"),
            ("Diagnosis", "concepts/diagnosis.md", "docs/diagnosis.md"),
        ],
    ),
    (
        "Reference",
        &[
            ("Questions and exit codes", "reference/questions.md", "docs/questions.md"),
            ("Versions", "reference/versions.md", "docs/versions.md"),
            ("Other systems", "reference/other-systems.md", "docs/other-systems.md"),
            ("agon doctor", "reference/doctor.md", "docs/doctor.md"),
            ("Flat memory for native code", "reference/batch-abi.md", "docs/batch-abi.md"),
            ("Replay format", "reference/replay-format.md", "docs/replay-format.md"),
            ("JSON Schemas", "reference/schemas.md", "docs/schemas"),
            ("Colours", "reference/colours.md", "docs/colours.md"),
            ("Changelog", "reference/changelog.md", "CHANGELOG.md"),
            ("This site", "reference/site.md", ""),
        ],
    ),
    (
        "Internals",
        &[
            ("Architecture", "internals/architecture.md", "ARCHITECTURE.md"),
            ("How matches travel", "internals/queue.md", "docs/queue.md"),
            ("Contributing", "internals/contributing.md", "CONTRIBUTING.md"),
            ("Packages", "internals/packages.md", "docs/packages.md"),
            ("Performance", "internals/performance.md", "docs/performance.md"),
        ],
    ),
];

/// A page of the site.
#[derive(Clone, Debug)]
pub(crate) struct Page {
    /// Its name in the navigation.
    title: String,
    /// Its path in the book, with `.md`.
    pub(crate) path: String,
    /// The path of its text in the repository.
    pub(crate) from: String,
    /// The game that it is about, if it has a match and first bots.
    pub(crate) game: Option<String>,
}

impl Page {
    /// Returns whether only the site has it, so that its links lead to pages of the book already.
    pub(crate) fn is_own(&self) -> bool {
        self.from.starts_with(OWN)
    }
}

/// The whole site, in the order of its navigation: headings with their pages.
#[derive(Clone, Debug)]
pub(crate) struct Contents(Vec<(&'static str, Vec<Page>)>);

impl Contents {
    /// Returns the contents for a repository: the games are those that it has.
    pub(crate) fn of(repository: &Path) -> Result<Contents> {
        let page = |&(title, path, from): &Row| Page {
            title: title.to_owned(),
            path: path.to_owned(),
            from: if from.is_empty() { format!("{OWN}/{path}") } else { from.to_owned() },
            game: None,
        };
        let of_game = |folder: &PathBuf| {
            let game = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let path = format!("games/{game}.md");
            let from = format!("{GAMES}/{game}/page.md");
            Page { title: game.clone(), path, from, game: Some(game) }
        };
        let mut games = entries(&repository.join(GAMES))?;
        games.retain(|folder| folder.join("page.md").is_file());
        let mut parts: Vec<_> =
            PARTS.iter().map(|(title, rows)| (*title, rows.iter().map(page).collect())).collect();
        for (_, pages) in parts.iter_mut().filter(|(title, _)| *title == GAMES_PART) {
            *pages = games.iter().map(of_game).collect();
        }
        Ok(Contents(parts))
    }

    /// Returns all pages.
    pub(crate) fn pages(&self) -> impl Iterator<Item = &Page> {
        self.0.iter().flat_map(|(_, pages)| pages)
    }

    /// Returns the names of the games.
    pub(crate) fn games(&self) -> impl Iterator<Item = &str> {
        self.pages().filter_map(|page| page.game.as_deref())
    }

    /// Returns the page of a file or folder of the repository.
    pub(crate) fn page_of(&self, repository_path: &str) -> Option<&str> {
        if repository_path == "README.md" {
            return Some("index.md");
        }
        let found = self.pages().find(|page| page.from == repository_path);
        found.map(|page| page.path.as_str())
    }

    /// Returns mdBook's table of contents.
    pub(crate) fn summary(&self) -> String {
        let mut text = "# Summary\n".to_owned();
        for (title, pages) in &self.0 {
            let (head, bullet) = match *title {
                "" => (String::new(), ""),
                title => (format!("\n# {title}\n"), "- "),
            };
            text += &format!("{head}\n");
            for Page { title, path, .. } in pages {
                text += &format!("{bullet}[{title}]({path})\n");
            }
        }
        text
    }

    /// Returns `llms.txt`: the pages for programs that read.
    pub(crate) fn index(&self) -> String {
        let mut text = "\
# Agon

> An arena for programming games: people write bots, Agon lets them play, shows the matches, and \
can prove every result.

- [agents.txt](agents.txt): all that is needed to write, check and compare a bot
"
        .to_owned();
        for Page { title, path, .. } in self.pages() {
            text += &format!("- [{title}]({})\n", path.replace(".md", ".html"));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, fs};

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
            let from = &page.from;
            assert!(repository().join(from).exists(), "there is no {from}");
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
        let own: BTreeSet<_> = contents().pages().map(|page| page.from.clone()).collect();
        for path in xtask::files_below(&repository().join(OWN)).unwrap() {
            let name = path.strip_prefix(repository()).unwrap().to_str().unwrap().to_owned();
            assert!(!name.ends_with(".md") || own.contains(&name), "add {name} to contents.rs");
        }
    }
}
