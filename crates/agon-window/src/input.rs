//! Translates inputs from the window to inputs of the viewer.
//!
//! The window belongs to a program that is built without the viewer, so its inputs have their own
//! types.

use crate::dialogue::{Button, Input, Key};
use agon_view as view;

pub(crate) fn of_viewer(input: Input) -> view::Input {
    match input {
        Input::Key(pressed) => view::Input::Key(key(pressed)),
        Input::Move { x, y } => view::Input::Move { x, y },
        Input::Press(pressed) => view::Input::Press(button(pressed)),
        Input::Release(released) => view::Input::Release(button(released)),
        Input::Wheel(notches) => view::Input::Wheel(notches),
        Input::Scale(scale) => view::Input::Scale(scale),
        Input::Close => view::Input::Close,
    }
}

fn key(key: Key) -> view::Key {
    match key {
        Key::Char(char) => view::Key::Char(char),
        Key::Left => view::Key::Left,
        Key::Right => view::Key::Right,
        Key::Up => view::Key::Up,
        Key::Down => view::Key::Down,
        Key::ShiftLeft => view::Key::ShiftLeft,
        Key::ShiftRight => view::Key::ShiftRight,
        Key::ShiftUp => view::Key::ShiftUp,
        Key::ShiftDown => view::Key::ShiftDown,
        Key::PageUp => view::Key::PageUp,
        Key::PageDown => view::Key::PageDown,
        Key::Home => view::Key::Home,
        Key::End => view::Key::End,
        Key::Enter => view::Key::Enter,
        Key::Escape => view::Key::Escape,
        Key::Backspace => view::Key::Backspace,
        Key::Tab => view::Key::Tab,
    }
}

fn button(button: Button) -> view::Button {
    match button {
        Button::Left => view::Button::Left,
        Button::Right => view::Button::Right,
        Button::Middle => view::Button::Middle,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_of_both_are_the_same() {
        let keys = [
            Key::Char('?'),
            Key::Left,
            Key::Right,
            Key::Up,
            Key::Down,
            Key::ShiftLeft,
            Key::ShiftRight,
            Key::ShiftUp,
            Key::ShiftDown,
            Key::PageUp,
            Key::PageDown,
            Key::Home,
            Key::End,
            Key::Enter,
            Key::Escape,
            Key::Backspace,
            Key::Tab,
        ];
        let buttons = [Button::Left, Button::Right, Button::Middle];
        let others =
            [Input::Move { x: 1.5, y: 2.0 }, Input::Wheel(-1.0), Input::Scale(2.0), Input::Close];
        let pressed = buttons.map(Input::Press).into_iter().chain(buttons.map(Input::Release));
        for input in keys.map(Input::Key).into_iter().chain(pressed).chain(others) {
            assert_eq!(format!("{input:?}"), format!("{:?}", of_viewer(input)));
        }
    }
}
