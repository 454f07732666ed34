//! `cargo xtask long`: checks that take too long for every change.
//!
//! CI runs one of them for each change, in turn, unless the machine is slow (`.ci/run`).

mod modules;
mod packages;
mod targets;

use std::{env, process::Command};

use anyhow::{Context, Result, bail};
use xtask::{cargo, root, step, text_of};

use crate::test::{self, Stages};
use crate::{fuzz, instructions, kits, setup, soak, tutorial};

/// A job of at most twelve minutes on two cores.
struct Job {
    name: &'static str,
    run: fn() -> Result<()>,
}

/// The number of matches of this job; `cargo xtask soak` plays more.
const SOAKED: &str = "4000";

/// The seconds of each fuzz target; `cargo xtask fuzz` runs them for longer.
const FUZZED: u64 = 20;

/// The jobs, in the order of their turns.
const JOBS: [Job; 20] = [
    Job { name: "soak", run: || soak::run(&["--matches", SOAKED]) },
    Job { name: "simulations", run: simulations },
    Job { name: "aarch64", run: targets::aarch64 },
    Job { name: "asan", run: targets::address },
    Job { name: "tsan", run: targets::thread },
    Job { name: "benchmarks", run: benchmarks },
    Job { name: "instructions", run: || instructions::run(false) },
    Job { name: "packages", run: packages::run },
    Job { name: "systems", run: targets::systems },
    Job { name: "contributor", run: contributor },
    Job { name: "kills", run: kills },
    Job { name: "power", run: power },
    Job { name: "postgres", run: postgres },
    Job { name: "fuzz", run: || fuzz::run(FUZZED, None) },
    Job { name: "storms", run: storms },
    Job { name: "large-tests", run: test::large },
    Job { name: "vectors", run: test::with_vectors },
    Job { name: "kits", run: || kits::run(&[]) },
    Job { name: "tutorial", run: tutorial::run },
    Job { name: "modules", run: modules::run },
];

/// Runs the `wanted` jobs: names, `--all`, or `--in-turn`.
pub(crate) fn run(wanted: &[&str]) -> Result<()> {
    let jobs = chosen(wanted)?;
    let stages = Stages::new();
    let result = jobs.into_iter().try_for_each(|job| stages.run(job.name, job.run));
    stages.tell(result)
}

fn chosen(wanted: &[&str]) -> Result<Vec<&'static Job>> {
    match wanted {
        [] => bail!("which long job? {}, --all, or --in-turn", names()),
        ["--all"] => Ok(JOBS.iter().collect()),
        ["--in-turn"] => Ok(vec![&JOBS[(commits()? % JOBS.len() as u64) as usize]]),
        wanted => wanted.iter().map(|name| named(name)).collect(),
    }
}

fn named(name: &str) -> Result<&'static Job> {
    let found = JOBS.iter().find(|job| job.name == name);
    found.with_context(|| {
        format!("there is no long job `{name}`; there are {}, --all, and --in-turn", names())
    })
}

fn names() -> String {
    JOBS.map(|job| job.name).join(", ")
}

/// Returns the number of commits: each change gets the next job.
fn commits() -> Result<u64> {
    let mut count = Command::new("git");
    let count = text_of(count.args(["rev-list", "--count", "HEAD"]).current_dir(root()))?;
    Ok(count.trim().parse()?)
}

/// Returns the command of the tests of a package whose names have `name` in them.
fn tests(package: &str, name: &str) -> Command {
    cargo(&["test", "--quiet", "--package", package, "--test", "all", name])
}

/// Examples that simulate tournaments and check their intervals: package, name, runs.
const COVERAGE: [[&str; 3]; 2] =
    [["agon-rating", "coverage", "300"], ["agon-contest", "ladder_coverage", "200"]];

/// Bots and runs of the simulated tournaments; many more would take an hour.
const LADDERS: [[&str; 2]; 2] = [["12", "40"], ["40", "8"]];

/// Runs the tests of statistics at length.
///
/// Errors must be as rare as promised within narrow bounds, and the matchmaker must find the order.
fn simulations() -> Result<()> {
    // A separate target folder for other features, so that nothing else is rebuilt.
    let target = root().join("target").join("long");
    let programs: [(&str, &[&str]); 2] =
        [("agon-rating", &["--lib", "--test", "all"]), ("agon-contest", &["--lib"])];
    for (package, program) in programs {
        let mut tests =
            cargo(&["test", "--release", "--features", "long-tests", "--package", package]);
        tests.args(program).arg("--target-dir").arg(&target);
        step(tests.args(["at_length", "--", "--nocapture"]))?;
    }
    let example = |package: &str, example: &str, args: &[&str]| {
        let mut run = cargo(&["run", "--release", "--package", package, "--example", example]);
        step(run.arg("--target-dir").arg(&target).arg("--").args(args))
    };
    COVERAGE.into_iter().try_for_each(|[package, name, runs]| example(package, name, &[runs]))?;
    LADDERS.into_iter().try_for_each(|args| example("agon-contest", "matchmaking", &args))
}

/// The packages with benchmarks.
const BENCHMARKED: [&str; 11] = [
    "agon-arena",
    "agon-bots",
    "agon-games",
    "agon-ladder",
    "agon-match",
    "agon-rating",
    "agon-remote",
    "agon-sandbox",
    "agon-server",
    "agon-view",
    "agon-wasm",
];

/// Runs each benchmark once, for what it checks.
///
/// Benchmarks know the ends of their matches. When rules, bots or colours change, these change as
/// well, and nothing else would notice before the next measurement.
fn benchmarks() -> Result<()> {
    // Benchmarks run these programs, and nothing else builds them.
    step(&mut cargo(&["build", "--release", "--package", "agon-sandbox", "--package", "agon"]))?;
    BENCHMARKED.into_iter().try_for_each(|package| {
        step(&mut cargo(&["bench", "--package", package, "--benches", "--", "--test"]))
    })
}

/// Repeats the path of a contributor in a clone. `docs/transcripts.md` has its commands.
fn contributor() -> Result<()> {
    let mut test = tests("agon", "the_path_of_a_contributor_prints_what_its_page_shows");
    // What other stages have built is for other sources.
    step(test.env("AGON_CONTRIBUTORS_TARGET", xtask::target()?.join("contributor")))
}

/// The ladder server is killed again and again while it works: 25 times, and fewer in
/// `cargo xtask test`. `AGON_KILLS=100` takes half an hour.
fn kills() -> Result<()> {
    let kills = env::var("AGON_KILLS").unwrap_or_else(|_| "25".to_owned());
    step(tests("agon-server", "kill::").args(["--", "--nocapture"]).env("AGON_KILLS", kills))?;
    // The same part of the tests that takes too long elsewhere.
    step(tests("agon-server", "finals::").args(["--", "--ignored"]))
}

/// The ladder server loses its power a hundred times while it works; fewer in `cargo xtask test`.
fn power() -> Result<()> {
    let mut test = tests("agon-server", "power::");
    step(test.args(["--", "--nocapture"]).env("AGON_FAILURES", "100"))
}

/// All tests of the ladder server with a database of PostgreSQL, which is also killed 15 times
/// while the server works, and less often in `cargo xtask test`. `AGON_KILLS=100` takes an hour.
fn postgres() -> Result<()> {
    // The program with which the tests get a database, and all that they start.
    step(&mut cargo(&["test", "--no-run", "--quiet", "--workspace"]))?;
    test::with_postgres()?;
    let kills = env::var("AGON_KILLS").unwrap_or_else(|_| "15".to_owned());
    let mut test = tests("agon-server", "postgres::nothing_acknowledged");
    step(test.args(["--", "--nocapture"]).env("AGON_KILLS", kills))
}

/// How many storms; `cargo xtask test` has two. `AGON_STORMS=50` has more.
const STORMS: u64 = 10;

/// Servers, workers and coordinators die, stand still and forget.
fn storms() -> Result<()> {
    setup::run()?;
    // The programs that the tests start.
    step(&mut cargo(&["build", "--package", "agon", "--package", "agon-nats"]))?;
    let mut test = tests("agon", "remote::storm::");
    test.args(["--", "--nocapture"]).env(test::COMPLETE, "1");
    // Each change has others.
    test.env("AGON_FIRST_STORM", (commits()? * STORMS).to_string());
    step(test.env("AGON_STORMS", STORMS.to_string()))?;
    let mut fleet = cargo(&["test", "--quiet", "--release", "--package", "agon-remote"]);
    step(fleet.args(["--test", "all", "simulation::"]).env("AGON_SEEDS", "2000"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_are_chosen_by_name() {
        let names = |wanted: &[&str]| -> Vec<_> {
            chosen(wanted).unwrap().iter().map(|j| j.name).collect()
        };
        assert_eq!(names(&["simulations", "soak"]), ["simulations", "soak"]);
        assert_eq!(names(&["--all"]).len(), JOBS.len());
        assert_eq!(names(&["--in-turn"]).len(), 1);
        let error = chosen(&["soap"]).err().unwrap().to_string();
        assert!(error.contains("`soap`; there are soak, simulations"), "{error}");
        assert!(chosen(&[]).is_err());
    }

    #[test]
    fn all_packages_with_benchmarks_are_listed() {
        let crates = xtask::entries(&root().join("crates")).unwrap();
        let found = crates.iter().filter(|path| path.join("benches").is_dir());
        let found: Vec<_> = found.map(|path| path.file_name().unwrap()).collect();
        assert_eq!(found, BENCHMARKED);
    }
}
