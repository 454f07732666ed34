//! Long jobs that build for other targets than this machine, or with a sanitizer.

use std::{fs, os::unix::fs::PermissionsExt, path::PathBuf, process::Command};

use anyhow::{Result, ensure};
use xtask::{cargo, root, step, text_of};

use crate::setup::{self, Target, Toolchain, quoted};
use crate::test::COMPLETE;

const ARM: Target = Target {
    triple: "aarch64-unknown-linux-gnu",
    linker: Some(COMPILER),
    libraries: "std,panic_abort,test,proc_macro",
};

/// The C compiler for it, which also links.
const COMPILER: &str = "aarch64-linux-gnu-gcc";

/// The emulator of that processor.
const QEMU: &str = "qemu-aarch64";

/// The Debian packages for it.
const PACKAGES: [(&str, &str); 3] =
    [(COMPILER, "gcc-aarch64-linux-gnu"), (COMPILER, "libc6-dev-arm64-cross"), (QEMU, "qemu-user")];

/// Crates whose results must not depend on the machine.
const PORTABLE: [&str; 6] =
    ["agon-core", "agon-games", "agon-match", "agon-rating", "agon-ladder", "agon-contest"];

/// Checks that results are the same on another processor: runs the tests of rules, replays, ratings
/// and schedules on AArch64, emulated by QEMU.
pub(super) fn aarch64() -> Result<()> {
    setup::need(&PACKAGES)?;
    let mut test =
        cargo(&["test", "--tests", "--quiet", "--no-fail-fast", "--no-default-features"]);
    test.args(PORTABLE.iter().flat_map(|name| ["--package", name]));
    test.arg("--target-dir").arg(root().join("target").join("aarch64"));
    Toolchain::find(ARM)?.apply(&mut test, ARM, &[])?;
    // Programs that tests start are not for this machine either.
    let runner = format!("{QEMU} -L /usr/aarch64-linux-gnu");
    test.env("AGON_TESTS_RUNNER", &runner);
    test.env(format!("CARGO_TARGET_{}_RUNNER", ARM.variable()), runner);
    test.env("CC_aarch64_unknown_linux_gnu", COMPILER).env(COMPLETE, "1");
    step(&mut test)
}

/// The compiler's names of the systems.
const SYSTEMS: [&str; 2] = ["x86_64-pc-windows-msvc", "aarch64-apple-darwin"];

/// Checks that crates without processes compile for Windows and macOS.
///
/// Agon starts bots on Linux only, but rules, replays, ratings, reports and the viewer need no
/// Linux. The job checks types and links nothing, so it needs no files of these systems.
pub(super) fn systems() -> Result<()> {
    SYSTEMS.into_iter().try_for_each(|triple| {
        let target = Target { triple, linker: None, libraries: "std" };
        let mut check =
            cargo(&["check", "--quiet", "--no-default-features", "--features", "agon-web/viewer"]);
        // The crates that these need are checked as well.
        check.args(PORTABLE.iter().chain(&["agon-web"]).flat_map(|name| ["--package", name]));
        check.arg("--target-dir").arg(root().join("target").join("systems"));
        // Replaces the build of the C code of zstd, which would need a C compiler for the system.
        check.args(["--config", &format!("target.{triple}.zstd.rustc-link-lib=['zstd']")]);
        Toolchain::find(target)?.apply(&mut check, target, &[])?;
        step(&mut check)
    })
}

/// This machine.
const HERE: Target = Target {
    triple: "x86_64-unknown-linux-gnu",
    linker: Some("cc"),
    libraries: "std,panic_abort,test,proc_macro",
};

/// Crates that share memory, fork, load libraries or call code for a vector unit.
const UNSAFE: [&str; 3] = ["agon-bots", "agon-games", "agon-sandbox"];

/// Bots that crash on purpose must do so without a report.
const CRASHES: &str = "handle_segv=0:handle_sigbus=0:handle_sigfpe=0";

/// A sanitizer, and its settings here.
struct Sanitizer {
    /// Its name for the compiler.
    name: &'static str,
    /// Its name in its variable and its library.
    short: &'static str,
    /// Its special option.
    option: &'static str,
    /// Tests that it cannot run.
    skipped: &'static [&'static str],
}

/// An instrumented program needs 15 TB of addresses: tests that limit them are left out.
const ADDRESS: Sanitizer = Sanitizer {
    name: "address",
    short: "asan",
    // Killed programs leave memory behind.
    option: "detect_leaks=0",
    skipped: &[
        "confine::tests::runtimes::shell",
        "confine::tests::setups::",
        "snapshot::libraries_stay_as_they_were",
        "snapshot::sources_in_c_stay_as_they_were",
    ],
};

/// As above.
///
/// It also fails in a child that shares memory with its parent (`fork`, `confine`). And it changes
/// the exit status of a library that ends its process while it is loaded (`flat`, `native`).
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

/// Finds wrong uses of memory. Its library comes with Rust.
pub(super) fn address() -> Result<()> {
    step(&mut ADDRESS.test(&Toolchain::Own, &[])?)
}

/// Finds races between threads.
///
/// Rust's own libraries are built for it as well. Otherwise it would report races in them.
pub(super) fn thread() -> Result<()> {
    let library = THREAD.library()?.display().to_string();
    let linked = ["-Wl,--whole-archive", &library, "-Wl,--no-whole-archive"];
    let linked = linked.map(|argument| format!("-Zpre-link-arg={argument}"));
    let flags: Vec<&str> =
        ["-Zexternal-clangrt"].into_iter().chain(linked.iter().map(String::as_str)).collect();
    let mut test = THREAD.test(&Toolchain::debian()?, &flags)?;
    test.env(format!("CARGO_TARGET_{}_RUNNER", HERE.variable()), THREAD.with_plain_launcher()?);
    step(&mut test)
}

impl Sanitizer {
    /// Returns the command of the tests under it.
    fn test(&self, toolchain: &Toolchain, flags: &[&str]) -> Result<Command> {
        let mut test = cargo(&["test", "--tests", "--quiet", "--no-fail-fast"]);
        test.args(UNSAFE.iter().flat_map(|name| ["--package", name]));
        test.arg("--target-dir").arg(self.folder());
        let sanitizer = format!("-Zsanitizer={}", self.name);
        toolchain.apply(&mut test, HERE, &[&[&*sanitizer], flags].concat())?;
        test.arg("--").args(self.skipped.iter().flat_map(|name| ["--skip", name]));
        let variable = format!("{}_OPTIONS", self.short.to_uppercase());
        test.env(variable, format!("{}:{CRASHES}", self.option));
        test.env("RUSTC_BOOTSTRAP", "1").env(COMPLETE, "1");
        Ok(test)
    }

    /// Returns the library of the sanitizer, which comes with Rust.
    fn library(&self) -> Result<PathBuf> {
        let folder = text_of(Command::new("rustc").args(["--print", "target-libdir"]))?;
        let folder = PathBuf::from(folder.trim());
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

    /// Returns a runner of test programs that uses an uninstrumented `agon-sandbox`.
    ///
    /// `agon-sandbox` has a single thread, and starts other programs in memory that it shares with
    /// them. ThreadSanitizer cannot handle that.
    fn with_plain_launcher(&self) -> Result<PathBuf> {
        step(
            cargo(&["build", "--quiet", "--package", "agon-sandbox", "--target-dir"])
                .arg(self.folder()),
        )?;
        let plain = self.folder().join("debug").join("agon-sandbox");
        let runner = self.folder().join("runner.sh");
        let tests = self.folder().join(HERE.triple).join("debug").join("agon-sandbox");
        let copy = format!("cp --remove-destination {} {}", quoted(&plain), quoted(&tests));
        fs::write(&runner, format!("#!/bin/sh\n{copy}\nexec \"$@\"\n"))?;
        fs::set_permissions(&runner, fs::Permissions::from_mode(0o755))?;
        Ok(runner)
    }
}
