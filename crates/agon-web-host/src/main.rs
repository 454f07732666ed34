//! `agon-web-host`: serves pages to browsers on this machine, for matches with `--view web`.
//!
//! The arena starts it by itself, and talks to it through its standard input and output
//! (`agon_web::page::dialogue`). It is a separate program because its HTTP libraries take long to
//! build.
//!
//! | module | what |
//! | --- | --- |
//! | `host` | messages of the arena, until it is gone |
//! | `server` | requests of pages |
//! | `connection_limits` | admission of clients |
//! | `feed` | a match that pages follow |
//! | `rematch` | the wish for another match |
//! | `arena` | the way of orders to the arena, and of its answers back |

mod arena;
mod connection_limits;
mod feed;
mod host;
mod rematch;
mod server;

use std::{
    env,
    io::{self, IsTerminal, Write},
    process::ExitCode,
};

fn main() -> ExitCode {
    let is_typed = env::args_os().len() > 1 || io::stdin().is_terminal();
    let result =
        if is_typed { introduce() } else { host::run(&mut io::stdin().lock(), io::stdout()) };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // The reader may be gone as well.
            let _ = writeln!(io::stderr(), "agon-web-host: {error}");
            ExitCode::from(2)
        }
    }
}

fn introduce() -> io::Result<()> {
    let version = env!("CARGO_PKG_VERSION");
    writeln!(
        io::stdout(),
        "agon-web-host {version}: serves pages to browsers; the arena `agon` starts it by itself"
    )
}
