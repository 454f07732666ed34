//! `agon-nats`, which carries matches over NATS, with Agon's own games.

use std::process::ExitCode;

fn main() -> ExitCode {
    agon_nats::run(&[])
}
