//! The command lines that the games' own programs have.

pub(crate) mod amoebas;
pub(crate) mod binfection;
pub(crate) mod rezzo;

use std::{io::Write, path::Path};

use agon_contest::settings;
use agon_games::{GameId, cellhack};
use agon_match::FanOut;
use agon_show::{View, ViewOptions, has_display, result_file::CellhackFile};
use anyhow::{Result, bail};
use clap::Args;
use serde_json::json;

use crate::arena::{Setup, play_shown};
use crate::output::{MatchInfo, exit_of, print_faults, print_result};
use crate::{Exit, cli::MatchArgs};

/// Flags of every classic command line.
#[derive(Args, Clone, Debug)]
pub(crate) struct ClassicArgs {
    /// Change a setting of the game; may be given several times (`agon rules GAME` lists them).
    #[arg(long = "set", value_name = "KEY=VALUE")]
    sets: Vec<String>,
    #[command(flatten)]
    game: MatchArgs,
}

impl ClassicArgs {
    /// Where a match is watched that the original shows in a window: there, if this machine has a
    /// display.
    fn watch_in_window(&self) -> ViewOptions {
        let mut watch = self.game.watch.clone();
        if watch.view.is_none() && has_display() {
            watch.view = Some(View::Window);
            watch.unsolicited = true;
        }
        watch
    }
}

#[derive(Args, Clone, Debug)]
#[command(after_help = "\
PATH is a C file (compiled on the fly), a shared object, or builtin:NAME. A window shows the match \
where there is a display; --view shows it elsewhere, or nowhere (none).

Examples:
  agon cellhack 500 64 64 rosa rosa.c tom tom.so
  agon cellhack 500 64 64 match.replay rosa rosa.c tom tom.c")]
#[command(mut_arg("real_time", |flag| flag.hide(true)))]
pub(crate) struct CellhackArgs {
    /// How many turns to play.
    turns: u32,
    /// Columns of the board.
    width: u32,
    /// Rows of the board.
    height: u32,
    /// Players as NAME PATH pairs; an odd number of words begins with the result file to write.
    #[arg(required = true, value_name = "[RESULT_FILE] NAME PATH")]
    words: Vec<String>,
    #[command(flatten)]
    classic: ClassicArgs,
}

/// Plays a match and prints how many cells of each player survive.
pub(crate) fn run_cellhack(args: &CellhackArgs, out: &mut impl Write) -> Result<Exit> {
    let (file, pairs) = match args.words.len() % 2 {
        0 => (None, &args.words[..]),
        _ => (Some(Path::new(&args.words[0])), &args.words[1..]),
    };
    if pairs.is_empty() {
        bail!("no players: after the height come pairs of NAME PATH");
    }
    let names: Vec<String> = pairs.chunks(2).map(|pair| pair[0].clone()).collect();
    let mut file = file.map(|path| CellhackFile::new(path, names.clone())).transpose()?;
    let bots: Vec<String> = pairs.chunks(2).map(|pair| pair[1].clone()).collect();
    let rules = cellhack::Rules {
        turns: args.turns,
        width: args.width,
        height: args.height,
        ..cellhack::Rules::default()
    };
    let given = [("turns", "TURNS"), ("width", "WIDTH"), ("height", "HEIGHT")];
    let kind = GameId::Cellhack.kind();
    let rules = settings::change(kind, json!(rules), &given, &args.classic.sets)?;
    let mut setup = Setup::new(kind, rules, &bots, &args.classic.game)?;
    setup.rename(&names);
    let replay = setup.replay.clone();
    let mut observers = FanOut::new().with_some(file.as_mut());
    let played = play_shown(setup, None, &args.classic.watch_in_window(), &mut observers, None)?;
    let result = &played.result;
    writeln!(out, "Player: Cells surviving")?;
    for (player, standing) in result.players.iter().zip(&result.standing.players) {
        writeln!(out, "{}: {}", player.bot.name, standing.score)?;
    }
    print_faults(
        result,
        &MatchInfo::of(kind.meta(), replay.as_deref()),
        &mut crate::output::stderr(),
    )?;
    Ok(exit_of(result))
}

#[derive(Args, Clone, Debug)]
#[command(after_help = "\
A program is a command line in quotes, or builtin:NAME. Without a second one a person plays \
against the first. A \
window shows the match where there is a display; --view shows it elsewhere, or nowhere (none).

Example:
  agon cluster \"python3 examples/bots/cluster/greedy.py\" builtin:searcher")]
#[command(mut_arg("real_time", |flag| flag.hide(true)))]
pub(crate) struct ClusterArgs {
    /// The two programs; the first is blue and begins. The second may be left out, and a person
    /// plays.
    #[arg(required = true, num_args = 1..=2, value_name = "BOT")]
    bots: Vec<String>,
    #[command(flatten)]
    classic: ClassicArgs,
}

/// Plays a match between two programs, or a program and a person.
pub(crate) fn run_cluster(args: &ClusterArgs, out: &mut impl Write) -> Result<Exit> {
    let mut bots = args.bots.clone();
    if bots.len() < 2 {
        bots.push("human".to_owned());
    }
    let kind = GameId::Cluster.kind();
    let rules = settings::change(kind, kind.default_rules(), &[], &args.classic.sets)?;
    let setup = Setup::new(kind, rules, &bots, &args.classic.game)?;
    let replay = setup.replay.clone();
    let played = play_shown(setup, None, &args.classic.watch_in_window(), &mut (), None)?;
    print_result(&played.result, &MatchInfo::of(kind.meta(), replay.as_deref()), out)?;
    Ok(exit_of(&played.result))
}
