//! `agon rezzo [-w N] [-h N] [-t MS] [-q] [-r SEED] warrior ...`

use std::{io::Write, path::PathBuf, time::Duration};

use agon_bots::{Clock, Timing};
use agon_core::Seed;
use agon_games::rezzo::{Rezzo, Rules};
use anyhow::{Context, Result, bail};
use clap::Args;

use crate::{
    Exit,
    arena::Setup,
    cli::{MatchArgs, View},
    output::{MatchInfo, exit_of, print_result},
    screen, show,
};

/// What a program may take to start, in quick mode.
const START: Duration = Duration::from_secs(1);

#[derive(Args, Clone, Debug)]
#[command(
    disable_help_flag = true,
    after_help = "\
A warrior is a program or a command line in quotes, or builtin:NAME. Without -q a tick lasts its full time, and
a window shows the match where there is a display.

Example:
  agon rezzo -w 64 -h 64 -q -r 7 ./warrior \"python3 examples/bots/rezzo/guard.py\" --max-ticks 5000"
)]
pub(crate) struct RezzoArgs {
    /// Cells in a row of the world.
    #[arg(short = 'w', default_value_t = Rules::default().width, value_name = "N")]
    width: u32,
    /// Rows of the world.
    #[arg(short = 'h', default_value_t = Rules::default().height, value_name = "N")]
    height: u32,
    /// How long a tick lasts, in milliseconds.
    #[arg(short = 't', default_value_t = 60, value_name = "MS")]
    tick: u64,
    /// Go on as soon as all warriors have answered.
    #[arg(short = 'q')]
    quick: bool,
    /// The seed.
    #[arg(short = 'r', value_name = "SEED", conflicts_with = "seed")]
    random: Option<Seed>,
    /// End in a tie after so many ticks; 0 plays until one is left.
    #[arg(long, default_value_t = 0, value_name = "N")]
    max_ticks: u64,
    /// Read the world from a text file (the characters of the viewport, a line a row) instead.
    #[arg(long, value_name = "FILE")]
    map: Option<PathBuf>,
    /// Pixels of a cell in pictures; there are none yet.
    #[arg(short = 'z', value_name = "ZOOM", hide = true)]
    zoom: Option<u32>,
    /// Folder for pictures; there are none yet.
    #[arg(short = 'v', value_name = "DIR", hide = true)]
    video: Option<PathBuf>,
    /// Print help.
    #[arg(long, action = clap::ArgAction::Help)]
    help: Option<bool>,
    /// The warriors.
    #[arg(required = true, value_name = "WARRIOR")]
    warriors: Vec<String>,
    /// Options of a display; there is none yet.
    #[arg(last = true, value_name = "UI-OPTIONS", hide = true)]
    display: Vec<String>,
    #[command(flatten)]
    game: MatchArgs,
}

/// Plays a match of rezzo.
pub(crate) fn run(args: &RezzoArgs, out: &mut impl Write) -> Result<Exit> {
    if args.video.is_some() {
        bail!("-v: this version cannot make pictures yet");
    }
    if args.zoom.is_some() || !args.display.is_empty() {
        anstream::eprintln!("warning: -z and what follows `--` are ignored: this version has no display yet");
    }
    let map = args.map.as_deref().map(|path| {
        let text =
            std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        anyhow::Ok(text.lines().map(str::to_owned).collect())
    });
    let map = map.transpose()?.unwrap_or_default();
    let rules =
        Rules { width: args.width, height: args.height, max_ticks: args.max_ticks, map, ..Rules::default() };
    let mut game = args.game.clone();
    game.seed = game.seed.or(args.random);
    let mut setup = Setup::<Rezzo>::new(rules, &args.warriors, &game)?;
    let tick = Duration::from_millis(args.tick);
    if args.game.host.bank.is_some() && !args.quick {
        bail!("--bank: a steady tick waits for nobody; -q has ticks that end when all have answered");
    }
    if let Timing::Game | Timing::Bank(_) = setup.host.timing {
        let quick = Clock { first: START.max(tick), ..Clock::cpu(tick) };
        let clock = if args.quick { quick } else { Clock::wall(tick) };
        setup.host.timing = Timing::Clock(setup.host.timing.or(clock).unwrap_or(clock));
    }
    setup.host.steady = !args.quick;
    setup.pace = (!args.quick).then_some(tick);
    let replay = setup.replay.clone();
    let mut watch = args.game.watch.clone();
    // Ticks that last their full time are meant to be watched.
    watch.view = watch.view.or((!args.quick && screen::has_window()).then_some(View::Window));
    let played = show::play(setup, None, &watch, |_| Ok(()))?;
    print_result(&played.result, &MatchInfo::of::<Rezzo>(replay.as_deref()), out)?;
    Ok(exit_of(&played.result))
}
