//! `cargo xtask bench`: measures the figures of `docs/performance.md`, and writes them there.

mod rows;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use rows::ROWS;
use serde_json::Value;
use xtask::{cargo, entries, read, root, step, text_of, write};

use crate::{instructions::rustc_version, pages};

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
            command.env("AGON_SIMD", "avx2").env("CRITERION_HOME", home(true));
            step(&mut command)?;
        }
    }
    let mut results = Results { samples: samples(&home(false))?, ..Results::default() };
    if rows.iter().any(|row| row.aim_avx2.is_some()) {
        results.narrow = samples(&home(true))?;
    }
    for row in rows.iter().filter(|row| matches!(row.measure, Measure::Told { .. })) {
        results.told.insert(row.bench, read(&told(row.bench))?);
    }
    let lines = rows.iter().map(|row| row.line(&results)).collect::<Result<Vec<_>>>()?;
    eprintln!("\n{}", table(&lines));
    if text.is_empty() {
        let page = format!("{}\n{}", where_and_when()?, table(&lines));
        pages::write_marked("docs/performance.md", BEGIN, &page)?;
    }
    Ok(())
}

/// Returns a regular expression for the names that criterion should measure.
fn filter(ids: impl Iterator<Item = String>) -> String {
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
    let cores: usize = text_of(&mut Command::new("nproc"))?.trim().parse()?;
    let mut pinned = Command::new("taskset");
    pinned.args(["--cpu-list", &(cores - 1).to_string()]);
    pinned.arg(bench_it.get_program()).args(bench_it.get_args());
    Ok(pinned)
}

/// Returns the file with a benchmark's output.
fn told(bench: &str) -> PathBuf {
    home(false).join(bench).with_extension("txt")
}

/// Runs a benchmark that prints its result.
fn listen(command: &mut Command, bench: &str) -> Result<()> {
    eprintln!("\n==> {command:?}");
    let said = text_of(command.current_dir(root()).stderr(Stdio::inherit()))?;
    eprint!("{said}");
    write(&told(bench), said)
}

/// One benchmark's result.
#[derive(Clone, Copy, Debug)]
struct Sample {
    /// The median time of an iteration, in nanoseconds.
    nanos: f64,
    /// Elements or bytes of an iteration; 1 if the benchmark reports none.
    amount: f64,
}

impl Sample {
    /// Returns elements or bytes per second.
    fn rate(self) -> f64 {
        self.amount / self.nanos * 1e9
    }
}

/// Returns the folder with the results of benchmarks, those `without` AVX-512 apart.
fn home(without: bool) -> PathBuf {
    root().join(if without { "target/criterion-avx2" } else { "target/criterion" })
}

/// Returns the last result of each benchmark ever run here, by its name: `group/function`.
fn samples(home: &Path) -> Result<BTreeMap<String, Sample>> {
    let mut samples = BTreeMap::new();
    for group in folders(home)? {
        // A benchmark without a group uses the outer folder.
        for function in folders(&group)?.into_iter().chain([group]) {
            let newest = function.join("new");
            if !newest.join("benchmark.json").exists() {
                continue;
            }
            let benchmark = json(&newest.join("benchmark.json"))?;
            let estimates = json(&newest.join("estimates.json"))?;
            let amounts = benchmark["throughput"].as_object();
            let amount = amounts.and_then(|amounts| amounts.values().next()?.as_f64());
            let nanos = estimates["median"]["point_estimate"].as_f64();
            let id = benchmark["full_id"].as_str().context("a benchmark has a name")?;
            let nanos = nanos.with_context(|| format!("{id} has no median"))?;
            samples.insert(id.to_owned(), Sample { nanos, amount: amount.unwrap_or(1.0) });
        }
    }
    Ok(samples)
}

fn folders(path: &Path) -> Result<Vec<PathBuf>> {
    Ok(entries(path)?.into_iter().filter(|path| path.is_dir()).collect())
}

fn json(path: &Path) -> Result<Value> {
    serde_json::from_str(&read(path)?).with_context(|| path.display().to_string())
}

const BEGIN: &str = "<!-- written by `cargo xtask bench` -->\n";

/// Returns the table as Markdown.
fn table(lines: &[Line]) -> String {
    let mut text =
        "| what | goal | measured | speed-up over the reference implementation | without \
                    AVX-512 |\n| --- | ---: | ---: | ---: | ---: |\n"
            .to_owned();
    for line in lines {
        text += &format!("| {} |\n", line.join(" | "));
    }
    text
}

/// Says when and on which machine the figures were measured.
fn where_and_when() -> Result<String> {
    let date = text_of(Command::new("date").args(["--utc", "+%F"]))?;
    let cpus = read(Path::new("/proc/cpuinfo"))?;
    let model = cpus
        .lines()
        .find_map(|line| line.strip_prefix("model name"))
        .unwrap_or(": unknown processor");
    let model = model.trim_start_matches([' ', '\t', ':']);
    let widest = if cpus.contains("avx512f") {
        "with AVX-512"
    } else if cpus.contains("avx2") {
        "with AVX2"
    } else {
        "without AVX2 and AVX-512"
    };
    Ok(format!(
        "Measured on {} with rustc {} on one core, except for the row about two cores. Processor: \
         {model}, {widest}.\n",
        date.trim(),
        rustc_version()?
    ))
}

/// A figure.
struct Row {
    /// The thing that it measures.
    what: &'static str,
    /// The package and the benchmark that measure it.
    package: &'static str,
    /// See `package`.
    bench: &'static str,
    /// The goal, in the unit of the measure.
    aim: f64,
    /// The goal without AVX-512, as the speed-up over the simple implementation.
    aim_avx2: Option<f64>,
    /// The way to compute the figure from results of benchmarks.
    measure: Measure,
}

/// The way to compute a figure from results of benchmarks.
///
/// Their names are criterion's: `group/function`.
enum Measure {
    /// At least this many per second; also compared with the simple implementation.
    Rate {
        /// The unit that is counted.
        unit: &'static str,
        id: &'static str,
        /// Whether the group also measures the simple implementation, as `reference`.
        reference: bool,
    },
    /// At most this many microseconds more than something else.
    Above { id: &'static str, base: &'static str },
    /// At most this share of the whole, in percent.
    Share { part: &'static str, whole: &'static str },
    /// At least this many times as many per second as something else.
    Times { id: &'static str, base: &'static str },
    /// At least this many times as fast; the benchmark itself prints it after these words.
    Told { words: &'static str },
}

/// A line of the table: name, goal, result, ratio to the simple implementation, and the same
/// without AVX-512.
type Line = [String; 5];

/// All measurements.
#[derive(Default)]
struct Results {
    samples: BTreeMap<String, Sample>,
    /// Those without AVX-512.
    narrow: BTreeMap<String, Sample>,
    /// The benchmarks' outputs, by name.
    told: BTreeMap<&'static str, String>,
}

fn sample_of(samples: &BTreeMap<String, Sample>, id: &str) -> Result<Sample> {
    samples.get(id).copied().with_context(|| format!("no benchmark measured `{id}`"))
}

impl Measure {
    /// Returns the benchmarks that it needs.
    fn ids(&self) -> Vec<String> {
        match *self {
            Measure::Rate { id, reference: true, .. } => vec![id.to_owned(), reference_of(id)],
            Measure::Rate { id, .. } => vec![id.to_owned()],
            Measure::Above { id, base } | Measure::Times { id, base } => {
                [id, base].map(str::to_owned).into()
            }
            Measure::Share { part, whole } => [part, whole].map(str::to_owned).into(),
            Measure::Told { .. } => vec![],
        }
    }
}

/// Returns the benchmark of the simple implementation in the group of another one.
fn reference_of(id: &str) -> String {
    let (group, _) = id.rsplit_once('/').unwrap_or((id, ""));
    format!("{group}/reference")
}

impl Row {
    /// Returns the line to print.
    fn line(&self, results: &Results) -> Result<Line> {
        let aim = self.aim;
        let sample = |id: &str| sample_of(&results.samples, id);
        let (mut times, mut narrow) = (String::new(), String::new());
        let (wanted, figure) = match self.measure {
            Measure::Rate { unit, id, reference } => {
                if let Some(lacking) = lacking(id) {
                    let lacking = lacking.to_owned();
                    return Ok([self.what.to_owned(), String::new(), lacking, times, narrow]);
                }
                let rate = sample(id)?.rate();
                if reference {
                    let reference = reference_of(id);
                    times = short(rate / sample(&reference)?.rate());
                    if let Some(aim) = self.aim_avx2 {
                        let rate = sample_of(&results.narrow, id)?.rate();
                        let times = rate / sample_of(&results.narrow, &reference)?.rate();
                        narrow = format!("{} (goal {aim})", short(times));
                    }
                }
                (format!("≥ {} {unit}/s", scaled(aim)), format!("{} {unit}/s", scaled(rate)))
            }
            Measure::Above { id, base } => {
                let more = (sample(id)?.nanos - sample(base)?.nanos) / 1e3;
                (format!("≤ {aim} µs"), format!("{more:.1} µs"))
            }
            Measure::Share { part, whole } => {
                let share = sample(part)?.nanos / sample(whole)?.nanos * 100.0;
                (format!("≤ {aim} %"), format!("{share:.1} %"))
            }
            Measure::Times { id, base } => {
                let times = sample(id)?.rate() / sample(base)?.rate();
                (format!("≥ {aim}×"), format!("{}×", short(times)))
            }
            Measure::Told { words } => {
                let told = results
                    .told
                    .get(self.bench)
                    .with_context(|| format!("{} was not run", self.bench))?;
                let line = told.lines().find_map(|line| line.trim().strip_prefix(words));
                let number =
                    line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
                let number =
                    number.with_context(|| format!("{} did not print `{words}`", self.bench))?;
                (format!("≥ {aim}×"), format!("{}×", short(number)))
            }
        };
        Ok([self.what.to_owned(), wanted, figure, times, narrow])
    }
}

/// Returns the vector unit that a benchmark needs and this processor lacks.
fn lacking(id: &str) -> Option<&'static str> {
    let cpus = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    [("/avx512", " avx512vl", "no AVX-512 here"), ("/avx2", " avx2", "no AVX2 here")]
        .into_iter()
        .find(|(end, flag, _)| id.ends_with(end) && !cpus.contains(flag))
        .map(|(.., words)| words)
}

/// Formats a large number: 54.2 G.
fn scaled(number: f64) -> String {
    let (number, prefix) = match number {
        n if n >= 1e9 => (n / 1e9, " G"),
        n if n >= 1e6 => (n / 1e6, " M"),
        n if n >= 1e4 => (n / 1e3, " k"),
        n => (n, ""),
    };
    format!("{}{prefix}", short(number))
}

/// Formats a number with two or three significant digits.
fn short(number: f64) -> String {
    match number {
        n if n >= 1000.0 => {
            let whole = format!("{n:.0}");
            format!("{} {}", &whole[..whole.len() - 3], &whole[whole.len() - 3..])
        }
        n if n >= 100.0 || n.fract() == 0.0 => format!("{n:.0}"),
        n if n >= 10.0 => format!("{n:.1}"),
        n => format!("{n:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_no_patterns() {
        assert_eq!(filter(["b 2×3/x", "a.b"].into_iter().map(str::to_owned)), r"^(a\.b|b 2×3/x)$");
    }

    #[test]
    fn numbers_are_short() {
        let cases = [
            (54_321_000_000.0, "54.3 G"),
            (6e9, "6 G"),
            (4_560_000.0, "4.56 M"),
            (200_000.0, "200 k"),
        ];
        for (number, text) in cases {
            assert_eq!(scaled(number), text);
        }
        assert_eq!(
            (scaled(1_234.0), short(0.5), short(123.4)),
            ("1 234".into(), "0.50".into(), "123".into())
        );
    }

    #[test]
    fn figures_come_from_samples() {
        let sample = |nanos, amount| Sample { nanos, amount };
        let samples = [("g/a", sample(2_000.0, 8.0)), ("g/reference", sample(1_000.0, 1.0))];
        let samples = samples.into_iter().map(|(id, sample)| (id.to_owned(), sample)).collect();
        let told = [("clj", "x\narena / plain: 15.7 (median)\n".to_owned())].into_iter().collect();
        let narrow = [("g/a", sample(4_000.0, 8.0)), ("g/reference", sample(1_000.0, 1.0))];
        let narrow = narrow.into_iter().map(|(id, sample)| (id.to_owned(), sample)).collect();
        let results = Results { samples, narrow, told };
        let id = "g/a";
        let base = "g/reference";
        let figure = |bench, measure| {
            let aim_avx2 = Some(1.0);
            let row = Row { what: "it", package: "p", bench, aim: 3.0, aim_avx2, measure };
            row.line(&results).map(|[_, row @ ..]| row)
        };
        let rate = figure("b", Measure::Rate { unit: "cells", id, reference: true });
        assert_eq!(rate.unwrap(), ["≥ 3 cells/s", "4 M cells/s", "4", "2 (goal 1)"]);
        assert_eq!(figure("b", Measure::Above { id, base }).unwrap(), ["≤ 3 µs", "1.0 µs", "", ""]);
        assert_eq!(figure("b", Measure::Share { part: base, whole: id }).unwrap()[1], "50.0 %");
        assert_eq!(figure("b", Measure::Times { id, base }).unwrap()[1], "4×");
        assert_eq!(figure("clj", Measure::Told { words: "arena / plain:" }).unwrap()[1], "15.7×");
        assert!(figure("b", Measure::Above { id: "g/c", base }).is_err());
    }
}
