//! The loop that passes inputs to the viewer and pictures to the terminal.
//!
//! `agon-show` calls [`show`] to show a match or replay in the terminal. Some keys are for the
//! terminal itself, such as Ctrl-C and Ctrl-Z.

use std::{
    io::{self, IsTerminal},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use agon_view::paint::Frame;
use agon_view::{App, Button, Input, Key, Redraw};
use crossterm::event::{
    self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent,
    MouseEventKind,
};
use thiserror::Error;

use super::{
    Capabilities, draw,
    screen::{Screen, Tty},
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
#[derive(Debug, Default)]
struct Signals {
    /// The program continues after a stop.
    continued: Arc<AtomicBool>,
    /// The program has to end.
    ended: Arc<AtomicBool>,
    registered: Vec<signal_hook::SigId>,
}

impl Signals {
    fn listen() -> io::Result<Signals> {
        use signal_hook::{consts, flag};
        let mut signals = Signals::default();
        let mut register = |signal, flag: &Arc<_>| {
            signals.registered.push(flag::register(signal, Arc::clone(flag))?);
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
        self.continued.swap(false, Ordering::Relaxed)
    }

    fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        for &id in &self.registered {
            signal_hook::low_level::unregister(id);
        }
    }
}

/// The meaning of an event.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Request {
    /// Inputs for the viewer.
    Inputs(Vec<Input>),
    /// Leave, as with Ctrl-C.
    Interrupt,
    /// Go to the background.
    Suspend,
    /// Draw everything again.
    Redraw,
}

/// Returns the meaning of an event.
pub(crate) fn request_of(event: &Event) -> Request {
    match event {
        Event::Key(key) if key.kind != KeyEventKind::Release => of_key(key),
        Event::Mouse(mouse) => Request::Inputs(of_mouse(mouse)),
        Event::Resize(..) => Request::Redraw,
        _ => Request::Inputs(vec![]),
    }
}

fn of_key(event: &KeyEvent) -> Request {
    if event.modifiers.contains(KeyModifiers::CONTROL) {
        return match event.code {
            KeyCode::Char('c' | 'd') => Request::Interrupt,
            KeyCode::Char('z') => Request::Suspend,
            KeyCode::Char('l') => Request::Redraw,
            _ => Request::Inputs(vec![]),
        };
    }
    let shift = event.modifiers.contains(KeyModifiers::SHIFT);
    let key = match event.code {
        KeyCode::Char(letter) => Key::Char(letter),
        KeyCode::Left if shift => Key::ShiftLeft,
        KeyCode::Right if shift => Key::ShiftRight,
        KeyCode::Up if shift => Key::ShiftUp,
        KeyCode::Down if shift => Key::ShiftDown,
        KeyCode::Left => Key::Left,
        KeyCode::Right => Key::Right,
        KeyCode::Up => Key::Up,
        KeyCode::Down => Key::Down,
        KeyCode::PageUp => Key::PageUp,
        KeyCode::PageDown => Key::PageDown,
        KeyCode::Home => Key::Home,
        KeyCode::End => Key::End,
        KeyCode::Enter => Key::Enter,
        KeyCode::Esc => Key::Escape,
        KeyCode::Backspace => Key::Backspace,
        KeyCode::Tab => Key::Tab,
        _ => return Request::Inputs(vec![]),
    };
    Request::Inputs(vec![Input::Key(key)])
}

fn of_mouse(event: &MouseEvent) -> Vec<Input> {
    // Just above the middle of the character, to select the upper one of two places.
    let at = Input::Move { x: f32::from(event.column) + 0.5, y: 2.0 * f32::from(event.row) + 0.99 };
    let button = |button: MouseButton| match button {
        MouseButton::Left => Button::Left,
        MouseButton::Right => Button::Right,
        MouseButton::Middle => Button::Middle,
    };
    match event.kind {
        MouseEventKind::Down(pressed) => vec![at, Input::Press(button(pressed))],
        MouseEventKind::Up(released) => vec![at, Input::Release(button(released))],
        MouseEventKind::Drag(_) | MouseEventKind::Moved => vec![at],
        MouseEventKind::ScrollUp => vec![at, Input::Wheel(1.0)],
        MouseEventKind::ScrollDown => vec![at, Input::Wheel(-1.0)],
        MouseEventKind::ScrollLeft | MouseEventKind::ScrollRight => vec![],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_inputs() {
        let request = |code, modifiers| request_of(&Event::Key(KeyEvent::new(code, modifiers)));
        let key = |key| Request::Inputs(vec![Input::Key(key)]);
        assert_eq!(request(KeyCode::Char('?'), KeyModifiers::SHIFT), key(Key::Char('?')));
        assert_eq!(request(KeyCode::Left, KeyModifiers::SHIFT), key(Key::ShiftLeft));
        assert_eq!(request(KeyCode::Char('c'), KeyModifiers::CONTROL), Request::Interrupt);
        assert_eq!(request(KeyCode::Char('z'), KeyModifiers::CONTROL), Request::Suspend);
        assert_eq!(request(KeyCode::F(5), KeyModifiers::NONE), Request::Inputs(vec![]));
    }
}
