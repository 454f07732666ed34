//! Runs the tests: with cargo-nextest if it is installed, otherwise with `cargo test`.
//!
//! `cargo xtask test` and `check` call it. Nextest runs the tests of all packages side by side,
//! `cargo test` one package after another.

use std::{
    collections::BTreeMap,
    fs,
    path::PathBuf,
    process::{Command, Stdio},
};

use anyhow::{Result, ensure};

use crate::run::{cargo, has, root, step, target};

/// Set if all programs of the workspace are built, so that tests do not build them again.
const BUILT: &str = "AGON_TESTS_BUILT";

/// Set if no test may be left out, neither for its time nor for its needs.
pub(crate) const COMPLETE: &str = "AGON_TESTS_COMPLETE";

/// Names the file for the reasons of skipped tests.
const SKIPPED: &str = "AGON_TESTS_SKIPPED";

/// All packages, with the programs that only some chores need.
pub(crate) const EVERYTHING: [&str; 3] =
    ["--workspace", "--features", "xtask/package,xtask/site,xtask/workloads"];

/// A set of tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tests {
    /// The tests that `cargo test` runs in the root.
    Quick,
    /// The tests of all packages.
    All,
}

impl Tests {
    /// Returns cargo's arguments for building them.
    fn packages(self) -> &'static [&'static str] {
        match self {
            Tests::Quick => &[],
            Tests::All => &EVERYTHING,
        }
    }

    /// Builds them and the programs that they need.
    pub(crate) fn build(self) -> Result<()> {
        let build = [&["test", "--no-run", "--quiet"], self.packages()].concat();
        step(&mut cargo(&build))?;
        if has("cargo-nextest") {
            let list = ["nextest", "list", "--list-type", "binaries-only"];
            let mut list = cargo(&[&list[..], self.packages()].concat());
            let output =
                list.args(["--message-format", "json"]).stderr(Stdio::inherit()).output()?;
            ensure!(output.status.success(), "nextest lists no programs: {}", output.status);
            fs::write(programs_file(), output.stdout)?;
        }
        Ok(())
    }

    /// Runs them, once they are built, and prints which were left out.
    pub(crate) fn run(self) -> Result<()> {
        let skipped = skipped_file();
        let _ = fs::remove_file(&skipped);
        let result = self.run_all();
        if let Ok(text) = fs::read_to_string(&skipped) {
            eprint!("\n{}", told(&text));
        }
        result
    }

    fn run_all(self) -> Result<()> {
        if !has("cargo-nextest") {
            // All failures at once, because a person may have waited long for them.
            let all = [&["test", "--quiet", "--no-fail-fast"], self.packages()].concat();
            return step(self.environment(&mut cargo(&all)));
        }
        let mut run = cargo(&["nextest", "run", "--hide-progress-bar"]);
        // Cargo is not asked: the lints may have taken its lock first.
        run.arg("--binaries-metadata").arg(programs_file());
        step(self.environment(&mut run))?;
        // Nextest does not run examples in documentation.
        let documented = [&["test", "--doc", "--quiet"], self.packages()].concat();
        step(self.environment(&mut cargo(&documented)))
    }

    fn environment(self, command: &mut Command) -> &mut Command {
        match self {
            Tests::Quick => command.env(SKIPPED, skipped_file()),
            Tests::All => command.env(BUILT, "1").env(COMPLETE, "1"),
        }
    }
}

fn skipped_file() -> PathBuf {
    root().join("target").join("tests-left-out.txt")
}

/// Where nextest finds the programs that [`Tests::build`] has built.
fn programs_file() -> PathBuf {
    root().join("target").join("tests-built.json")
}

/// Counts skipped tests for each reason, from lines with a name and a reason.
fn told(lines: &str) -> String {
    let mut reasons: BTreeMap<&str, u32> = BTreeMap::new();
    for (_, why) in lines.lines().filter_map(|line| line.split_once('\t')) {
        *reasons.entry(why).or_default() += 1;
    }
    reasons.iter().map(|(why, count)| format!("skipped: {count} tests that {why}\n")).collect()
}

/// Runs the tests that `cargo xtask test` leaves out for their repetition or size: those that
/// `.config/nextest.toml` names.
pub(crate) fn large() -> Result<()> {
    ensure!(has("cargo-nextest"), "without cargo-nextest, `cargo xtask test` runs these tests");
    let mut run = cargo(&["nextest", "run", "--hide-progress-bar"]);
    run.args(EVERYTHING).args(["--ignore-default-filter", "-E", "not default()"]);
    step(Tests::All.environment(&mut run))
}

/// Runs the tests of `agon-games` with narrower vectors: all widths must play the same games.
///
/// Nextest selects from all tests, so that the built programs are used again.
pub(crate) fn with_vectors() -> Result<()> {
    for simd in ["portable", "avx2"] {
        let mut run = if has("cargo-nextest") {
            let mut run = cargo(&["nextest", "run", "--hide-progress-bar"]);
            run.args(EVERYTHING).args(["-E", "package(agon-games)"]);
            run
        } else {
            cargo(&["test", "--quiet", "--package", "agon-games", "--tests"])
        };
        step(run.env("AGON_SIMD", simd).env(COMPLETE, "1"))?;
    }
    Ok(())
}

/// Runs the tests of the ladder server with a database of PostgreSQL, without those that start one
/// themselves.
pub(crate) fn with_postgres() -> Result<()> {
    let left_out = ["postgres::", "power::"];
    let mut run = Command::new(target()?.join("debug/examples/with-postgres"));
    run.arg("cargo");
    if has("cargo-nextest") {
        let pattern = format!("package(agon-server) - test(/^({})/)", left_out.join("|"));
        run.args(["nextest", "run", "--hide-progress-bar"]).args(EVERYTHING).args(["-E", &pattern]);
    } else {
        run.args(["test", "--quiet", "--package", "agon-server", "--test", "all", "--"]);
        run.args(left_out.iter().flat_map(|name| ["--skip", name]));
    }
    step(run.current_dir(root()).env(BUILT, "1").env(COMPLETE, "1"))
}

/// Returns a table of the ten tests that took longest, from the report of nextest; empty without
/// one.
pub(crate) fn longest() -> String {
    let report = root().join("target/nextest/default/junit.xml");
    fs::read_to_string(report).map(|report| longest_of(&report)).unwrap_or_default()
}

fn longest_of(report: &str) -> String {
    let attribute = |case: &str, name: &str| -> Option<String> {
        let (_, rest) = case.split_once(&format!(" {name}=\""))?;
        Some(rest.split_once('"')?.0.to_owned())
    };
    let mut tests: Vec<(f64, String)> = Vec::new();
    for case in report.split("<testcase").skip(1) {
        let time = attribute(case, "time").and_then(|time| time.parse().ok());
        let Some(time) = time else { continue };
        let name = [attribute(case, "classname"), attribute(case, "name")];
        tests.push((time, name.map(Option::unwrap_or_default).join(" ")));
    }
    tests.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut table = String::new();
    for (time, name) in tests.iter().take(10) {
        table += &format!("{time:>7.1} s  {name}\n");
    }
    if table.is_empty() { table } else { format!("\nthe longest tests\n{table}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_left_out_is_counted() {
        let lines = "one\ttake long\ntwo\tneed tmux\nthree\ttake long\n";
        assert_eq!(
            told(lines),
            "skipped: 1 tests that need tmux\nskipped: 2 tests that take long\n"
        );
        assert_eq!(told(""), "");
    }

    #[test]
    fn tests_that_are_left_out_exist() {
        let config = fs::read_to_string(root().join(".config/nextest.toml")).unwrap();
        let (_, filter) = config.split_once("not test(/^(\\\n").unwrap();
        let (filter, _) = filter.split_once(")$/)").unwrap();
        let names: Vec<&str> =
            filter.lines().map(|line| line.trim_end_matches('\\').trim_matches('|')).collect();
        assert!(names.len() >= 5, "{names:?}");
        for name in names.into_iter().filter(|name| !name.is_empty()) {
            let parts: Vec<&str> = name.split("::").collect();
            let (test, modules) = parts.split_last().unwrap();
            let path = root().join("crates/agon/tests").join(modules.join("/"));
            let file = [path.with_extension("rs"), path.join("mod.rs")];
            let source = file.iter().find_map(|file| fs::read_to_string(file).ok());
            let source = source.unwrap_or_else(|| panic!("{name}: no file of {path:?}"));
            assert!(source.contains(&format!("fn {test}(")), "{name} is no test");
        }
    }

    #[test]
    fn the_longest_tests_are_listed() {
        let case = |name: &str, time: &str| {
            format!("<testcase name=\"{name}\" classname=\"agon\" time=\"{time}\">\n</testcase>")
        };
        let many: String = (0..12).map(|n| case(&format!("t{n}"), &format!("{n}.25"))).collect();
        let table = longest_of(&many);
        assert_eq!(table.lines().count(), 12, "{table}");
        assert!(table.starts_with("\nthe longest tests\n   11.2 s  agon t11\n"), "{table}");
        assert!(!table.contains("agon t1\n"), "{table}");
        assert_eq!(longest_of("<testsuites></testsuites>"), "");
    }
}
