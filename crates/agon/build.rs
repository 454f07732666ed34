//! Passes the commit of the sources to the program, for `agon --version`.

use std::{path::Path, process::Command};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=AGON_COMMIT");
    // Sources without git, such as those of a distribution, can name their commit.
    let named = std::env::var("AGON_COMMIT").ok().filter(|commit| !commit.is_empty());
    let Some(commit) = named.or_else(|| git(&["show", "-s", "--format=%h %cs", "--abbrev=12"]))
    else {
        return;
    };
    println!("cargo::rustc-env=AGON_COMMIT={commit}");
    // The file that names the branch, and the one with the branch's commit.
    let branch = git(&["symbolic-ref", "-q", "HEAD"]);
    for name in ["HEAD".to_owned()].into_iter().chain(branch) {
        let path = git(&["rev-parse", "--git-path", &name]).filter(|path| Path::new(path).exists());
        path.iter().for_each(|path| println!("cargo::rerun-if-changed={path}"));
    }
}

/// Returns what git answers; `None` if there is no git, or this is no checkout.
fn git(args: &[&str]) -> Option<String> {
    let output = Command::new("git").args(args).output().ok()?;
    let answer = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (output.status.success() && !answer.is_empty()).then_some(answer)
}
