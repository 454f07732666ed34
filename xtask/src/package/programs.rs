//! Builds the programs of the packages.
//!
//! Most are static: they run on every Linux, whatever C library it has. Two load libraries and
//! cannot be static: that of native bots, and that of windows. `docs/packages.md` has the
//! measurements behind it.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, ensure};

use crate::{
    run::{self, cargo, step},
    toolchain::remapped,
};

/// The packages of the workspace with programs that are packaged.
pub(super) const PACKAGED: [&str; 8] = [
    "agon",
    "agon-bots",
    "agon-wasm",
    "agon-web-host",
    "agon-window-host",
    "agon-server",
    "agon-client",
    "agon-nats",
];

/// The target. It is named, so that programs and libraries of the build itself are not static.
const TARGET: &str = "x86_64-unknown-linux-gnu";

/// The programs that load libraries, and their packages.
const DYNAMIC: [(&str, &str); 2] =
    [("agon-bots", "agon-native-host"), ("agon-window-host", "agon-window-host")];

/// The built programs.
pub(super) struct Programs {
    /// `agon` itself.
    pub(super) agon: PathBuf,
    /// Those that belong to it.
    pub(super) parts: Vec<PathBuf>,
    /// The lowest version of glibc with which the dynamic ones run.
    pub(super) glibc: String,
}

/// Builds them all.
pub(super) fn build() -> Result<Programs> {
    let folder = run::target()?.join("package");
    let is_dynamic = |package: &str| DYNAMIC.iter().any(|(name, _)| *name == package);
    let mut build = command(&folder.join("static"), &["-Ctarget-feature=+crt-static"])?;
    build.args(["--features", "agon/manual", "--bins"]);
    let packages = PACKAGED.iter().filter(|package| !is_dynamic(package));
    step(build.args(packages.flat_map(|package| ["--package", package])))?;
    let mut build = command(&folder.join("dynamic"), &[])?;
    step(
        build.args(DYNAMIC.iter().flat_map(|(package, bin)| ["--package", package, "--bin", bin])),
    )?;

    let at = |kind: &str, name: &str| folder.join(kind).join(TARGET).join("packaged").join(name);
    let fixed = ["agon-wasm-host", "agon-web-host", "agon-server", "agon-client", "agon-nats"];
    let fixed = fixed.map(|name| at("static", name));
    let dynamic = DYNAMIC.map(|(_, name)| at("dynamic", name));
    let glibc = dynamic.iter().map(|program| glibc(program)).collect::<Result<Vec<_>>>()?;
    let (_, glibc) = glibc.into_iter().max().context("some programs are dynamic")?;
    let agon = at("static", "agon");
    for program in fixed.iter().chain([&agon]) {
        ensure!(is_static(program)?, "{} is not static", program.display());
    }
    Ok(Programs { agon, parts: fixed.into_iter().chain(dynamic).collect(), glibc })
}

fn command(target: &Path, flags: &[&str]) -> Result<Command> {
    let mut build = cargo(&["build", "--locked", "--profile", "packaged", "--target", TARGET]);
    build.arg("--target-dir").arg(target);
    // No path of this machine gets into the programs.
    let flags: Vec<String> =
        flags.iter().map(|flag| (*flag).to_owned()).chain(remapped()?).collect();
    build.env_remove("RUSTFLAGS").env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}"));
    build.env("AGON_PACKAGED", "1");
    Ok(build)
}

/// Returns the newest version of glibc whose symbols a program needs, as numbers and as text.
fn glibc(program: &Path) -> Result<(Vec<u32>, String)> {
    let text = read("objdump", "-T", program)?;
    let versions = text.split("GLIBC_").skip(1).filter_map(|rest| {
        let version = rest.split(|c: char| !c.is_ascii_digit() && c != '.').next()?;
        let numbers: Option<Vec<u32>> = version.split('.').map(|n| n.parse().ok()).collect();
        Some((numbers?, version.to_owned()))
    });
    versions.max().with_context(|| format!("{} needs no glibc", program.display()))
}

/// Whether a program needs neither libraries nor a loader for them. A program may need a loader
/// without a library, and does not start where that is missing.
fn is_static(program: &Path) -> Result<bool> {
    let headers = read("objdump", "-p", program)?;
    Ok(!headers.contains("NEEDED") && !headers.contains("INTERP"))
}

fn read(tool: &str, flag: &str, program: &Path) -> Result<String> {
    let output = Command::new(tool).arg(flag).arg(program).output();
    let output = output.with_context(|| format!("cannot run {tool}, of the package binutils"))?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
