//! Running the tests: with cargo-nextest where it is, which runs those of all packages side by side; otherwise with
//! `cargo test`, which runs one package after the other.

use std::process::Command;

use anyhow::Result;

use crate::run::{cargo, has, step};

/// Set where all programs of the workspace have been built: tests do not build them again.
const BUILT: &str = "AGON_TESTS_BUILT";

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

    /// Runs them.
    pub(crate) fn run(self) -> Result<()> {
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
        if self == Tests::All {
            command.env(BUILT, "1");
        }
        command
    }
}

/// Runs the tests of `agon-games` with vectors no wider than `simd`. Nextest chooses among all tests, so that what was
/// built for them is used again.
pub(crate) fn with_vectors(simd: &str) -> Result<()> {
    let mut run = if has("cargo-nextest") {
        cargo(&["nextest", "run", "--hide-progress-bar", "--workspace", "-E", "package(agon-games)"])
    } else {
        cargo(&["test", "--quiet", "--package", "agon-games", "--tests"])
    };
    step(run.env("AGON_SIMD", simd))
}
