//! A row of the table in `docs/performance.md`: a figure, how it is computed, and its goal.
//!
//! `rows` lists all rows for `cargo xtask bench`.

use std::collections::BTreeMap;

use anyhow::{Context, Result};

use super::criterion::Sample;

/// A figure.
pub(crate) struct Row {
    /// The thing that it measures.
    pub(crate) what: &'static str,
    /// The package and the benchmark that measure it.
    pub(crate) package: &'static str,
    /// See `package`.
    pub(crate) bench: &'static str,
    /// The goal, in the unit of the measure.
    pub(crate) aim: f64,
    /// The goal without AVX-512, as the speed-up over the simple implementation.
    pub(crate) aim_avx2: Option<f64>,
    /// The way to compute the figure from results of benchmarks.
    pub(crate) measure: Measure,
}

/// The way to compute a figure from results of benchmarks.
///
/// Their names are criterion's: `group/function`.
pub(crate) enum Measure {
    /// At least this many per second; also compared with the simple implementation.
    Rate {
        /// The unit that is counted.
        unit: &'static str,
        id: &'static str,
        reference: Option<&'static str>,
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
pub(crate) type Line = [String; 5];

/// All measurements.
pub(crate) struct Results<'a> {
    pub(crate) samples: &'a BTreeMap<String, Sample>,
    /// Those without AVX-512.
    pub(crate) narrow: &'a BTreeMap<String, Sample>,
    /// The benchmarks' outputs, by name.
    pub(crate) told: &'a BTreeMap<&'static str, String>,
}

impl Results<'_> {
    fn sample(&self, id: &str) -> Result<Sample> {
        find(self.samples, id)
    }
}

fn find(samples: &BTreeMap<String, Sample>, id: &str) -> Result<Sample> {
    samples.get(id).copied().with_context(|| format!("no benchmark measured `{id}`"))
}

impl Measure {
    /// Returns the benchmarks that it needs.
    pub(crate) fn ids(&self) -> Vec<&'static str> {
        match *self {
            Measure::Rate { id, reference, .. } => [id].into_iter().chain(reference).collect(),
            Measure::Above { id, base } | Measure::Times { id, base } => vec![id, base],
            Measure::Share { part, whole } => vec![part, whole],
            Measure::Told { .. } => vec![],
        }
    }
}

impl Row {
    /// Returns the line to print.
    pub(crate) fn line(&self, results: &Results<'_>) -> Result<Line> {
        let aim = self.aim;
        let (mut times, mut narrow) = (String::new(), String::new());
        let (wanted, figure) = match self.measure {
            Measure::Rate { unit, id, reference } => {
                if let Some(lacking) = lacking(id) {
                    let lacking = lacking.to_owned();
                    return Ok([self.what.to_owned(), String::new(), lacking, times, narrow]);
                }
                let rate = results.sample(id)?.rate();
                if let Some(reference) = reference {
                    times = short(rate / results.sample(reference)?.rate());
                    if let Some(aim) = self.aim_avx2 {
                        let rate = find(results.narrow, id)?.rate();
                        let times = rate / find(results.narrow, reference)?.rate();
                        narrow = format!("{} (goal {aim})", short(times));
                    }
                }
                (format!("≥ {} {unit}/s", scaled(aim)), format!("{} {unit}/s", scaled(rate)))
            }
            Measure::Above { id, base } => {
                let more = (results.sample(id)?.nanos - results.sample(base)?.nanos) / 1e3;
                (format!("≤ {aim} µs"), format!("{more:.1} µs"))
            }
            Measure::Share { part, whole } => {
                let share = results.sample(part)?.nanos / results.sample(whole)?.nanos * 100.0;
                (format!("≤ {aim} %"), format!("{share:.1} %"))
            }
            Measure::Times { id, base } => {
                let times = results.sample(id)?.rate() / results.sample(base)?.rate();
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
        let samples = [("g/a", sample(2_000.0, 8.0)), ("g/b", sample(1_000.0, 1.0))];
        let samples = samples.into_iter().map(|(id, sample)| (id.to_owned(), sample)).collect();
        let told = [("clj", "x\narena / plain: 15.7 (median)\n".to_owned())].into_iter().collect();
        let narrow = [("g/a", sample(4_000.0, 8.0)), ("g/b", sample(1_000.0, 1.0))];
        let narrow = narrow.into_iter().map(|(id, sample)| (id.to_owned(), sample)).collect();
        let results = Results { samples: &samples, narrow: &narrow, told: &told };
        let id = "g/a";
        let base = "g/b";
        let figure = |bench, measure| {
            let aim_avx2 = Some(1.0);
            let row = Row { what: "it", package: "p", bench, aim: 3.0, aim_avx2, measure };
            row.line(&results).map(|[_, row @ ..]| row)
        };
        let rate = figure("b", Measure::Rate { unit: "cells", id, reference: Some(base) });
        assert_eq!(rate.unwrap(), ["≥ 3 cells/s", "4 M cells/s", "4", "2 (goal 1)"]);
        assert_eq!(figure("b", Measure::Above { id, base }).unwrap(), ["≤ 3 µs", "1.0 µs", "", ""]);
        assert_eq!(figure("b", Measure::Share { part: base, whole: id }).unwrap()[1], "50.0 %");
        assert_eq!(figure("b", Measure::Times { id, base }).unwrap()[1], "4×");
        assert_eq!(figure("clj", Measure::Told { words: "arena / plain:" }).unwrap()[1], "15.7×");
        assert!(figure("b", Measure::Above { id: "g/c", base }).is_err());
    }
}
