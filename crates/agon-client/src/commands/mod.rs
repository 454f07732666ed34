//! What each command does.

mod account;
mod ladder;
mod logs;
mod submit;
mod tables;

use std::io::Write;

use agon_console::client_options::{ClientCommand, LadderCommand};
use anyhow::Result;

use crate::Exit;

/// Carries out a command; what was asked for goes to `out`.
pub(crate) fn run(command: ClientCommand, out: &mut impl Write) -> Result<Exit> {
    let done = |()| Exit::Done;
    match command {
        ClientCommand::Login(args) => account::login(&args).map(done),
        ClientCommand::Logout(args) => account::logout(&args).map(done),
        ClientCommand::Submit(args) => submit::submit(&args, out),
        ClientCommand::Status(args) => tables::status(&args, out),
        ClientCommand::Matches(args) => tables::matches(&args, out).map(done),
        ClientCommand::Logs(args) => logs::logs(&args, out).map(done),
        ClientCommand::Leaderboard(args) => tables::leaderboard(&args, out).map(done),
        ClientCommand::Ladder(LadderCommand::Verify(args)) => ladder::verify(&args, out),
        ClientCommand::Ladder(LadderCommand::Dump(args)) => ladder::dump(&args, out).map(done),
    }
}
