//! Everything that must hold before a change lands.

use anyhow::Result;

use crate::{
    fuzz, instructions, kits,
    run::{cargo, step},
    setup, soak, web,
};

/// How long each fuzz target runs here; `cargo xtask fuzz` runs them for longer.
const FUZZ_SECONDS: u64 = 3;

/// Formatting, lints, tests, documentation, instructions of the rules, the browser's bundle, starter kits, a short soak, fuzz targets.
pub(crate) fn run() -> Result<()> {
    setup::run()?;
    step(&mut cargo(&["fmt", "--all", "--check"]))?;
    step(&mut cargo(&["clippy", "--workspace", "--all-targets", "--", "--deny", "warnings"]))?;
    step(cargo(&["doc", "--workspace", "--no-deps", "--quiet"]).env("RUSTDOCFLAGS", "--deny warnings"))?;
    step(&mut cargo(&["test", "--workspace", "--no-run", "--quiet"]))?;
    // Tests often wait; in what time they leave, something else is compiled.
    std::thread::scope(|scope| {
        let fuzz = scope.spawn(|| fuzz::build(true));
        // All failures at once: whoever reads them may have waited long.
        step(&mut cargo(&["test", "--workspace", "--no-fail-fast"]))?;
        fuzz.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })?;
    // Vectors of all widths play the same games; above, the widest were used.
    for simd in ["portable", "avx2"] {
        step(cargo(&["test", "--package", "agon-games", "--tests", "--quiet"]).env("AGON_SIMD", simd))?;
    }
    instructions::run(false)?;
    web::check()?;
    // The tests have built the arena's programs.
    kits::run(&[], true)?;
    soak::short()?;
    fuzz::run(FUZZ_SECONDS, None)
}
