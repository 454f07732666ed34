//! Translates events of the terminal to inputs of the viewer.
//!
//! Some keys are for the terminal itself, such as Ctrl-C and Ctrl-Z. `run` handles these.

use agon_view::{Button, Input, Key};
use crossterm::event::{
    Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};

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
