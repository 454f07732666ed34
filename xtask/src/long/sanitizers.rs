//! Tests of the crates with `unsafe` code under AddressSanitizer and ThreadSanitizer.

use std::{fs, os::unix::fs::PermissionsExt, path::PathBuf, process::Command};

use anyhow::{Context, Result, ensure};

use crate::{
    run::{cargo, root, step},
    suite::COMPLETE,
    toolchain::{Target, Toolchain, quoted},
};

/// This machine.
const TARGET: Target =
    Target { triple: "x86_64-unknown-linux-gnu", linker: "cc", libraries: "std,panic_abort,test,proc_macro" };

/// Crates that share memory, fork, load libraries and call what is compiled for a vector unit.
const CRATES: [&str; 3] = ["agon-bots", "agon-jail", "agon-simd"];

/// A sanitizer, and how it is used here.
struct Sanitizer {
    /// As the compiler calls it.
    name: &'static str,
    /// Its folder below `target`.
    folder: &'static str,
    /// The variable of its options, and these.
    options: (&'static str, &'static str),
    /// Tests that it cannot run.
    skipped: &'static [&'static str],
}

/// Memory that is used wrongly. Bots that crash on purpose must do so without its help; what they leave behind is no
/// leak. Where the address space of an instrumented program is limited, it finds no room for its 15 TB of notes.
pub(super) fn address() -> Result<()> {
    let sanitizer = Sanitizer {
        name: "address",
        folder: "asan",
        options: ("ASAN_OPTIONS", "detect_leaks=0:handle_segv=0:handle_sigbus=0:handle_sigfpe=0"),
        skipped: &[
            "confine::tests::runtimes::shell",
            "confine::tests::setups::",
            "snapshot::libraries_stay_as_they_were",
            "snapshot::sources_in_c_stay_as_they_were",
        ],
    };
    // Its runtime library comes with Rust.
    let mut test = sanitizer.test(&Toolchain::Own, &[])?;
    step(sanitizer.skip(&mut test))
}

/// Memory that threads use at the same time.
pub(super) fn thread() -> Result<()> {
    let sanitizer = Sanitizer {
        name: "thread",
        folder: "tsan",
        options: ("TSAN_OPTIONS", "halt_on_error=1:handle_segv=0:handle_sigbus=0:handle_sigfpe=0"),
        skipped: &[
            "confine::tests::",
            "keeper::fork::tests::",
            "flat::libraries_that_cannot_play_are_told_when_they_are_opened",
            "native::a_library_that_cannot_be_loaded_is_told_when_it_is_opened",
            "snapshot::libraries_stay_as_they_were",
            "snapshot::sources_in_c_stay_as_they_were",
        ],
    };
    // Rust's own libraries must be built for it too, or it takes what happens in them for races.
    let library = library("tsan")?.display().to_string();
    let linked = ["-Wl,--whole-archive", &library, "-Wl,--no-whole-archive"];
    let linked = linked.map(|argument| format!("-Zpre-link-arg={argument}"));
    let flags: Vec<&str> =
        ["-Zexternal-clangrt"].into_iter().chain(linked.iter().map(String::as_str)).collect();
    let mut test = sanitizer.test(&Toolchain::debian()?, &flags)?;
    test.env(format!("CARGO_TARGET_{}_RUNNER", TARGET.variable()), sanitizer.with_plain_jail()?);
    step(sanitizer.skip(&mut test))
}

/// The library of a sanitizer, which comes with Rust.
fn library(name: &str) -> Result<PathBuf> {
    let output = Command::new("rustc").args(["--print", "target-libdir"]).output();
    let folder = PathBuf::from(String::from_utf8(output.context("cannot run rustc")?.stdout)?.trim());
    let library = folder.join(format!("librustc-stable_rt.{name}.a"));
    ensure!(library.is_file(), "{} is missing: this needs a stable Rust of rustup's", library.display());
    Ok(library)
}

impl Sanitizer {
    /// Runs the tests, once it has got its last arguments.
    fn test(&self, toolchain: &Toolchain, flags: &[&str]) -> Result<Command> {
        let mut test = cargo(&["test", "--tests", "--quiet", "--no-fail-fast"]);
        test.args(CRATES.iter().flat_map(|name| ["--package", name]));
        test.arg("--target-dir").arg(self.folder());
        let sanitizer = format!("-Zsanitizer={}", self.name);
        toolchain.apply(&mut test, TARGET, &[&[&*sanitizer], flags].concat())?;
        let (variable, options) = self.options;
        test.env("RUSTC_BOOTSTRAP", "1").env(variable, options).env(COMPLETE, "1");
        Ok(test)
    }

    fn skip<'a>(&self, test: &'a mut Command) -> &'a mut Command {
        test.arg("--").args(self.skipped.iter().flat_map(|name| ["--skip", name]))
    }

    fn folder(&self) -> PathBuf {
        root().join("target").join(self.folder)
    }

    /// The program that runs a test program, with an `agon-jail` that is not instrumented: it has a single thread, and
    /// starts others in memory that it shares with them, of which ThreadSanitizer knows nothing.
    fn with_plain_jail(&self) -> Result<PathBuf> {
        step(cargo(&["build", "--quiet", "--package", "agon-jail", "--target-dir"]).arg(self.folder()))?;
        let plain = self.folder().join("debug").join("agon-jail");
        let runner = self.folder().join("runner.sh");
        let tests = self.folder().join(TARGET.triple).join("debug").join("agon-jail");
        let copy = format!("cp --remove-destination {} {}", quoted(&plain), quoted(&tests));
        fs::write(&runner, format!("#!/bin/sh\n{copy}\nexec \"$@\"\n"))?;
        fs::set_permissions(&runner, fs::Permissions::from_mode(0o755))?;
        Ok(runner)
    }
}
