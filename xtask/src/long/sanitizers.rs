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

/// Memory that is used wrongly.
pub(super) fn address() -> Result<()> {
    // Its runtime library comes with Rust. Programs that end on purpose in the middle leave memory behind.
    test("asan", &Toolchain::Own, "address", "ASAN_OPTIONS", "detect_leaks=0")
}

/// Memory that threads use at the same time.
pub(super) fn thread() -> Result<()> {
    test("tsan", &Toolchain::Own, "thread", "TSAN_OPTIONS", "halt_on_error=1")
}

fn test(folder: &str, toolchain: &Toolchain, sanitizer: &str, variable: &str, options: &str) -> Result<()> {
    let flag = format!("-Zsanitizer={sanitizer}");
    let mut test = cargo(&["test", "--tests", "--quiet", "--no-fail-fast"]);
    test.args(CRATES.iter().flat_map(|name| ["--package", name]));
    test.arg("--target-dir").arg(root().join("target").join(folder));
    toolchain.apply(&mut test, TARGET, &[&flag])?;
    test.env("RUSTC_BOOTSTRAP", "1").env(variable, options);
    step(&mut test)
}
