//! The results of a tuning, as a file that survives being killed at any moment.

use std::{
    collections::BTreeMap,
    fs::{File, OpenOptions, TryLockError},
    io::{Read, Write},
    path::{Path, PathBuf},
};

use agon_text::escape_json;
use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A match that is over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    /// Its number in the tuning.
    #[serde(rename = "match")]
    pub(super) number: u64,
    /// Places in order of seats.
    pub(super) places: Vec<u32>,
    /// How many of the two versions did something wrong in it.
    pub(super) faulty: u32,
}

/// A file with a line that says which tuning it is, and one for each match that is over. Lines are only added, each with
/// one call, so that of a killed process at most the last line is not whole.
pub(super) struct Journal {
    path: PathBuf,
    file: File,
}

impl Journal {
    /// Opens the journal of a tuning, or begins one, and gives what is in it. A last line without an end is cut off.
    ///
    /// # Errors
    /// If another process writes it, it is of another tuning, or a line is damaged.
    pub(super) fn open(path: &Path, header: &Value) -> Result<(Journal, BTreeMap<u64, Entry>)> {
        let name = path.display();
        let file = OpenOptions::new().read(true).append(true).create(true).open(path);
        let mut file = file.with_context(|| format!("cannot write {name}"))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                bail!(
                    "{name} is being written by another process, so this tuning is running already; wait for it or stop it"
                )
            }
            Err(TryLockError::Error(error)) => return Err(error).context(format!("cannot lock {name}")),
        }
        // A device has no end.
        if !file.metadata().with_context(|| format!("cannot read {name}"))?.is_file() {
            bail!("{name} is not a regular file; give another folder with --out");
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).with_context(|| format!("cannot read {name}"))?;
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        let mut lines = bytes[..whole].split_inclusive(|&byte| byte == b'\n');
        let known = lines.next();
        check_header(known.unwrap_or(&bytes), known.is_some(), header, path)?;
        let mut entries = BTreeMap::new();
        for (line, number) in lines.zip(2..) {
            let entry: Entry = serde_json::from_slice(line).with_context(|| {
                format!("{name}:{number}: this line is damaged; delete it, and its match is played again")
            })?;
            entries.insert(entry.number, entry);
        }
        file.set_len(whole as u64).with_context(|| format!("cannot write {name}"))?;
        let mut journal = Journal { path: path.to_owned(), file };
        if known.is_none() {
            journal.write(header)?;
        }
        Ok((journal, entries))
    }

    /// Writes what is known of a match. When this returns, it survives the end of this process.
    pub(super) fn append(&mut self, entry: &Entry) -> Result<()> {
        self.write(entry)
    }

    /// Waits until everything is on the disk.
    pub(super) fn synchronise(&self) -> Result<()> {
        self.file.sync_data().with_context(|| format!("cannot write {}", self.path.display()))
    }

    fn write(&mut self, value: &impl Serialize) -> Result<()> {
        let mut line = escape_json(&serde_json::to_vec(value)?);
        line.push(b'\n');
        self.file.write_all(&line).with_context(|| format!("cannot write {}", self.path.display()))
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        // Closing is not enough: a child that is just being started has the file open until it runs its program.
        let _ = self.file.unlock();
    }
}

/// Whether the first line, or what there is of it, is that of this tuning.
fn check_header(line: &[u8], is_whole: bool, header: &Value, path: &Path) -> Result<()> {
    let name = path.display();
    let own = escape_json(&serde_json::to_vec(header)?);
    if !is_whole {
        if !own.starts_with(line) {
            bail!(
                "{name} is no journal of this tuning; give another folder with --out, or move the file away"
            );
        }
        return Ok(());
    }
    let found: Value = serde_json::from_slice(line).unwrap_or_default();
    if found.get("tune").is_none() {
        bail!("{name} is no journal of a tuning; give another folder with --out, or move the file away");
    }
    let version = |header: &Value| header["tune"].as_u64();
    if version(&found) < version(header) {
        bail!(
            "{name} was written by an older Agon, which noted less of the bots, so that this tuning cannot go on there; \
             give another folder with --out: the old results stay where they are"
        );
    }
    let differs = |key: &&String| found.get(key.as_str()) != header.get(key.as_str());
    let keys = header.as_object().into_iter().flat_map(|header| header.keys());
    let other: Vec<&str> = keys.filter(differs).map(String::as_str).collect();
    if !other.is_empty() {
        bail!(
            "{name} belongs to another tuning, with another {}; give another folder with --out, or delete that one",
            crate::output::listed(&other)
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn entry(number: u64) -> Entry {
        Entry { number, places: vec![1, 2], faulty: 0 }
    }

    #[test]
    fn what_was_written_is_there_again_and_a_torn_line_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tune.jsonl");
        let header = json!({ "tune": 1, "game": "cluster" });
        {
            let (mut journal, entries) = Journal::open(&path, &header).unwrap();
            assert!(entries.is_empty());
            (0..3).for_each(|number| journal.append(&entry(2 - number)).unwrap());
            let running = Journal::open(&path, &header).err().unwrap().to_string();
            assert!(running.contains("running already"), "{running}");
        }
        let bytes = std::fs::read(&path).unwrap();
        let header_end = bytes.iter().position(|&byte| byte == b'\n').unwrap() + 1;
        for end in 0..=bytes.len() {
            std::fs::write(&path, &bytes[..end]).unwrap();
            let (mut journal, entries) = Journal::open(&path, &header).unwrap();
            let lines = bytes[header_end.min(end)..end].iter().filter(|&&byte| byte == b'\n').count();
            assert_eq!(entries.len(), lines, "cut at {end}");
            journal.append(&entry(9)).unwrap();
            drop(journal);
            assert_eq!(Journal::open(&path, &header).unwrap().1[&9], entry(9));
        }
    }

    #[test]
    fn other_files_are_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tune.jsonl");
        let header = json!({ "tune": 1, "game": "cluster", "seed": 1 });
        let error = |text: &str| {
            std::fs::write(&path, text).unwrap();
            let error = Journal::open(&path, &header).err().unwrap().to_string();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
            error
        };
        assert!(error("my diary").contains("no journal"));
        assert!(error("my diary\n").contains("no journal"));
        let other = "{\"tune\":1,\"game\":\"rezzo\",\"seed\":2}\n";
        assert!(error(other).contains("another game and seed"), "{}", error(other));
        let damaged = format!("{header}\n{{\"match\":0,\n");
        assert!(error(&damaged).contains("tune.jsonl:2: this line is damaged"));
    }
}
