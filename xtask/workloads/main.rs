//! Fixed pieces of work of each game, for counting instructions: `cargo xtask instructions`.
//!
//! `agon-workloads NAME STEPS` sets up a match, plays STEPS steps of it, and prints a hash of the
//! final state. Without arguments it lists the names. It is a program of its own so that nothing
//! else has to be built, and nothing else is counted: the cost of a step is the difference between
//! two runs.

#![allow(clippy::print_stdout, reason = "its result is what it prints")]

use std::env;

use agon_core::{Decision, Fold, Game, GameExt, Params, Policy, Purpose, QuickStreams, Seed};
use agon_games::BuiltinBots;
use agon_games::amoebas::{self, Amoebas};
use agon_games::binfection::{self, Binfection};
use agon_games::cellhack::{self, Cellhack};
use agon_games::cluster::{self, Cluster};
use agon_games::rezzo::{self, Rezzo};
use anyhow::{Context, Result, bail};

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

/// A piece of work.
struct Workload {
    /// Its name on the command line.
    name: &'static str,
    /// The number of steps to count.
    steps: u64,
    /// Plays this many steps of matches, and returns a hash of the final states.
    run: fn(u64) -> Result<u64>,
}

/// All workloads, in the order in which they are listed.
const WORKLOADS: &[Workload] = &[
    // 25 batches a round.
    Workload { name: "amoebas", steps: 250, run: amoebas },
    Workload { name: "binfection", steps: 20, run: binfection },
    Workload { name: "cellhack", steps: 60, run: cellhack },
    Workload { name: "cluster", steps: 3_000, run: cluster },
    Workload { name: "rezzo", steps: 150, run: rezzo },
];

fn amoebas(steps: u64) -> Result<u64> {
    let rules = amoebas::Rules { world_size: 60, ..amoebas::Rules::default() };
    play::<Amoebas>(&rules, &["slightly-brainy", "mutating"], 1_500, steps)
}

fn binfection(steps: u64) -> Result<u64> {
    let rules =
        binfection::Rules { field_width: 40, field_height: 40, ..binfection::Rules::default() };
    play::<Binfection>(&rules, &["general", "spreader"], 40, steps)
}

fn cellhack(steps: u64) -> Result<u64> {
    play::<Cellhack>(
        &cellhack::Rules::default(),
        &["swarm", "hunter", "grower", "random"],
        100,
        steps,
    )
}

fn cluster(steps: u64) -> Result<u64> {
    play::<Cluster>(&cluster::Rules::default(), &["random", "random"], 0, steps)
}

fn rezzo(steps: u64) -> Result<u64> {
    play::<Rezzo>(&rezzo::Rules::default(), &["wanderer"; 10], 50, steps)
}

/// Plays `before` steps that are not counted, and then `steps`, in as many matches as that takes.
fn play<G: BuiltinBots>(rules: &G::Rules, bots: &[&str], before: u64, steps: u64) -> Result<u64> {
    let streams = |seed, player: usize| QuickStreams::new(seed, Purpose::Bot(player as u16));
    let bot = |(player, name): (usize, &&str)| Ok((policy::<G>(name)?, streams(Seed(0), player)));
    let mut bots = bots.iter().enumerate().map(bot).collect::<Result<Vec<_>>>()?;
    let mut hashes = Fold::new();
    let mut left = before + steps;
    for seed in (0..).map(Seed) {
        let mut game = G::new(rules, bots.len(), seed).context("the settings of a workload fit")?;
        for (player, bot) in bots.iter_mut().enumerate() {
            bot.1 = streams(seed, player);
        }
        let mut answers = Vec::new();
        for step in 0.. {
            if game.is_over() || left == 0 {
                break;
            }
            answers.clear();
            answers.extend(
                game.decisions().iter().map(|&decision| decide(&mut bots, &game, step, decision)),
            );
            game.step(&answers);
            left -= 1;
        }
        hashes.add(game.state_hash());
        if left == 0 {
            break;
        }
    }
    Ok(hashes.finish())
}

fn decide<G: Game>(
    bots: &mut [(Box<dyn Policy<G>>, QuickStreams)],
    game: &G,
    step: u64,
    decision: Decision,
) -> G::Answer {
    let (bot, streams) = &mut bots[decision.player.index()];
    bot.decide(&game.view(decision), &mut streams.of_unit(step, decision.unit))
}

fn policy<G: BuiltinBots>(name: &str) -> Result<Box<dyn Policy<G>>> {
    let builtin = G::BUILTINS.iter().find(|builtin| builtin.name == name);
    let builtin = builtin.with_context(|| format!("no bot `{name}` is built in"))?;
    Ok((builtin.make)(&Params::new(builtin.params, [])?)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_lead_somewhere() {
        for workload in WORKLOADS {
            let none = (workload.run)(0).unwrap();
            let one = (workload.run)(2).unwrap();
            assert_ne!(none, one, "{}", workload.name);
        }
    }
}
