//! `agon-client`, the client of ladder servers, with Agon's own games.

use std::process::ExitCode;

fn main() -> ExitCode {
    agon_client::run(&[])
}
