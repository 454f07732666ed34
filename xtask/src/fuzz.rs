//! `cargo xtask fuzz`: builds and runs the fuzz targets of `fuzz/`.
//!
//! The targets are ordinary libFuzzer ones and also run under `cargo fuzz`. Here they are built
//! with the stable compiler: coverage instrumentation needs no nightly, only the sanitizers do.

use std::{fs, process::Command};

use anyhow::{Context, Result, bail};
use xtask::{cargo, entries, in_parallel, quiet_step, root, step, text_of};

const INSTRUMENT: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1 --cfg fuzzing";

/// Runs all targets, or `only` one, each for `seconds`.
pub(crate) fn run(seconds: u64, only: Option<&str>) -> Result<()> {
    let targets: Vec<String> =
        targets()?.into_iter().filter(|t| only.is_none_or(|o| o == t)).collect();
    if targets.is_empty() {
        bail!(
            "there is no fuzz target `{}`; there are: {}",
            only.unwrap_or(""),
            self::targets()?.join(", ")
        );
    }
    build()?;
    let folder = root().join("fuzz");
    let built = folder.join("target").join(host()?).join("fuzz");
    let width = std::thread::available_parallelism()?.get();
    let found = in_parallel(width, targets, |target| {
        let corpus = folder.join("corpus").join(&target);
        let artifacts = folder.join("artifacts").join(&target);
        fs::create_dir_all(&corpus)?;
        fs::create_dir_all(&artifacts)?;
        let mut command = Command::new(built.join(&target));
        command.arg(format!("-max_total_time={seconds}"));
        command.arg(format!("-artifact_prefix={}/", artifacts.display()));
        command.args(["-timeout=10", "-rss_limit_mb=2048", "-verbosity=0", "-print_final_stats=1"]);
        command.arg(corpus);
        let seeds = folder.join("seeds").join(&target);
        if seeds.is_dir() {
            command.arg(seeds);
        }
        let result = quiet_step(&mut command);
        eprintln!("{target}: {}", if result.is_ok() { "nothing found" } else { "FAILED" });
        result
    });
    found.into_iter().collect()
}

/// Builds all targets.
fn build() -> Result<()> {
    let triple = host()?;
    // With --target, build scripts and procedural macros are not instrumented.
    let mut build = cargo(&["build", "--profile", "fuzz", "--package", "agon-fuzz", "--bins"]);
    build.args(["--features", "libfuzzer", "--target", &triple]);
    build.arg("--target-dir").arg(root().join("fuzz/target"));
    build.env("RUSTFLAGS", INSTRUMENT);
    step(&mut build)
}

/// Returns the names of the files in `fuzz/fuzz_targets`.
fn targets() -> Result<Vec<String>> {
    let paths = entries(&root().join("fuzz/fuzz_targets"))?;
    let names = paths.iter().filter_map(|path| path.file_stem());
    Ok(names.map(|name| name.to_string_lossy().into_owned()).collect())
}

fn host() -> Result<String> {
    let text = text_of(Command::new("rustc").arg("-vV"))?;
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).context("`rustc -vV` names no host")
}
