//! Measures the time of each stage of a long chore, and prints a table at its end.
//!
//! `cargo xtask test`, `check`, `long` and `tutorial` use it.

use std::{
    cmp::Reverse,
    fmt::Write,
    fs,
    num::NonZero,
    sync::{Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

use anyhow::Result;

/// The number of stages in the table.
const SHOWN: usize = 10;

/// Completed stages. Several may run at the same time.
#[derive(Debug)]
pub(crate) struct Stages {
    begun: Instant,
    rows: Mutex<Vec<Row>>,
}

#[derive(Debug)]
struct Row {
    name: &'static str,
    /// The time of its start since that of the chore.
    begun: Duration,
    took: Duration,
    failed: bool,
}

impl Stages {
    pub(crate) fn new() -> Stages {
        Stages { begun: Instant::now(), rows: Mutex::default() }
    }

    /// Runs a stage.
    pub(crate) fn run<T>(
        &self,
        name: &'static str,
        stage: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        let begun = self.begun.elapsed();
        let result = stage();
        let row = Row { name, begun, took: self.begun.elapsed() - begun, failed: result.is_err() };
        self.rows.lock().unwrap_or_else(PoisonError::into_inner).push(row);
        result
    }

    /// Returns the time since the start of the chore.
    pub(crate) fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }

    /// Prints the times of the longest stages, in order of their starts, and the processor; returns
    /// `result`.
    pub(crate) fn tell(self, result: Result<()>) -> Result<()> {
        let all = self.begun.elapsed();
        let rows = self.rows.into_inner().unwrap_or_else(PoisonError::into_inner);
        eprint!("{}{}", table(&longest(rows), all), processor());
        result
    }
}

/// Returns the longest stages, and those that failed, in order of their starts.
fn longest(mut rows: Vec<Row>) -> Vec<Row> {
    rows.sort_by_key(|row| (!row.failed, Reverse(row.took)));
    rows.truncate(SHOWN);
    rows.sort_by_key(|row| row.begun);
    rows
}

/// Returns a line about this machine's processor, without which times say little.
fn processor() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let value = |key: &str| {
        let line = text.lines().find(|line| line.starts_with(key));
        line.and_then(|line| line.split_once(": ")).map_or("", |(_, value)| value)
    };
    let name = Some(value("model name")).filter(|name| !name.is_empty()).unwrap_or("processor");
    let widest = ["avx512f", "avx2"].into_iter().find(|unit| value("flags").contains(unit));
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    format!("{name}, cores: {cores}, vectors: {}\n", widest.unwrap_or("portable"))
}

fn table(rows: &[Row], all: Duration) -> String {
    let width = rows.iter().map(|row| row.name.len()).chain([5]).max().unwrap_or_default();
    let mut text = format!("\n{:width$}  {:>6}  {:>6}\n", "stage", "begins", "takes");
    for Row { name, begun, took, failed } in rows {
        let end = if *failed { "  FAILED" } else { "" };
        let _ = writeln!(text, "{name:width$}  {:>6}  {:>6}{end}", clock(*begun), clock(*took));
    }
    let _ = writeln!(text, "{:width$}  {:>6}  {:>6}", "all", "", clock(all));
    text
}

/// Formats minutes and seconds: `3:07`.
fn clock(time: Duration) -> String {
    let seconds = time.as_secs_f64().round() as u64;
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_all_stages_in_their_order() {
        let stages = Stages::new();
        let result = stages.run("outer", || stages.run("inner", || Ok(7)));
        assert_eq!(result.unwrap(), 7);
        assert!(stages.run("last", || anyhow::bail!("no") as Result<()>).is_err());
        let mut rows = stages.rows.into_inner().unwrap();
        rows.sort_by_key(|row| row.begun);
        let names: Vec<_> = rows.iter().map(|row| (row.name, row.failed)).collect();
        assert_eq!(names, [("outer", false), ("inner", false), ("last", true)]);
        let text = table(&rows, Duration::from_secs(125));
        assert!(
            text.contains("last     0:00    0:00  FAILED\n")
                && text.ends_with("all              2:05\n"),
            "{text}"
        );
    }

    #[test]
    fn the_longest_stages_and_failed_ones_are_shown() {
        let row = |at: u64, failed| Row {
            name: "stage",
            begun: Duration::from_secs(at),
            took: Duration::from_secs(if failed { 0 } else { at }),
            failed,
        };
        let rows = (0..20).rev().map(|at| row(at, at == 3)).collect();
        let shown: Vec<u64> = longest(rows).iter().map(|row| row.begun.as_secs()).collect();
        assert_eq!(shown, [3, 11, 12, 13, 14, 15, 16, 17, 18, 19]);
        assert!(processor().ends_with('\n') && processor().contains(", cores: "));
    }
}
