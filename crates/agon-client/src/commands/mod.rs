//! What each command does.

mod ladder;
mod leaderboard;
mod login;
mod logout;
mod logs;
mod matches;
mod status;
mod submit;

use std::io::Write;

use agon_console::client_options::{ClientCommand, LadderCommand};
use anyhow::Result;

use crate::exit::Exit;

/// Carries out a command; what was asked for goes to `out`.
///
/// # Errors
/// If it cannot be carried out.
pub(crate) fn run(command: ClientCommand, out: &mut impl Write) -> Result<Exit> {
    let done = |()| Exit::Done;
    match command {
        ClientCommand::Login(args) => login::login(&args).map(done),
        ClientCommand::Logout(args) => logout::logout(&args).map(done),
        ClientCommand::Submit(args) => submit::submit(&args, out),
        ClientCommand::Status(args) => status::status(&args, out),
        ClientCommand::Matches(args) => matches::matches(&args, out).map(done),
        ClientCommand::Logs(args) => logs::logs(&args, out).map(done),
        ClientCommand::Leaderboard(args) => leaderboard::leaderboard(&args, out).map(done),
        ClientCommand::Ladder(LadderCommand::Verify(args)) => ladder::verify(&args, out),
        ClientCommand::Ladder(LadderCommand::Dump(args)) => ladder::dump(&args, out).map(done),
    }
}
