//! Counts the lines of Rust by area: `cargo xtask size`.
//!
//! The table stands in `CONTRIBUTING.md` beside the budget, and `tests` keeps it true.

use std::{collections::BTreeMap, fs, process::Command};

use anyhow::{Context, Result, ensure};

use crate::{marked, run::root};

/// The page with the table.
const PAGE: &str = "CONTRIBUTING.md";
const BEGIN: &str = "<!-- cargo xtask size --write -->\n";

/// The most lines of Rust in all, tests included. A new capability raises it by its own budget.
const BUDGET: usize = 264_800;

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
pub(crate) fn run(write: bool) -> Result<()> {
    let table = table(&areas()?);
    eprint!("{table}");
    if write { marked::write(PAGE, BEGIN, &table) } else { Ok(()) }
}

/// Counts the files of each area: a crate, or a folder beside the crates.
fn areas() -> Result<BTreeMap<String, Lines>> {
    let mut list = Command::new("git");
    list.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.rs"]);
    let output = list.current_dir(root()).output().context("cannot run git")?;
    ensure!(output.status.success(), "git ls-files: {}", String::from_utf8_lossy(&output.stderr));
    let names = String::from_utf8(output.stdout)?;
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

fn table(areas: &BTreeMap<String, Lines>) -> String {
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
        let page = fs::read_to_string(root().join(PAGE)).unwrap();
        let told = page.lines().find_map(|line| line.strip_prefix("| all |"));
        let told = told.and_then(|row| row.trim_end_matches(" |").rsplit(' ').next());
        let told: usize = told.expect("the page has the table").parse().unwrap();
        assert!(
            all.abs_diff(told) <= all * TOLERANCE / 1000,
            "{PAGE} says {told} lines, and there are {all}: run `cargo xtask size --write`"
        );
    }
}
