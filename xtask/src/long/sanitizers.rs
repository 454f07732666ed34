//! Tests of the crates with `unsafe` code under AddressSanitizer and ThreadSanitizer.

use anyhow::Result;

use crate::{
    run::{cargo, root, step},
    toolchain::{Target, Toolchain},
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
    sanitizer.test(&Toolchain::Own)
}

/// Memory that threads use at the same time.
pub(super) fn thread() -> Result<()> {
    let sanitizer = Sanitizer {
        name: "thread",
        folder: "tsan",
        options: ("TSAN_OPTIONS", "halt_on_error=1"),
        skipped: &[],
    };
    sanitizer.test(&Toolchain::Own)
}

impl Sanitizer {
    fn test(&self, toolchain: &Toolchain) -> Result<()> {
        let mut test = cargo(&["test", "--tests", "--quiet", "--no-fail-fast"]);
        test.args(CRATES.iter().flat_map(|name| ["--package", name]));
        test.arg("--target-dir").arg(root().join("target").join(self.folder));
        toolchain.apply(&mut test, TARGET, &[&format!("-Zsanitizer={}", self.name)])?;
        test.arg("--").args(self.skipped.iter().flat_map(|name| ["--skip", name]));
        let (variable, options) = self.options;
        test.env("RUSTC_BOOTSTRAP", "1").env(variable, options);
        step(&mut test)
    }
}
