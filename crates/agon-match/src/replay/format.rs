//! The container of a replay: magic bytes, then blocks with length and checksum. The reader and the
//! writer share it.
//!
//! `docs/replay-format.md` describes every byte.

use std::io::{self, Write};
use std::{cell::RefCell, fmt};

use agon_core::codec::{put_varint, take_bytes, take_varint};
use zstd::bulk::{Compressor, Decompressor};
use zstd::zstd_safe::CParameter;

use crate::replay::file::Problem;

/// The first bytes of every replay.
///
/// They are a byte that no text has, the name, and line ends that break when a transfer
/// "corrects" them.
pub(crate) const MAGIC: [u8; 8] = *b"\x8FAGON\r\n\x1A";

/// The version of the format, the byte after the magic.
pub(crate) const VERSION: u8 = 1;

/// The offset of the first block.
pub(crate) const FIRST_BLOCK: u64 = 9;

/// The last bytes of a complete replay, after the offset of the index.
pub(crate) const END_MAGIC: [u8; 8] = *b"AGON-END";

/// Bytes of the footer: offset of the index, end magic.
pub(crate) const FOOTER: usize = 16;

/// Bytes before a block's payload: kind, length, checksum.
pub(crate) const BLOCK_HEAD: usize = 13;

/// Kinds of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum BlockKind {
    /// Game, rules, seed, players; the first block.
    Header = 1,
    /// Answers and state hashes of some steps.
    Steps = 2,
    /// A whole position.
    Key = 3,
    /// Faults, as JSON.
    Faults = 4,
    /// The end of the match.
    Ending = 5,
    /// The places of the blocks.
    Index = 6,
    /// Costs and output of the bots, as JSON.
    Diagnosis = 7,
    /// The compressed files of a game from files.
    Game = 8,
}

impl BlockKind {
    pub(crate) fn from_code(code: u8) -> Option<BlockKind> {
        use BlockKind::{Diagnosis, Ending, Faults, Game, Header, Index, Key, Steps};
        [Header, Steps, Key, Faults, Ending, Index, Diagnosis, Game]
            .into_iter()
            .find(|&kind| kind as u8 == code)
    }
}

/// Writes a block that starts at `offset` of the file and returns its length.
pub(crate) fn write_block(
    out: &mut impl Write,
    offset: u64,
    kind: BlockKind,
    payload: &[u8],
) -> io::Result<u64> {
    let length =
        u32::try_from(payload.len()).map_err(|_| io::Error::other("a block exceeds 4 GiB"))?;
    out.write_all(&[kind as u8])?;
    out.write_all(&length.to_le_bytes())?;
    out.write_all(&checksum(offset, kind as u8, payload))?;
    out.write_all(payload)?;
    Ok(BLOCK_HEAD as u64 + u64::from(length))
}

/// Reads the block at `offset` of `file` and checks it.
pub(crate) fn read_block(file: &[u8], offset: u64) -> Result<(BlockKind, &[u8]), Problem> {
    let (kind, sum, payload) = split_block(file, offset)?;
    // Fuzzers would never pass this check.
    if !cfg!(fuzzing) && sum != checksum(offset, kind, payload) {
        return Err(Problem::Checksum);
    }
    Ok((known_kind(kind)?, payload))
}

/// Reads the block at `offset` of `file` without a check of its checksum.
pub(crate) fn peek_block(file: &[u8], offset: u64) -> Result<(BlockKind, &[u8]), Problem> {
    let (kind, _, payload) = split_block(file, offset)?;
    Ok((known_kind(kind)?, payload))
}

fn known_kind(code: u8) -> Result<BlockKind, Problem> {
    BlockKind::from_code(code).ok_or(Problem::UnknownBlock(code))
}

/// Splits the block at `offset` into kind, checksum and payload.
fn split_block(file: &[u8], offset: u64) -> Result<(u8, &[u8], &[u8]), Problem> {
    let start = usize::try_from(offset)
        .ok()
        .filter(|&start| start <= file.len())
        .ok_or(Problem::Truncated)?;
    let input = &mut &file[start..];
    let mut take = |count| take_bytes(input, count).map_err(|_| Problem::Truncated);
    let kind = take(1)?[0];
    let length = take(4)?;
    let sum = take(8)?;
    let length = u32::from_le_bytes(length.try_into().expect("four bytes were taken"));
    Ok((kind, sum, take(length as usize)?))
}

/// Computes a checksum. It covers the offset, too, so that a misplaced block is noticed.
fn checksum(offset: u64, kind: u8, payload: &[u8]) -> [u8; 8] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&offset.to_le_bytes()).update(&[kind]).update(payload);
    let mut sum = [0; 8];
    sum.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    sum
}

pub(crate) fn take_number(input: &mut &[u8]) -> Result<u64, Problem> {
    take_varint(input).map_err(|_| Problem::Malformed("a number is cut or too large"))
}

pub(crate) fn take_hash(input: &mut &[u8]) -> Result<u64, Problem> {
    let bytes = take_bytes(input, 8).map_err(|_| Problem::Malformed("a hash is cut"))?;
    Ok(u64::from_le_bytes(bytes.try_into().expect("eight bytes were taken")))
}

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
        fn any_bytes_are_read_or_refused(bytes: Vec<u8>) {
            let _ = read_block(&bytes, 0);
        }
    }

    #[test]
    fn a_block_in_a_wrong_place_is_noticed() {
        let mut file = Vec::new();
        write_block(&mut file, 0, BlockKind::Key, b"payload").unwrap();
        assert_eq!(read_block(&file, 0), Ok((BlockKind::Key, b"payload".as_slice())));
        let mut moved = vec![0];
        moved.extend(file);
        assert_eq!(read_block(&moved, 1), Err(Problem::Checksum));
        assert_eq!(read_block(&moved, 1_000), Err(Problem::Truncated));
    }

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
        fn any_stream_is_read_or_refused(bytes: Vec<u8>) {
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
