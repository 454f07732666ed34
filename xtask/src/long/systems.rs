//! The long job `systems`: checks that crates without processes compile for Windows and macOS.
//!
//! Agon starts bots on Linux only, but rules, replays, ratings, reports and the viewer need no
//! Linux. The job checks types and links nothing, so it needs no files of these systems.

use anyhow::Result;

use crate::{
    run::{cargo, root, step},
    toolchain::{Target, Toolchain},
};

/// The compiler's names of the systems.
const SYSTEMS: [&str; 2] = ["x86_64-pc-windows-msvc", "aarch64-apple-darwin"];

/// The crates; those that they need are checked as well.
const CRATES: [&str; 7] = [
    "agon-core",
    "agon-games",
    "agon-rating",
    "agon-ladder",
    "agon-match",
    "agon-contest",
    "agon-web",
];

pub(super) fn run() -> Result<()> {
    SYSTEMS.into_iter().try_for_each(check)
}

fn check(triple: &'static str) -> Result<()> {
    let target = Target { triple, linker: None, libraries: "std" };
    let toolchain = Toolchain::find(target)?;
    let mut check =
        cargo(&["check", "--quiet", "--no-default-features", "--features", "agon-web/viewer"]);
    check.args(CRATES.iter().flat_map(|name| ["--package", name]));
    check.arg("--target-dir").arg(root().join("target").join("systems"));
    // Replaces the build of the C code of zstd, which would need a C compiler for the system.
    check.args(["--config", &format!("target.{triple}.zstd.rustc-link-lib=['zstd']")]);
    toolchain.apply(&mut check, target, &[])?;
    step(&mut check)
}
