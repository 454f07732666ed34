//! Reads the messages of clients: keys, pointer, requests (RFC 6143, section 7.5).
//!
//! `connection` reads one after the other, and acts on each.

#![warn(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    clippy::cast_lossless,
    reason = "messages are foreign bytes, whose numbers must not change unnoticed"
)]

use std::io::{self, ErrorKind, Read};

use agon_view::paint::Area;
use thiserror::Error;

use crate::vnc::{
    encoding::Encodings,
    pixel::{FORMAT_BYTES, FormatError, PixelFormat},
};

/// The widths and heights that a client may ask for.
pub const SIZES: (std::ops::RangeInclusive<u16>, std::ops::RangeInclusive<u16>) =
    (160..=4096, 120..=2304);

/// The most text that a client may paste; it is thrown away.
const MAX_TEXT: u32 = 1 << 20;

/// A message of a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientMessage {
    /// It chooses this format of pixels.
    Format(PixelFormat),
    /// It supports these encodings.
    Encodings(Encodings),
    /// It wants an area: the contents, or the changes.
    Request {
        /// Whether it knows the old contents.
        incremental: bool,
        /// The area.
        area: Area,
    },
    /// A key goes down or up.
    Key {
        /// The key, with X's number.
        keysym: u32,
        /// Whether it goes down.
        is_down: bool,
    },
    /// The pointer or its buttons have changed.
    Pointer {
        /// The buttons that are down, bit by bit.
        buttons: u8,
        /// From the left edge.
        x: u16,
        /// From the upper edge.
        y: u16,
    },
    /// Text is pasted, which is ignored.
    CutText,
    /// It wants a picture of another size.
    Size {
        /// Pixels in a row.
        width: u16,
        /// Rows.
        height: u16,
    },
}

/// The reason why a message is invalid.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum MessageError {
    /// The client is gone, perhaps in the middle of a message.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// There is no such message, so the start of the next one is unknown.
    #[error("it sent a message of unknown type {0}")]
    Unknown(u8),
    /// It wants an impossible format of pixels.
    #[error(transparent)]
    Format(#[from] FormatError),
    /// It pastes too much text.
    #[error("it pasted {0} bytes; the limit is {MAX_TEXT}")]
    LongText(u32),
}

impl ClientMessage {
    /// Reads a message; `None` after the last one.
    ///
    /// It uses no memory whose size the client chooses.
    ///
    /// # Errors
    /// If the message is invalid, or the client is gone in the middle of it.
    pub fn read(from: &mut impl Read) -> Result<Option<ClientMessage>, MessageError> {
        let mut kind = [0];
        if let Err(error) = from.read_exact(&mut kind) {
            return if error.kind() == ErrorKind::UnexpectedEof {
                Ok(None)
            } else {
                Err(error.into())
            };
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
                    return Err(MessageError::LongText(length));
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
            unknown => return Err(MessageError::Unknown(unknown)),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vnc::Encoding;

    fn read(mut text: &[u8]) -> Result<Option<ClientMessage>, String> {
        let message = ClientMessage::read(&mut text).map_err(|error| error.to_string())?;
        assert!(text.is_empty(), "{} bytes are left", text.len());
        Ok(message)
    }

    #[test]
    fn messages() {
        assert_eq!(read(b""), Ok(None));
        let area = Area { x: 1, y: 2, width: 3, height: 0x104 };
        let request = ClientMessage::Request { incremental: true, area };
        assert_eq!(read(&[3, 1, 0, 1, 0, 2, 0, 3, 1, 4]), Ok(Some(request)));
        assert_eq!(
            read(&[4, 1, 0, 0, 0, 0, 0xff, 0x53]),
            Ok(Some(ClientMessage::Key { keysym: 0xff53, is_down: true }))
        );
        assert_eq!(
            read(&[5, 9, 1, 0, 0, 7]),
            Ok(Some(ClientMessage::Pointer { buttons: 9, x: 256, y: 7 }))
        );
        assert_eq!(read(b"\x06\0\0\0\0\0\0\x03abc"), Ok(Some(ClientMessage::CutText)));
        let size = [&[251, 0, 3, 0, 2, 0, 1, 0][..], &[0; 16]].concat();
        assert_eq!(read(&size), Ok(Some(ClientMessage::Size { width: 768, height: 512 })));
        let format = [&[0; 4][..], &PixelFormat::default().to_bytes()].concat();
        assert_eq!(read(&format), Ok(Some(ClientMessage::Format(PixelFormat::default()))));
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
                let is_cut =
                    matches!(&error, MessageError::Io(e) if e.kind() == ErrorKind::UnexpectedEof);
                assert!(is_cut, "{:?}: {error}", &message[..length]);
            }
        }
    }
}
