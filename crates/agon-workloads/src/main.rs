//! Fixed pieces of work of each game, for counting instructions: `cargo xtask instructions`.
//!
//! `agon-workloads NAME STEPS` sets up a match, plays STEPS steps of it, and prints a hash of the
//! final state. Without arguments it lists the names. It is a program of its own so that nothing
//! else has to be built, and nothing else is counted: the cost of a step is the difference between
//! two runs.

#![allow(clippy::print_stdout, reason = "its result is what it prints")]

mod workload;

use std::env;

use anyhow::{Context, Result, bail};

use workload::WORKLOADS;

fn main() -> Result<()> {
    let args: Vec<String> = env::args().skip(1).collect();
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
    println!("{:016x}", (workload.run)(steps)?);
    Ok(())
}
