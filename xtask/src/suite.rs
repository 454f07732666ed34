//! Running the tests: with cargo-nextest where it is, which runs those of all packages side by
//! side; otherwise with `cargo test`, which runs one package after the other.

use std::{collections::BTreeMap, fs, path::PathBuf, process::Command};

use anyhow::Result;

use crate::run::{cargo, has, root, step};

/// Set where all programs of the workspace have been built: tests do not build them again.
const BUILT: &str = "AGON_TESTS_BUILT";

/// Set where no test may be left out, neither for its time nor for what it needs.
pub(crate) const COMPLETE: &str = "AGON_TESTS_COMPLETE";

/// Names the file in which tests write why they are left out.
const SKIPPED: &str = "AGON_TESTS_SKIPPED";

/// Which tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tests {
    /// What `cargo test` in the root runs.
    Quick,
    /// Those of all packages.
    All,
}

impl Tests {
    /// What cargo is to build for them.
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

    /// Runs them, and tells which were left out.
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
            // All failures at once: whoever reads them may have waited long.
            let all = [&["test", "--quiet", "--no-fail-fast"], self.packages()].concat();
            return step(self.environment(&mut cargo(&all)));
        }
        let run = [&["nextest", "run", "--hide-progress-bar"], self.packages()].concat();
        step(self.environment(&mut cargo(&run)))?;
        // Examples in documentation are none of nextest's.
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

/// How many tests were left out for each reason, from lines with a name and a reason.
fn told(lines: &str) -> String {
    let mut reasons: BTreeMap<&str, u32> = BTreeMap::new();
    for (_, why) in lines.lines().filter_map(|line| line.split_once('\t')) {
        *reasons.entry(why).or_default() += 1;
    }
    reasons.iter().map(|(why, count)| format!("skipped: {count} tests that {why}\n")).collect()
}

/// Runs the tests of `agon-games` with vectors no wider than `simd`. Nextest chooses among all
/// tests, so that what was built for them is used again.
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
