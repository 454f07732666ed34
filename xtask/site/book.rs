//! Assembles the book: all pages with their new links, matches that play in the pages of the games,
//! first bots, the viewer, and files for programs.

use std::path::{Path, PathBuf};
use std::process::Command;

use agon_ladder::guide::markdown::first_section;
use anyhow::{Context, Result, bail};

use xtask::{entries, output_of, read};

use crate::contents::{Contents, Page, SCHEMAS};
use crate::links::{self, COPIED};

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
        crate::copy_tree(&repository.join(from), &src.join(to))?;
    }
    for page in contents.pages() {
        let text = text(page, &contents, repository, agon)?;
        xtask::write(&src.join(&page.path), text)?;
    }
    xtask::write(&src.join("SUMMARY.md"), contents.summary())?;
    xtask::write(&src.join("llms.txt"), contents.index())?;
    xtask::write(&src.join("agents.txt"), for_agents(&contents)?)?;
    viewer(&contents, agon, &src)?;
    xtask::write(&book.join("book.toml"), SETTINGS)?;
    xtask::write(&book.join("site.css"), CSS)?;
    xtask::write(&book.join("site.js"), JS)
}

/// Returns the text of a page, with links of the book.
fn text(page: &Page, contents: &Contents, repository: &Path, agon: &Agon) -> Result<String> {
    let path = repository.join(&page.from);
    let text = if page.from == SCHEMAS { schemas(&path)? } else { read(&path)? };
    if page.is_own() {
        return Ok(text);
    }
    let text = links::rewrite(&text, &page.from, &page.path, contents, repository)?;
    let text = links::known_fences(&text);
    match &page.game {
        Some(game) => complete(&text, game, SEED, repository, agon),
        None => Ok(text),
    }
}

fn schemas(folder: &Path) -> Result<String> {
    let mut page =
        "# JSON Schemas\n\nValidate messages and files with these schemas, or give them \
                    to your editor. A schema named after a game describes its messages.\n\n"
            .to_owned();
    for path in entries(folder)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
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
        agon.run(&["play", game, "--seed", &SEED.to_string(), "--replay"], &[&replay])?;
        replays.push(replay);
    }
    let viewer = src.join("viewer");
    let files: Vec<&Path> = [&viewer].into_iter().chain(&replays).map(PathBuf::as_path).collect();
    agon.run(&["web", "export"], &files)
}

/// Returns `agents.txt`: all that a coding agent needs to write, check and compare a bot.
fn for_agents(contents: &Contents) -> Result<String> {
    agon_ladder::guide::for_site(contents.games())
        .context("docs/protocol.md needs a section about each game")
}

/// A language of the first bots.
struct Language {
    /// Its name for `agon new`.
    id: &'static str,
    title: &'static str,
    /// Its name for the highlighter.
    fence: &'static str,
    /// The file that authors change.
    file: &'static str,
}

const LANGUAGES: [Language; 5] = [
    Language { id: "python", title: "Python", fence: "python", file: "bot.py" },
    Language { id: "c", title: "C", fence: "c", file: "bot.c" },
    Language { id: "rust", title: "Rust", fence: "rust,ignore", file: "src/lib.rs" },
    Language { id: "javascript", title: "JavaScript", fence: "javascript", file: "bot.js" },
    Language { id: "java", title: "Java", fence: "java", file: "Bot.java" },
];

/// Adds the match before the first section, and the bots at the end.
fn complete(text: &str, game: &str, seed: u32, repository: &Path, agon: &Agon) -> Result<String> {
    let (intro, rest) = text.split_at(first_section(text));
    let played = played(game, seed);
    let bots = bots(game, &repository.join("starter-kits"), agon)?;
    Ok(format!("{}\n\n{played}\n{}\n\n{bots}", intro.trim_end(), rest.trim_end()))
}

fn played(game: &str, seed: u32) -> String {
    let viewer = format!("../viewer/index.html?replay=replays/{game}.agon");
    format!(
        "## A match to watch

<iframe class=\"match\" title=\"A recorded match of {game}\" src=\"{viewer}\"></iframe>

Built-in bots played this match with the preset `default`. Space plays and pauses, the arrow keys
step, `?` lists all keys. You can also [watch it on a page of its own]({viewer}), or
[download the replay](../viewer/replays/{game}.agon). This command plays the same match:

```sh
agon play {game} --seed {seed} --replay {game}.agon
```

**Is the frame empty?** Browsers load no viewer for a page that you opened as a file. Run
`python3 -m http.server 8000` in the folder of this site, and open
`http://localhost:8000/games/{game}.html`.
"
    )
}

fn bots(game: &str, kits: &Path, agon: &Agon) -> Result<String> {
    let scratch = tempfile::tempdir().context("cannot make a temporary folder")?;
    let mut page = format!(
        "## A first bot

`agon new {game} LANGUAGE` writes a bot that makes random legal moves. This is the file that you
change; other files of the folder speak with Agon. `agon new --list` shows all languages.

<div class=\"tabs\">
"
    );
    // A bot for this game, or one for all games that list the allowed answers.
    let has_game = |kit: &Path| kit.join("games").join(game).exists() || kit.join("any").exists();
    for language in LANGUAGES.iter().filter(|language| has_game(&kits.join(language.id))) {
        let folder = scratch.path().join(language.id);
        agon.run(&["new", game, language.id], &[&folder])?;
        // The kits of battlesnake are programs, not libraries.
        let file = [language.file, "src/bot.rs"].map(|file| folder.join(file));
        let code = read(file.iter().find(|file| file.is_file()).unwrap_or(&file[0]))?;
        page.push_str(&tab(game, language, &code)?);
    }
    page.push_str("\n</div>\n");
    Ok(page)
}

fn tab(game: &str, language: &Language, code: &str) -> Result<String> {
    if code.contains("\n```") {
        bail!("the first bot in {} for {game} has a code fence in it", language.title);
    }
    let Language { id, title, fence, file } = language;
    Ok(format!(
        "\n<section data-title=\"{title}\">\n\n### {title}\n\n`agon new {game} {id}` writes \
         `{file}`:\n\n```{fence}\n{}\n```\n\n</section>\n",
        code.trim_end()
    ))
}

/// The program `agon`.
#[derive(Debug)]
pub(crate) struct Agon(PathBuf);

impl Agon {
    /// Takes the program at a path.
    pub(crate) fn new(program: &Path) -> Result<Agon> {
        let program = program.canonicalize();
        Ok(Agon(program.context("there is no program `agon`; `cargo xtask site` builds it")?))
    }

    /// Runs it with these arguments, and with files behind them.
    fn run(&self, args: &[&str], files: &[&Path]) -> Result<()> {
        output_of(Command::new(&self.0).args(args).args(files)).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_link_of_each_page_leads_to_a_file() {
        let repository = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
        let contents = Contents::of(repository).unwrap();
        for page in contents.pages() {
            if page.from != SCHEMAS && !page.is_own() {
                let text = read(&repository.join(&page.from)).unwrap();
                links::rewrite(&text, &page.from, &page.path, &contents, repository).unwrap();
            }
        }
    }

    #[test]
    fn agents_get_a_conversation_of_each_game() {
        let repository = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
        let contents = Contents::of(repository).unwrap();
        let text = for_agents(&contents).unwrap();
        for game in contents.games() {
            assert!(text.contains(&format!("\n## {game}\n")), "{game}");
            assert!(text.contains(&format!("\"game\":\"{game}\"")), "{game}");
        }
        assert!(!text.contains("]("), "{text}");
    }

    #[test]
    fn a_match_has_a_frame_and_a_way_without_a_server() {
        let text = played("dice", 7);
        assert!(text.contains("src=\"../viewer/index.html?replay=replays/dice.agon\""), "{text}");
        assert!(text.contains("agon play dice --seed 7 --replay dice.agon"), "{text}");
        assert!(text.contains("python3 -m http.server"), "{text}");
    }

    #[test]
    fn a_tab_is_readable_without_a_script() {
        let text = tab("dice", &LANGUAGES[0], "print(1)\n").unwrap();
        assert!(text.contains("\n### Python\n") && text.contains("```python\nprint(1)\n```\n"));
        assert!(tab("dice", &LANGUAGES[0], "\"\"\"\n```\n\"\"\"").is_err());
    }
}
