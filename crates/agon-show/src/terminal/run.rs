//! The loop that passes inputs to the viewer and pictures to the terminal.
//!
//! `agon-show` calls [`show`] to show a match or replay in the terminal.

use std::{
    io::{self, IsTerminal},
    time::{Duration, Instant},
};

use agon_paint::Frame;
use agon_view::{App, Input, Redraw};
use crossterm::event;
use thiserror::Error;

#[cfg(unix)]
use crate::terminal::tty::Tty;
use crate::terminal::{
    Capabilities, draw,
    keys::{Request, request_of},
    screen::Screen,
};

/// The time between two pictures.
const FRAME_INTERVAL: Duration = Duration::from_millis(33);

/// The check interval for the end of the loop.
const CHECK_INTERVAL: Duration = Duration::from_millis(200);

/// The reason why nothing can be shown.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TerminalError {
    /// The output is not a terminal.
    #[error("standard output is not a terminal")]
    NoTerminal,
    /// The app has only pictures.
    #[error("this cannot be shown in a terminal")]
    NoText,
    /// The terminal does not work, or is gone.
    #[error("the terminal: {0}")]
    Io(#[from] io::Error),
}

/// Returns whether there is a terminal to show anything in.
pub fn is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Shows an app until the person leaves or `is_stopped` returns true.
///
/// Returns whether the person left with Ctrl-C, a signal ended it, or the terminal was closed.
///
/// # Errors
/// If there is no terminal, or it fails.
pub fn show(
    app: &mut dyn App,
    look: Capabilities,
    mut is_stopped: impl FnMut() -> bool,
) -> Result<bool, TerminalError> {
    if !is_terminal() {
        return Err(TerminalError::NoTerminal);
    }
    if app.in_characters().is_none() {
        return Err(TerminalError::NoText);
    }
    let signals = Signals::listen()?;
    let tty = Tty::open()?;
    let mut screen = Screen::take()?;
    let began = Instant::now();
    let mut frame = Frame::new(1, 1);
    let mut drawn: Option<Instant> = None;
    let mut redraw = true;
    while !app.is_closed() {
        if is_stopped() || signals.has_ended() || !screen.is_taken() {
            return Ok(true);
        }
        if signals.has_continued() {
            screen.resume()?;
            redraw = true;
        }
        redraw |= app.tick(began.elapsed()) == Redraw::Yes;
        let rest =
            drawn.map_or(Duration::ZERO, |drawn| FRAME_INTERVAL.saturating_sub(drawn.elapsed()));
        if redraw && rest.is_zero() {
            let text = app.in_characters().ok_or(TerminalError::NoText)?;
            screen.draw(|buffer| draw(text, look, &mut frame, buffer))?;
            (drawn, redraw) = (Some(Instant::now()), false);
        }
        let rest =
            drawn.map_or(Duration::ZERO, |drawn| FRAME_INTERVAL.saturating_sub(drawn.elapsed()));
        let sleep = if redraw {
            rest
        } else {
            app.idle().unwrap_or(CHECK_INTERVAL).clamp(rest, CHECK_INTERVAL.max(rest))
        };
        if !tty.wait(sleep)? {
            return Ok(true);
        }
        if !event::poll(Duration::ZERO)? {
            continue;
        }
        // All waiting events, so that a fast mouse does not lag behind.
        loop {
            match request_of(&event::read()?) {
                Request::Inputs(inputs) => redraw |= take(app, &inputs),
                Request::Interrupt => return Ok(true),
                Request::Suspend => {
                    screen.suspend()?;
                    // It is in the foreground again, with the terminal already taken.
                    signals.has_continued();
                    redraw = true;
                }
                Request::Redraw => {
                    screen.clear()?;
                    redraw = true;
                }
            }
            if app.is_closed() || !event::poll(Duration::ZERO)? {
                break;
            }
        }
    }
    Ok(false)
}

fn take(app: &mut dyn App, inputs: &[Input]) -> bool {
    let mut redraw = false;
    for &input in inputs {
        redraw |= app.input(input) == Redraw::Yes;
    }
    redraw
}

/// The signals received so far.
#[cfg(unix)]
#[derive(Debug, Default)]
struct Signals {
    /// The program continues after a stop.
    continued: std::sync::Arc<std::sync::atomic::AtomicBool>,
    /// The program has to end.
    ended: std::sync::Arc<std::sync::atomic::AtomicBool>,
    registered: Vec<signal_hook::SigId>,
}

#[cfg(unix)]
impl Signals {
    fn listen() -> io::Result<Signals> {
        use signal_hook::{consts, flag};
        let mut signals = Signals::default();
        let mut register = |signal, flag: &std::sync::Arc<_>| {
            signals.registered.push(flag::register(signal, std::sync::Arc::clone(flag))?);
            io::Result::Ok(())
        };
        register(consts::SIGCONT, &signals.continued)?;
        for signal in [consts::SIGINT, consts::SIGTERM, consts::SIGHUP] {
            register(signal, &signals.ended)?;
        }
        Ok(signals)
    }

    /// Returns, once, whether the program continues after a stop.
    fn has_continued(&self) -> bool {
        self.continued.swap(false, std::sync::atomic::Ordering::Relaxed)
    }

    fn has_ended(&self) -> bool {
        self.ended.load(std::sync::atomic::Ordering::Relaxed)
    }
}

#[cfg(unix)]
impl Drop for Signals {
    fn drop(&mut self) {
        for &id in &self.registered {
            signal_hook::low_level::unregister(id);
        }
    }
}

/// A stand-in for systems without signals.
#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn listen() -> io::Result<Signals> {
        Ok(Signals)
    }

    fn has_continued(&self) -> bool {
        false
    }

    fn has_ended(&self) -> bool {
        false
    }
}

/// A stand-in for systems whose terminals are no files.
#[cfg(not(unix))]
struct Tty;

#[cfg(not(unix))]
impl Tty {
    fn open() -> io::Result<Tty> {
        Ok(Tty)
    }

    fn wait(&self, timeout: Duration) -> io::Result<bool> {
        event::poll(timeout)?;
        Ok(true)
    }
}
