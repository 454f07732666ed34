//! What clients say (RFC 6143, section 7.5): reads their messages, and translates keys and pointer
//! events to inputs of the viewer.
//!
//! `connection` reads one message after the other, and acts on each.

#![warn(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    clippy::cast_lossless,
    reason = "messages are foreign bytes, whose numbers must not change unnoticed"
)]

use std::io::{self, ErrorKind, Read};

use agon_view::{Button, Input, Key, paint::Area};

use crate::vnc::encoding::{Encodings, FORMAT_BYTES, PixelFormat};

/// The widths and heights that a client may ask for.
pub(crate) const SIZES: (std::ops::RangeInclusive<u16>, std::ops::RangeInclusive<u16>) =
    (160..=4096, 120..=2304);

/// The most text that a client may paste; it is thrown away.
const MAX_TEXT: u32 = 1 << 20;

/// A message of a client.
#[derive(Clone, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub enum ClientMessage {
    /// It chooses this format of pixels.
    Format(PixelFormat),
    /// It supports these encodings.
    Encodings(Encodings),
    /// It wants an area: the contents, or the changes if it knows the old contents.
    Request { incremental: bool, area: Area },
    /// A key, with X's number, goes down or up.
    Key { keysym: u32, is_down: bool },
    /// The pointer or its buttons have changed; each button that is down is a bit.
    Pointer { buttons: u8, x: u16, y: u16 },
    /// Text is pasted, which is ignored.
    CutText,
    /// It wants a picture of another size.
    Size { width: u16, height: u16 },
}

impl ClientMessage {
    /// Reads a message; `None` after the last one.
    ///
    /// It uses no memory whose size the client chooses. Fails if the message is invalid, or the
    /// client is gone in the middle of it.
    pub fn read(from: &mut impl Read) -> io::Result<Option<ClientMessage>> {
        let mut kind = [0];
        if let Err(error) = from.read_exact(&mut kind) {
            return if error.kind() == ErrorKind::UnexpectedEof { Ok(None) } else { Err(error) };
        }
        let [kind] = kind;
        let message = match kind {
            0 => {
                let _padding: [u8; 3] = bytes(from)?;
                ClientMessage::Format(PixelFormat::from_bytes(bytes::<FORMAT_BYTES>(from)?)?)
            }
            2 => {
                let [_padding, high, low] = bytes(from)?;
                let mut encodings = Encodings::default();
                for _ in 0..u16::from_be_bytes([high, low]) {
                    encodings.add(i32::from_be_bytes(bytes(from)?));
                }
                ClientMessage::Encodings(encodings)
            }
            3 => {
                let [incremental] = bytes(from)?;
                let [x, y, width, height] =
                    [number(from)?, number(from)?, number(from)?, number(from)?];
                let area =
                    Area { x: x.into(), y: y.into(), width: width.into(), height: height.into() };
                ClientMessage::Request { incremental: incremental != 0, area }
            }
            4 => {
                let [is_down, _, _] = bytes(from)?;
                ClientMessage::Key {
                    keysym: u32::from_be_bytes(bytes(from)?),
                    is_down: is_down != 0,
                }
            }
            5 => {
                let [buttons] = bytes(from)?;
                ClientMessage::Pointer { buttons, x: number(from)?, y: number(from)? }
            }
            6 => {
                let _padding: [u8; 3] = bytes(from)?;
                let length = u32::from_be_bytes(bytes(from)?);
                if length > MAX_TEXT {
                    let why = format!("it pasted {length} bytes; the limit is {MAX_TEXT}");
                    return Err(io::Error::other(why));
                }
                skip(from, length)?;
                ClientMessage::CutText
            }
            251 => {
                let [_padding] = bytes(from)?;
                let (width, height) = (number(from)?, number(from)?);
                let [screens, _padding] = bytes(from)?;
                // The client's list of screens does not matter: there is one screen.
                skip(from, 16 * u32::from(screens))?;
                ClientMessage::Size { width, height }
            }
            unknown => {
                // The start of the next one is unknown, too.
                let why = format!("it sent a message of unknown type {unknown}");
                return Err(io::Error::other(why));
            }
        };
        Ok(Some(message))
    }
}

fn bytes<const N: usize>(from: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    from.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn number(from: &mut impl Read) -> io::Result<u16> {
    Ok(u16::from_be_bytes(bytes(from)?))
}

/// Throws bytes away.
fn skip(from: &mut impl Read, length: u32) -> io::Result<()> {
    let skipped = io::copy(&mut from.take(length.into()), &mut io::sink())?;
    if skipped < length.into() { Err(ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
}

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
    pub(crate) fn leave(&mut self) -> Vec<Input> {
        let (x, y) = self.at.unwrap_or_default();
        if self.buttons == 0 { vec![] } else { self.event(0, x, y) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vnc::encoding::Encoding;

    fn read(mut text: &[u8]) -> Result<Option<ClientMessage>, String> {
        let message = ClientMessage::read(&mut text).map_err(|error| error.to_string())?;
        assert!(text.is_empty(), "{} bytes are left", text.len());
        Ok(message)
    }

    #[test]
    fn numbers_are_read_in_their_order() {
        let area = Area { x: 1, y: 2, width: 3, height: 0x104 };
        for (bytes, message) in [
            (
                &[3, 1, 0, 1, 0, 2, 0, 3, 1, 4][..],
                ClientMessage::Request { incremental: true, area },
            ),
            (&[4, 1, 0, 0, 0, 0, 0xff, 0x53], ClientMessage::Key { keysym: 0xff53, is_down: true }),
            (&[5, 9, 1, 0, 0, 7], ClientMessage::Pointer { buttons: 9, x: 256, y: 7 }),
            (b"\x06\0\0\0\0\0\0\x03abc", ClientMessage::CutText),
        ] {
            assert_eq!(read(bytes), Ok(Some(message)));
        }
        assert_eq!(read(b""), Ok(None));
    }

    #[test]
    fn the_first_known_encoding_is_taken() {
        let list = |numbers: &[i32]| {
            let mut text = vec![2, 0];
            text.extend(u16::try_from(numbers.len()).unwrap().to_be_bytes());
            text.extend(numbers.iter().flat_map(|number| number.to_be_bytes()));
            match read(&text) {
                Ok(Some(ClientMessage::Encodings(encodings))) => encodings,
                other => panic!("{other:?}"),
            }
        };
        let real = list(&[7, 16, 5, 0, -308, -223, -239, i32::MIN]);
        assert_eq!(real.best, Encoding::Zrle);
        assert!(real.desktop_size && real.extended_desktop_size && real.cursor);
        assert_eq!(list(&[0, 5, 16]).best, Encoding::Raw);
        assert_eq!(list(&[7, 8, 5]).best, Encoding::Hextile);
        assert_eq!(list(&[]), Encodings::default());
        assert_eq!(list(&vec![99; 65535]).best, Encoding::Raw);
    }

    #[test]
    fn hostile_bytes_are_errors() {
        assert_eq!(read(&[77]), Err("it sent a message of unknown type 77".into()));
        let long = [6, 0, 0, 0, 0xff, 0xff, 0xff, 0xff];
        assert_eq!(read(&long), Err("it pasted 4294967295 bytes; the limit is 1048576".into()));
        let map = [&[0; 4][..], &[8, 8, 0, 0], &[0; 12]].concat();
        assert_eq!(read(&map), Err("it wants a colour map; only true colour is offered".into()));
        // All messages that end too early, and lists that are shorter than they promise.
        let messages: [&[u8]; 7] = [
            &[0; 20],
            &[2, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0],
            &[3; 10],
            &[4; 8],
            &[5; 6],
            b"\x06\0\0\0\0\0\0\x02ab",
            &[251, 0, 0, 9, 0, 9, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        ];
        for message in messages {
            for length in 1..message.len() {
                let error = ClientMessage::read(&mut &message[..length]).unwrap_err();
                assert_eq!(error.kind(), ErrorKind::UnexpectedEof, "{:?}", &message[..length]);
            }
        }
    }

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
        // No number is too strange.
        for keysym in [0, 0x7f, 0xd800 + UNICODE, UNICODE, 0x0111_0000, u32::MAX, 0xfffe] {
            assert_eq!(down(&[keysym]), None, "{keysym:x}");
        }
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
