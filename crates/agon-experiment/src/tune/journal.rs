//! The file `tune.jsonl`: the results of a tuning, from which a stopped `agon tune` continues.

use std::{collections::BTreeMap, path::Path};

use anyhow::Result;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::journal::{self, JournalKind};

/// A match that is over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Its number in the tuning.
    #[serde(rename = "match")]
    pub number: u64,
    /// Places in order of seats.
    pub places: Vec<u32>,
    /// How many of the two versions committed a fault in it.
    pub faulty: u32,
}

/// A file with a line for each match that is over.
pub(crate) type Journal = journal::Journal<Entry>;

const KIND: JournalKind = JournalKind {
    key: "tune",
    noun: "tuning",
    entry: b"{\"match\":",
    remedy: "delete it, and its match is played again",
    flag: "--out",
};

/// Opens the journal of a tuning, or starts one, and returns the matches in it by their numbers.
///
/// # Errors
/// If another process writes it, it belongs to another tuning, or a line is damaged.
pub(crate) fn open(path: &Path, header: &Value) -> Result<(Journal, BTreeMap<u64, Entry>)> {
    let (journal, entries) = Journal::open(path, &KIND, header)?;
    Ok((journal, entries.into_iter().map(|entry: Entry| (entry.number, entry)).collect()))
}
