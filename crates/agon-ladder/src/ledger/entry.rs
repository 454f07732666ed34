//! The entries of the log: plain JSON, one line each, with random ids and digests only.

use agon_match::spec::Digest;
use serde::{Deserialize, Serialize};
use thiserror::Error;

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
pub enum Entry {
    /// An arena was made, or its terms were changed.
    Arena {
        /// The arena.
        arena: u64,
        /// The digest of its terms, as `log/terms/DIGEST` serves them.
        terms: Digest,
    },
    /// An author handed in a version of a bot.
    HandIn {
        /// The arena.
        arena: u64,
        /// The bot.
        bot: u64,
        /// The version.
        version: u64,
        /// The number of the version, from 1.
        number: u32,
        /// The digest of the files as they came.
        source: Digest,
        /// The digest of its author's nonce, which is revealed after the deadline.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        nonce: Option<Digest>,
    },
    /// A version was built and examined, and can play.
    Ready {
        /// The version.
        version: u64,
        /// The digest of the files that play.
        built: Digest,
    },
    /// A built-in bot plays in an arena.
    Boss {
        /// The arena.
        arena: u64,
        /// The bot.
        bot: u64,
        /// The version.
        version: u64,
        /// The name of the built-in bot.
        name: String,
        /// Its version in Agon.
        builtin: u32,
    },
    /// An arena has a final, whose seed is also made of a secret with this digest.
    Pledge {
        /// The arena.
        arena: u64,
        /// The digest of the secret.
        pledge: Digest,
    },
    /// An author revealed the nonce of a version.
    Nonce {
        /// The version.
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
    Pairings {
        /// The arena.
        arena: u64,
        /// The matches, at most [`GROUP`].
        matches: Vec<Pairing>,
    },
    /// Matches were played.
    Results {
        /// The arena.
        arena: u64,
        /// The matches, at most [`GROUP`].
        matches: Vec<MatchRecord>,
    },
    /// A match could not be played, through no fault of a bot.
    GivenUp {
        /// The arena.
        arena: u64,
        /// The match.
        number: u64,
    },
    /// An organiser took a match out of the count.
    Annulled {
        /// The arena.
        arena: u64,
        /// The match.
        number: u64,
    },
    /// An organiser put a match into the count again.
    Restored {
        /// The arena.
        arena: u64,
        /// The match.
        number: u64,
    },
    /// A table was published.
    Table {
        /// The arena.
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

/// Text that is no entry.
#[derive(Debug, Error)]
pub enum EntryError {
    /// It is not JSON, or has unknown fields.
    #[error("it is no entry of a ladder's log: {0}")]
    Syntax(#[from] serde_json::Error),
    /// It has another spelling than the one that is written.
    #[error("its spelling is not the one that Agon writes")]
    Spelling,
}

impl Entry {
    /// Returns the entry as the log holds it.
    ///
    /// # Panics
    /// Never: entries are plain data.
    pub fn text(&self) -> String {
        serde_json::to_string(self).expect("plain data can be written as JSON")
    }

    /// Reads an entry.
    ///
    /// # Errors
    /// If the text is no entry, or has another spelling than [`Entry::text`] gives: two texts for
    /// the same would be two truths.
    pub fn parse(text: &str) -> Result<Entry, EntryError> {
        let entry: Entry = serde_json::from_str(text)?;
        if entry.text() == text { Ok(entry) } else { Err(EntryError::Spelling) }
    }

    /// Returns entries about planned matches, none longer than the log allows.
    pub fn pairings(arena: u64, matches: &[Pairing]) -> Vec<Entry> {
        let group = |matches: &[Pairing]| Entry::Pairings { arena, matches: matches.to_vec() };
        matches.chunks(GROUP).map(group).collect()
    }
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
}
