//! The file `compare.jsonl`: the results of a comparison, from which `agon compare --out`
//! continues.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{design::Design, played::Played};
use crate::journal::{self, JournalKind};

/// The version of the journal, and of the method that makes matches from seeds.
pub(crate) const VERSION: u32 = 1;

/// A seed that counts, with its matches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Entry {
    /// The number of the seed, from 0.
    pub seed: u64,
    /// Its matches in the order of the plan.
    pub matches: Vec<Played>,
}

/// A file with a line for each seed that counts, in order.
pub(crate) type Journal = journal::Journal<Entry>;

const KIND: JournalKind = JournalKind {
    key: "compare",
    noun: "comparison",
    entry: b"{\"seed\":",
    remedy: "delete it and all lines after it, and these matches are played again",
    flag: "--out",
};

/// Returns the path of the journal in a folder.
pub(crate) fn path(folder: &Path) -> PathBuf {
    folder.join("compare.jsonl")
}

/// Opens the journal in a folder, or starts one, and returns its entries.
///
/// # Errors
/// If another process writes it, it belongs to another comparison, or lines are damaged or missing.
pub(crate) fn open(folder: &Path, header: &Value, design: Design) -> Result<(Journal, Vec<Entry>)> {
    let make = || format!("--out {}: cannot make this folder", folder.display());
    fs::create_dir_all(folder).with_context(make)?;
    let path = path(folder);
    let (journal, entries) = Journal::open(&path, &KIND, header)?;
    for (expected, entry) in entries.iter().enumerate() {
        if entry.seed != expected as u64 || !fits(entry, design) {
            bail!("{}:{}: this line is damaged; {}", path.display(), expected + 2, KIND.remedy);
        }
    }
    Ok((journal, entries))
}

/// Returns whether these can be the matches of a seed.
fn fits(entry: &Entry, design: Design) -> bool {
    let players = design.players();
    entry.matches.len() as u64 == design.matches_each()
        && entry
            .matches
            .iter()
            .all(|one| one.places.len() == players && one.faults.keys().all(|&seat| seat < players))
}
