//! Reads the code of the game out of the tutorial `docs/add-a-game.md`.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};

/// The words that follow the path of the list of games, before the block with its new line.
const REGISTRATION: &str = "a line of `for_each_game!`";

/// The text before the module's name in a line of the list.
const MODULE: &str = "=> pub mod ";

/// The game that the page builds.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Page {
    /// Its name.
    pub(super) game: String,
    /// Its files: paths from the root, and contents.
    pub(super) files: BTreeMap<String, String>,
    /// Its line in the list of games.
    pub(super) line: String,
}

impl Page {
    /// Reads the code.
    ///
    /// A block belongs to a file if the line before it names the file: `` `PATH`: ``. Several
    /// blocks of a file are joined with blank lines.
    ///
    /// # Errors
    /// If a block does not end, or the page does not register a game.
    pub(super) fn read(text: &str) -> Result<Page> {
        let mut files: BTreeMap<String, String> = BTreeMap::new();
        let mut registration = None;
        let mut named: Option<&str> = None;
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            if line.starts_with("```") {
                let code = block(&mut lines)?;
                match named.take() {
                    Some(name) if name.ends_with(REGISTRATION) => registration = Some(code),
                    Some(name) => add(files.entry(name.replace('`', "")).or_default(), &code),
                    None => {}
                }
            } else if !line.is_empty() {
                named = line.strip_suffix(':').filter(|line| line.starts_with("`crates/"));
            }
        }

        let line = registration.context("the page registers no game")?;
        let game = module_of(&line).context("the game's line names no module")?.to_owned();
        let stray = files.keys().find(|path| !path.contains(&format!("/src/{game}/")));
        ensure!(stray.is_none(), "{} is not in the game's folder", stray.unwrap_or(&game));
        Ok(Page { game, files, line })
    }

    /// Returns the list of games with the game in its place.
    ///
    /// # Errors
    /// If the game is already in the list, or there is no list.
    pub(super) fn register(&self, list: &[u8]) -> Result<String> {
        let list = std::str::from_utf8(list)?;
        let games: Vec<(&str, &str)> =
            list.lines().filter_map(|line| Some((line, module_of(line)?))).collect();
        ensure!(!games.iter().any(|(_, game)| *game == self.game), "the game is there already");
        if let Some((line, _)) = games.iter().find(|(_, game)| **game > *self.game) {
            return Ok(list.replacen(line, &format!("{}{line}", self.line), 1));
        }
        let (last, _) = games.last().context("there is no list of games")?;
        Ok(list.replacen(&format!("{last}\n"), &format!("{last}\n{}", self.line), 1))
    }

    /// Counts the lines of all files, and the line that registers the game, without blank lines.
    pub(super) fn lines(&self) -> usize {
        let texts = self.files.values().chain([&self.line]);
        texts.flat_map(|text| text.lines()).filter(|line| !line.trim().is_empty()).count()
    }
}

/// Returns the module's name in a line of the list.
fn module_of(line: &str) -> Option<&str> {
    let (_, module) = line.trim_end().split_once(MODULE)?;
    let module = module.strip_suffix(';')?;
    module.chars().all(|c| c.is_ascii_lowercase() || c == '_').then_some(module)
}

/// Returns the lines up to the end of a block.
fn block<'a>(lines: &mut impl Iterator<Item = &'a str>) -> Result<String> {
    let mut code = String::new();
    for line in lines {
        if line == "```" {
            return Ok(code);
        }
        code += line;
        code.push('\n');
    }
    anyhow::bail!("a block does not end")
}

fn add(file: &mut String, code: &str) {
    // Even between parts of one item: rustfmt complains about a blank line that is wrong.
    if !file.is_empty() {
        file.push('\n');
    }
    file.push_str(code);
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
# Title

`crates/g/src/go/mod.rs`:

```rust
//! go
```

```sh
ls
```

`crates/g/src/go/mod.rs`:

```rust
mod a;
```

`crates/g/src/lib.rs`, a line of `for_each_game!`:

```rust
    Go => pub mod go;
```
";

    #[test]
    fn blocks_of_a_file_follow_each_other() {
        let page = Page::read(TEXT).unwrap();
        assert_eq!(page.game, "go");
        let file = ("crates/g/src/go/mod.rs".to_owned(), "//! go\n\nmod a;\n".to_owned());
        assert_eq!(page.files.iter().next().map(|(a, b)| (a.clone(), b.clone())), Some(file));
        assert_eq!((page.files.len(), page.lines()), (1, 3));
    }

    #[test]
    fn the_game_gets_its_place_in_the_list() {
        let page = Page::read(TEXT).unwrap();
        let list = "x\n    Chess => pub mod chess;\n    Hex => pub mod hex;\ny\n";
        let with = "x\n    Chess => pub mod chess;\n    Go => pub mod go;\n    Hex => pub mod \
            hex;\ny\n";
        assert_eq!(page.register(list.as_bytes()).unwrap(), with);
        let list = "x\n    Chess => pub mod chess;\ny\n";
        let with = "x\n    Chess => pub mod chess;\n    Go => pub mod go;\ny\n";
        assert_eq!(page.register(list.as_bytes()).unwrap(), with);
        assert!(page.register(with.as_bytes()).is_err());
        assert!(page.register(b"no list").is_err());
    }

    #[test]
    fn pages_that_build_no_game_are_refused() {
        assert!(Page::read("```rust\n").is_err());
        assert!(Page::read("# Title\n").is_err());
        let elsewhere = TEXT.replace("src/go/mod.rs", "src/chess/mod.rs");
        assert!(Page::read(&elsewhere).is_err());
    }
}
