//! The commands with which authors use a ladder server from a shell, and their flags.
//!
//! `agon` checks and explains them, and starts `agon-client`, which gets the same words. So they
//! are in one place, and `agon submit --help` does not need the program.
//!
//! | module | commands |
//! | --- | --- |
//! | `account` | `login`, `logout` |
//! | `submit` | `submit` |
//! | `look` | `status`, `matches`, `logs`, `leaderboard` |
//! | `ladder` | `ladder verify`, `ladder dump` |

mod account;
mod ladder;
mod look;
mod submit;

use std::path::PathBuf;

use agon_parts::Part;
use clap::{Args, Subcommand};

pub use account::{LoginArgs, LogoutArgs};
pub use ladder::{DumpArgs, LadderCommand, VerifyArgs};
pub use look::{LeaderboardArgs, LogsArgs, MatchesArgs, StatusArgs};
pub use submit::SubmitArgs;

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
    /// Show the faults and the output of your bot in a match on a ladder server.
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

/// Which server is meant, and how to reach it.
#[derive(Args, Clone, Debug, Default)]
pub struct ServerArgs {
    /// The ladder server: its address, or its host if you are signed in there.
    #[arg(long, value_name = "URL|HOST")]
    pub server: Option<String>,
    #[command(flatten)]
    #[allow(missing_docs, reason = "the text would become the help of the command")]
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
