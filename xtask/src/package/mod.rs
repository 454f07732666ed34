//! `cargo xtask package`: builds the programs as others get them, and packs them.
//!
//! `agon-package` writes the packages. This chore builds the programs, lays out their files in the
//! form of `/usr`, and prepares the system below an image for containers.

mod base;
mod layout;
mod programs;

use std::{env, fs, path::PathBuf, process::Command};

use anyhow::{Context, Result, bail};

use crate::run::{self, cargo, root, step};

/// The kinds of packages.
const KINDS: [&str; 4] = ["tar", "deb", "wheel", "oci"];

/// Builds the packages of the `wanted` kinds, or all; returns their folder.
pub(crate) fn run(wanted: &[&str]) -> Result<PathBuf> {
    if let Some(kind) = wanted.iter().find(|kind| !KINDS.contains(kind)) {
        bail!("`{kind}` is no kind of package; there are {}", KINDS.join(", "));
    }
    let kinds = if wanted.is_empty() { KINDS.as_slice() } else { wanted };
    let programs = programs::build()?;
    let packer = packer()?;
    let tree = layout::lay_out(&programs, &packer)?;
    let packages = run::target()?.join("packages");
    fs::create_dir_all(&packages)?;
    let changes = fs::read_to_string(root().join("CHANGELOG.md"))?;
    let notes = notes(&changes).context("CHANGELOG.md has no section")?;
    fs::write(packages.join("release-notes.md"), notes)?;
    for kind in kinds {
        let mut pack = Command::new(&packer);
        pack.arg(kind).arg(&tree).arg(&packages);
        pack.args(["--release", env!("CARGO_PKG_VERSION"), "--time", &time()?]);
        pack.args(["--glibc", &programs.glibc]);
        if *kind == "oci" {
            pack.arg("--base").arg(base::tar()?);
        }
        step(&mut pack)?;
    }
    Ok(packages)
}

/// Returns the newest section of the changelog, which is the text of a release.
fn notes(changes: &str) -> Option<String> {
    let (_, newest) = changes.split_once("\n## ")?;
    let newest = newest.split("\n## ").next()?;
    let (_title, text) = newest.split_once('\n')?;
    Some(format!("{}\n", text.trim()))
}

/// Returns the system below the image, as a tar.
pub(crate) fn base() -> Result<PathBuf> {
    base::tar()
}

/// Builds the program that writes packages. Compression is slow without optimisation.
fn packer() -> Result<PathBuf> {
    let build = ["build", "--quiet", "--release", "--package", "xtask"];
    let bin = ["--features", "package", "--bin", "agon-package"];
    step(cargo(&build).args(bin))?;
    Ok(run::target()?.join("release").join("agon-package"))
}

/// Returns the time of all files: that of the commit, unless the usual variable names one.
fn time() -> Result<String> {
    if let Ok(time) = env::var("SOURCE_DATE_EPOCH") {
        return Ok(time);
    }
    let mut git = Command::new("git");
    let output = git.args(["log", "-1", "--format=%ct"]).current_dir(root()).output();
    let output = output.context("cannot run git; SOURCE_DATE_EPOCH can name a time instead")?;
    let time = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    if time.is_empty() {
        bail!("git knows no commit; SOURCE_DATE_EPOCH can name a time instead");
    }
    Ok(time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_notes_of_a_release_are_the_newest_section() {
        let changes = "# Changelog\n\nText.\n\n## 0.2.0\n\n### Added\n- b\n\n## 0.1.0\n\n- a\n";
        assert_eq!(notes(changes).unwrap(), "### Added\n- b\n");
        assert_eq!(notes("# Changelog\n"), None);
        let own = fs::read_to_string(root().join("CHANGELOG.md")).unwrap();
        assert!(notes(&own).unwrap().starts_with("### Added"));
    }

    #[test]
    fn an_unknown_kind_is_refused_before_anything_is_built() {
        let error = run(&["rpm"]).unwrap_err().to_string();
        assert_eq!(error, "`rpm` is no kind of package; there are tar, deb, wheel, oci");
    }
}
