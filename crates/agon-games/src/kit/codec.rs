//! Writes the answers of games of the kit into replays, with the format postcard. A game calls the
//! macro `postcard_codec!`.

use agon_core::DecodeError;
use serde::{Serialize, de::DeserializeOwned};

/// Writes the answers of a game to replays with postcard: `agon_games::postcard_codec!(Answer);`.
#[macro_export]
macro_rules! postcard_codec {
    ($answer:ty) => {
        impl ::agon_core::Codec for $answer {
            fn encode(&self, out: &mut Vec<u8>) {
                $crate::kit::encode_postcard(self, out);
            }

            fn decode(input: &mut &[u8]) -> Result<$answer, ::agon_core::DecodeError> {
                $crate::kit::decode_postcard(input)
            }
        }
    };
}

/// Appends a value.
///
/// # Panics
/// If postcard cannot write it, such as maps and sequences of unknown length.
pub fn encode_postcard(value: &impl Serialize, out: &mut Vec<u8>) {
    let bytes = postcard::to_stdvec(value).expect("answers survive postcard");
    out.extend(bytes);
}

/// Takes a value from the front of `input`.
///
/// # Errors
/// If the bytes end too early or mean nothing.
pub fn decode_postcard<T: DeserializeOwned>(input: &mut &[u8]) -> Result<T, DecodeError> {
    let first = input.first().copied();
    match postcard::take_from_bytes(input) {
        Ok((value, rest)) => {
            *input = rest;
            Ok(value)
        }
        Err(postcard::Error::DeserializeUnexpectedEnd) => Err(DecodeError::Truncated),
        Err(_) => Err(first.map_or(DecodeError::Truncated, DecodeError::Unknown)),
    }
}
