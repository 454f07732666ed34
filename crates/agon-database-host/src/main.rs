//! `agon-database-host`: writes the database of a tournament, by orders on standard input.
//!
//! The arena starts it during a tournament. It is a program of its own because SQLite takes long to
//! build. It ends when its input ends.

mod database;
mod file_limit;
mod refused;
mod session;

use std::{
    io::{self, BufReader, BufWriter, ErrorKind, IsTerminal},
    process::ExitCode,
};

use agon_database::{DIALOGUE, HOST};
use agon_parts::{Message, greet, receive, send};

use file_limit::FileLimit;
use session::Session;

fn main() -> ExitCode {
    if io::stdin().is_terminal() {
        eprintln!("agon starts this program by itself, to write databases of tournaments");
        return ExitCode::from(2);
    }
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        // The arena was killed, so nobody is left to report it to.
        Err(error) if matches!(error.kind(), ErrorKind::BrokenPipe | ErrorKind::UnexpectedEof) => {
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{}: {error}", HOST.program);
            ExitCode::from(2)
        }
    }
}

/// Carries out orders until there are no more.
fn serve() -> io::Result<()> {
    let limit = FileLimit::survive()?;
    let mut orders = BufReader::new(io::stdin());
    let mut answers = BufWriter::new(io::stdout());
    greet(&HOST, DIALOGUE, &mut answers)?;
    let mut session = None;
    while let Some(Message { value, bytes }) = receive(&mut orders)? {
        let answer = Session::obey(&mut session, value, &bytes)?;
        send(&mut answers, &limit.explain(answer), &[])?;
    }
    Ok(())
}
