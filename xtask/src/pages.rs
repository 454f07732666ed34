//! Writes parts of the documentation: pictures, tables between two marks of a page, and the site.

use std::io::{self, Write};
use std::process::{Command, Stdio};
use std::{collections::BTreeMap, fs, path::Path};

use anyhow::{Context, Result, bail};
use xtask::{cargo, read, root, step, text_of, write};

/// The mark behind each written part.
const END: &str = "<!-- end -->\n";

/// Puts `text` into a page, between the line `begin` and the next mark.
pub(crate) fn write_marked(page: &str, begin: &str, text: &str) -> Result<()> {
    let path = root().join(page);
    let new = replaced(&read(&path)?, begin, text).with_context(|| path.display().to_string())?;
    write(&path, new)
}

fn replaced(page: &str, begin: &str, text: &str) -> Result<String> {
    let (before, rest) =
        page.split_once(begin).with_context(|| format!("the page has no line {begin}"))?;
    let (_, after) = rest.split_once(END).with_context(|| format!("the page has no line {END}"))?;
    Ok(format!("{before}{begin}\n{text}\n{END}{after}"))
}

/// A match to film: the game, and the other arguments.
const FILMS: [(&str, &str); 6] = [
    ("cellhack", "--seed 1 --set width=64 --set height=48 --turns 160 --every 2"),
    ("cluster", "--seed 3 --set side=7 --smooth 5"),
    ("amoebas", "--seed 1 --set world_size=60 --turns 160 --every 2"),
    ("battlesnake", "--seed 3 --preset royale"),
    ("binfection", "--seed 1 --set field_width=48 --set field_height=36 --turns 60"),
    ("rezzo", "--seed 1 --set width=96 --set height=64 --turns 240 --every 3"),
];

/// The largest size of films, in pixels.
const SIZE: &str = "480x400";

/// Plays a match of each game and writes a film of it to `docs/pictures`.
pub(crate) fn pictures() -> Result<()> {
    step(&mut cargo(&["build", "--release", "--package", "agon"]))?;
    let target = xtask::target()?;
    let folder = root().join("docs").join("pictures");
    for (game, args) in FILMS {
        let film = folder.join(game).with_extension("gif");
        if film.exists() {
            fs::remove_file(&film)?;
        }
        let mut agon = Command::new(target.join("release").join("agon"));
        step(agon.args(["play", game, "--size", SIZE, "--gif"]).arg(&film).args(args.split(' ')))?;
    }
    Ok(())
}

const PAGE: &str = "docs/presets.md";
const BEGIN: &str = "<!-- written by `cargo xtask presets` -->\n";

/// Prints the table, of one game if it is named. The table of all games goes into the page.
pub(crate) fn presets(game: Option<&str>) -> Result<()> {
    let mut command = cargo(&["run", "--quiet", "--release", "--package", "agon-match"]);
    command.args(["--example", "presets", "--"]).args(game);
    let table = text_of(command.current_dir(root()).stderr(Stdio::inherit()))?;
    io::stdout().write_all(table.as_bytes())?;
    match game {
        Some(_) => Ok(()),
        None => write_marked(PAGE, BEGIN, &table),
    }
}

/// Writes the site to a folder, by default `target/site`.
pub(crate) fn site(folder: Option<&str>) -> Result<()> {
    let target = xtask::target()?;
    let folder = match folder {
        Some(flag) if flag.starts_with('-') => bail!("`{flag}` is no folder for the site"),
        // Chores run in the root; the caller may be elsewhere.
        Some(folder) => std::path::absolute(Path::new(folder))?,
        None => target.join("site"),
    };
    step(&mut cargo(&["build", "--release", "--package", "agon"]))?;
    write_site(&target.join("release").join("agon"), &folder)
}

/// Writes the site to a folder, with the matches of a program `agon`. It is written by a separate
/// program, so that other chores need not build mdBook.
pub(crate) fn write_site(agon: &Path, folder: &Path) -> Result<()> {
    step(&mut cargo(&["build", "--package", "xtask", "--features", "site", "--bin", "agon-site"]))?;
    let mut site = Command::new(xtask::target()?.join("debug").join("agon-site"));
    step(site.arg(agon).arg(root()).arg(folder))
}

/// The page with the table.
const SIZE_PAGE: &str = "CONTRIBUTING.md";
const SIZE_BEGIN: &str = "<!-- cargo xtask size --write -->\n";

/// The most lines of Rust in all, tests included. A new capability raises it by its own budget.
const BUDGET: usize = 257_150;

/// What lines are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Lines {
    code: usize,
    comments: usize,
    /// Lines of tests, benchmarks and their support, with their comments.
    tests: usize,
    blank: usize,
}

impl Lines {
    fn all(self) -> usize {
        self.code + self.comments + self.tests + self.blank
    }

    fn add(&mut self, other: Lines) {
        self.code += other.code;
        self.comments += other.comments;
        self.tests += other.tests;
        self.blank += other.blank;
    }
}

/// Prints the table; with `write` also writes it to its page.
pub(crate) fn size(write: bool) -> Result<()> {
    let table = size_table(&areas()?);
    eprint!("{table}");
    if write { write_marked(SIZE_PAGE, SIZE_BEGIN, &table) } else { Ok(()) }
}

/// Counts the files of each area: a crate, or a folder beside the crates.
fn areas() -> Result<BTreeMap<String, Lines>> {
    let mut list = Command::new("git");
    list.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.rs"]);
    let names = text_of(list.current_dir(root()))?;
    let mut areas: BTreeMap<String, Lines> = BTreeMap::new();
    for name in names.split_terminator('\0') {
        // A file that is deleted, but not yet in the index, is still listed.
        let Ok(text) = fs::read_to_string(root().join(name)) else { continue };
        let folders: Vec<&str> = name.split('/').collect();
        let area = if folders[0] == "crates" { folders[1] } else { folders[0] };
        areas.entry(area.to_owned()).or_default().add(count(name, &text));
    }
    Ok(areas)
}

/// Counts the lines of a file with this name.
///
/// Unit tests stand at the end of a file, after `#[cfg(test)]` and `mod tests {`.
fn count(name: &str, text: &str) -> Lines {
    let of_tests = |folder: &str| ["tests", "benches"].contains(&folder);
    let whole = name.split(['/', '.']).any(of_tests) || name.starts_with("crates/agon-testkit/");
    let mut lines = Lines::default();
    let mut tests = whole;
    let mut before = "";
    for line in text.lines().map(str::trim) {
        tests |= before == "#[cfg(test)]" && line.starts_with("mod ") && line.ends_with('{');
        match line {
            "" => lines.blank += 1,
            _ if tests => lines.tests += 1,
            _ if line.starts_with("//") => lines.comments += 1,
            _ => lines.code += 1,
        }
        before = line;
    }
    lines
}

fn size_table(areas: &BTreeMap<String, Lines>) -> String {
    let mut sum = Lines::default();
    areas.values().for_each(|lines| sum.add(*lines));
    let mut by_size: Vec<_> = areas.iter().map(|(name, lines)| (name.as_str(), *lines)).collect();
    by_size.sort_by_key(|(_, lines)| std::cmp::Reverse(lines.all()));
    by_size.push(("all", sum));
    let mut table =
        "| area | code | comments | tests | lines |\n| --- | --: | --: | --: | --: |\n".to_owned();
    for (name, lines) in by_size {
        let Lines { code, comments, tests, .. } = lines;
        table += &format!("| {name} | {code} | {comments} | {tests} | {} |\n", lines.all());
    }
    let crates = areas.keys().filter(|name| name.starts_with("agon")).count();
    table + &format!("\n{crates} crates. The budget is {BUDGET} lines.\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_between_the_marks_changes() {
        let begin = "<!-- begin -->\n";
        let page = format!("before\n{begin}old\n{END}after\n");
        assert_eq!(
            replaced(&page, begin, "new\n").unwrap(),
            format!("before\n{begin}\nnew\n\n{END}after\n")
        );
        assert!(replaced("no marks", begin, "new").is_err());
    }

    #[test]
    fn lines_are_counted_by_what_they_are() {
        let text = "//! Page.\n\nfn f() {} // code\n\n#[cfg(test)]\nmod tests {\n    // note\n}\n";
        let expected = Lines { code: 2, comments: 1, tests: 3, blank: 2 };
        assert_eq!(count("crates/agon-core/src/lib.rs", text), expected);
        let all_tests = Lines { tests: 6, blank: 2, ..Lines::default() };
        assert_eq!(count("crates/agon-core/tests/all.rs", text), all_tests);
        assert_eq!(count("crates/agon-core/src/seed/tests.rs", text), all_tests);
    }

    /// How far the table may differ, in thousandths, so that small changes leave it alone.
    const TOLERANCE: usize = 5;

    #[test]
    fn the_code_stays_within_its_budget_and_the_table_is_true() {
        let areas = areas().unwrap();
        let all: usize = areas.values().map(|lines| lines.all()).sum();
        assert!(
            all <= BUDGET,
            "{all} lines of Rust are {} more than the budget: look for what became unnecessary",
            all - BUDGET
        );
        let page = fs::read_to_string(root().join(SIZE_PAGE)).unwrap();
        let told = page.lines().find_map(|line| line.strip_prefix("| all |"));
        let told = told.and_then(|row| row.trim_end_matches(" |").rsplit(' ').next());
        let told: usize = told.expect("the page has the table").parse().unwrap();
        assert!(
            all.abs_diff(told) <= all * TOLERANCE / 1000,
            "{SIZE_PAGE} says {told} lines, and there are {all}: run `cargo xtask size --write`"
        );
    }
}
