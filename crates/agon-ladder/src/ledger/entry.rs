//! The entries of the log: plain JSON, one line each, with random ids and digests only; and how a
//! server keeps them in few bytes.

use std::cell::RefCell;

use agon_match::spec::Digest;
use serde::{Deserialize, Serialize};
use zstd::bulk::{Compressor, Decompressor};

use crate::ledger::LogError;

/// The most bytes of an entry: tlog-tiles gives its length two bytes.
pub const MAX_ENTRY: usize = 65_535;

/// The most matches of an entry, so that it is shorter than [`MAX_ENTRY`] with 16 players too.
pub const GROUP: usize = 100;

/// Something that happened on a ladder.
///
/// Entries name arenas, bots and versions by random ids, and files by digests. So what is known of
/// a person can be erased, and the log stays as it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
#[expect(missing_docs, reason = "the names of ids say it")]
pub enum Entry {
    /// An arena was made, or its terms were changed.
    Arena {
        arena: u64,
        /// The digest of its terms, as `log/terms/DIGEST` serves them.
        terms: Digest,
    },
    /// An author handed in a version of a bot.
    HandIn {
        arena: u64,
        bot: u64,
        version: u64,
        number: u32,
        /// The digest of the files as they came.
        source: Digest,
        /// The digest of its author's nonce, which is revealed after the deadline.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        nonce: Option<Digest>,
    },
    /// A version was built and examined, and can play.
    Ready {
        version: u64,
        /// The digest of the files that play.
        built: Digest,
    },
    /// A built-in bot plays in an arena.
    Boss {
        arena: u64,
        bot: u64,
        version: u64,
        /// The name of the built-in bot.
        name: String,
        /// Its version in Agon.
        builtin: u32,
    },
    /// An arena has a final, whose seed is also made of a secret with this digest.
    Pledge {
        arena: u64,
        /// The digest of the secret.
        pledge: Digest,
    },
    /// An author revealed the nonce of a version.
    Nonce {
        version: u64,
        /// The nonce: 64 hexadecimal digits.
        nonce: String,
    },
    /// The versions of a final are fixed, and all that its seed is made of.
    Closed {
        /// The arena whose season is over.
        arena: u64,
        /// The digest of the [`Inputs`](crate::ledger::Inputs).
        inputs: Digest,
    },
    /// The seed of a final is computed. The entries after it enter its versions in the same order
    /// as in the [`Inputs`](crate::ledger::Inputs).
    Drawn {
        /// The arena whose season is over.
        arena: u64,
        /// The arena in which the final is played.
        into: u64,
        /// The digest of the hashes, as [`Draw::digest`](crate::ledger::Draw::digest) gives it.
        links: Digest,
        /// The seed, in decimal.
        seed: String,
    },
    /// Matches were planned.
    Pairings { arena: u64, matches: Vec<Pairing> },
    /// Matches were played.
    Results { arena: u64, matches: Vec<MatchRecord> },
    /// A match could not be played, through no fault of a bot.
    GivenUp { arena: u64, number: u64 },
    /// An organiser took a match out of the count.
    Annulled { arena: u64, number: u64 },
    /// An organiser put a match into the count again.
    Restored { arena: u64, number: u64 },
    /// A table was published.
    Table {
        arena: u64,
        /// How many entries of the log it is made of.
        size: u64,
        /// The digest of the table, as `log/tables/ARENA.json` serves it.
        digest: Digest,
    },
    /// The server signs checkpoints with another key from now on.
    Key {
        /// The new key for verifying, as in a signed note.
        key: String,
        /// The old key's signed note over the new key.
        note: String,
    },
}

/// A planned match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pairing {
    /// The number of the match in its arena, from 1.
    pub number: u64,
    /// The seed as [`sealed_seed`] writes it. In finals, where everybody can compute it, and in
    /// older entries, the seed itself, in decimal: JavaScript cannot read it as a number.
    pub seed: String,
    /// The version of each player, in order of seats.
    pub versions: Vec<u64>,
}

impl Pairing {
    /// Returns whether this seed was planned.
    pub fn has_seed(&self, arena: u64, seed: u64) -> bool {
        self.seed == sealed_seed(arena, self.number, seed) || self.seed == seed.to_string()
    }
}

/// Returns what the log says of the seed of a match that has still to be played: a digest.
///
/// Somebody who knew the seed could tell a bot there what chance will do. After the match the
/// seed is in the replay.
pub fn sealed_seed(arena: u64, number: u64, seed: u64) -> String {
    Digest::of(format!("agon match {arena}/{number} has the seed {seed}").as_bytes()).to_string()
}

/// A played match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatchRecord {
    /// The number of the match in its arena, from 1.
    pub number: u64,
    /// The place of each player, in order of seats: the smallest is the best.
    pub places: Vec<u32>,
    /// The steps that were played.
    pub steps: u64,
    /// The hash of the last state: `0x` and 16 hexadecimal digits.
    pub state_hash: String,
    /// The digest of what the replay says of the match ([`crate::ledger::record_digest`]).
    pub record: Digest,
}

impl Entry {
    /// Returns the entry as the log holds it.
    pub fn text(&self) -> String {
        serde_json::to_string(self).expect("plain data can be written as JSON")
    }

    /// Reads an entry.
    ///
    /// # Errors
    /// If the text is no entry, or has another spelling than [`Entry::text`] gives: two texts for
    /// the same would be two truths.
    pub fn parse(text: &str) -> Result<Entry, LogError> {
        let entry: Entry = serde_json::from_str(text).map_err(|error| {
            LogError::wrong(format!("it is no entry of a ladder's log: {error}"))
        })?;
        match entry.text() == text {
            true => Ok(entry),
            false => Err(LogError::wrong("its spelling is not the one that Agon writes")),
        }
    }
}

/// What most entries have in common; the most frequent words are last. All entries are made of the
/// same words, and short ones of little else. So a result that is alone in its entry takes half the
/// bytes that way.
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

thread_local! {
    /// Kept, because its setup takes longer than an entry.
    static PACKER: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };

    /// Kept for the same reason.
    static UNPACKER: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

/// Packs the text of an entry.
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
pub fn unpack(packed: &[u8]) -> Result<String, LogError> {
    let plain = UNPACKER.with_borrow_mut(|unpacker| {
        let unpacker = match unpacker {
            Some(unpacker) => unpacker,
            none => none.insert(Decompressor::with_dictionary(DICTIONARY.as_bytes())?),
        };
        unpacker.decompress(packed, MAX_ENTRY)
    });
    let plain =
        plain.map_err(|error| LogError::wrong(format!("it does not decompress: {error}")))?;
    let no_text = |_| LogError::wrong("it decompresses to something that is no text");
    let mut text = String::from_utf8(plain).map_err(no_text)?;
    // The room was for the longest entry.
    text.shrink_to_fit();
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(number: u64, players: u32) -> MatchRecord {
        MatchRecord {
            number,
            places: (1..=players).collect(),
            steps: u64::MAX,
            state_hash: format!("{:#018x}", u64::MAX),
            record: Digest::of(b""),
        }
    }

    #[test]
    fn entries_have_one_spelling() {
        let entry = Entry::Results { arena: 1, matches: vec![result(1, 2)] };
        let text = entry.text();
        assert_eq!(Entry::parse(&text).unwrap(), entry);
        assert!(text.starts_with(r#"{"kind":"results","arena":1,"matches":[{"number":1,"#));
        for wrong in [
            text.replace("\"arena\":1", "\"arena\": 1"),
            text.replace("\"arena\":1", "\"arena\":1,\"arena\":1"),
            text.replace("\"steps\"", "\"extra\":1,\"steps\""),
            text.replace("\"arena\":1", "\"arena\":1.0"),
            text.replace("results", "other"),
            String::new(),
        ] {
            assert!(Entry::parse(&wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_planned_seed_is_told_by_nobody_and_known_again() {
        let pairing = |seed| Pairing { number: 3, seed, versions: vec![1, 2] };
        let sealed = pairing(sealed_seed(8, 3, 77));
        assert_eq!(sealed.seed.len(), 64);
        assert!(sealed.has_seed(8, 77) && !sealed.has_seed(8, 78) && !sealed.has_seed(9, 77));
        let plain = pairing("77".to_owned());
        assert!(plain.has_seed(8, 77) && !plain.has_seed(8, 7));
    }

    #[test]
    fn the_longest_entries_fit() {
        let longest = 1 << 53;
        let results = (0..GROUP as u64).map(|number| result(longest + number, 16)).collect();
        let seed = sealed_seed(longest, longest, u64::MAX);
        let pairing = Pairing { number: longest, seed, versions: vec![longest; 16] };
        for entry in [
            Entry::Results { arena: longest, matches: results },
            Entry::Pairings { arena: longest, matches: vec![pairing; GROUP] },
        ] {
            assert!(entry.text().len() <= MAX_ENTRY, "{}", entry.text().len());
        }
    }

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
        let why = |packed: &[u8]| unpack(packed).unwrap_err().to_string();
        assert!(why(&too_long).starts_with("it does not decompress"));
        let no_text = PACKER.with_borrow_mut(|packer| packer.as_mut().unwrap().compress(&[255]));
        assert!(why(&no_text.unwrap()).contains("no text"));
        let mut packed = pack(&results(3));
        packed.truncate(packed.len() / 2);
        assert!(why(&packed).starts_with("it does not decompress"));
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
