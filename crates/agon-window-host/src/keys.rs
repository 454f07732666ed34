//! Translates keys and buttons of the window library to those that the arena knows.
//!
//! `shell` does this for each event.

use agon_window::dialogue::{Button, Key};
use winit::{
    event::MouseButton,
    keyboard::{Key as Pressed, ModifiersState, NamedKey},
};

/// Returns the viewer's key for a pressed key, if there is one.
pub(crate) fn key(pressed: &Pressed, modifiers: ModifiersState) -> Option<Key> {
    if modifiers.intersects(ModifiersState::CONTROL | ModifiersState::ALT | ModifiersState::SUPER) {
        return None;
    }
    let shift = modifiers.shift_key();
    let named = match pressed {
        Pressed::Character(text) => return text.chars().next().map(Key::Char),
        Pressed::Named(named) => named,
        _ => return None,
    };
    Some(match (named, shift) {
        (NamedKey::Space, _) => Key::Char(' '),
        (NamedKey::ArrowLeft, false) => Key::Left,
        (NamedKey::ArrowRight, false) => Key::Right,
        (NamedKey::ArrowUp, false) => Key::Up,
        (NamedKey::ArrowDown, false) => Key::Down,
        (NamedKey::ArrowLeft, true) => Key::ShiftLeft,
        (NamedKey::ArrowRight, true) => Key::ShiftRight,
        (NamedKey::ArrowUp, true) => Key::ShiftUp,
        (NamedKey::ArrowDown, true) => Key::ShiftDown,
        (NamedKey::PageUp, _) => Key::PageUp,
        (NamedKey::PageDown, _) => Key::PageDown,
        (NamedKey::Home, _) => Key::Home,
        (NamedKey::End, _) => Key::End,
        (NamedKey::Enter, _) => Key::Enter,
        (NamedKey::Escape, _) => Key::Escape,
        (NamedKey::Backspace, _) => Key::Backspace,
        (NamedKey::Tab, _) => Key::Tab,
        _ => return None,
    })
}

/// Returns the viewer's button for a pressed button, if there is one.
pub(crate) fn button(button: MouseButton) -> Option<Button> {
    match button {
        MouseButton::Left => Some(Button::Left),
        MouseButton::Right => Some(Button::Right),
        MouseButton::Middle => Some(Button::Middle),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chords_are_no_keys_of_the_viewer() {
        let pressed = |text: &str| Pressed::Character(text.into());
        assert_eq!(key(&pressed("q"), ModifiersState::empty()), Some(Key::Char('q')));
        assert_eq!(key(&pressed("?"), ModifiersState::SHIFT), Some(Key::Char('?')));
        assert_eq!(key(&pressed("q"), ModifiersState::CONTROL), None);
        let left = Pressed::Named(NamedKey::ArrowLeft);
        assert_eq!(key(&left, ModifiersState::SHIFT), Some(Key::ShiftLeft));
        assert_eq!(key(&left, ModifiersState::empty()), Some(Key::Left));
    }
}
