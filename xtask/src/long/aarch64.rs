//! The long job `aarch64`: checks that results are the same on another processor.
//!
//! It runs the tests of rules, replays, ratings and schedules on AArch64, emulated by QEMU.

use anyhow::{Result, bail};

use crate::{
    run::{cargo, has, root, step},
    setup,
    suite::COMPLETE,
    toolchain::{Target, Toolchain},
};

const TARGET: Target = Target {
    triple: "aarch64-unknown-linux-gnu",
    linker: Some(COMPILER),
    libraries: "std,panic_abort,test,proc_macro",
};

/// The C compiler for it, which also links.
const COMPILER: &str = "aarch64-linux-gnu-gcc";

/// The emulator of that processor.
const QEMU: &str = "qemu-aarch64";

/// The Debian packages for it.
const PACKAGES: [&str; 3] = ["gcc-aarch64-linux-gnu", "libc6-dev-arm64-cross", "qemu-user"];

/// Crates whose results must not depend on the machine.
const CRATES: [&str; 6] =
    ["agon-core", "agon-games", "agon-match", "agon-rating", "agon-ladder", "agon-contest"];

pub(super) fn run() -> Result<()> {
    if !has(COMPILER) || !has(QEMU) {
        match setup::can_install() {
            true => setup::install(&PACKAGES)?,
            false => bail!("this needs the packages {}", PACKAGES.join(" ")),
        }
    }
    let toolchain = Toolchain::find(TARGET)?;
    let mut test =
        cargo(&["test", "--tests", "--quiet", "--no-fail-fast", "--no-default-features"]);
    test.args(CRATES.iter().flat_map(|name| ["--package", name]));
    test.arg("--target-dir").arg(root().join("target").join("aarch64"));
    toolchain.apply(&mut test, TARGET, &[])?;
    // Programs that tests start are not for this machine either.
    let runner = format!("{QEMU} -L /usr/aarch64-linux-gnu");
    test.env("AGON_TESTS_RUNNER", &runner)
        .env(format!("CARGO_TARGET_{}_RUNNER", TARGET.variable()), runner);
    test.env("CC_aarch64_unknown_linux_gnu", COMPILER).env(COMPLETE, "1");
    step(&mut test)
}
