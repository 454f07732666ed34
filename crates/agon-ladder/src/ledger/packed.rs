//! Entries in few bytes, as a server keeps them.
//!
//! All entries are made of the same words, and short ones of little else. So they are compressed
//! with a dictionary: a result that is alone in its entry takes half the bytes that way.

use std::{cell::RefCell, string::FromUtf8Error};

use thiserror::Error;
use zstd::bulk::{Compressor, Decompressor};

use crate::ledger::MAX_ENTRY;

/// What most entries have in common; the most frequent words are last.
///
/// Never change it: entries that were packed with it could not be read any more.
const DICTIONARY: &str = concat!(
    r#"{"kind":"given_up","arena":0,"number":1}{"kind":"ready","version":1,"built":"0"}"#,
    r#"{"kind":"pairings","arena":1,"matches":[{"number":1,"seed":"1","versions":[1,2]},"#,
    r#"{"number":2,"seed":"2","versions":[2,1]}]}{"kind":"results","arena":1,"matches":["#,
    r#"{"number":1,"places":[2,1],"steps":500,"state_hash":"0x0123456789abcdef","record":"#,
    r#""0123456789abcdef"},{"number":2,"places":[1,2],"steps":500,"state_hash":"0x"#,
);

/// The zstd level. Higher ones find chance repetitions of digits, and so save nothing.
const LEVEL: i32 = 1;

/// Bytes that are no packed entry.
#[derive(Debug, Error)]
pub enum UnpackError {
    /// They do not decompress, or to more than [`MAX_ENTRY`] bytes.
    #[error("it does not decompress: {0}")]
    Zstd(#[from] std::io::Error),
    /// They decompress, but not to a text.
    #[error("it decompresses to something that is no text")]
    Text(#[from] FromUtf8Error),
}

thread_local! {
    /// Kept, because its setup takes longer than an entry.
    static PACKER: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };

    /// Kept for the same reason.
    static UNPACKER: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

/// Packs the text of an entry.
///
/// # Panics
/// If there is no memory for it.
pub fn pack(entry: &str) -> Vec<u8> {
    PACKER.with_borrow_mut(|packer| {
        let packer = packer.get_or_insert_with(|| {
            Compressor::with_dictionary(LEVEL, DICTIONARY.as_bytes())
                .expect("there is memory for it")
        });
        packer.compress(entry.as_bytes()).expect("any bytes can be compressed")
    })
}

/// Unpacks the text of an entry. Takes little memory, whatever the bytes are.
///
/// # Errors
/// If they are no packed entry.
pub fn unpack(packed: &[u8]) -> Result<String, UnpackError> {
    let plain = UNPACKER.with_borrow_mut(|unpacker| {
        let unpacker = match unpacker {
            Some(unpacker) => unpacker,
            none => none.insert(Decompressor::with_dictionary(DICTIONARY.as_bytes())?),
        };
        unpacker.decompress(packed, MAX_ENTRY)
    })?;
    let mut text = String::from_utf8(plain)?;
    // The room was for the longest entry.
    text.shrink_to_fit();
    Ok(text)
}

#[cfg(test)]
mod tests {
    use agon_match::spec::Digest;

    use super::*;
    use crate::ledger::{Entry, GROUP, MatchRecord};

    fn results(matches: usize) -> String {
        let record = |number: u64| MatchRecord {
            number,
            places: vec![1, 2],
            steps: 500,
            state_hash: format!("{:#018x}", number.wrapping_mul(0x9E37_79B9_7F4A_7C15)),
            record: Digest::of(&number.to_le_bytes()),
        };
        Entry::Results { arena: 1 << 52, matches: (1..=matches as u64).map(record).collect() }
            .text()
    }

    #[test]
    fn entries_come_back_from_few_bytes() {
        for (matches, most) in [(1, 110), (10, 600), (GROUP, 5_200)] {
            let entry = results(matches);
            let packed = pack(&entry);
            assert!(packed.len() <= most, "{matches}: {} of {}", packed.len(), entry.len());
            assert_eq!(unpack(&packed).unwrap(), entry);
        }
        let longest = "x".repeat(MAX_ENTRY);
        assert_eq!(unpack(&pack(&longest)).unwrap(), longest);
        assert_eq!(unpack(&pack("")).unwrap(), "");
    }

    /// What [`pack`] once made of the entry in the next test.
    const EARLIER: &[u8] =
        b"(\xb5/\xfd +\x9d\x00\x00812,345}\x03\x00W\x14#\xb9\x1e\x8e\x85\x01\x02";

    #[test]
    fn entries_of_earlier_programs_are_read() {
        assert_eq!(unpack(EARLIER).unwrap(), r#"{"kind":"given_up","arena":12,"number":345}"#);
    }

    #[test]
    fn other_bytes_are_refused() {
        let too_long = pack(&"x".repeat(MAX_ENTRY + 1));
        assert!(too_long.len() < 100);
        assert!(matches!(unpack(&too_long), Err(UnpackError::Zstd(_))));
        let no_text = PACKER.with_borrow_mut(|packer| packer.as_mut().unwrap().compress(&[255]));
        assert!(matches!(unpack(&no_text.unwrap()), Err(UnpackError::Text(_))));
        let mut packed = pack(&results(3));
        packed.truncate(packed.len() / 2);
        assert!(matches!(unpack(&packed), Err(UnpackError::Zstd(_))));
        // Whatever is damaged: an error or another text.
        let packed = pack(&results(3));
        for at in 0..packed.len() {
            let mut damaged = packed.clone();
            damaged[at] ^= 0x55;
            let _ = unpack(&damaged);
        }
        assert!(unpack(results(1).as_bytes()).is_err(), "it is not packed");
    }
}
