//! `cargo xtask check` and `cargo xtask test`: the checks before a change lands.
//!
//! `check` is quick. `test` runs everything, and CI runs it for each change.

use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{
    cmp::Reverse, collections::BTreeMap, fmt::Write, fs, num::NonZero, path::PathBuf, thread,
};

use anyhow::{Result, ensure};
use xtask::{cargo, entries, has, quiet_step, root, step, target, text_of, write};

use crate::{kit_types, kits, setup, soak, web};

/// Runs the quick tier: format, lints, the tests of `cargo test`.
pub(crate) fn check() -> Result<()> {
    let stages = Stages::new();
    let result = (|| {
        stages.run("format", check_format)?;
        stages.run("types of starter kits", kit_types::check)?;
        stages.run("build tests", || Tests::Quick.build())?;
        stages.run("lints", || step(&mut lints()))?;
        stages.run("tests", || Tests::Quick.run())
    })();
    stages.tell(result)
}

/// Runs everything that CI runs each time. What would run twice, such as a suite with another
/// database or other vector units, is a long job.
pub(crate) fn all() -> Result<()> {
    let stages = Stages::new();
    let result = (|| {
        stages.run("packages", || {
            setup::run()?;
            setup::toolchains(&kits::Kit::all()?)
        })?;
        stages.run("format", check_format)?;
        stages.run("web bundle", web::check)?;
        stages.run("build tests", || Tests::All.build())?;
        tests_and_builds(&stages)?;
        stages.run("soak", soak::short)
    })();
    eprint!("{}", longest());
    stages.tell(result)
}

/// Runs tests and builds side by side: tests wait more than they compute.
fn tests_and_builds(stages: &Stages) -> Result<()> {
    thread::scope(|scope| {
        let builds = scope.spawn(|| {
            let quiet = |name, mut command: Command| stages.run(name, || quiet_step(&mut command));
            [quiet("lints", lints()), quiet("documentation", documentation())]
        });
        let tests = stages.run("tests", || Tests::All.run());
        let builds = builds.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        // All failures are reported, because a person may have waited long for them.
        let failed: Vec<_> = [tests].into_iter().chain(builds).filter_map(Result::err).collect();
        failed.iter().for_each(|error| eprintln!("\nerror: {error:#}"));
        failed.into_iter().next().map_or(Ok(()), Err)
    })
}

/// Returns a command of cargo at the lowest priority, because tests beside it have deadlines.
fn patient_cargo(args: &[&str]) -> Command {
    let mut nice = Command::new("nice");
    nice.args(["-n", "19"]).arg(cargo(args).get_program()).args(args);
    nice
}

fn lints() -> Command {
    let mut command = patient_cargo(&["clippy", "--all-targets", "--quiet"]);
    command.args(EVERYTHING).args(["--", "--deny", "warnings"]);
    command
}

fn documentation() -> Command {
    let mut command = patient_cargo(&["doc", "--no-deps", "--quiet"]);
    command.args(EVERYTHING).env("RUSTDOCFLAGS", "--deny warnings");
    command
}

/// Set if all programs of the workspace are built, so that tests do not build them again.
const BUILT: &str = "AGON_TESTS_BUILT";

/// Set if no test may be left out, neither for its time nor for its needs.
pub(crate) const COMPLETE: &str = "AGON_TESTS_COMPLETE";

/// Names the file for the reasons of skipped tests.
const SKIPPED: &str = "AGON_TESTS_SKIPPED";

/// All packages, with the programs that only some chores need.
pub(crate) const EVERYTHING: [&str; 3] =
    ["--workspace", "--features", "xtask/package,xtask/site,xtask/workloads"];

/// A set of tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tests {
    /// The tests that `cargo test` runs in the root.
    Quick,
    /// The tests of all packages.
    All,
}

impl Tests {
    /// Returns cargo's arguments for building them.
    fn packages(self) -> &'static [&'static str] {
        match self {
            Tests::Quick => &[],
            Tests::All => &EVERYTHING,
        }
    }

    /// Builds them and the programs that they need.
    pub(crate) fn build(self) -> Result<()> {
        let build = [&["test", "--no-run", "--quiet"], self.packages()].concat();
        step(&mut cargo(&build))?;
        if has("cargo-nextest") {
            let list = ["nextest", "list", "--list-type", "binaries-only"];
            let mut list = cargo(&[&list[..], self.packages()].concat());
            list.args(["--message-format", "json"]).stderr(Stdio::inherit());
            write(&programs_file(), text_of(&mut list)?)?;
        }
        Ok(())
    }

    /// Runs them, once they are built, and prints which were left out.
    pub(crate) fn run(self) -> Result<()> {
        let skipped = skipped_file();
        let _ = fs::remove_file(&skipped);
        let result = self.run_all();
        if let Ok(text) = fs::read_to_string(&skipped) {
            eprint!("\n{}", told(&text));
        }
        result
    }

    fn run_all(self) -> Result<()> {
        if !has("cargo-nextest") {
            // All failures at once, because a person may have waited long for them.
            let all = [&["test", "--quiet", "--no-fail-fast"], self.packages()].concat();
            return step(self.environment(&mut cargo(&all)));
        }
        let mut run = cargo(&["nextest", "run", "--hide-progress-bar"]);
        // Cargo is not asked: the lints may have taken its lock first.
        run.arg("--binaries-metadata").arg(programs_file());
        step(self.environment(&mut run))?;
        // Nextest does not run examples in documentation.
        let documented = [&["test", "--doc", "--quiet"], self.packages()].concat();
        step(self.environment(&mut cargo(&documented)))
    }

    fn environment(self, command: &mut Command) -> &mut Command {
        match self {
            Tests::Quick => command.env(SKIPPED, skipped_file()),
            Tests::All => command.env(BUILT, "1").env(COMPLETE, "1"),
        }
    }
}

fn skipped_file() -> PathBuf {
    root().join("target").join("tests-left-out.txt")
}

/// Where nextest finds the programs that [`Tests::build`] has built.
fn programs_file() -> PathBuf {
    root().join("target").join("tests-built.json")
}

/// Counts skipped tests for each reason, from lines with a name and a reason.
fn told(lines: &str) -> String {
    let mut reasons: BTreeMap<&str, u32> = BTreeMap::new();
    for (_, why) in lines.lines().filter_map(|line| line.split_once('\t')) {
        *reasons.entry(why).or_default() += 1;
    }
    reasons.iter().map(|(why, count)| format!("skipped: {count} tests that {why}\n")).collect()
}

/// Runs the tests that `cargo xtask test` leaves out for their repetition or size: those that
/// `.config/nextest.toml` names.
pub(crate) fn large() -> Result<()> {
    ensure!(has("cargo-nextest"), "without cargo-nextest, `cargo xtask test` runs these tests");
    let mut run = cargo(&["nextest", "run", "--hide-progress-bar"]);
    run.args(EVERYTHING).args(["--ignore-default-filter", "-E", "not default()"]);
    step(Tests::All.environment(&mut run))
}

/// Runs the tests of `agon-games` with narrower vectors: all widths must play the same games.
///
/// Nextest selects from all tests, so that the built programs are used again.
pub(crate) fn with_vectors() -> Result<()> {
    for simd in ["portable", "avx2"] {
        let mut run = if has("cargo-nextest") {
            let mut run = cargo(&["nextest", "run", "--hide-progress-bar"]);
            run.args(EVERYTHING).args(["-E", "package(agon-games)"]);
            run
        } else {
            cargo(&["test", "--quiet", "--package", "agon-games", "--tests"])
        };
        step(run.env("AGON_SIMD", simd).env(COMPLETE, "1"))?;
    }
    Ok(())
}

/// Runs the tests of the ladder server with a database of PostgreSQL, without those that start one
/// themselves.
pub(crate) fn with_postgres() -> Result<()> {
    let left_out = ["postgres::", "power::"];
    let mut run = Command::new(target()?.join("debug/examples/with-postgres"));
    run.arg("cargo");
    if has("cargo-nextest") {
        let pattern = format!("package(agon-server) - test(/^({})/)", left_out.join("|"));
        run.args(["nextest", "run", "--hide-progress-bar"]).args(EVERYTHING).args(["-E", &pattern]);
    } else {
        run.args(["test", "--quiet", "--package", "agon-server", "--test", "all", "--"]);
        run.args(left_out.iter().flat_map(|name| ["--skip", name]));
    }
    step(run.current_dir(root()).env(BUILT, "1").env(COMPLETE, "1"))
}

/// Returns a table of the ten tests that took longest, from the report of nextest; empty without
/// one.
pub(crate) fn longest() -> String {
    let report = root().join("target/nextest/default/junit.xml");
    fs::read_to_string(report).map(|report| longest_of(&report)).unwrap_or_default()
}

fn longest_of(report: &str) -> String {
    let attribute = |case: &str, name: &str| -> Option<String> {
        let (_, rest) = case.split_once(&format!(" {name}=\""))?;
        Some(rest.split_once('"')?.0.to_owned())
    };
    let mut tests: Vec<(f64, String)> = Vec::new();
    for case in report.split("<testcase").skip(1) {
        let time = attribute(case, "time").and_then(|time| time.parse().ok());
        let Some(time) = time else { continue };
        let name = [attribute(case, "classname"), attribute(case, "name")];
        tests.push((time, name.map(Option::unwrap_or_default).join(" ")));
    }
    tests.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut table = String::new();
    for (time, name) in tests.iter().take(10) {
        table += &format!("{time:>7.1} s  {name}\n");
    }
    if table.is_empty() { table } else { format!("\nthe longest tests\n{table}") }
}

/// Fails if rustfmt would change something.
pub(crate) fn check_format() -> Result<()> {
    step(&mut cargo(&["fmt", "--all", "--check"]))?;
    step(rustfmt()?.arg("--check"))
}

/// Formats everything.
pub(crate) fn format() -> Result<()> {
    step(&mut cargo(&["fmt", "--all"]))?;
    step(&mut rustfmt()?)
}

/// Returns a command that formats the games. A macro declares their modules, and rustfmt does not
/// look into macros, so it gets their files by name.
fn rustfmt() -> Result<Command> {
    let mut command = Command::new("rustfmt");
    command.args(["--edition", "2024"]).args(games()?);
    Ok(command)
}

/// Returns the first file of each game. A folder with a page is a game.
pub(crate) fn games() -> Result<Vec<PathBuf>> {
    let folders = entries(&root().join("crates/agon-games/src"))?;
    let games = folders.iter().filter(|folder| folder.join("page.md").is_file());
    Ok(games.map(|folder| folder.join("mod.rs")).collect())
}

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

    /// Prints the times of the longest stages, in order of their starts, and the processor; returns
    /// `result`.
    pub(crate) fn tell(self, result: Result<()>) -> Result<()> {
        let all = self.begun.elapsed();
        let rows = self.rows.into_inner().unwrap_or_else(PoisonError::into_inner);
        eprint!("{}{}", stage_table(&longest_rows(rows), all), processor());
        result
    }
}

/// Returns the longest stages, and those that failed, in order of their starts.
fn longest_rows(mut rows: Vec<Row>) -> Vec<Row> {
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

fn stage_table(rows: &[Row], all: Duration) -> String {
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
    fn what_was_left_out_is_counted() {
        let lines = "one\ttake long\ntwo\tneed tmux\nthree\ttake long\n";
        assert_eq!(
            told(lines),
            "skipped: 1 tests that need tmux\nskipped: 2 tests that take long\n"
        );
        assert_eq!(told(""), "");
    }

    #[test]
    fn tests_that_are_left_out_exist() {
        let config = fs::read_to_string(root().join(".config/nextest.toml")).unwrap();
        let (_, filter) = config.split_once("not test(/^(\\\n").unwrap();
        let (filter, _) = filter.split_once(")$/)").unwrap();
        let names: Vec<&str> =
            filter.lines().map(|line| line.trim_end_matches('\\').trim_matches('|')).collect();
        assert!(names.len() >= 5, "{names:?}");
        for name in names.into_iter().filter(|name| !name.is_empty()) {
            let parts: Vec<&str> = name.split("::").collect();
            let (test, modules) = parts.split_last().unwrap();
            // A module may stand in the file of the one above.
            let source = (1..=modules.len()).rev().find_map(|count| {
                let path = root().join("crates/agon/tests").join(modules[..count].join("/"));
                let file = [path.with_extension("rs"), path.join("mod.rs")];
                file.iter().find_map(|file| fs::read_to_string(file).ok())
            });
            let source = source.unwrap_or_else(|| panic!("{name}: there is no such file"));
            assert!(source.contains(&format!("fn {test}(")), "{name} is no test");
        }
    }

    #[test]
    fn the_longest_tests_are_listed() {
        let case = |name: &str, time: &str| {
            format!("<testcase name=\"{name}\" classname=\"agon\" time=\"{time}\">\n</testcase>")
        };
        let many: String = (0..12).map(|n| case(&format!("t{n}"), &format!("{n}.25"))).collect();
        let table = longest_of(&many);
        assert_eq!(table.lines().count(), 12, "{table}");
        assert!(table.starts_with("\nthe longest tests\n   11.2 s  agon t11\n"), "{table}");
        assert!(!table.contains("agon t1\n"), "{table}");
        assert_eq!(longest_of("<testsuites></testsuites>"), "");
    }

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
        let text = stage_table(&rows, Duration::from_secs(125));
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
        let shown: Vec<u64> = longest_rows(rows).iter().map(|row| row.begun.as_secs()).collect();
        assert_eq!(shown, [3, 11, 12, 13, 14, 15, 16, 17, 18, 19]);
        assert!(processor().ends_with('\n') && processor().contains(", cores: "));
    }
}
