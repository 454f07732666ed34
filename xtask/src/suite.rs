//! Runs the tests: with cargo-nextest if it is installed, otherwise with `cargo test`.
//!
//! `cargo xtask test` and `check` call it. Nextest runs the tests of all packages side by side,
//! `cargo test` one package after another.

use std::{collections::BTreeMap, fs, path::PathBuf, process::Command};

use anyhow::Result;

use crate::run::{cargo, has, root, step, target};

/// Set if all programs of the workspace are built, so that tests do not build them again.
const BUILT: &str = "AGON_TESTS_BUILT";

/// Set if no test may be left out, neither for its time nor for its needs.
pub(crate) const COMPLETE: &str = "AGON_TESTS_COMPLETE";

/// Names the file for the reasons of skipped tests.
const SKIPPED: &str = "AGON_TESTS_SKIPPED";

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
            Tests::All => &["--workspace"],
        }
    }

    /// Builds them and the programs that they need.
    pub(crate) fn build(self) -> Result<()> {
        let build = [&["test", "--no-run", "--quiet"], self.packages()].concat();
        step(&mut cargo(&build))
    }

    /// Runs them, and prints which were left out.
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
        let run = [&["nextest", "run", "--hide-progress-bar"], self.packages()].concat();
        step(self.environment(&mut cargo(&run)))?;
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

/// Counts skipped tests for each reason, from lines with a name and a reason.
fn told(lines: &str) -> String {
    let mut reasons: BTreeMap<&str, u32> = BTreeMap::new();
    for (_, why) in lines.lines().filter_map(|line| line.split_once('\t')) {
        *reasons.entry(why).or_default() += 1;
    }
    reasons.iter().map(|(why, count)| format!("skipped: {count} tests that {why}\n")).collect()
}

/// Runs the tests of `agon-games` with vectors no wider than `simd`.
///
/// Nextest selects from all tests, so that the built programs are used again.
pub(crate) fn with_vectors(simd: &str) -> Result<()> {
    let mut run = if has("cargo-nextest") {
        cargo(&[
            "nextest",
            "run",
            "--hide-progress-bar",
            "--workspace",
            "-E",
            "package(agon-games)",
        ])
    } else {
        cargo(&["test", "--quiet", "--package", "agon-games", "--tests"])
    };
    step(run.env("AGON_SIMD", simd).env(COMPLETE, "1"))
}

/// Tests of the ladder server that have no business with its database, or a server of their own.
const WITHOUT_DATABASE: [&str; 9] = [
    "api::schemathesis::",
    "browser::",
    "hostile::",
    "https::",
    "limits::",
    "load::",
    "postgres::",
    "power::",
    "proxy::",
];

/// Runs the tests of the ladder server with a database of PostgreSQL; all of them that can, or
/// those that are about what it keeps.
pub(crate) fn with_postgres(all: bool) -> Result<()> {
    let left_out = match all {
        true => &["postgres::", "power::"],
        false => &WITHOUT_DATABASE[..],
    };
    let mut run = Command::new(target()?.join("debug/examples/with-postgres"));
    run.arg("cargo");
    if has("cargo-nextest") {
        let pattern = format!("package(agon-server) - test(/^({})/)", left_out.join("|"));
        run.args(["nextest", "run", "--hide-progress-bar", "--workspace", "-E", &pattern]);
    } else {
        run.args(["test", "--quiet", "--package", "agon-server", "--test", "all", "--"]);
        run.args(left_out.iter().flat_map(|name| ["--skip", name]));
    }
    step(run.current_dir(root()).env(BUILT, "1").env(COMPLETE, "1"))
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
}
