//! The arguments of `agon game`.

use agon_core::Seed;
use clap::{Args, Subcommand};

#[derive(Debug, Subcommand)]
pub(crate) enum GameCommand {
    /// Examine a game, point by point.
    Check(GameCheckArgs),
}

#[derive(Args, Debug)]
#[command(after_help = "\
It plays matches with the game's settings for tiny ones (`TINY`), and looks for broken promises: \
the same seed and answers give the same match, which ends, and can be saved and loaded; what the \
game calls legal breaks no rule; damaged positions and answers are refused, or usable; nobody sees \
what is hidden; people can play; presets and built-in bots fit. The last point is the speed.

Examples:
  agon game check cluster
  agon game check cluster --rounds 5000 --seed 7
  agon game check cluster --json

Exit codes: 0 the game keeps its promises, 1 it breaks one, 2 the game cannot be examined.")]
pub(crate) struct GameCheckArgs {
    /// The game; `agon games` lists them.
    pub(crate) game: String,
    /// How many damaged positions to try; the search for other mistakes grows with it.
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub(crate) rounds: u64,
    /// The seed of the first matches; others have the next number.
    #[arg(long, value_name = "N", default_value_t = Seed(1))]
    pub(crate) seed: Seed,
    /// Print JSON Lines instead of the report.
    #[arg(long)]
    pub(crate) json: bool,
}
