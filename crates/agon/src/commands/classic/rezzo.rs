//! `agon rezzo [-w N] [-h N] [-t MS] [-q] [-r SEED] warrior ...`

use std::path::{Path, PathBuf};
use std::{io::Write, time::Duration};

use agon_bots::{Clock, Timing};
use agon_contest::settings;
use agon_core::Seed;
use agon_games::{GameId, rezzo::Rules};
use agon_match::FanOut;
use agon_show::film::{FilmStyle, Format, Output, Recorder};
use agon_view::paint::ThemeName;
use anyhow::{Result, bail};
use clap::Args;
use serde_json::{Value, json};

use crate::arena::{Setup, play_shown};
use crate::output::{MatchInfo, exit_of, print_films, print_result};
use crate::{Exit, commands::classic::ClassicArgs};

/// What a program may take to start, in quick mode.
const START: Duration = Duration::from_secs(1);

#[derive(Args, Clone, Debug)]
#[command(
    disable_help_flag = true,
    after_help = "\
A warrior is a program or a command line in quotes, or builtin:NAME. Without -q a tick lasts its \
full time, and a window shows the match where there is a display.

Example:
  agon rezzo -w 64 -h 64 -q -r 7 ./warrior \"python3 examples/bots/rezzo/guard.py\" \
  --max-ticks 5000"
)]
pub(crate) struct RezzoArgs {
    #[arg(
        short = 'w',
        value_name = "N",
        help = help("Cells in a row of the world", Rules::default().width)
    )]
    width: Option<u32>,
    #[arg(short = 'h', value_name = "N", help = help("Rows of the world", Rules::default().height))]
    height: Option<u32>,
    /// How long a tick lasts, in milliseconds.
    #[arg(short = 't', default_value_t = 60, value_name = "MS")]
    tick: u64,
    /// Go on as soon as all warriors have answered.
    #[arg(short = 'q')]
    quick: bool,
    /// The seed.
    #[arg(short = 'r', value_name = "SEED", conflicts_with = "seed")]
    random: Option<Seed>,
    /// End in a tie after so many ticks; 0 plays until one is left [default: 0].
    #[arg(long, value_name = "N")]
    max_ticks: Option<u64>,
    /// Read the world from a text file (the characters of the viewport, a line a row) instead.
    #[arg(long, value_name = "FILE")]
    map: Option<PathBuf>,
    /// Pixels of a cell in pictures.
    #[arg(
        short = 'z',
        value_name = "ZOOM",
        default_value_t = 4,
        value_parser = clap::value_parser!(u16).range(1..=500)
    )]
    zoom: u16,
    /// Write a picture of each tick into this folder: 00000000.png and so on.
    #[arg(short = 'v', value_name = "DIR")]
    video: Option<PathBuf>,
    /// Print help.
    #[arg(long, action = clap::ArgAction::Help)]
    help: Option<bool>,
    /// The warriors.
    #[arg(required = true, value_name = "WARRIOR")]
    warriors: Vec<String>,
    /// Options of the classic display.
    #[arg(last = true, value_name = "UI-OPTIONS", hide = true)]
    display: Vec<String>,
    #[command(flatten)]
    classic: ClassicArgs,
}

/// Plays a match of rezzo.
pub(crate) fn run(args: &RezzoArgs, out: &mut impl Write) -> Result<Exit> {
    if !args.display.is_empty() {
        bail!(
            "`-- {}`: Agon's displays have no options; leave them out, and choose a display: \
             `--view window`, `--view terminal`, `--view vnc:5901`, or `-q` for none",
            args.display.join(" ")
        );
    }
    let mut game = args.classic.game.clone();
    game.seed = game.seed.or(args.random);
    let kind = GameId::Rezzo.kind();
    let mut setup = Setup::new(kind, rules(args)?, &args.warriors, &game)?;
    let tick = Duration::from_millis(args.tick);
    if game.host.bank.is_some() && !args.quick {
        bail!(
            "--bank: a steady tick waits for nobody; -q has ticks that end when all have answered"
        );
    }
    if let Timing::Game | Timing::Bank(_) = setup.host.timing {
        let quick = Clock { first: START.max(tick), ..Clock::cpu(tick) };
        let clock = if args.quick { quick } else { Clock::wall(tick) };
        setup.host.timing = Timing::Clock(setup.host.timing.or(clock).unwrap_or(clock));
    }
    setup.host.steady = !args.quick;
    setup.turn_interval = (!args.quick).then_some(tick);
    if !args.quick && game.person.time_limit.is_none() {
        (setup.people.real_time, setup.people.tick) = (true, Some(tick));
    }
    let replay = setup.replay.clone();
    let mut video = args.video.as_deref().map(|folder| video(folder, args.zoom, &setup));
    // Ticks that last their full time are meant to be watched.
    let watch = if args.quick { game.watch.clone() } else { args.classic.watch_in_window() };
    let mut observers = FanOut::new().with_some(video.as_mut());
    let played = play_shown(setup, None, &watch, &mut observers, None)?;
    print_result(&played.result, &MatchInfo::of(kind.meta(), replay.as_deref()), out)?;
    if let Some(video) = video {
        print_films(video, false, out)?;
    }
    Ok(exit_of(&played.result))
}

/// The settings of the match.
fn rules(args: &RezzoArgs) -> Result<Value> {
    let map = args.map.as_deref().map(|path| {
        agon_files::protect(path);
        let text = agon_files::input::read_text(path)?;
        anyhow::Ok(text.lines().map(str::to_owned).collect())
    });
    let map = map.transpose()?.unwrap_or_default();
    let usual = Rules::default();
    let rules = Rules {
        width: args.width.unwrap_or(usual.width),
        height: args.height.unwrap_or(usual.height),
        max_ticks: args.max_ticks.unwrap_or(0),
        map,
        ..usual
    };
    let given = [
        ("width", args.width.map(|_| "-w")),
        ("height", args.height.map(|_| "-h")),
        ("max_ticks", args.max_ticks.map(|_| "--max-ticks")),
        ("map", args.map.as_ref().map(|_| "--map")),
    ];
    let given: Vec<_> = given.into_iter().filter_map(|(key, words)| Some((key, words?))).collect();
    settings::change(GameId::Rezzo.kind(), json!(rules), &given, &args.classic.sets)
}

/// The help of a flag whose default is a setting's, which `--set` may change as well.
fn help(text: &str, default: impl std::fmt::Display) -> String {
    format!("{text} [default: {default}]")
}

/// A picture of each tick, in the colours and without what the classic program has not.
fn video(folder: &Path, zoom: u16, setup: &Setup) -> Recorder {
    let output = Output { format: Format::Pictures, path: folder.to_owned(), overwrite: true };
    let theme = ThemeName::Classic;
    let zoom = Some(f32::from(zoom));
    let smooth = Some(0);
    let style = FilmStyle { theme, zoom, bare: true, smooth, ..FilmStyle::default() };
    Recorder::new(setup.kind, vec![output], style, setup.names())
}
