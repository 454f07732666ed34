//! The journal of a comparison or a tuning: a file of results that survives a kill at any moment.
//!
//! A stopped run continues from it. `compare/journal.rs` and `tune/journal.rs` define the entries.
//! Tournaments have a journal of their own: `journal`.

use std::{marker::PhantomData, path::Path};

use agon_arena::drawn_seed;
use agon_core::Seed;
use agon_core::text::escape_json;
use agon_files::line_log::{LineLog, LogError, LogFormat, LogProblem, SyncPolicy, read_lines};
use anyhow::{Context, Error, Result, anyhow, bail};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::report::listed;

/// Returns the seed of a run: that of its journal in `path` if it continues, or the given one, or
/// one that is drawn.
pub(crate) fn settle_seed(path: Option<&Path>, given: Option<Seed>) -> Result<Seed> {
    match (path.and_then(seed_in), given) {
        (Some(begun), None) => Ok(begun),
        // Journals of older versions have seeds of another kind.
        (Some(begun), Some(given)) if begun.number() == given.number() => Ok(begun),
        (_, Some(given)) => Ok(given),
        (None, None) => Ok(drawn_seed()?),
    }
}

/// Returns the seed in the first line of a journal. What is wrong with the file, its opening says.
fn seed_in(path: &Path) -> Option<Seed> {
    #[derive(Deserialize)]
    struct Peek {
        seed: Seed,
    }
    let bytes = agon_files::input::read_regular(path).ok()?;
    let line = bytes.split(|&byte| byte == b'\n').next()?;
    Some(serde_json::from_slice::<Peek>(line).ok()?.seed)
}

/// The kind of a journal: how it looks in the file, and the words for messages about it.
#[derive(Clone, Copy, Debug)]
pub struct JournalKind {
    /// The key of the first line whose value is the version.
    pub key: &'static str,
    /// The name of such a run, such as `comparison`.
    pub noun: &'static str,
    /// The first bytes of the line of an entry.
    pub entry: &'static [u8],
    /// What to do about a damaged line.
    pub remedy: &'static str,
    /// The flag that names the folder.
    pub flag: &'static str,
}

/// A [`LineLog`] of results. The first line describes the run, and each other line is an entry.
///
/// Older versions of Agon wrote such files without checksums; runs continue from these, too.
pub struct SeriesJournal<E> {
    log: LineLog,
    entry: PhantomData<E>,
}

impl<E: Serialize + DeserializeOwned> SeriesJournal<E> {
    /// Opens a journal or starts one, and returns its entries. Cuts off a torn tail.
    ///
    /// # Errors
    /// If another process writes it, it belongs to something else, or a line is damaged.
    pub fn open(
        path: &Path,
        kind: &JournalKind,
        header: &Value,
    ) -> Result<(SeriesJournal<E>, Vec<E>)> {
        let failed = |error| message(error, path, kind);
        let (mut log, bytes) = LineLog::open(path, SyncPolicy::Never).map_err(failed)?;
        let own = escape_json(&serde_json::to_vec(header)?);
        let format = LogFormat {
            // The brace comes after the checksum.
            header: own.strip_suffix(b"}").unwrap_or(&own),
            record: kind.entry,
            may_lack_sums: true,
        };
        let damaged = |number: usize| {
            format!("{}:{number}: this line is damaged; {}", path.display(), kind.remedy)
        };
        let mut is_new = true;
        let mut entries = Vec::new();
        let read = read_lines(&bytes, &format, |number, line| {
            if number == 1 {
                is_new = false;
                return check_header(line, &own, kind, path);
            }
            entries.push(serde_json::from_slice(line).with_context(|| damaged(number))?);
            Ok(())
        });
        let (whole, _) = read.map_err(|problem| match problem {
            LogProblem::NoLog => anyhow!(
                "{} is not a journal of this {}; give another folder with {}, or move the file \
                 away",
                path.display(),
                kind.noun,
                kind.flag
            ),
            LogProblem::Damaged { line } => anyhow!(damaged(line)),
            LogProblem::Refused(error) => error,
        })?;
        log.keep(whole).map_err(failed)?;
        if is_new {
            log.append(header).map_err(failed)?;
        }
        Ok((SeriesJournal { log, entry: PhantomData }, entries))
    }

    pub fn path(&self) -> &Path {
        self.log.path()
    }

    /// Writes an entry. When this returns, the entry survives the end of this process.
    pub fn append(&mut self, entry: &E) -> Result<()> {
        self.log.append(entry).map_err(|error| self.cannot_write(error))
    }

    /// Waits until everything is on the disk.
    pub fn synchronise(&mut self) -> Result<()> {
        self.log.synchronise().map_err(|error| self.cannot_write(error))
    }

    fn cannot_write(&self, error: LogError) -> Error {
        let name = self.path().display();
        match error {
            LogError::Io(source) => Error::new(source).context(format!("cannot write {name}")),
            _ => anyhow!("{name} could not be written to the end of a line earlier; start again"),
        }
    }
}

/// Turns an error from opening the log into a message for people.
fn message(error: LogError, path: &Path, kind: &JournalKind) -> Error {
    let name = path.display();
    match error {
        LogError::Io(source) => Error::new(source).context(format!("cannot write {name}")),
        LogError::Locked => anyhow!(
            "{name} is being written by another process, so this {} is running already; wait for \
             it or stop it",
            kind.noun
        ),
        LogError::NotRegular | LogError::Broken => {
            anyhow!("{name} is not a regular file; give another folder with {}", kind.flag)
        }
    }
}

/// Checks whether the first line is the expected one, `own`.
fn check_header(line: &[u8], own: &[u8], kind: &JournalKind, path: &Path) -> Result<()> {
    let name = path.display();
    let JournalKind { key, noun, flag, .. } = kind;
    let header: Value = serde_json::from_slice(own)?;
    let found: Value = serde_json::from_slice(line).unwrap_or_default();
    if found.get(key).is_none() {
        bail!(
            "{name} is not a journal of a {noun}; give another folder with {flag}, or move the \
             file away"
        );
    }
    if found[key].as_u64() < header[key].as_u64() {
        bail!(
            "{name} was written by an older Agon that noted less, so this {noun} cannot continue \
             there; give another folder with {flag}: the old results stay where they are"
        );
    }
    // Compared as read, since reading may round the last digit of a number.
    let differs = |key: &&String| found.get(key.as_str()) != header.get(key.as_str());
    let keys = header.as_object().into_iter().flat_map(|header| header.keys());
    let other: Vec<&str> = keys.filter(differs).map(String::as_str).collect();
    if !other.is_empty() {
        bail!(
            "{name} belongs to another {noun}, with another {}; give another folder with {flag}, \
             or delete that one",
            listed(&other)
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::json;

    use super::*;

    const KIND: JournalKind = JournalKind {
        key: "count",
        noun: "counting",
        entry: b"{\"number\":",
        remedy: "delete it, and its number is counted again",
        flag: "--out",
    };

    #[derive(Debug, PartialEq, Serialize, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Entry {
        number: u64,
    }

    fn open(path: &Path, header: &Value) -> Result<(SeriesJournal<Entry>, Vec<Entry>)> {
        SeriesJournal::open(path, &KIND, header)
    }

    #[test]
    fn what_was_written_is_there_again_and_a_torn_line_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("count.jsonl");
        let header = json!({ "count": 1, "game": "cluster" });
        let (mut journal, entries) = open(&path, &header).unwrap();
        assert!(entries.is_empty());
        (0..3).for_each(|number| journal.append(&Entry { number: 12 - number }).unwrap());
        drop(journal);
        let bytes = fs::read(&path).unwrap();
        let header_end = bytes.iter().position(|&byte| byte == b'\n').unwrap() + 1;
        for end in 0..=bytes.len() {
            fs::write(&path, &bytes[..end]).unwrap();
            let (mut journal, entries) = open(&path, &header).unwrap();
            let lines =
                bytes[header_end.min(end)..end].iter().filter(|&&byte| byte == b'\n').count();
            let expected = [12, 11, 10].map(|number| Entry { number });
            assert_eq!(entries, expected[..lines], "cut at {end}");
            journal.append(&Entry { number: 9 }).unwrap();
            drop(journal);
            assert_eq!(open(&path, &header).unwrap().1.last(), Some(&Entry { number: 9 }));
        }
    }

    #[test]
    fn a_flipped_digit_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("count.jsonl");
        let header = json!({ "count": 1 });
        let (mut journal, _) = open(&path, &header).unwrap();
        (3..6).for_each(|number| journal.append(&Entry { number }).unwrap());
        drop(journal);
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text.replace("\"number\":4", "\"number\":7")).unwrap();
        let error = open(&path, &header).err().unwrap().to_string();
        assert!(error.contains("count.jsonl:3: this line is damaged; delete it, and"), "{error}");
        // At the end it may be what a power failure left.
        fs::write(&path, text.replace("\"number\":5", "\"number\":7")).unwrap();
        assert_eq!(open(&path, &header).unwrap().1.len(), 2);
    }

    #[test]
    fn other_files_are_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("count.jsonl");
        let header = json!({ "count": 2, "game": "cluster", "seed": 1 });
        let error = |text: &str| {
            fs::write(&path, text).unwrap();
            let error = open(&path, &header).err().unwrap().to_string();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
            error
        };
        assert!(error("my diary").contains("not a journal of this counting"));
        assert!(error("my diary\n").contains("not a journal of a counting"));
        assert!(error("{\"count\":1}\n").contains("an older Agon"));
        let other = "{\"count\":2,\"game\":\"rezzo\",\"seed\":2}\n";
        assert!(error(other).contains("another game and seed"), "{}", error(other));
        let damaged = format!("{header}\n[0,\n");
        assert!(error(&damaged).contains("count.jsonl:2: this line is damaged; delete it, and"));
    }

    #[test]
    fn journals_of_older_versions_are_continued() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("count.jsonl");
        let header = json!({ "count": 1, "game": "cluster" });
        let older = format!("{header}\n{{\"number\":4}}\n{{\"number\":5}}\n{{\"num");
        fs::write(&path, &older).unwrap();
        let entries =
            |numbers: &[u64]| numbers.iter().map(|&number| Entry { number }).collect::<Vec<_>>();
        let (mut journal, found) = open(&path, &header).unwrap();
        assert_eq!(found, entries(&[4, 5]));
        let running = open(&path, &header).err().unwrap().to_string();
        assert!(running.contains("this counting is running already"), "{running}");
        journal.append(&Entry { number: 6 }).unwrap();
        drop(journal);
        assert_eq!(open(&path, &header).unwrap().1, entries(&[4, 5, 6]));
    }
}
