//! `agon play` alone: a match of each game with its preset `default`.

use std::io::Write;

use agon_arena::ArenaGame;
use agon_core::Seed;
use agon_games::{GameId, presets, with_game};
use anyhow::{Result, bail};

use crate::{
    Exit,
    arena::Setup,
    cli::{MatchArgs, PlayArgs},
    output::{BOLD, DIM, MatchInfo, exit_of, print_result},
};

/// The seed without `--seed`: with it, each match has one winner.
const SEED: Seed = Seed(2);

/// Plays a match of each game between built-in bots.
pub(crate) fn demo(args: &PlayArgs, out: &mut impl Write) -> Result<Exit> {
    let seed = args.game_args.seed;
    let only_seed = MatchArgs { seed, ..MatchArgs::default() };
    if *args != (PlayArgs { game_args: only_seed, ..PlayArgs::default() }) {
        bail!(
            "the demonstration takes no options but --seed; name a game, as in `agon play cluster \
             --json`"
        );
    }
    let seed = seed.unwrap_or(SEED);
    let games = GameId::ALL.len();
    writeln!(out, "{} games, a match of each between built-in bots.\n", count(games))?;
    for id in GameId::ALL {
        let exit = with_game!(id, G => demo_game::<G>(seed, out))?;
        if exit != Exit::Done {
            return Ok(exit);
        }
        writeln!(out)?;
    }
    writeln!(out, "{DIM}Next:{DIM:#}")?;
    writeln!(
        out,
        "  {BOLD}agon rules cluster{BOLD:#}    how a game is played, and all you need to write a \
         bot"
    )?;
    writeln!(out, "  {BOLD}agon play cellhack{BOLD:#}    a match of one game, on another seed")?;
    writeln!(out, "  {BOLD}agon play --help{BOLD:#}      your own bots, settings, replays")?;
    Ok(Exit::Done)
}

/// A small number at the beginning of a sentence.
fn count(number: usize) -> String {
    match number {
        5 => "Five".to_owned(),
        6 => "Six".to_owned(),
        7 => "Seven".to_owned(),
        _ => number.to_string(),
    }
}

fn demo_game<G: ArenaGame>(seed: Seed, out: &mut impl Write) -> Result<Exit> {
    let rules = presets::rules::<G>(presets::DEFAULT)?;
    let args = MatchArgs { seed: Some(seed), ..MatchArgs::default() };
    let played = Setup::<G>::new(rules, &[], &args)?.play(&mut ())?;
    let info = MatchInfo { preset: Some(presets::DEFAULT), ..MatchInfo::of::<G>(None) };
    print_result(&played.result, &info, out)?;
    Ok(exit_of(&played.result))
}
