//! Compilers for other targets than this machine, and for Rust's own libraries with other flags.
//!
//! The viewer for browsers and some long jobs are built with them.
//!
//! If rustup has the target, its compiler is used. Otherwise it may be Debian's `rustc-web`, which
//! is newer than Debian's `rustc`. That has no libraries for the target, so they are built as well,
//! from its sources. Its packages are unpacked below `target` and not installed.

use std::{
    env, fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail};

use crate::run::{has, root, step};

/// A target of compilation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    /// Its name for compilers.
    pub(crate) triple: &'static str,
    /// The linker for it; `None` if nothing is linked.
    pub(crate) linker: Option<&'static str>,
    /// The libraries of Rust that it needs.
    pub(crate) libraries: &'static str,
}

impl Target {
    /// Returns its name in cargo's variables.
    pub(crate) fn variable(&self) -> String {
        self.triple.to_uppercase().replace('-', "_")
    }
}

/// A compiler for another target.
pub(crate) enum Toolchain {
    /// The compiler that built this program.
    Own,
    /// Debian's compiler, below this folder.
    Debian(PathBuf),
}

impl Toolchain {
    /// Returns the available compiler for `target`.
    pub(crate) fn find(target: Target) -> Result<Toolchain> {
        let Target { triple, linker, .. } = target;
        if let Some(linker) = linker
            && !has(linker)
        {
            bail!("{linker} is needed to build for {triple}; `cargo xtask setup` installs it");
        }
        let libraries =
            Command::new("rustc").args(["--print", "target-libdir", "--target", triple]).output();
        let libraries = libraries.context("cannot run rustc")?.stdout;
        if Path::new(String::from_utf8_lossy(&libraries).trim()).is_dir() {
            return Ok(Toolchain::Own);
        }
        if !has("apt-get") || !has("dpkg") {
            bail!(
                "Rust's libraries for {triple} are missing; `rustup target add {triple}` installs \
                 them (without rustup: Debian's apt-get and dpkg are needed)"
            );
        }
        Toolchain::debian()
    }

    /// Returns Debian's compiler, which can rebuild Rust's own libraries.
    pub(crate) fn debian() -> Result<Toolchain> {
        let folder = root().join("target").join("web-toolchain");
        let unpacked = folder.join("root");
        if !rustc(&unpacked).is_file() {
            unpack(&folder, &unpacked)?;
        }
        Ok(Toolchain::Debian(unpacked))
    }

    /// Makes `build` use it with these `flags`.
    ///
    /// No path of this machine gets into the result.
    pub(crate) fn apply(&self, build: &mut Command, target: Target, flags: &[&str]) -> Result<()> {
        let mut flags: Vec<String> = flags.iter().map(|flag| (*flag).to_owned()).collect();
        flags.extend(remapped()?);
        if let Toolchain::Debian(unpacked) = self {
            let wrapper = unpacked.with_file_name("rustc.sh");
            let libraries = unpacked.join("usr/lib/x86_64-linux-gnu");
            let libraries = quoted(&libraries);
            let rustc = quoted(&rustc(unpacked));
            // Bash passes on variables like `CARGO_BIN_EXE_agon-sandbox`; other shells drop them
            // because of their names.
            fs::write(
                &wrapper,
                format!("#!/bin/bash\nLD_LIBRARY_PATH={libraries} exec {rustc} \"$@\"\n"),
            )?;
            fs::set_permissions(&wrapper, fs::Permissions::from_mode(0o755))?;
            flags.push(remap(&unpacked.join("usr/lib/rustlib/src/rust"), "rust"));
            build.arg(format!("-Zbuild-std={}", target.libraries));
            build.env("RUSTC", wrapper).env("RUSTC_BOOTSTRAP", "1");
        }
        build.args(["--target", target.triple]);
        if let Some(linker) = target.linker {
            build.env(format!("CARGO_TARGET_{}_LINKER", target.variable()), linker);
        }
        // The settings of `cargo xtask` are for another compiler.
        build.env_remove("RUSTFLAGS").env_remove("RUSTC_WRAPPER").env_remove("RUSTUP_TOOLCHAIN");
        build.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}"));
        Ok(())
    }
}

/// Returns the flags that keep the paths of this machine out of a program.
pub(crate) fn remapped() -> Result<[String; 2]> {
    Ok([remap(&root(), "agon"), remap(&cargo_home()?, "cargo")])
}

fn rustc(unpacked: &Path) -> PathBuf {
    unpacked.join("usr/bin/rustc")
}

fn cargo_home() -> Result<PathBuf> {
    let home = || env::home_dir().map(|home| home.join(".cargo"));
    env::var_os("CARGO_HOME").map(PathBuf::from).or_else(home).context("there is no home folder")
}

fn remap(from: &Path, to: &str) -> String {
    format!("--remap-path-prefix={}={to}", from.display())
}

/// Quotes a path for a shell.
pub(crate) fn quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', "'\\''"))
}

/// Fetches Debian's packages and unpacks them.
fn unpack(folder: &Path, unpacked: &Path) -> Result<()> {
    let packages = packages()?;
    let debs = folder.join("packages");
    fs::create_dir_all(&debs)?;
    // As root, apt-get would download as a user who may not write here.
    let fetch = ["-c", "cd \"$0\" && exec apt-get -o APT::Sandbox::User=root download \"$@\""];
    step(Command::new("sh").args(fetch).arg(&debs).args(&packages))?;
    // Only a complete folder gets the final name.
    let half = folder.join("half");
    if half.exists() {
        fs::remove_dir_all(&half)?;
    }
    for entry in fs::read_dir(&debs)? {
        step(Command::new("dpkg").arg("-x").arg(entry?.path()).arg(&half))?;
    }
    fs::remove_dir_all(&debs)?;
    fs::rename(&half, unpacked)?;
    Ok(())
}

/// Returns the compiler, its libraries, which have its version in their names, and their sources.
fn packages() -> Result<Vec<String>> {
    let mut packages =
        vec!["rustc-web".to_owned(), "libstd-rust-web-dev".to_owned(), "rust-web-src".to_owned()];
    for (of, prefix) in [(1, "libstd-rust-web-"), (3, "libllvm")] {
        let named = depends(&packages[of])?.into_iter().find(|name| name.starts_with(prefix));
        let missing =
            "this Debian has no package rustc-web that can be used; install the target with rustup";
        packages.push(named.context(missing)?);
    }
    Ok(packages)
}

fn depends(package: &str) -> Result<Vec<String>> {
    let output = Command::new("apt-cache").args(["depends", "--important", package]).output();
    let output = output.context("cannot run apt-cache")?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("Depends: "))
        .map(str::to_owned)
        .collect())
}
