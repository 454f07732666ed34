//! `agon status`, `matches`, `logs` and `leaderboard`.

use clap::{Args, builder::RangedI64ValueParser};

use crate::client_options::server::ServerArgs;

/// How a list is printed, and which server it is from.
#[derive(Args, Clone, Debug)]
pub struct ListArgs {
    /// Print each item as a line of JSON.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    #[allow(missing_docs, reason = "the text would become the help of the command")]
    pub server: ServerArgs,
}

/// Returns how the length of a list is read.
fn length() -> RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..=10_000)
}

/// The flags of `agon status`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  agon status
  agon status cluster
  agon status --json

Exit codes: 0 your bots play, or the season of their arena is over; 1 a bot is paused, excluded
or has no version that can play; 2 error.")]
pub struct StatusArgs {
    /// The arena [default: all in which you have a bot].
    #[arg(value_name = "ARENA")]
    pub arena: Option<String>,
    #[command(flatten)]
    #[allow(missing_docs, reason = "the text would become the help of the command")]
    pub list: ListArgs,
}

/// The flags of `agon matches`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  agon matches
  agon matches cluster --bot fox --limit 100
  agon matches --all --json

Exit codes: 0 done, 2 error.")]
pub struct MatchesArgs {
    /// The arena [default: the one in which you have a bot].
    #[arg(value_name = "ARENA")]
    pub arena: Option<String>,
    /// Matches of this bot [default: yours].
    #[arg(long, value_name = "BOT", conflicts_with = "all")]
    pub bot: Option<String>,
    /// Matches of all bots.
    #[arg(long)]
    pub all: bool,
    /// How many matches, the latest ones, 1 to 10000.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = length())]
    pub limit: u32,
    #[command(flatten)]
    #[allow(missing_docs, reason = "the text would become the help of the command")]
    pub list: ListArgs,
}

/// The flags of `agon logs`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  agon logs
  agon logs 4711 --arena cluster
  agon logs --follow

Organisers see what all bots of MATCH wrote.

Exit codes: 0 done, 2 error, such as a match without a bot of yours.")]
pub struct LogsArgs {
    /// The number of the match [default: the latest one of your bot].
    #[arg(value_name = "MATCH")]
    pub number: Option<u64>,
    /// The arena [default: the one in which you have a bot].
    #[arg(long, value_name = "ARENA")]
    pub arena: Option<String>,
    /// Then show each new match of your bot, until Ctrl-C.
    #[arg(long, conflicts_with = "number")]
    pub follow: bool,
    #[command(flatten)]
    #[allow(missing_docs, reason = "the text would become the help of the command")]
    pub list: ListArgs,
}

/// The flags of `agon leaderboard`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  agon leaderboard
  agon leaderboard cluster --published
  agon leaderboard cluster --server https://agon.example --json

Exit codes: 0 done, 2 error.")]
pub struct LeaderboardArgs {
    /// The arena [default: the only one].
    #[arg(value_name = "ARENA")]
    pub arena: Option<String>,
    /// The table for grades and prizes instead of the live one.
    #[arg(long)]
    pub published: bool,
    /// How many bots, the best ones, 1 to 10000.
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = length())]
    pub limit: u32,
    #[command(flatten)]
    #[allow(missing_docs, reason = "the text would become the help of the command")]
    pub list: ListArgs,
}
