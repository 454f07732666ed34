//! The arguments of `agon tune`.

use std::path::PathBuf;

use agon_contest::tune::TuneOptions;
use agon_rating::tune::Param;
use clap::Args;

use super::SeriesArgs;

#[derive(Args, Clone, Debug)]
#[command(after_help = "Two versions of the bot play each other, and the values go a little \
                        towards the winner, again and again (SPSA). At the end the values found \
                        play the starting ones on new seeds, which tests whether they are better. \
                        Parameters of a built-in bot are set by their names; in any other bot's \
                        text `{NAME}` stands for the value, so that a program gets it on its \
                        command line.

All results go to a folder. If the tuning is stopped, by Ctrl-C or otherwise, the same command \
goes on with it, and \
ends as if it had not been stopped. docs/tuning.md in Agon's source explains what to expect.

Examples:
  agon tune --game amoebas builtin:slightly-brainy --param low=5..40 --param divide=30..90
  agon tune --game cluster \"python3 my_bot.py --depth {depth}\" --param depth=1..8 --matches 400
  agon tune --game rezzo \"./my_bot {x}\" --param x=0..1:0.05 --start x=0.5 \
  --against builtin:raider")]
pub(crate) struct TuneArgs {
    /// The game.
    #[arg(long, value_name = "GAME")]
    pub(crate) game: String,
    /// The bot, named as for `agon play`.
    pub(crate) bot: String,
    /// A parameter and its range, whole numbers or multiples of STEP; may be given several times.
    #[arg(long = "param", value_name = "NAME=LOW..HIGH[:STEP]", required = true)]
    pub(crate) params: Vec<Param>,
    /// The value to begin with; may be given several times
    /// [default: the built-in bot's own; of other bots the middle of the range].
    #[arg(long = "start", value_name = "NAME=VALUE")]
    pub(crate) starts: Vec<String>,
    /// Let both versions play these bots on the same seeds instead of each other; may be given
    /// several times.
    #[arg(long, value_name = "BOT", num_args = 1..)]
    pub(crate) against: Vec<String>,
    /// So many players in a match, with --against [default: 2].
    #[arg(
        long,
        value_name = "N",
        requires = "against",
        value_parser = clap::value_parser!(u32).range(1..=65_535)
    )]
    pub(crate) players: Option<u32>,
    /// Play so many matches while the values are looked for; a few thousand are usual.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 2_000,
        value_parser = clap::value_parser!(u64).range(1..=10_000_000)
    )]
    pub(crate) matches: u64,
    /// Then play so many between the values found and the starting ones
    /// [default: a quarter of --matches].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(..=10_000_000))]
    pub(crate) verify: Option<u64>,
    /// The folder for results and chart: new, or that of the same tuning, which then goes on.
    #[arg(long, value_name = "DIR", default_value = "agon-tune")]
    pub(crate) out: PathBuf,
    /// Print JSON Lines instead of the report.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) series: SeriesArgs,
}

impl TuneArgs {
    /// What is asked.
    pub(crate) fn options(&self) -> TuneOptions {
        TuneOptions {
            bot: self.bot.clone(),
            params: self.params.clone(),
            starts: self.starts.clone(),
            against: self.against.clone(),
            players: self.players.map(|players| players as usize),
            matches: self.matches,
            verify: self.verify,
            out: self.out.clone(),
            seed: self.series.seed,
        }
    }
}
