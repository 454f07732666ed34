//! `agon ladder verify` and `agon ladder dump`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::client_options::server::ConnectionArgs;

/// A command about the public log of a ladder server.
#[derive(Clone, Debug, Subcommand)]
pub enum LadderCommand {
    /// Verify that a ladder is what its public log says: hand-ins, pairings, results and tables.
    Verify(VerifyArgs),
    /// Copy all that `verify` needs into a folder.
    Dump(DumpArgs),
}

/// The flags of `agon ladder verify`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Agon reads the whole log, checks that it only grew since it was last seen from here, computes the
published tables again, and plays a sample of the matches again from their replays.

With --bot, the sample is of matches in which your bot played with exactly the files of a folder. \
Agon starts the bot, and asks it again what it was asked in each of them. If all its answers are \
the recorded ones, nobody changed them.

Examples:
  agon ladder verify https://agon.example
  agon ladder verify https://agon.example --arena cluster --sample 100
  agon ladder verify https://agon.example --bot fox
  agon ladder verify copy --all

Exit codes: 0 verified, 1 something is not as the log says or the bot answers differently, \
2 error.")]
pub struct VerifyArgs {
    /// The address of the server, or a folder that `agon ladder dump` has written.
    #[arg(value_name = "URL|FOLDER")]
    pub place: String,
    /// How many matches to play again, chosen at random.
    #[arg(long, value_name = "N", default_value_t = 20, conflicts_with = "all")]
    pub sample: u32,
    /// Play all matches again.
    #[arg(long)]
    pub all: bool,
    /// Only matches of this arena.
    #[arg(long, value_name = "ARENA")]
    pub arena: Option<String>,
    /// The folder of your bot: ask it again what it was asked in its matches.
    #[arg(long, value_name = "DIR")]
    pub bot: Option<PathBuf>,
    /// Print the report as JSON.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    #[allow(missing_docs, reason = "the text would become the help of the command")]
    pub connection: ConnectionArgs,
}

/// The flags of `agon ladder dump`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  agon ladder dump https://agon.example copy
  agon ladder verify copy

Exit codes: 0 done, 2 error.")]
pub struct DumpArgs {
    /// The address of the server.
    #[arg(value_name = "URL")]
    pub url: String,
    /// The folder, new or from an earlier dump, which is then brought up to date.
    #[arg(value_name = "FOLDER")]
    pub folder: PathBuf,
    /// Print as JSON what the copy has.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    #[allow(missing_docs, reason = "the text would become the help of the command")]
    pub connection: ConnectionArgs,
}
