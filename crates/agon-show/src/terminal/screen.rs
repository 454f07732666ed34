//! Takes over the whole screen of the terminal, and gives it back in its original state.
//!
//! `show` draws on it. A panic gives the terminal back, too, and so does Ctrl-Z. The loop waits for
//! keys with [`Tty`], because `crossterm` does not return once the other end of a terminal has been
//! closed: it reads the end of input again and again.

use std::io::{self, BufWriter, IsTerminal, Seek, SeekFrom, Stdout, Write, stdin, stdout};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::{fs::File, panic, sync::Once, time::Duration};

use crossterm::event::{DisableMouseCapture, EnableMouseCapture};
use crossterm::terminal::{
    self, BeginSynchronizedUpdate, EndSynchronizedUpdate, EnterAlternateScreen,
    LeaveAlternateScreen,
};
use crossterm::{cursor, execute, queue};
use ratatui_core::{buffer::Buffer, terminal::Terminal};
use ratatui_crossterm::CrosstermBackend;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Signal, kill_current_process_group};

/// Whether a screen is taken, so that only then a panic gives it back.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// A terminal with its whole screen taken.
///
/// Dropping it gives the terminal back, as does a panic.
pub(crate) struct Screen(Terminal<CrosstermBackend<BufWriter<Stdout>>>);

impl Screen {
    /// Takes the terminal.
    pub(crate) fn take() -> io::Result<Screen> {
        give_back_on_panic();
        take()?;
        let terminal = Terminal::new(CrosstermBackend::new(BufWriter::new(stdout())));
        terminal.map(Screen).inspect_err(|_| give_back())
    }

    /// Draws; only changes go to the terminal.
    pub(crate) fn draw(&mut self, draw: impl FnOnce(&mut Buffer)) -> io::Result<()> {
        queue!(self.0.backend_mut(), BeginSynchronizedUpdate)?;
        self.0.draw(|frame| draw(frame.buffer_mut()))?;
        execute!(self.0.backend_mut(), EndSynchronizedUpdate)
    }

    /// Returns whether it is still taken: a panic anywhere gives it back.
    pub(crate) fn is_taken(&self) -> bool {
        TAKEN.load(Ordering::SeqCst)
    }

    /// Forgets the contents of the terminal, so that everything is drawn again.
    pub(crate) fn clear(&mut self) -> io::Result<()> {
        self.0.clear()
    }

    /// Gives the terminal back, stops this command as Ctrl-Z does, and takes the terminal again.
    pub(crate) fn suspend(&mut self) -> io::Result<()> {
        give_back();
        kill_current_process_group(Signal::TSTP)?;
        // It continues here after `fg`.
        self.resume()
    }

    /// Takes the terminal again after the program was stopped.
    pub(crate) fn resume(&mut self) -> io::Result<()> {
        take()?;
        self.clear()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        give_back();
    }
}

fn take() -> io::Result<()> {
    terminal::enable_raw_mode()?;
    TAKEN.store(true, Ordering::SeqCst);
    execute!(stdout(), EnterAlternateScreen, EnableMouseCapture, cursor::Hide)
        .inspect_err(|_| give_back())
}

/// Leaves the terminal in its original state.
///
/// Nothing can be done about errors: the terminal is gone then.
fn give_back() {
    if TAKEN.swap(false, Ordering::SeqCst) {
        let mut out = stdout();
        let left = execute!(
            out,
            EndSynchronizedUpdate,
            DisableMouseCapture,
            LeaveAlternateScreen,
            cursor::Show
        );
        left.and_then(|()| out.flush()).ok();
        terminal::disable_raw_mode().ok();
    }
}

/// Makes a panic's message readable, on a terminal in its original state.
fn give_back_on_panic() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            give_back();
            before(info);
        }));
    });
}

/// The terminal that keys come from.
#[derive(Debug)]
pub(crate) struct Tty(OwnedFd);

impl Tty {
    /// Opens the same terminal as `crossterm`: standard input, or else the process's own.
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

/// Holds back the program's standard error if that is the terminal; dropping it prints everything.
///
/// On a taken screen the text would appear at some odd place for a moment.
#[derive(Debug)]
pub struct HeldStderr(Option<(OwnedFd, File)>);

impl HeldStderr {
    /// Starts to hold back.
    pub fn begin() -> io::Result<HeldStderr> {
        if !io::stderr().is_terminal() {
            return Ok(HeldStderr(None));
        }
        let terminal = rustix::io::fcntl_dupfd_cloexec(io::stderr(), 3)?;
        let file = tempfile::tempfile()?;
        rustix::stdio::dup2_stderr(&file)?;
        Ok(HeldStderr(Some((terminal, file))))
    }
}

impl Drop for HeldStderr {
    fn drop(&mut self) {
        // If the terminal is gone, nobody can read it.
        if let Some((terminal, file)) = &mut self.0
            && rustix::stdio::dup2_stderr(terminal).is_ok()
            && file.seek(SeekFrom::Start(0)).is_ok()
        {
            io::copy(file, &mut io::stderr()).ok();
        }
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
