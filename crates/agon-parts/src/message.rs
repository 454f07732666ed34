//! Sends and receives messages through pipes, between the arena and its parts.
//!
//! A message is a value, and bytes that are too many to be encoded with it, such as pixels.
//!
//! On the wire: the lengths of both in bytes (u32, little-endian), the value as postcard, the
//! bytes.

#![warn(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    clippy::cast_lossless,
    reason = "messages are foreign bytes, whose numbers must not change unnoticed"
)]

use std::io::{self, ErrorKind, Read, Write};

use serde::{Serialize, de::DeserializeOwned};

/// The most bytes of a message's encoded value.
const MAX_VALUE: u32 = 16 << 20;

/// The most bytes after the value.
const MAX_BYTES: u32 = 1 << 30;

/// A received message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message<T> {
    /// The value.
    pub value: T,
    /// The bytes that came with it, such as pixels or files.
    pub bytes: Vec<u8>,
}

/// Sends a message and flushes.
///
/// # Errors
/// If the other side is gone, or the message is too long.
pub fn send<T: Serialize>(to: &mut impl Write, value: &T, bytes: &[u8]) -> io::Result<()> {
    let value = postcard::to_stdvec(value).map_err(io::Error::other)?;
    to.write_all(&length(value.len(), MAX_VALUE)?.to_le_bytes())?;
    to.write_all(&length(bytes.len(), MAX_BYTES)?.to_le_bytes())?;
    to.write_all(&value)?;
    to.write_all(bytes)?;
    to.flush()
}

/// Waits for a message; `None` if the other side has closed the pipe between two messages.
///
/// # Errors
/// If the pipe ends in the middle of a message, or the bytes are not a message.
pub fn receive<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<Option<Message<T>>> {
    let mut lengths = [0; 8];
    let start = loop {
        match from.read(&mut lengths) {
            Ok(0) => return Ok(None),
            Ok(read) => break read,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    };
    from.read_exact(&mut lengths[start..])?;
    let [a, b, c, d, e, f, g, h] = lengths;
    let value = take(from, u32::from_le_bytes([a, b, c, d]), MAX_VALUE)?;
    let bytes = take(from, u32::from_le_bytes([e, f, g, h]), MAX_BYTES)?;
    let value = postcard::from_bytes(&value)
        .map_err(|error| io::Error::new(ErrorKind::InvalidData, error))?;
    Ok(Some(Message { value, bytes }))
}

fn length(length: usize, most: u32) -> io::Result<u32> {
    let fitting = u32::try_from(length).ok().filter(|length| *length <= most);
    fitting.ok_or_else(|| io::Error::new(ErrorKind::InvalidInput, "the message is too long"))
}

/// Reads `length` bytes. Memory grows only as they arrive.
fn take(from: &mut impl Read, length: u32, most: u32) -> io::Result<Vec<u8>> {
    if length > most {
        return Err(io::Error::new(ErrorKind::InvalidData, "a message is longer than any may be"));
    }
    let mut bytes = Vec::new();
    from.take(length.into()).read_to_end(&mut bytes)?;
    match bytes.len() == length as usize {
        true => Ok(bytes),
        false => Err(ErrorKind::UnexpectedEof.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sent_is_received() {
        let mut pipe = Vec::new();
        send(&mut pipe, &("one", 1_u32), b"").unwrap();
        send(&mut pipe, &("two", 2_u32), &[7; 100_000]).unwrap();
        let mut pipe = pipe.as_slice();
        let next = |pipe: &mut &[u8]| receive::<(String, u32)>(pipe).unwrap();
        assert_eq!(next(&mut pipe), Some(Message { value: ("one".to_owned(), 1), bytes: vec![] }));
        assert_eq!(
            next(&mut pipe),
            Some(Message { value: ("two".to_owned(), 2), bytes: vec![7; 100_000] })
        );
        assert_eq!(next(&mut pipe), None);
    }

    #[test]
    fn what_is_no_message_is_refused() {
        let mut whole = Vec::new();
        send(&mut whole, &"hello", b"bytes").unwrap();
        for length in 1..whole.len() {
            let error = receive::<String>(&mut &whole[..length]).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::UnexpectedEof, "{length}");
        }
        for lengths in [[u32::MAX, 0], [0, u32::MAX]] {
            let bytes = lengths.map(u32::to_le_bytes).concat();
            assert_eq!(receive::<()>(&mut &bytes[..]).unwrap_err().kind(), ErrorKind::InvalidData);
        }
        let mut other = Vec::new();
        send(&mut other, &300_u32, b"").unwrap();
        assert_eq!(receive::<bool>(&mut &other[..]).unwrap_err().kind(), ErrorKind::InvalidData);
    }
}
