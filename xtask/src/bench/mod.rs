//! `cargo xtask bench`: measures the figures of `docs/performance.md`, and writes them there.

mod criterion;
mod page;
mod row;
mod rows;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::PathBuf,
    process::{Command, Stdio},
};

use anyhow::{Context, Result, ensure};

use crate::run::{cargo, root, step};
use row::{Line, Measure, Results, Row};
use rows::ROWS;

/// Measures the rows with `text` in their name. If that is all rows, writes the page.
pub(crate) fn run(text: &str) -> Result<()> {
    let rows: Vec<&Row> = ROWS.iter().filter(|row| row.what.contains(text)).collect();
    let names = || ROWS.iter().map(|row| format!("  {}\n", row.what)).collect::<String>();
    ensure!(!rows.is_empty(), "no figure has `{text}` in its name; there are:\n{}", names());
    let targets: BTreeSet<(&str, &str)> = rows.iter().map(|row| (row.package, row.bench)).collect();
    // Benchmarks with bots run this program, and nothing else builds it.
    step(&mut cargo(&["build", "--release", "--package", "agon-sandbox"]))?;
    for (package, bench) in &targets {
        step(&mut cargo(&["bench", "--no-run", "--package", package, "--bench", bench]))?;
    }
    for &(package, bench) in &targets {
        let rows = || rows.iter().filter(|row| (row.package, row.bench) == (package, bench));
        if rows().any(|row| matches!(row.measure, Measure::Told { .. })) {
            listen(&mut on_one_core(package, bench, None)?, bench)?;
        } else {
            let ids = filter(rows().flat_map(|row| row.measure.ids()));
            step(&mut on_one_core(package, bench, Some(&ids))?)?;
        }
        // Most desktops have no AVX-512.
        let narrow = || rows().filter(|row| row.aim_avx2.is_some());
        if narrow().next().is_some() {
            let ids = filter(narrow().flat_map(|row| row.measure.ids()));
            let mut command = on_one_core(package, bench, Some(&ids))?;
            command.env("AGON_SIMD", "avx2").env("CRITERION_HOME", criterion::home(true));
            step(&mut command)?;
        }
    }
    let lines = lines(&rows)?;
    if text.is_empty() { page::write(&lines) } else { Ok(()) }
}

/// Writes the page from the last measurements.
pub(crate) fn write_again() -> Result<()> {
    page::write(&lines(&ROWS.iter().collect::<Vec<_>>())?)
}

/// Returns the lines of the table, and prints them.
fn lines(rows: &[&Row]) -> Result<Vec<Line>> {
    let tells = |row: &&&Row| matches!(row.measure, Measure::Told { .. });
    let told = rows.iter().filter(tells).map(|row| {
        let path = told(row.bench);
        Ok((
            row.bench,
            fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?,
        ))
    });
    let mut narrow = BTreeMap::new();
    if rows.iter().any(|row| row.aim_avx2.is_some()) {
        narrow = criterion::results(&criterion::home(true))?;
    }
    let samples = criterion::results(&criterion::home(false))?;
    let told = told.collect::<Result<_>>()?;
    let results = Results { samples: &samples, narrow: &narrow, told: &told };
    let lines = rows.iter().map(|row| row.line(&results)).collect::<Result<Vec<_>>>()?;
    eprintln!("\n{}", page::table(&lines));
    Ok(lines)
}

/// Returns a regular expression for the names that criterion should measure.
fn filter<'a>(ids: impl Iterator<Item = &'a str>) -> String {
    let escape =
        |c: char| if r"\.+*?()|[]{}^$".contains(c) { format!("\\{c}") } else { c.to_string() };
    let ids: BTreeSet<String> = ids.map(|id| id.chars().map(escape).collect()).collect();
    format!("^({})$", ids.into_iter().collect::<Vec<_>>().join("|"))
}

/// Returns a benchmark's command, on the last core unless it needs several.
fn on_one_core(package: &str, bench: &str, filter: Option<&str>) -> Result<Command> {
    let mut bench_it = cargo(&["bench", "--package", package, "--bench", bench]);
    bench_it.arg("--").args(filter);
    if rows::ON_ALL_CORES.contains(&bench) {
        return Ok(bench_it);
    }
    let cores = Command::new("nproc").output().context("nproc tells the number of cores")?;
    let cores: usize = String::from_utf8(cores.stdout)?.trim().parse()?;
    let mut pinned = Command::new("taskset");
    pinned.args(["--cpu-list", &(cores - 1).to_string()]);
    pinned.arg(bench_it.get_program()).args(bench_it.get_args());
    Ok(pinned)
}

/// Returns the file with a benchmark's output.
fn told(bench: &str) -> PathBuf {
    criterion::home(false).join(bench).with_extension("txt")
}

/// Runs a benchmark that prints its result.
fn listen(command: &mut Command, bench: &str) -> Result<()> {
    eprintln!("\n==> {command:?}");
    let output = command.current_dir(root()).stderr(Stdio::inherit()).output()?;
    eprint!("{}", String::from_utf8_lossy(&output.stdout));
    ensure!(output.status.success(), "failed with {}", output.status);
    let path = told(bench);
    // Only benchmarks that measure by themselves make it.
    let _ = path.parent().map(fs::create_dir_all);
    fs::write(&path, output.stdout).with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_no_patterns() {
        assert_eq!(filter(["b 2×3/x", "a.b"].into_iter()), r"^(a\.b|b 2×3/x)$");
    }
}
