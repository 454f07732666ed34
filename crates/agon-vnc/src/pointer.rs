//! Translates a client's pointer events to inputs of the viewer (RFC 6143, section 7.5.5).
//!
//! `connection` passes each pointer event of its client to a [`Pointer`].

use agon_view::{Button, Input};

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
