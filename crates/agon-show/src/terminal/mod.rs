//! The viewer in a terminal: boards as coloured blocks, or as letters without colours.
//!
//! `agon-show` calls [`show`] for `--view terminal`, and where there is no display for a window.
//! Its loop passes inputs to the viewer and pictures to the terminal. Some keys are for the
//! terminal itself, such as Ctrl-C and Ctrl-Z.
//!
//! | module | noun |
//! | --- | --- |
//! | `screen` | the terminal while it is taken, and how it is given back |
//! | `draw` | everything on a buffer of characters; [`Capabilities`]: those that a terminal has |
//! | `letters` | boards as letters, and characters over boards |
//! | `panels` | what stands around the board |

mod draw;
mod letters;
mod panels;
mod screen;

use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use agon_view::{Button, Input, Key, Redraw, TextApp, paint::Frame};
use crossterm::event::{
    self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent,
    MouseEventKind,
};
use screen::{Screen, Tty};

pub use draw::{Capabilities, Colors, draw};
pub use screen::HeldStderr;

/// The time between two pictures.
const FRAME_INTERVAL: Duration = Duration::from_millis(33);

/// The check interval for the end of the loop.
const CHECK_INTERVAL: Duration = Duration::from_millis(200);

/// Returns whether there is a terminal to show anything in.
pub fn is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Shows an app until the person leaves, a signal comes, the terminal is closed, or `is_stopped`
/// returns true.
pub fn show(
    app: &mut dyn TextApp,
    look: Capabilities,
    is_stopped: impl Fn() -> bool,
) -> io::Result<()> {
    let signals = Signals::listen()?;
    let tty = Tty::open()?;
    let mut screen = Screen::take()?;
    let began = Instant::now();
    let mut frame = Frame::new(1, 1);
    let mut drawn: Option<Instant> = None;
    let mut redraw = true;
    while !app.is_closed() {
        if is_stopped() || signals.has_ended() || !screen.is_taken() {
            return Ok(());
        }
        if signals.has_continued() {
            screen.resume()?;
            redraw = true;
        }
        redraw |= app.tick(began.elapsed()) == Redraw::Yes;
        let rest =
            drawn.map_or(Duration::ZERO, |drawn| FRAME_INTERVAL.saturating_sub(drawn.elapsed()));
        if redraw && rest.is_zero() {
            screen.draw(|buffer| draw(app, look, &mut frame, buffer))?;
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
            return Ok(());
        }
        if !event::poll(Duration::ZERO)? {
            continue;
        }
        // All waiting events, so that a fast mouse does not lag behind.
        loop {
            match request_of(&event::read()?) {
                Request::Inputs(inputs) => {
                    for input in inputs {
                        redraw |= app.input(input) == Redraw::Yes;
                    }
                }
                Request::Interrupt => return Ok(()),
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
    Ok(())
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
