//! `agon`, the command line, with Agon's own games.

use std::process::ExitCode;

fn main() -> ExitCode {
    agon::run(&[])
}
