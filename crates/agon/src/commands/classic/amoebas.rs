//! `agon amoebas SPECIES... [flags]`: the tournament flags of the manual that need no picture.

use std::{io::Write, path::PathBuf};

use agon_core::Game;
use agon_games::amoebas::{Amoebas, Rules, stats};
use anyhow::Result;
use clap::Args;

use crate::{
    Exit,
    arena::Setup,
    cli::MatchArgs,
    commands::replay::write_amoebas_csv,
    output::{MatchInfo, exit_of, print_result},
    settings,
};

#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Example:
  agon amoebas builtin:nasty \"red=builtin:slightly-brainy?low=15&divide=50\" --rounds 500 --csv-stats --directory out")]
pub(crate) struct AmoebasArgs {
    /// The species; without any, good built-in ones play.
    species: Vec<String>,
    /// How many rounds (generations) to run.
    #[arg(long, default_value_t = Rules::default().rounds, value_name = "N")]
    rounds: u32,
    /// Change a constant, such as world_size=100; may be given several times.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    sets: Vec<String>,
    /// Print statistics after each round.
    #[arg(long)]
    generational_stats: bool,
    /// Report when the last amoeba of a species died.
    #[arg(long)]
    report_extinctions: bool,
    /// Print statistics after the last round.
    #[arg(long)]
    last_gen_stats: bool,
    /// Write popsize.csv and energy.csv.
    #[arg(long)]
    csv_stats: bool,
    /// Where files are written; made when missing.
    #[arg(long, default_value = ".", value_name = "DIR")]
    directory: PathBuf,
    #[command(flatten)]
    game: MatchArgs,
}

/// Runs a tournament with the flags of the manual.
pub(crate) fn run(args: &AmoebasArgs, out: &mut impl Write) -> Result<Exit> {
    let rules = Rules { rounds: args.rounds, ..settings::load::<Amoebas>(None, &args.sets)? };
    let setup = Setup::<Amoebas>::new(rules, &args.species, &args.game)?;
    let names: Vec<String> = setup.bots.iter().map(|spec| spec.name()).collect();
    let species: Vec<&str> = names.iter().map(String::as_str).collect();
    let replay = setup.replay.clone();
    let mut history: Vec<stats::Population> = Vec::new();
    let played = setup.play(|moment| {
        let round = moment.game.progress().turn;
        if (history.len() as u64) > round {
            return Ok(());
        }
        let now = moment.game.population();
        if let Some(before) = history.last() {
            if args.generational_stats {
                writeln!(out, "{}", stats::generation_line(round, &species, now))?;
            }
            let extinct = stats::extinction_line(round, &species, before, now);
            if let (true, Some(line)) = (args.report_extinctions, extinct) {
                writeln!(out, "{line}")?;
            }
        }
        history.push(now.clone());
        Ok(())
    })?;
    if args.last_gen_stats {
        let rounds = played.result.turns;
        writeln!(out, "{}", stats::last_generation_line(rounds, &species, played.game.population()))?;
    }
    if args.csv_stats {
        write_amoebas_csv(&args.directory, &names, &history)?;
    }
    // Standard output holds the statistics only, as programs that read them expect.
    print_result(&played.result, &MatchInfo::of::<Amoebas>(replay.as_deref()), &mut anstream::stderr())?;
    Ok(exit_of(&played.result))
}
