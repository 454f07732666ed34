//! `agon cellhack TURNS WIDTH HEIGHT [RESULT_FILE] NAME PATH [NAME PATH ...]`

use std::{io::Write, path::Path};

use agon_contest::settings;
use agon_games::cellhack::{Cellhack, Rules};
use agon_match::FanOut;
use agon_show::result_file::CellhackFile;
use anyhow::{Result, bail};
use clap::Args;

use crate::{
    Exit,
    arena::Setup,
    commands::classic::ClassicArgs,
    output::{MatchInfo, exit_of, print_faults},
    show,
};

#[derive(Args, Clone, Debug)]
#[command(after_help = "\
PATH is a C file (compiled on the fly), a shared object, or builtin:NAME. A window shows the \
match where there is a \
display; --view shows it elsewhere, or nowhere (none).

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
pub(crate) fn run(args: &CellhackArgs, out: &mut impl Write) -> Result<Exit> {
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
    let rules =
        Rules { turns: args.turns, width: args.width, height: args.height, ..Rules::default() };
    let given = [("turns", "TURNS"), ("width", "WIDTH"), ("height", "HEIGHT")];
    let rules = settings::change::<Cellhack>(rules, &given, &args.classic.sets)?;
    let mut setup = Setup::<Cellhack>::new(rules, &bots, &args.classic.game)?;
    setup.rename(&names);
    let replay = setup.replay.clone();
    let mut observers = FanOut::new().with_some(file.as_mut());
    let played = show::play(setup, None, &args.classic.watch_in_window(), &mut observers)?;
    let result = &played.result;
    writeln!(out, "Player: Cells surviving")?;
    for (player, standing) in result.players.iter().zip(&result.standing.players) {
        writeln!(out, "{}: {}", player.bot.name, standing.score)?;
    }
    print_faults(
        result,
        &MatchInfo::of::<Cellhack>(replay.as_deref()),
        &mut crate::output::stderr(),
    )?;
    Ok(exit_of(result))
}
