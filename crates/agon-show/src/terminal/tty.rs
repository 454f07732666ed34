//! Waits for keys, and notices when the terminal is gone.
//!
//! The loop that shows an app ([`super::show`]) waits here, because `crossterm` does not return
//! once the other end of a terminal has been closed: it reads the end of input again and again.

use std::{
    fs::File,
    io::{self, IsTerminal, stdin},
    os::fd::{AsFd, OwnedFd},
    time::Duration,
};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// The terminal that keys come from.
#[derive(Debug)]
pub(crate) struct Tty(OwnedFd);

impl Tty {
    /// Opens the same terminal as `crossterm`: standard input, or else the process's own.
    ///
    /// # Errors
    /// If there is none.
    pub(crate) fn open() -> io::Result<Tty> {
        let stdin = stdin();
        let tty = if stdin.is_terminal() {
            stdin.as_fd().try_clone_to_owned()?
        } else {
            File::open("/dev/tty")?.into()
        };
        Ok(Tty(tty))
    }

    /// Waits until there is input, at most for `timeout`; a signal ends it earlier. Returns `false`
    /// if the terminal is gone.
    ///
    /// # Errors
    /// If it is impossible to wait.
    pub(crate) fn wait(&self, timeout: Duration) -> io::Result<bool> {
        let mut fds = [PollFd::new(&self.0, PollFlags::IN)];
        // Times here are fractions of a second.
        let timeout =
            Timespec { tv_sec: timeout.as_secs() as i64, tv_nsec: timeout.subsec_nanos().into() };
        match poll(&mut fds, Some(&timeout)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let gone = PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL;
        Ok(!fds[0].revents().intersects(gone))
    }
}

#[cfg(test)]
mod tests {
    use std::{fs::OpenOptions, path::PathBuf, time::Instant};

    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

    use super::*;

    #[test]
    fn a_terminal_whose_other_end_is_closed_is_gone() {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let name = PathBuf::from(ptsname(&master, Vec::new()).unwrap().into_string().unwrap());
        let tty = Tty(OpenOptions::new().read(true).write(true).open(name).unwrap().into());
        let began = Instant::now();
        assert!(tty.wait(Duration::from_millis(30)).unwrap());
        assert!(began.elapsed() >= Duration::from_millis(30), "there is nothing to read");
        rustix::io::write(&master, b"q\n").unwrap();
        assert!(tty.wait(Duration::from_secs(60)).unwrap());
        assert!(began.elapsed() < Duration::from_secs(30), "a key ends the wait");
        drop(master);
        assert!(!tty.wait(Duration::from_secs(60)).unwrap());
    }
}
