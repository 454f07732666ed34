//! The long job `benchmarks`: runs each benchmark once, for what it checks.
//!
//! Benchmarks know the ends of their matches. When rules, bots or colours change, these change as
//! well, and nothing else would notice before the next measurement.

use anyhow::Result;

use crate::run::{cargo, step};

/// The packages with benchmarks.
const PACKAGES: [&str; 11] = [
    "agon-arena",
    "agon-bots",
    "agon-games",
    "agon-ladder",
    "agon-rating",
    "agon-remote",
    "agon-match",
    "agon-sandbox",
    "agon-server",
    "agon-view",
    "agon-wasm",
];

pub(super) fn run() -> Result<()> {
    // Benchmarks run these programs, and nothing else builds them.
    step(&mut cargo(&["build", "--release", "--package", "agon-sandbox", "--package", "agon"]))?;
    PACKAGES.into_iter().try_for_each(|package| {
        step(&mut cargo(&["bench", "--package", package, "--benches", "--", "--test"]))
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::run::root;

    #[test]
    fn all_packages_with_benchmarks_are_listed() {
        let mut found: Vec<String> = fs::read_dir(root().join("crates"))
            .unwrap()
            .map(|entry| entry.unwrap())
            .filter(|entry| entry.path().join("benches").is_dir())
            .map(|entry| entry.file_name().into_string().unwrap())
            .collect();
        found.sort();
        assert_eq!(found, PACKAGES);
    }
}
