//! The copy of the workspace in which the game of the tutorial is built.
//!
//! It stays in the target folder, so that the next run builds only what has changed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{fs, io, process::Command};

use anyhow::{Context, Result, ensure};

use crate::run::{files_below, fresh, text_of, write};

/// The folders with compiled crates in a target folder.
const BUILT: [&str; 3] = ["deps", "build", ".fingerprint"];

/// A folder with a copy of the sources and a target folder.
pub(super) struct WorkspaceCopy {
    folder: PathBuf,
}

impl WorkspaceCopy {
    pub(super) fn new(folder: PathBuf) -> WorkspaceCopy {
        WorkspaceCopy { folder }
    }

    /// Returns the root of the copy.
    pub(super) fn sources(&self) -> PathBuf {
        self.folder.join("sources")
    }

    fn target(&self) -> PathBuf {
        self.folder.join("target")
    }

    /// Returns the folder with the programs that were built from the copy.
    pub(super) fn programs(&self) -> PathBuf {
        self.target().join("debug")
    }

    /// Makes an empty folder for files that these programs write.
    pub(super) fn scratch(&self) -> Result<PathBuf> {
        fresh(self.folder.join("scratch"))
    }

    /// Makes a command of cargo work on the copy.
    pub(super) fn redirect(&self, command: &mut Command) {
        command
            .arg("--manifest-path")
            .arg(self.sources().join("Cargo.toml"))
            .arg("--target-dir")
            .arg(self.target())
            .env_remove("CARGO_TARGET_DIR")
            // Incremental builds would take gigabytes.
            .env("CARGO_INCREMENTAL", "0");
    }

    /// Copies all files that git knows or would add, each changed by `change`.
    ///
    /// Deletes other files of the copy.
    pub(super) fn update(
        &self,
        root: &Path,
        change: impl Fn(&str, &[u8]) -> Result<Vec<u8>>,
    ) -> Result<()> {
        let mut list = Command::new("git");
        list.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
        let list = text_of(list.current_dir(root))?;
        let paths: BTreeSet<&str> = list.split_terminator('\0').collect();
        for path in paths.iter().filter(|path| root.join(path).is_file()) {
            let content = fs::read(root.join(path)).with_context(|| (*path).to_owned())?;
            self.write(Path::new(path), &change(path, &content)?)?;
        }
        for path in files_below(&self.sources())? {
            let name = path.strip_prefix(self.sources())?.to_string_lossy().into_owned();
            if !paths.contains(name.as_str()) {
                fs::remove_file(&path)?;
            }
        }
        Ok(())
    }

    /// Writes a file of the copy.
    ///
    /// A file with the same contents keeps its time, so that it is not compiled again.
    pub(super) fn write(&self, path: &Path, content: &[u8]) -> Result<()> {
        let path = self.sources().join(path);
        if fs::read(&path).is_ok_and(|old| old == content) {
            return Ok(());
        }
        write(&path, content)
    }

    /// Links crates of other projects that are already compiled for the workspace, once.
    pub(super) fn share_crates(&self, target: &Path) -> Result<()> {
        if self.programs().exists() {
            return Ok(());
        }
        for folder in BUILT {
            let (from, to) = (target.join("debug").join(folder), self.programs().join(folder));
            if from.is_dir() {
                link_below(&from, &to, &is_shared)
                    .with_context(|| format!("cannot link {}", from.display()))?;
            }
        }
        Ok(())
    }
}

/// Returns whether a file or folder of a target folder belongs to a crate of another project.
///
/// The workspace's own crates have their names first. Files without an extension are programs, most
/// of them tests.
fn is_shared(name: &str, is_folder: bool) -> bool {
    let name = name.strip_prefix("lib").unwrap_or(name);
    let is_own = ["agon", "xtask"].iter().any(|own| name.starts_with(own));
    !is_own && (is_folder || name.contains('.'))
}

/// Links files from one folder into another.
fn link_below(from: &Path, to: &Path, wanted: &dyn Fn(&str, bool) -> bool) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let name = entry.file_name();
        let path = entry.path();
        let is_folder = entry.file_type()?.is_dir();
        if !wanted(&name.to_string_lossy(), is_folder) {
            continue;
        }
        if is_folder {
            link_below(&path, &to.join(&name), &|_, _| true)?;
        } else if fs::hard_link(&path, to.join(&name)).is_err() {
            // Another file system, or a file that is gone by now.
            match fs::copy(&path, to.join(&name)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
    }
    Ok(())
}

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

    #[test]
    fn what_belongs_to_others_is_shared() {
        assert!(is_shared("libserde-1f.rlib", false) && is_shared("serde-1f", true));
        assert!(!is_shared("libagon_games-1f.rlib", false) && !is_shared("agon-1f", true));
        assert!(!is_shared("all-1f", false) && !is_shared("xtask-1f.d", false));
    }

    #[test]
    fn files_that_stay_the_same_keep_their_time() {
        let folder = tempfile::tempdir().unwrap();
        let copy = WorkspaceCopy::new(folder.path().to_owned());
        let path = Path::new("a/b.rs");
        let time = || fs::metadata(copy.sources().join(path)).unwrap().modified().unwrap();
        copy.write(path, b"one").unwrap();
        let first = time();
        copy.write(path, b"one").unwrap();
        assert_eq!(time(), first);
        copy.write(path, b"two").unwrap();
        assert_eq!(fs::read(copy.sources().join(path)).unwrap(), b"two");
    }

    #[test]
    fn folders_are_linked_once() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("target");
        let deps = target.join("debug/deps");
        fs::create_dir_all(&deps).unwrap();
        fs::write(deps.join("libserde.rlib"), "serde").unwrap();
        fs::write(deps.join("libagon_core.rlib"), "core").unwrap();
        let copy = WorkspaceCopy::new(folder.path().join("tutorial"));
        copy.share_crates(&target).unwrap();
        let shared = copy.programs().join("deps");
        assert_eq!(fs::read(shared.join("libserde.rlib")).unwrap(), b"serde");
        assert!(!shared.join("libagon_core.rlib").exists());
        fs::remove_file(shared.join("libserde.rlib")).unwrap();
        copy.share_crates(&target).unwrap();
        assert!(!shared.join("libserde.rlib").exists());
    }

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
