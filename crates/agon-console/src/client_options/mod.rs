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
//! | `server` | which server is meant: flags of all commands |

mod account;
mod ladder;
mod look;
mod server;
mod submit;

use agon_parts::Part;
use clap::Subcommand;

pub use account::{LoginArgs, LogoutArgs};
pub use ladder::{DumpArgs, LadderCommand, VerifyArgs};
pub use look::{LeaderboardArgs, ListArgs, LogsArgs, MatchesArgs, StatusArgs};
pub use server::{ConnectionArgs, ServerArgs};
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
