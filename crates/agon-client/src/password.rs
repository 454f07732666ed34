//! Asks for a password at the terminal, which shows nothing of it.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read, Write},
};

use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};

/// The most bytes of a password with the end of its line.
const MAX: u64 = 4 << 10;

/// A terminal that shows nothing of what is typed. Dropping it ends that.
struct Silent {
    terminal: File,
    before: Termios,
}

impl Silent {
    /// Has the terminal of this program show nothing.
    fn new() -> io::Result<Silent> {
        let terminal = File::options().read(true).write(true).open("/dev/tty")?;
        let before = tcgetattr(&terminal)?;
        let mut silent = before.clone();
        silent.local_modes.remove(LocalModes::ECHO);
        silent.local_modes.insert(LocalModes::ECHONL);
        tcsetattr(&terminal, OptionalActions::Now, &silent)?;
        Ok(Silent { terminal, before })
    }
}

impl Drop for Silent {
    fn drop(&mut self) {
        // Nothing else can be done for a terminal that is gone.
        let _ = tcsetattr(&self.terminal, OptionalActions::Now, &self.before);
    }
}

/// Asks for a password.
///
/// # Errors
/// If there is no terminal, or it ends.
pub(crate) fn ask(question: &str) -> io::Result<String> {
    // Before the question: people and programs answer as soon as they see it.
    let mut silent = Silent::new()?;
    silent.terminal.write_all(question.as_bytes())?;
    silent.terminal.flush()?;
    let mut line = String::new();
    BufReader::new(&silent.terminal).take(MAX).read_line(&mut line)?;
    if line.is_empty() {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}
