//! `cargo xtask long`: checks that take too long for every change.
//!
//! CI runs one of them for each change, in turn.

mod aarch64;
mod benchmarks;
mod contributor;
mod kills;
mod packages;
mod postgres;
mod power;
mod sanitizers;
mod simulations;
mod storms;
mod systems;
pub(crate) mod turn;

use anyhow::{Context, Result, bail};

use crate::{fuzz, kits, soak, stages::Stages, suite, tutorial};

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
const JOBS: [Job; 18] = [
    Job { name: "soak", run: || soak::run(&["--matches", SOAKED]) },
    Job { name: "simulations", run: simulations::run },
    Job { name: "aarch64", run: aarch64::run },
    Job { name: "asan", run: sanitizers::address },
    Job { name: "tsan", run: sanitizers::thread },
    Job { name: "benchmarks", run: benchmarks::run },
    Job { name: "packages", run: packages::run },
    Job { name: "systems", run: systems::run },
    Job { name: "contributor", run: contributor::run },
    Job { name: "kills", run: kills::run },
    Job { name: "power", run: power::run },
    Job { name: "postgres", run: postgres::run },
    Job { name: "fuzz", run: || fuzz::run(FUZZED, None) },
    Job { name: "storms", run: storms::run },
    Job { name: "large-tests", run: suite::large },
    Job { name: "vectors", run: suite::with_vectors },
    Job { name: "kits", run: || kits::run(&[], false) },
    Job { name: "tutorial", run: tutorial::run },
];

/// Runs the `wanted` jobs: names, `--all`, or `--in-turn`.
pub(crate) fn run(wanted: &[&str]) -> Result<()> {
    let jobs = chosen(wanted)?;
    if jobs.is_empty() {
        eprintln!("no long job in turn: {}", turn::SLOW);
        return Ok(());
    }
    let stages = Stages::new();
    let result = jobs.into_iter().try_for_each(|job| stages.run(job.name, job.run));
    stages.tell(result)
}

fn chosen(wanted: &[&str]) -> Result<Vec<&'static Job>> {
    match wanted {
        [] => bail!("which long job? {}, --all, or --in-turn", names()),
        ["--all"] => Ok(JOBS.iter().collect()),
        ["--in-turn"] if !turn::has_time() => Ok(Vec::new()),
        ["--in-turn"] => Ok(vec![&JOBS[(turn::commits()? % JOBS.len() as u64) as usize]]),
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
        assert_eq!(names(&["--in-turn"]).len(), usize::from(turn::has_time()));
        assert!(
            chosen(&["soap"])
                .err()
                .unwrap()
                .to_string()
                .contains("`soap`; there are soak, simulations")
        );
        assert!(chosen(&[]).is_err());
    }
}
