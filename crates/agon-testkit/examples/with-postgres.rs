//! Runs a command while there is a server of PostgreSQL for tests:
//!
//! `cargo run -p agon-testkit --example with-postgres -- cargo test -p agon-server`

use std::env;
use std::process::{Command, ExitCode};

use agon_testkit::postgres::{TestServer, VARIABLE};

fn main() -> ExitCode {
    let mut words = env::args_os().skip(1);
    let Some(program) = words.next() else {
        eprintln!("error: no command; e.g. `with-postgres cargo test -p agon-server`");
        return ExitCode::from(2);
    };
    let Some(server) = TestServer::start() else {
        eprintln!("error: PostgreSQL is not installed; `cargo xtask setup` installs it");
        return ExitCode::from(2);
    };
    let mut command = Command::new(program);
    match command.args(words).env(VARIABLE, server.address()).status() {
        Ok(status) => ExitCode::from(u8::from(!status.success())),
        Err(error) => {
            eprintln!("error: {command:?}: {error}");
            ExitCode::from(2)
        }
    }
}
