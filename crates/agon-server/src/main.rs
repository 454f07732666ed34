//! `agon-server`, the ladder server, with Agon's own games.

use std::process::ExitCode;

fn main() -> ExitCode {
    agon_server::run(&[])
}
