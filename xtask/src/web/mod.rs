//! `cargo xtask web`: builds the viewer for browsers, `crates/agon-web` as WebAssembly.
//!
//! The result is committed in `crates/agon-web/web`.

mod digest;
mod source;

use std::{fs, path::PathBuf, process::Command};

use anyhow::{Context, Result, bail, ensure};

use crate::{
    run::{cargo, has, root, step},
    toolchain::{Target, Toolchain},
};

/// WebAssembly without a system.
const TARGET: Target = Target {
    triple: "wasm32-unknown-unknown",
    linker: Some("wasm-ld"),
    libraries: "std,panic_abort",
};

/// The folder of the page.
const BUNDLE: &str = "crates/agon-web/web";

/// The file with the digest of the sources of `agon.wasm`.
const MANIFEST: &str = "bundle.toml";

/// Builds `agon.wasm`, unless it is built from the current sources.
pub(crate) fn build() -> Result<()> {
    if check().is_ok() {
        eprintln!("{BUNDLE} is up to date");
        return Ok(());
    }
    // The sources from before the build, even if somebody edits meanwhile.
    let sources = digest::of_sources()?;
    if !has("clang") {
        bail!("clang is needed for the C code of zstd; `cargo xtask setup` installs it");
    }
    let toolchain = Toolchain::find(TARGET)?;
    let target = root().join("target").join("web");
    let mut build = cargo(&["rustc", "--package", "agon-web", "--lib", "--crate-type", "cdylib"]);
    build.args(["--features", "viewer", "--profile", "web"]).arg("--target-dir").arg(&target);
    toolchain.apply(&mut build, TARGET, &[])?;
    step(&mut build)?;
    let built = target.join(TARGET.triple).join("web").join("agon_web.wasm");
    let wasm = fs::read(&built).with_context(|| format!("cannot read {}", built.display()))?;
    fs::write(file("agon.wasm"), &wasm)?;
    let manifest = format!(
        "# Written by `cargo xtask web`: what agon.wasm was built from, and what it is.\n\
         sources = \"{sources}\"\nwasm = \"{}\"\ngames = \"{}\"\n",
        digest::of_bytes(&wasm),
        games()?
    );
    fs::write(file(MANIFEST), manifest)?;
    eprintln!("{BUNDLE}/agon.wasm has {} kB", wasm.len() / 1000);
    Ok(())
}

/// Returns the names of all games.
fn games() -> Result<String> {
    let name = |file: PathBuf| Some(file.parent()?.file_name()?.to_string_lossy().into_owned());
    let names: Vec<String> = crate::format::games()?.into_iter().filter_map(name).collect();
    Ok(names.join(" "))
}

/// Ends a conflict of a merge: builds from the merged sources, whatever both sides had built.
pub(crate) fn resolve() -> Result<()> {
    let files = ["agon.wasm", MANIFEST].map(|name| format!("{BUNDLE}/{name}"));
    let output = Command::new("git")
        .args(["diff", "--name-only", "--diff-filter=U"])
        .current_dir(root())
        .output();
    let output = output.context("cannot run git")?;
    ensure!(
        output.status.success(),
        "git cannot tell: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    let conflicts = String::from_utf8(output.stdout)?;
    let foreign: Vec<&str> =
        conflicts.lines().filter(|path| !files.iter().any(|file| file == path)).collect();
    ensure!(
        foreign.is_empty(),
        "first resolve the conflicts in the sources: {}",
        foreign.join(", ")
    );
    // Git leaves markers in one of them, and one side's version of the other.
    fs::write(file(MANIFEST), "")?;
    build()?;
    step(Command::new("git").arg("add").args(&files))
}

/// Checks that `agon.wasm` was built from the current sources.
///
/// The page's other files are not built.
pub(crate) fn check() -> Result<()> {
    let manifest = fs::read_to_string(file(MANIFEST)).unwrap_or_default();
    let manifest: toml::Table = manifest.parse().context("bundle.toml cannot be read")?;
    let says =
        |key: &str, digest: &str| manifest.get(key).and_then(toml::Value::as_str) == Some(digest);
    if !says("sources", &digest::of_sources()?) {
        bail!(
            "{BUNDLE}/agon.wasm is not built from the sources as they are; run `cargo xtask web` \
             and commit it"
        );
    }
    let wasm =
        fs::read(file("agon.wasm")).with_context(|| format!("cannot read {BUNDLE}/agon.wasm"))?;
    if !says("wasm", &digest::of_bytes(&wasm)) {
        bail!(
            "{BUNDLE}/agon.wasm is not what bundle.toml says; remove bundle.toml and run `cargo \
             xtask web`"
        );
    }
    Ok(())
}

fn file(name: &str) -> PathBuf {
    root().join(BUNDLE).join(name)
}
