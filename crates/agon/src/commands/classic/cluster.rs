//! `agon cluster "BOT 1" ["BOT 2"]`

use std::io::Write;

use agon_contest::settings;
use agon_games::cluster::{Cluster, Rules};
use anyhow::Result;
use clap::Args;

use crate::{
    Exit,
    arena::Setup,
    commands::classic::ClassicArgs,
    output::{MatchInfo, exit_of, print_result},
    show,
};

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
pub(crate) fn run(args: &ClusterArgs, out: &mut impl Write) -> Result<Exit> {
    let mut bots = args.bots.clone();
    if bots.len() < 2 {
        bots.push("human".to_owned());
    }
    let rules = settings::change::<Cluster>(Rules::default(), &[], &args.classic.sets)?;
    let setup = Setup::<Cluster>::new(rules, &bots, &args.classic.game)?;
    let replay = setup.replay.clone();
    let played = show::play(setup, None, &args.classic.watch_in_window(), &mut ())?;
    print_result(&played.result, &MatchInfo::of::<Cluster>(replay.as_deref()), out)?;
    Ok(exit_of(&played.result))
}
