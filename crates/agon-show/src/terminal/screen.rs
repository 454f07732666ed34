//! Takes over the whole screen of the terminal, and gives it back in its original state.
//!
//! `run` draws on it. A panic gives the terminal back, too, and so does Ctrl-Z.

use std::{
    io::{self, BufWriter, Stdout, Write, stdout},
    panic,
    sync::{
        Once,
        atomic::{AtomicBool, Ordering},
    },
};

use crossterm::{
    cursor,
    event::{DisableMouseCapture, EnableMouseCapture},
    execute, queue,
    terminal::{
        self, BeginSynchronizedUpdate, EndSynchronizedUpdate, EnterAlternateScreen,
        LeaveAlternateScreen,
    },
};
use ratatui_core::{buffer::Buffer, terminal::Terminal};
use ratatui_crossterm::CrosstermBackend;

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
        #[cfg(unix)]
        {
            use rustix::process::{Signal, kill_current_process_group};
            give_back();
            kill_current_process_group(Signal::TSTP)?;
        }
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
