//! The commands with which authors use a ladder server from a shell, and their flags.
//!
//! `agon` checks and explains them, and starts `agon-client`, which gets the same words. So they
//! are in one place, and `agon submit --help` does not need the program.

#![allow(
    missing_docs,
    reason = "the text of a flattened field would become the help of the command"
)]

use std::path::PathBuf;

use agon_files::parts::Part;
use clap::{Args, Subcommand, builder::RangedI64ValueParser};

/// The program that carries out these commands.
pub const CLIENT: Part = Part {
    program: "agon-client",
    package: "agon-client",
    variable: "AGON_CLIENT",
    who: "commands for ladder servers",
};

/// A command for a ladder server.
#[derive(Clone, Debug, Subcommand)]
pub enum ClientCommand {
    /// Sign in to a ladder server.
    Login(LoginArgs),
    /// Sign out of a ladder server.
    Logout(LogoutArgs),
    /// Hand in a bot to a ladder server, and watch until it plays.
    Submit(SubmitArgs),
    /// Show how your bots on a ladder server are.
    Status(StatusArgs),
    /// List matches of a bot on a ladder server.
    Matches(MatchesArgs),
    /// Show the faults and the output of your bot in a match.
    Logs(LogsArgs),
    /// Show the table of a ladder server.
    Leaderboard(LeaderboardArgs),
    /// Verify the public log of a ladder server, or copy it.
    #[command(
        subcommand,
        after_help = "\
Examples:
  agon ladder verify https://agon.example
  agon ladder dump https://agon.example copy
  agon ladder verify copy --all"
    )]
    Ladder(LadderCommand),
}

#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Agon asks for your name and password, gets a token from the server, and keeps the token in
`~/.config/agon/servers.toml`, which only you can read. It does not keep the password. The token
ends after 90 days, or with `agon logout`.

Programs, such as those of continuous integration, need no sign-in: set AGON_SERVER_URL and
AGON_TOKEN. The server's page *Account* makes tokens.

Examples:
  agon login https://agon.example
  agon login agon.example --name ada
  agon login https://agon.example --token-stdin < token.txt
  agon login https://agon.example --ca school.pem
  agon login http://192.168.1.5:8420 --insecure-http

Exit codes: 0 done, 2 error.")]
pub struct LoginArgs {
    /// The address of the server.
    pub url: String,
    /// Your name on the server.
    #[arg(long, value_name = "NAME", conflicts_with = "token_stdin")]
    pub name: Option<String>,
    /// Read a token from standard input instead of asking for a password.
    #[arg(long)]
    pub token_stdin: bool,
    /// After how many days the token ends, 1 to 366.
    #[arg(
        long, value_name = "N", default_value_t = 90, conflicts_with = "token_stdin",
        value_parser = clap::value_parser!(u32).range(1..=366)
    )]
    pub days: u32,
    /// Accept that the server's public log is not the one that was seen before.
    #[arg(long)]
    pub accept_new_log: bool,
    #[command(flatten)]
    pub connection: ConnectionArgs,
}

#[derive(Args, Clone, Debug)]
#[command(after_help = "\
The server forgets the token, and so does this machine.

Examples:
  agon logout
  agon logout --server agon.example

Exit codes: 0 done, 2 error.")]
pub struct LogoutArgs {
    #[command(flatten)]
    pub server: ServerArgs,
}

#[derive(Args, Clone, Debug)]
#[command(after_help = "\
The folder is a bot as for `agon play`: its `agon.toml` says how to build and run it. Agon sends
the files that belong to the bot, shows how the server builds and examines it, and ends with the
address of the version's page. Ctrl-C ends only the watching.

Examples:
  agon submit --dry-run
  agon submit -m \"looks two moves ahead\"
  agon submit fox --arena cluster-2026 --no-wait

Exit codes: 0 the version can play (with `--no-wait`: it was handed in), 1 its build or its
examination failed, 2 error.")]
pub struct SubmitArgs {
    /// The folder of the bot, or a bot that is a single file.
    #[arg(value_name = "DIR", default_value = ".")]
    pub folder: PathBuf,
    /// What changed.
    #[arg(short, long, value_name = "TEXT", default_value = "")]
    pub message: String,
    /// The arena [default: the one that plays the bot's game].
    #[arg(long, value_name = "ARENA")]
    pub arena: Option<String>,
    /// The name of a new bot [default: that of agon.toml, or that of the folder; of a single file:
    /// your display name].
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Do not wait until the version is built and examined.
    #[arg(long)]
    pub no_wait: bool,
    /// Only show which files would be sent.
    #[arg(long)]
    pub dry_run: bool,
    /// Print the version as JSON, a line each time that its state changes; or the files of
    /// `--dry-run`.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub server: ServerArgs,
}

/// How a list is printed, and which server it is from.
#[derive(Args, Clone, Debug)]
pub struct ListArgs {
    /// Print each item as a line of JSON.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub server: ServerArgs,
}

/// Returns how the length of a list is read.
fn length() -> RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..=10_000)
}

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
    pub arena: Option<String>,
    #[command(flatten)]
    pub list: ListArgs,
}

#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  agon matches
  agon matches cluster --bot fox --limit 100
  agon matches --all --json

Exit codes: 0 done, 2 error.")]
pub struct MatchesArgs {
    /// The arena [default: the one in which you have a bot].
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
    pub list: ListArgs,
}

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
    pub list: ListArgs,
}

#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  agon leaderboard
  agon leaderboard cluster --published
  agon leaderboard cluster --server https://agon.example --json

Exit codes: 0 done, 2 error.")]
pub struct LeaderboardArgs {
    /// The arena [default: the only one].
    pub arena: Option<String>,
    /// The table for grades and prizes instead of the live one.
    #[arg(long)]
    pub published: bool,
    /// How many bots, the best ones, 1 to 10000.
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = length())]
    pub limit: u32,
    #[command(flatten)]
    pub list: ListArgs,
}

/// A command about the public log of a ladder server.
#[derive(Clone, Debug, Subcommand)]
pub enum LadderCommand {
    /// Verify that a ladder is what its public log says: hand-ins, pairings, results and tables.
    Verify(VerifyArgs),
    /// Copy all that `verify` needs into a folder.
    Dump(DumpArgs),
}

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
    pub connection: ConnectionArgs,
}

#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  agon ladder dump https://agon.example copy
  agon ladder verify copy

Exit codes: 0 done, 2 error.")]
pub struct DumpArgs {
    /// The address of the server.
    pub url: String,
    /// The folder, new or from an earlier dump, which is then brought up to date.
    pub folder: PathBuf,
    /// Print as JSON what the copy has.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub connection: ConnectionArgs,
}

/// Which server is meant, and how to reach it.
#[derive(Args, Clone, Debug, Default)]
pub struct ServerArgs {
    /// The ladder server: its address, or its host if you are signed in there.
    #[arg(long, value_name = "URL|HOST")]
    pub server: Option<String>,
    #[command(flatten)]
    pub connection: ConnectionArgs,
}

/// How to reach a server.
#[derive(Args, Clone, Debug, Default)]
pub struct ConnectionArgs {
    /// Also accept certificates that these authorities have signed: a PEM file.
    #[arg(long, value_name = "FILE")]
    pub ca: Option<PathBuf>,
    /// Send passwords and tokens over plain HTTP, where the network can read them.
    #[arg(long)]
    pub insecure_http: bool,
}
