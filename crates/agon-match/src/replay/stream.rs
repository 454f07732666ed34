//! Compresses and decompresses the contents of blocks, with a limit against files that would fill
//! the memory.

use std::{cell::RefCell, fmt, io};

use agon_core::codec::{put_varint, take_bytes};
use zstd::{
    bulk::{Compressor, Decompressor},
    zstd_safe::CParameter,
};

use crate::replay::{error::Problem, format::take_number};

/// The most bytes of a decompressed stream, whatever a file claims.
///
/// The position of a large board may be that long.
pub(crate) const MAX_STREAM: usize = 256 << 20;

/// The zstd level. Higher ones take several times as long and save a few percent at most.
const LEVEL: i32 = 1;

/// Settings for answers, which are a byte each and repeat in runs, not in words.
///
/// The search for long matches only, in a small table, takes two thirds of the time. Files of most
/// games become smaller, files of binfection 1 % larger.
const SETTINGS: [CParameter; 2] = [CParameter::MinMatch(7), CParameter::HashLog(11)];

/// Writes streams. Keep it for many streams, because its setup takes longer than a short stream.
pub(crate) struct Packer {
    compressor: Compressor<'static>,
    packed: Vec<u8>,
}

impl Packer {
    pub(crate) fn new() -> io::Result<Packer> {
        let mut compressor = Compressor::new(LEVEL)?;
        for parameter in SETTINGS {
            compressor.set_parameter(parameter)?;
        }
        Ok(Packer { compressor, packed: Vec::new() })
    }

    /// Appends `plain` as a stream: its length, the stored length, and the bytes.
    ///
    /// They are compressed if that makes them shorter.
    pub(crate) fn put(&mut self, out: &mut Vec<u8>, plain: &[u8]) -> io::Result<()> {
        if plain.len() > MAX_STREAM {
            let text =
                format!("{} bytes in one piece; a replay holds at most {MAX_STREAM}", plain.len());
            return Err(io::Error::other(text));
        }
        self.packed.clear();
        self.packed.reserve(zstd::zstd_safe::compress_bound(plain.len()));
        self.compressor.compress_to_buffer(plain, &mut self.packed)?;
        let stored = if self.packed.len() < plain.len() { &self.packed } else { plain };
        put_varint(out, plain.len() as u64);
        put_varint(out, stored.len() as u64);
        out.extend_from_slice(stored);
        Ok(())
    }
}

impl fmt::Debug for Packer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Packer").finish_non_exhaustive()
    }
}

thread_local! {
    /// Kept, because its setup takes longer than a short stream.
    static UNPACKER: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

/// Takes a stream of at most `most` bytes from the front of `input`.
pub(crate) fn take_stream(input: &mut &[u8], most: usize) -> Result<Vec<u8>, Problem> {
    let length = take_length(input)?;
    let stored = take_length(input)?;
    let bytes = take_bytes(input, stored).map_err(|_| Problem::Malformed("a stream is cut"))?;
    if length > most.min(MAX_STREAM) {
        return Err(Problem::Malformed("a stream claims more bytes than it may have"));
    }
    if stored == length {
        return Ok(bytes.to_vec());
    }
    let plain = UNPACKER.with_borrow_mut(|unpacker| {
        let unpacker = match unpacker {
            Some(unpacker) => unpacker,
            none => none.insert(Decompressor::new()?),
        };
        unpacker.decompress(bytes, length)
    });
    plain
        .ok()
        .filter(|p| p.len() == length)
        .ok_or(Problem::Malformed("a stream does not decompress"))
}

fn take_length(input: &mut &[u8]) -> Result<usize, Problem> {
    let length = take_number(input)?;
    usize::try_from(length).map_err(|_| Problem::Malformed("a length is too large"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn streams_come_back(plain in prop::collection::vec(0u8..4, 0..3_000), random: Vec<u8>) {
            let mut bytes = Vec::new();
            let mut packer = Packer::new().unwrap();
            packer.put(&mut bytes, &plain).unwrap();
            packer.put(&mut bytes, &random).unwrap();
            let mut input = bytes.as_slice();
            prop_assert_eq!(take_stream(&mut input, plain.len()).unwrap(), plain);
            prop_assert_eq!(take_stream(&mut input, MAX_STREAM).unwrap(), random);
            prop_assert!(input.is_empty());
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes: Vec<u8>) {
            let _ = take_stream(&mut bytes.as_slice(), 1 << 20);
        }
    }

    #[test]
    fn bombs_are_refused() {
        let zeros = zstd::bulk::compress(&vec![0; MAX_STREAM + 1], LEVEL).unwrap();
        let stream = |claimed: u64, most: usize| {
            let mut bytes = Vec::new();
            put_varint(&mut bytes, claimed);
            put_varint(&mut bytes, zeros.len() as u64);
            bytes.extend_from_slice(&zeros);
            take_stream(&mut bytes.as_slice(), most).unwrap_err().to_string()
        };
        let too_long = "a stream claims more bytes than it may have";
        assert_eq!(stream(MAX_STREAM as u64 + 1, usize::MAX), too_long);
        assert_eq!(stream(1_000, MAX_STREAM), "a stream does not decompress");
        assert_eq!(stream(1_000, 999), too_long);
        assert_eq!(stream(u64::MAX, MAX_STREAM), too_long);
    }
}
