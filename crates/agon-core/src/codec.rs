//! The compact encoding of answers, with which replays store them.
//!
//! Each game implements [`Codec`] for its answers, and `agon-match` calls it.

#![warn(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    clippy::cast_lossless,
    reason = "answers are foreign bytes, whose numbers must not change unnoticed"
)]

use thiserror::Error;

/// A value with a compact binary form that needs no other knowledge to be read back.
///
/// `decode(encode(x)) == x` for every value, and `decode` never panics, whatever the bytes.
pub trait Codec: Sized {
    /// Appends the value.
    fn encode(&self, out: &mut Vec<u8>);

    /// Takes a value from the front of `input`.
    ///
    /// # Errors
    /// If the bytes end too early or mean nothing.
    fn decode(input: &mut &[u8]) -> Result<Self, DecodeError>;

    /// Appends values, one behind the other, as [`encode`](Codec::encode) would.
    fn encode_all(values: &[Self], out: &mut Vec<u8>) {
        values.iter().for_each(|value| value.encode(out));
    }

    /// Takes `count` values from the front of `input` and appends them to `values`, as
    /// [`decode`](Codec::decode) would.
    ///
    /// # Errors
    /// If one cannot be read; those before it have been appended.
    fn decode_all(
        input: &mut &[u8],
        count: u64,
        values: &mut Vec<Self>,
    ) -> Result<(), DecodeError> {
        for _ in 0..count {
            values.push(Self::decode(input)?);
        }
        Ok(())
    }
}

/// Bytes that are no encoded answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum DecodeError {
    /// The bytes end within a value.
    #[error("the bytes end within an answer")]
    Truncated,
    /// The bytes mean nothing.
    #[error("byte {0:#04x} is no answer of this game")]
    Unknown(u8),
    /// A number is larger than its place allows.
    #[error("a number in an answer is too large")]
    TooLarge,
}

/// Appends a number with seven bits a byte, lowest first (LEB128).
#[expect(clippy::cast_possible_truncation, reason = "the lowest byte is what is wanted")]
pub fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Takes a number written by [`put_varint`].
///
/// # Errors
/// If the bytes end too early or the number exceeds 64 bits.
pub fn take_varint(input: &mut &[u8]) -> Result<u64, DecodeError> {
    let mut value = 0u64;
    for shift in (0..64).step_by(7) {
        let byte = take_byte(input)?;
        let bits = u64::from(byte & 0x7F);
        if shift == 63 && bits > 1 {
            return Err(DecodeError::TooLarge);
        }
        value |= bits << shift;
        if byte & 0x80 == 0 {
            return Ok(value);
        }
    }
    Err(DecodeError::TooLarge)
}

/// Takes one byte.
///
/// # Errors
/// If there is none.
pub fn take_byte(input: &mut &[u8]) -> Result<u8, DecodeError> {
    let (&first, rest) = input.split_first().ok_or(DecodeError::Truncated)?;
    *input = rest;
    Ok(first)
}

/// Takes `count` bytes.
///
/// # Errors
/// If there are fewer.
pub fn take_bytes<'a>(input: &mut &'a [u8], count: usize) -> Result<&'a [u8], DecodeError> {
    let (bytes, rest) = input.split_at_checked(count).ok_or(DecodeError::Truncated)?;
    *input = rest;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn varints_come_back(value: u64) {
            let mut bytes = Vec::new();
            put_varint(&mut bytes, value);
            let mut input = bytes.as_slice();
            prop_assert_eq!(take_varint(&mut input), Ok(value));
            prop_assert!(input.is_empty());
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes: Vec<u8>) {
            let _ = take_varint(&mut bytes.as_slice());
        }
    }

    #[test]
    fn too_long_numbers_are_refused() {
        assert_eq!(take_varint(&mut [0xFF; 10].as_slice()), Err(DecodeError::TooLarge));
        assert_eq!(take_varint(&mut [0xFF; 3].as_slice()), Err(DecodeError::Truncated));
    }
}
