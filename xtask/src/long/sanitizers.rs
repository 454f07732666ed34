//! Tests of the crates with `unsafe` code under AddressSanitizer and ThreadSanitizer.

use std::{fs, os::unix::fs::PermissionsExt, path::PathBuf, process::Command};

use anyhow::{Context, Result, ensure};

use crate::{
    run::{cargo, root, step},
    suite::COMPLETE,
    toolchain::{Target, Toolchain, quoted},
};

/// This machine.
const TARGET: Target = Target {
    triple: "x86_64-unknown-linux-gnu",
    linker: "cc",
    libraries: "std,panic_abort,test,proc_macro",
};

/// Crates that share memory, fork, load libraries and call what is compiled for a vector unit.
const CRATES: [&str; 3] = ["agon-bots", "agon-jail", "agon-simd"];

/// Bots that crash on purpose must do so without a report.
const CRASHES: &str = "handle_segv=0:handle_sigbus=0:handle_sigfpe=0";

/// A sanitizer, and how it is used here.
struct Sanitizer {
    /// As the compiler calls it.
    name: &'static str,
    /// As its variable and its library call it.
    short: &'static str,
    /// Its own option.
    option: &'static str,
    /// Tests that it cannot run.
    skipped: &'static [&'static str],
}

/// An instrumented program needs 15 TB of addresses: tests that limit them are left out.
const ADDRESS: Sanitizer = Sanitizer {
    name: "address",
    short: "asan",
    // Programs that are killed leave memory behind.
    option: "detect_leaks=0",
    skipped: &[
        "confine::tests::runtimes::shell",
        "confine::tests::setups::",
        "snapshot::libraries_stay_as_they_were",
        "snapshot::sources_in_c_stay_as_they_were",
    ],
};

/// As above; and it fails in a child that shares memory with its parent (`fork`, `confine`), and
/// changes the exit status of a library that ends its process while it is loaded (`flat`,
/// `native`).
const THREAD: Sanitizer = Sanitizer {
    name: "thread",
    short: "tsan",
    option: "halt_on_error=1",
    skipped: &[
        "confine::tests::",
        "supervisor::fork::tests::",
        "flat::libraries_that_cannot_play_are_told_when_they_are_opened",
        "native::a_library_that_cannot_be_loaded_is_told_when_it_is_opened",
        "snapshot::libraries_stay_as_they_were",
        "snapshot::sources_in_c_stay_as_they_were",
    ],
};

/// Finds memory that is used wrongly. The library for it comes with Rust.
pub(super) fn address() -> Result<()> {
    step(&mut ADDRESS.test(&Toolchain::Own, &[])?)
}

/// Finds memory that threads use at the same time. Rust's own libraries are built for it too:
/// otherwise it would take what happens in them for races.
pub(super) fn thread() -> Result<()> {
    let library = THREAD.library()?.display().to_string();
    let linked = ["-Wl,--whole-archive", &library, "-Wl,--no-whole-archive"];
    let linked = linked.map(|argument| format!("-Zpre-link-arg={argument}"));
    let flags: Vec<&str> =
        ["-Zexternal-clangrt"].into_iter().chain(linked.iter().map(String::as_str)).collect();
    let mut test = THREAD.test(&Toolchain::debian()?, &flags)?;
    test.env(format!("CARGO_TARGET_{}_RUNNER", TARGET.variable()), THREAD.with_plain_jail()?);
    step(&mut test)
}

impl Sanitizer {
    /// The tests under it.
    fn test(&self, toolchain: &Toolchain, flags: &[&str]) -> Result<Command> {
        let mut test = cargo(&["test", "--tests", "--quiet", "--no-fail-fast"]);
        test.args(CRATES.iter().flat_map(|name| ["--package", name]));
        test.arg("--target-dir").arg(self.folder());
        let sanitizer = format!("-Zsanitizer={}", self.name);
        toolchain.apply(&mut test, TARGET, &[&[&*sanitizer], flags].concat())?;
        test.arg("--").args(self.skipped.iter().flat_map(|name| ["--skip", name]));
        let variable = format!("{}_OPTIONS", self.short.to_uppercase());
        test.env(variable, format!("{}:{CRASHES}", self.option));
        test.env("RUSTC_BOOTSTRAP", "1").env(COMPLETE, "1");
        Ok(test)
    }

    /// The library of the sanitizer, which comes with Rust.
    fn library(&self) -> Result<PathBuf> {
        let output = Command::new("rustc").args(["--print", "target-libdir"]).output();
        let folder =
            PathBuf::from(String::from_utf8(output.context("cannot run rustc")?.stdout)?.trim());
        let library = folder.join(format!("librustc-stable_rt.{}.a", self.short));
        ensure!(
            library.is_file(),
            "{} is missing: install a stable Rust with rustup",
            library.display()
        );
        Ok(library)
    }

    fn folder(&self) -> PathBuf {
        root().join("target").join(self.short)
    }

    /// The program that runs a test program, with an `agon-jail` that is not instrumented: it has a
    /// single thread, and starts others in memory that it shares with them, of which
    /// ThreadSanitizer knows nothing.
    fn with_plain_jail(&self) -> Result<PathBuf> {
        step(
            cargo(&["build", "--quiet", "--package", "agon-jail", "--target-dir"])
                .arg(self.folder()),
        )?;
        let plain = self.folder().join("debug").join("agon-jail");
        let runner = self.folder().join("runner.sh");
        let tests = self.folder().join(TARGET.triple).join("debug").join("agon-jail");
        let copy = format!("cp --remove-destination {} {}", quoted(&plain), quoted(&tests));
        fs::write(&runner, format!("#!/bin/sh\n{copy}\nexec \"$@\"\n"))?;
        fs::set_permissions(&runner, fs::Permissions::from_mode(0o755))?;
        Ok(runner)
    }
}
