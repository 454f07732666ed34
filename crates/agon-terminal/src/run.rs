//! The loop: what the person does goes to the viewer, what it shows to the terminal.

use std::{
    io::{self, IsTerminal},
    time::{Duration, Instant},
};

use agon_paint::Frame;
use agon_view::{App, Input, Redraw};
use crossterm::event;
use thiserror::Error;

use crate::{
    Look, draw,
    keys::{Wish, wish},
    screen::Screen,
};

/// The time between two pictures.
const PICTURE: Duration = Duration::from_millis(33);

/// How often it looks whether it is to stop.
const LISTEN: Duration = Duration::from_millis(200);

/// Why nothing can be shown.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TerminalError {
    /// The output goes elsewhere.
    #[error("standard output is no terminal")]
    NoTerminal,
    /// The app has only pictures.
    #[error("this cannot be shown in a terminal")]
    NoText,
    /// The terminal does not work, or is gone.
    #[error("the terminal: {0}")]
    Io(#[from] io::Error),
}

/// Whether there is a terminal to show anything in.
pub fn is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Shows an app until the person leaves, or `is_stopped` says so. Returns whether it was left with Ctrl-C, or stopped.
///
/// # Errors
/// If there is no terminal, or it goes away.
pub fn show(
    app: &mut dyn App,
    look: Look,
    mut is_stopped: impl FnMut() -> bool,
) -> Result<bool, TerminalError> {
    if !is_terminal() {
        return Err(TerminalError::NoTerminal);
    }
    if app.in_characters().is_none() {
        return Err(TerminalError::NoText);
    }
    #[cfg(unix)]
    let continued = continued()?;
    let mut screen = Screen::take()?;
    let (began, mut frame) = (Instant::now(), Frame::new(1, 1));
    let mut drawn: Option<Instant> = None;
    let mut redraw = true;
    while !app.is_closed() {
        if is_stopped() {
            return Ok(true);
        }
        #[cfg(unix)]
        if continued.swap(false, std::sync::atomic::Ordering::Relaxed) {
            screen.resume()?;
            redraw = true;
        }
        redraw |= app.tick(began.elapsed()) == Redraw::Yes;
        let rest = drawn.map_or(Duration::ZERO, |drawn| PICTURE.saturating_sub(drawn.elapsed()));
        if redraw && rest.is_zero() {
            let text = app.in_characters().ok_or(TerminalError::NoText)?;
            screen.draw(|buffer| draw(text, look, &mut frame, buffer))?;
            (drawn, redraw) = (Some(Instant::now()), false);
        }
        let rest = drawn.map_or(Duration::ZERO, |drawn| PICTURE.saturating_sub(drawn.elapsed()));
        let sleep = if redraw { rest } else { app.idle().unwrap_or(LISTEN).clamp(rest, LISTEN.max(rest)) };
        if !event::poll(sleep)? {
            continue;
        }
        // All that has come meanwhile, so that a mouse that moves fast does not lag behind.
        loop {
            match wish(&event::read()?) {
                Wish::Inputs(inputs) => redraw |= take(app, &inputs),
                Wish::Interrupt => return Ok(true),
                #[cfg(unix)]
                Wish::Suspend => {
                    screen.suspend()?;
                    continued.store(false, std::sync::atomic::Ordering::Relaxed);
                    redraw = true;
                }
                #[cfg(not(unix))]
                Wish::Suspend => {}
                Wish::Redraw => {
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

/// Set whenever the program goes on after it was stopped.
#[cfg(unix)]
fn continued() -> io::Result<std::sync::Arc<std::sync::atomic::AtomicBool>> {
    let continued = std::sync::Arc::default();
    signal_hook::flag::register(signal_hook::consts::SIGCONT, std::sync::Arc::clone(&continued))?;
    Ok(continued)
}
