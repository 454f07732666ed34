//! Translates keys and pointer events of VNC clients to inputs of the viewer (RFC 6143, sections
//! 7.5.4 and 7.5.5).
//!
//! VNC uses the numbers of X. `connection` passes each event of its client to a [`Keyboard`] or a
//! [`Pointer`].

use agon_view::{Button, Input, Key};

/// The modifier keys that a client holds down.
#[derive(Clone, Debug, Default)]
pub struct Keyboard {
    shift: Held,
    /// Control, Meta, Alt, Super, Hyper: their combinations belong to the person's own desktop.
    command: Held,
}

/// The keys of a kind that are down, bit by bit.
#[derive(Clone, Copy, Debug, Default)]
struct Held(u16);

impl Held {
    fn set(&mut self, bit: u32, is_down: bool) {
        let bit = 1 << bit;
        self.0 = if is_down { self.0 | bit } else { self.0 & !bit };
    }
}

// As in X11's keysymdef.h.
const SHIFT_LEFT: u32 = 0xffe1;
const SHIFT_RIGHT: u32 = 0xffe2;
const CONTROL_LEFT: u32 = 0xffe3;
const CONTROL_RIGHT: u32 = 0xffe4;
const META_LEFT: u32 = 0xffe7;
const HYPER_RIGHT: u32 = 0xffee;
/// Numbers of Unicode characters have this bit.
const UNICODE: u32 = 0x0100_0000;

impl Keyboard {
    /// Handles a key that goes down, repeats, or goes up, and returns its meaning to the viewer.
    pub fn key(&mut self, keysym: u32, is_down: bool) -> Option<Key> {
        match keysym {
            SHIFT_LEFT | SHIFT_RIGHT => self.shift.set(keysym - SHIFT_LEFT, is_down),
            CONTROL_LEFT | CONTROL_RIGHT | META_LEFT..=HYPER_RIGHT => {
                self.command.set(keysym - CONTROL_LEFT, is_down);
            }
            _ if is_down && self.command.0 == 0 => return key(keysym, self.shift.0 != 0),
            _ => {}
        }
        None
    }
}

fn key(keysym: u32, shift: bool) -> Option<Key> {
    let or_shifted = |plain, shifted| Some(if shift { shifted } else { plain });
    match keysym {
        // Latin 1 has its own numbers.
        0x20..=0x7e | 0xa0..=0xff => char::from_u32(keysym).map(Key::Char),
        UNICODE..=0x0110_ffff => {
            char::from_u32(keysym - UNICODE).filter(|char| !char.is_control()).map(Key::Char)
        }
        0xff08 => Some(Key::Backspace),
        0xff09 | 0xff89 | 0xfe20 => Some(Key::Tab),
        0xff0d | 0xff8d => Some(Key::Enter),
        0xff1b => Some(Key::Escape),
        // The same for the main keys and for the numeric block.
        0xff50 | 0xff95 => Some(Key::Home),
        0xff51 | 0xff96 => or_shifted(Key::Left, Key::ShiftLeft),
        0xff52 | 0xff97 => or_shifted(Key::Up, Key::ShiftUp),
        0xff53 | 0xff98 => or_shifted(Key::Right, Key::ShiftRight),
        0xff54 | 0xff99 => or_shifted(Key::Down, Key::ShiftDown),
        0xff55 | 0xff9a => Some(Key::PageUp),
        0xff56 | 0xff9b => Some(Key::PageDown),
        0xff57 | 0xff9c => Some(Key::End),
        0xff80 => Some(Key::Char(' ')),
        0xffbd => Some(Key::Char('=')),
        // From * to 9, in the order of ASCII.
        0xffaa..=0xffb9 => char::from_u32(keysym - 0xff80).map(Key::Char),
        _ => None,
    }
}

/// The place of a client's pointer, and its pressed buttons.
#[derive(Clone, Debug, Default)]
pub struct Pointer {
    at: Option<(u16, u16)>,
    buttons: u8,
}

/// The bits of buttons.
const BUTTONS: [(u8, Button); 3] = [(1, Button::Left), (2, Button::Middle), (4, Button::Right)];

/// The bits of the wheel, which turns by a notch with each press, and the direction.
const WHEEL: [(u8, f32); 2] = [(8, 1.0), (16, -1.0)];

impl Pointer {
    /// Takes a place and the pressed buttons, and returns the inputs since the last event.
    pub fn event(&mut self, buttons: u8, x: u16, y: u16) -> Vec<Input> {
        let mut inputs = Vec::new();
        if self.at != Some((x, y)) {
            self.at = Some((x, y));
            // The middle of the pixel.
            inputs.push(Input::Move { x: f32::from(x) + 0.5, y: f32::from(y) + 0.5 });
        }
        let changed = self.buttons ^ buttons;
        for (bit, button) in BUTTONS {
            if changed & bit != 0 {
                let is_down = buttons & bit != 0;
                inputs.push(if is_down { Input::Press(button) } else { Input::Release(button) });
            }
        }
        for (bit, notches) in WHEEL {
            if changed & buttons & bit != 0 {
                inputs.push(Input::Wheel(notches));
            }
        }
        self.buttons = buttons;
        inputs
    }

    /// Releases all buttons, because the client is gone.
    pub fn leave(&mut self) -> Vec<Input> {
        let (x, y) = self.at.unwrap_or_default();
        if self.buttons == 0 { vec![] } else { self.event(0, x, y) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn down(keysyms: &[u32]) -> Option<Key> {
        let mut keyboard = Keyboard::default();
        keysyms.iter().map(|&keysym| keyboard.key(keysym, true)).last().flatten()
    }

    #[test]
    fn keys_mean_what_is_on_them() {
        assert_eq!(down(&[0x20]), Some(Key::Char(' ')));
        assert_eq!(down(&[SHIFT_LEFT, 0x3f]), Some(Key::Char('?')));
        assert_eq!(down(&[0xe4]), Some(Key::Char('ä')));
        assert_eq!(down(&[UNICODE + 0x20ac]), Some(Key::Char('€')));
        assert_eq!(down(&[0xff53]), Some(Key::Right));
        assert_eq!(down(&[SHIFT_RIGHT, 0xff53]), Some(Key::ShiftRight));
        assert_eq!(down(&[0xffab]), Some(Key::Char('+')));
        assert_eq!(down(&[0xffb9]), Some(Key::Char('9')));
        assert_eq!(down(&[0xffbe]), None);
    }

    #[test]
    fn commands_of_the_desktop_are_no_keys() {
        assert_eq!(down(&[CONTROL_LEFT, u32::from(b'q')]), None);
        let mut keyboard = Keyboard::default();
        keyboard.key(0xffe9, true);
        assert_eq!(keyboard.key(u32::from(b'q'), true), None);
        keyboard.key(0xffe9, false);
        assert_eq!(keyboard.key(u32::from(b'q'), false), None);
        assert_eq!(keyboard.key(u32::from(b'q'), true), Some(Key::Char('q')));
    }

    #[test]
    fn no_number_is_too_strange() {
        for keysym in [0, 0x7f, 0xd800 + UNICODE, UNICODE, 0x0111_0000, u32::MAX, 0xfffe] {
            assert_eq!(down(&[keysym]), None, "{keysym:x}");
        }
    }

    #[test]
    fn buttons_and_wheel() {
        let mut pointer = Pointer::default();
        let at = Input::Move { x: 3.5, y: 4.5 };
        assert_eq!(pointer.event(1, 3, 4), [at, Input::Press(Button::Left)]);
        assert_eq!(pointer.event(1, 3, 4), []);
        assert_eq!(
            pointer.event(4, 3, 4),
            [Input::Release(Button::Left), Input::Press(Button::Right)]
        );
        assert_eq!(pointer.event(4 + 8, 3, 4), [Input::Wheel(1.0)]);
        assert_eq!(pointer.event(4, 3, 4), []);
        assert_eq!(pointer.event(4 + 16 + 128, 3, 4), [Input::Wheel(-1.0)]);
        assert_eq!(pointer.leave(), [Input::Release(Button::Right)]);
        assert_eq!(pointer.leave(), []);
    }
}
