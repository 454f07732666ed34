//! `cargo xtask soak`: many short matches on an overloaded machine, which must not harm any bot.
//!
//! As many arenas as the machine has cores play side by side, while busy programs take most of the
//! processor time. Each match has its own process, as on a command line. The bots are well-behaved,
//! so any fault is the fault of the machine or the arena.

mod compiler;
mod lineup;
mod load;
mod report;

use std::{
    env, fs,
    path::Path,
    process::{Command, Stdio},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    thread,
    time::Instant,
};

use anyhow::{Context, Result, bail};

use crate::run::{self, cargo, root, step};
use lineup::{Lineup, lineups};
use load::Load;
use report::{Played, Report};

/// The default number of matches.
const MATCHES: u64 = 20_000;

/// The default number of busy programs per core.
const LOAD: usize = 2;

/// The number of matches in `cargo xtask test`.
const SHORT: u64 = 300;

/// The amount of evidence that ends a soak.
const MAX_EVIDENCE: usize = 5;

/// The plan of a soak.
#[derive(Debug, PartialEq, Eq)]
struct Plan {
    matches: u64,
    load: usize,
}

impl Plan {
    /// Parses `[--matches N] [--load K]`.
    fn parse(args: &[&str]) -> Result<Plan> {
        let mut plan = Plan { matches: MATCHES, load: LOAD };
        for pair in args.chunks(2) {
            let &[flag, value] = pair else { bail!("{} needs a number", pair[0]) };
            let number = || {
                value.parse().with_context(|| format!("{flag} {value}: expected a whole number"))
            };
            match flag {
                "--matches" => plan.matches = number()?,
                "--load" => plan.load = number()? as usize,
                _ => bail!("unknown flag `{flag}`; there are --matches N and --load K"),
            }
        }
        if plan.matches == 0 {
            bail!("--matches 0: there is nothing to play");
        }
        Ok(plan)
    }
}

/// Builds the arena with all optimisations and soaks it.
pub(crate) fn run(args: &[&str]) -> Result<()> {
    let plan = Plan::parse(args)?;
    step(&mut cargo(&["build", "--release", "--package", "agon"]))?;
    soak(&plan, &run::target()?.join("release").join("agon"))
}

/// Runs a short soak of the arena that the tests have built, beside this program.
pub(crate) fn short() -> Result<()> {
    let own = env::current_exe()?;
    let plan = Plan { matches: SHORT, load: LOAD };
    soak(&plan, &own.with_file_name("agon"))
}

fn soak(plan: &Plan, agon: &Path) -> Result<()> {
    let folder = root().join("target").join("soak");
    fs::create_dir_all(&folder)?;
    let lineups = lineups(&folder)?;
    let arenas = thread::available_parallelism()?.get();
    eprintln!(
        "\n==> soak: {} matches, {arenas} arenas, {} busy programs",
        plan.matches,
        plan.load * arenas
    );
    let _load = Load::start(plan.load * arenas)?;
    let next = AtomicU64::new(0);
    let report = Mutex::new(Report::default());
    let begun = Instant::now();
    let work = || -> Result<()> {
        loop {
            let number = next.fetch_add(1, Relaxed);
            let enough = report.lock().unwrap_or_else(PoisonError::into_inner).evidence.len()
                >= MAX_EVIDENCE;
            if number >= plan.matches || enough {
                return Ok(());
            }
            let lineup = &lineups[(number % lineups.len() as u64) as usize];
            let played = play(agon, lineup, number)?;
            report.lock().unwrap_or_else(PoisonError::into_inner).add(lineup.name, played);
        }
    };
    thread::scope(|scope| -> Result<()> {
        let arenas: Vec<_> = (0..arenas).map(|_| scope.spawn(work)).collect();
        arenas
            .into_iter()
            .try_for_each(|arena| arena.join().expect("an arena's thread does not panic"))
    })?;
    let report = report.into_inner().unwrap_or_else(PoisonError::into_inner);
    report.print(begun.elapsed());
    match report.evidence.is_empty() {
        true => Ok(()),
        false => bail!("the machine cost bots something, see above"),
    }
}

/// Plays a match like a person on the command line.
fn play(agon: &Path, lineup: &Lineup, seed: u64) -> Result<Played> {
    let mut command = Command::new(agon);
    command.args(["play", lineup.game, "--json", "--seed", &seed.to_string()]).args(&lineup.args);
    command.args(lineup.sets.iter().flat_map(|set| ["--set", set]));
    command.current_dir(root()).stdin(Stdio::null());
    let begun = Instant::now();
    let output = command.output().with_context(|| format!("cannot run {}", agon.display()))?;
    Ok(Played::of(&command, &output, begun.elapsed()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_read_or_refused() {
        assert_eq!(Plan::parse(&[]).unwrap(), Plan { matches: MATCHES, load: LOAD });
        assert_eq!(
            Plan::parse(&["--load", "5", "--matches", "7"]).unwrap(),
            Plan { matches: 7, load: 5 }
        );
        for args in [&["--load"][..], &["--matches", "x"], &["--matches", "0"], &["--laod", "1"]] {
            assert!(Plan::parse(args).is_err(), "{args:?}");
        }
    }
}
