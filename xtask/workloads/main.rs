//! Fixed pieces of work of each game, for counting instructions: `cargo xtask instructions`.
//!
//! `agon-workloads NAME STEPS` sets up a match, plays STEPS steps of it, and prints a hash of the
//! final state. Without arguments it lists the names. `agon-workloads --seeds` compares the time of
//! steps with seeds as they are with that of [plain](Seed::plain) ones, over many matches. It is a
//! program of its own so that nothing else has to be built, and nothing else is counted: the cost
//! of a step is the difference between two runs.

#![allow(clippy::print_stdout, reason = "its result is what it prints")]

mod workload;

use std::{env, time::Instant};

use agon_core::Seed;
use anyhow::{Context, Result, bail};

use workload::{WORKLOADS, Workload};

fn main() -> Result<()> {
    let args: Vec<String> = env::args().skip(1).collect();
    if args == ["--seeds"] {
        return WORKLOADS.iter().try_for_each(compare_seeds);
    }
    let [name, steps] = &args[..] else {
        if !args.is_empty() {
            bail!("it takes a workload and a number of steps, or nothing to list the workloads");
        }
        WORKLOADS.iter().for_each(|workload| println!("{} {}", workload.name, workload.steps));
        return Ok(());
    };
    let workload = WORKLOADS.iter().find(|workload| workload.name == name);
    let workload = workload.with_context(|| format!("there is no workload `{name}`"))?;
    let steps = steps.parse().with_context(|| format!("`{steps}` is no number of steps"))?;
    println!("{:016x}", (workload.run)(steps, &mut (0..).map(Seed))?);
    Ok(())
}

/// The pairs of runs of a comparison, each with seeds of its own: other chance is other work.
const PAIRS: u64 = 60;

/// Prints how long steps take with both kinds of seeds, in turns.
fn compare_seeds(workload: &Workload) -> Result<()> {
    let time = |kind: fn(u64) -> Seed, pair: u64| {
        let begun = Instant::now();
        (workload.run)(workload.steps, &mut (pair * 1_000_000..).map(kind))?;
        anyhow::Ok(begun.elapsed().as_secs_f64())
    };
    let [mut new, mut plain] = [0.0, 0.0];
    for pair in 0..PAIRS {
        new += time(Seed, pair)?;
        plain += time(Seed::plain, pair)?;
    }
    let percent = (new / plain - 1.0) * 100.0;
    println!("{:<12} {percent:+.1} % of {plain:.2} s with plain seeds", workload.name);
    Ok(())
}
