//! `agon check`.

use std::path::PathBuf;

use agon_core::Seed;
use clap::Args;

use super::SandboxArgs;

#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Ten points: whether the bot opens, starts, answers for the first time, answers legally, and keeps \
the protocol; \
its time and memory; whether it ends with its input and gives the same answers again; and how \
much it writes to \
stderr. It plays matches of two against built-in bots, in both seats.

Examples:
  agon check cluster \"python3 my_bot.py\"
  agon check cellhack my_cell.c --games 8 --full
  agon check ./my-bot                             # a folder with an agon.toml
  agon check rezzo ./my_bot --memory 256 --json

Exit codes: 0 passed, 1 failed, 2 the examination could not be made.")]
pub(crate) struct CheckArgs {
    /// The game; or only the bot, if it is a folder whose agon.toml names the game.
    pub(crate) game: String,
    /// The bot, named as for `agon play`.
    pub(crate) bot: Option<String>,
    /// So many matches; one more repeats the first with the same seed.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 4,
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    pub(crate) games: u32,
    #[command(flatten)]
    pub(crate) sandbox: SandboxArgs,
    /// Time limit of an answer in milliseconds [default: as the game says].
    #[arg(long, value_name = "MS")]
    pub(crate) time: Option<u64>,
    /// The most memory that may be resident, in MiB [default: any].
    #[arg(long, value_name = "MIB")]
    pub(crate) memory: Option<u64>,
    /// The seed of the first match [default: drawn anew, and shown].
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<Seed>,
    /// Play with the game's own settings, not on small boards; matches may take long.
    #[arg(long)]
    pub(crate) full: bool,
    /// Play with the settings of a preset; `agon rules GAME` lists them.
    #[arg(long, value_name = "NAME", conflicts_with = "full")]
    pub(crate) preset: Option<String>,
    /// Change a setting of the game; may be given several times.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) sets: Vec<String>,
    /// Read settings from a TOML file, as with --full.
    #[arg(long, value_name = "FILE.toml")]
    pub(crate) rules: Option<PathBuf>,
    /// Stop matches after so many turns, whatever the rules say.
    #[arg(long, value_name = "N")]
    pub(crate) turns: Option<u64>,
    /// Print JSON Lines instead of the report.
    #[arg(long)]
    pub(crate) json: bool,
}
