//! `cargo xtask instructions`: counts the instructions of each game's workload with Valgrind.
//!
//! It compares the counts with recorded ones. This finds regressions without a clock.

use std::path::{Path, PathBuf};
use std::{collections::BTreeMap, process::Command};

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};
use xtask::{cargo, has, output_of, read, root, step, text_of, write};

/// The allowed increase of a workload's instructions in percent.
const LIMIT: u64 = 5;

/// The vector unit for counting.
///
/// Valgrind supports none above, and another one would count differently.
const SIMD: &str = "avx2";

/// The recorded counts.
#[derive(Serialize, Deserialize)]
struct Counts {
    /// The compiler, because another one makes other instructions.
    rustc: String,
    /// Instructions per step.
    step: BTreeMap<String, u64>,
}

/// Counts, and compares with the recorded counts; with `update`, records the new ones.
pub(crate) fn run(update: bool) -> Result<()> {
    ensure!(has("valgrind"), "there is no valgrind; `cargo xtask setup` installs it");
    step(&mut build())?;
    let program = root().join("target/release/agon-workloads");
    let found = Counts { rustc: rustc_version()?, step: count_all(&program)? };
    let path = root().join("xtask/workloads/counts.toml");
    if update {
        let text = toml::to_string(&found)?;
        return write(&path, format!("# Written by `cargo xtask instructions --update`.\n{text}"));
    }
    compare(&toml::from_str(&read(&path)?).with_context(|| path.display().to_string())?, &found)
}

/// Returns the command that builds the workloads.
fn build() -> Command {
    let mut build = cargo(&["build", "--release", "--package", "xtask"]);
    build.args(["--features", "workloads", "--bin", "agon-workloads"]);
    build
}

fn compare(known: &Counts, found: &Counts) -> Result<()> {
    let mut worse = Vec::new();
    for (name, &now) in &found.step {
        let before =
            *known.step.get(name).with_context(|| format!("no count of {name} is written down"))?;
        let percent = (now as f64 / before as f64 - 1.0) * 100.0;
        eprintln!("{name:<12} {now:>12} instructions a step, {percent:+.1} % of {before}");
        if now * 100 > before * (100 + LIMIT) {
            worse.push(name.as_str());
        }
    }
    if known.rustc != found.rustc {
        eprintln!(
            "The counts written down are of rustc {}, this is {}: they are not compared.",
            known.rustc, found.rustc
        );
        return Ok(());
    }
    ensure!(
        worse.is_empty(),
        "{} became more than {LIMIT} % slower; if that is meant, `cargo xtask instructions \
         --update` writes it down",
        worse.join(", ")
    );
    Ok(())
}

fn count_all(program: &Path) -> Result<BTreeMap<String, u64>> {
    let list = text_of(&mut Command::new(program))?;
    let mut counts = BTreeMap::new();
    for line in list.lines() {
        let (name, steps) =
            line.split_once(' ').context("the list of workloads has two columns")?;
        let steps: u64 = steps.parse()?;
        // Both runs have the same setup, so their difference is the steps.
        let instructions = count(program, name, steps)?.checked_sub(count(program, name, 0)?);
        let instructions = instructions.with_context(|| format!("{name}: more steps take less"))?;
        counts.insert(name.to_owned(), instructions / steps);
    }
    Ok(counts)
}

/// Counts the instructions of a whole run under Callgrind.
///
/// The run must have the same result as one without Callgrind.
fn count(program: &Path, name: &str, steps: u64) -> Result<u64> {
    let args = [name, &steps.to_string()];
    let plain = text_of(Command::new(program).args(args))?;
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(program).args(args);
    let output = output_of(valgrind.env("AGON_SIMD", SIMD))?;
    let told = String::from_utf8_lossy(&output.stderr);
    ensure!(output.stdout == plain.as_bytes(), "{name}: under Valgrind another state comes out");
    let collected = told.lines().find_map(|line| line.split_once("Collected : "));
    let (_, number) = collected.with_context(|| format!("Callgrind counted nothing:\n{told}"))?;
    Ok(number.trim().parse()?)
}

/// Returns the version of the compiler, as `1.95.0`.
pub(crate) fn rustc_version() -> Result<String> {
    let rustc = std::env::var_os("RUSTC").map_or_else(|| PathBuf::from("rustc"), PathBuf::from);
    let text = text_of(Command::new(rustc).arg("--version"))?;
    Ok(text.split(' ').nth(1).context("rustc tells its version")?.trim().to_owned())
}
