//! Results of many matches as a file that survives a kill at any moment.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{Read, Write},
    marker::PhantomData,
    path::{Path, PathBuf},
};

use agon_text::escape_json;
use anyhow::{Context, Result, bail};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

/// Whose journal it is.
#[derive(Clone, Copy, Debug)]
pub struct Owner {
    /// The key of the version in the first line.
    pub key: &'static str,
    /// What such a series of matches is called.
    pub noun: &'static str,
    /// What an entry stands for, and what happens without it.
    pub remedy: &'static str,
    /// The flag that names the folder.
    pub flag: &'static str,
}

/// A file whose first line says which matches it is about, with a line for each entry after it.
///
/// Lines are only added, each with one call. A killed process leaves at most one torn line, the
/// last.
pub struct Journal<E> {
    path: PathBuf,
    file: File,
    entry: PhantomData<E>,
}

impl<E: Serialize + DeserializeOwned> Journal<E> {
    /// Opens a journal or starts one, and returns its entries. Cuts off a last line without an end.
    ///
    /// # Errors
    /// If another process writes it, it belongs to something else, or a line is damaged.
    pub fn open(path: &Path, owner: &Owner, header: &Value) -> Result<(Journal<E>, Vec<E>)> {
        let name = path.display();
        let mut file = locked(path, owner)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).with_context(|| format!("cannot read {name}"))?;
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        let mut lines = bytes[..whole].split_inclusive(|&byte| byte == b'\n');
        let known = lines.next();
        check_header(known.unwrap_or(&bytes), known.is_some(), header, owner, path)?;
        let mut entries = Vec::new();
        for (line, number) in lines.zip(2..) {
            let entry = serde_json::from_slice(line).with_context(|| {
                format!("{name}:{number}: this line is damaged; {}", owner.remedy)
            })?;
            entries.push(entry);
        }
        file.set_len(whole as u64).with_context(|| format!("cannot write {name}"))?;
        let mut journal = Journal { path: path.to_owned(), file, entry: PhantomData };
        if known.is_none() {
            journal.write(header)?;
        }
        Ok((journal, entries))
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes an entry. When this returns, the entry survives the end of this process.
    pub fn append(&mut self, entry: &E) -> Result<()> {
        self.write(entry)
    }

    /// Waits until everything is on the disk.
    pub fn synchronise(&self) -> Result<()> {
        self.file.sync_data().with_context(|| format!("cannot write {}", self.path.display()))
    }

    fn write(&mut self, value: &impl Serialize) -> Result<()> {
        let mut line = escape_json(&serde_json::to_vec(value)?);
        line.push(b'\n');
        self.file.write_all(&line).with_context(|| format!("cannot write {}", self.path.display()))
    }
}

impl<E> Drop for Journal<E> {
    fn drop(&mut self) {
        // A child that is just starting holds the file open until it runs its program.
        let _ = self.file.unlock();
    }
}

/// A list in words: `a, b and c`.
fn listed(items: &[&str]) -> String {
    match items {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [all @ .., last] => format!("{} and {last}", all.join(", ")),
    }
}

/// Opens a regular file that no other process writes.
fn locked(path: &Path, owner: &Owner) -> Result<File> {
    let name = path.display();
    let file = OpenOptions::new().read(true).append(true).create(true).open(path);
    let file = file.with_context(|| format!("cannot write {name}"))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => bail!(
            "{name} is being written by another process, so this {} is running already; wait for \
             it or stop it",
            owner.noun
        ),
        Err(TryLockError::Error(error)) => {
            return Err(error).context(format!("cannot lock {name}"));
        }
    }
    // A device has no end.
    if !file.metadata().with_context(|| format!("cannot read {name}"))?.is_file() {
        bail!("{name} is not a regular file; give another folder with {}", owner.flag);
    }
    Ok(file)
}

/// Checks whether the first line, or the start of it, is the expected one.
fn check_header(
    line: &[u8],
    is_whole: bool,
    header: &Value,
    owner: &Owner,
    path: &Path,
) -> Result<()> {
    let name = path.display();
    let Owner { key, noun, flag, .. } = owner;
    let own = escape_json(&serde_json::to_vec(header)?);
    if !is_whole {
        if !own.starts_with(line) {
            bail!(
                "{name} is not a journal of this {noun}; give another folder with {flag}, or move \
                 the file away"
            );
        }
        return Ok(());
    }
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
    // Read back as well, since reading may round the last digit of a number.
    let header: Value = serde_json::from_slice(&own)?;
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

    const OWNER: Owner = Owner {
        key: "count",
        noun: "counting",
        remedy: "delete it, and its number is counted again",
        flag: "--out",
    };

    fn open(path: &Path, header: &Value) -> Result<(Journal<u64>, Vec<u64>)> {
        Journal::open(path, &OWNER, header)
    }

    #[test]
    fn what_was_written_is_there_again_and_a_torn_line_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("count.jsonl");
        let header = json!({ "count": 1, "game": "cluster" });
        {
            let (mut journal, entries) = open(&path, &header).unwrap();
            assert!(entries.is_empty());
            (0..3).for_each(|number| journal.append(&(12 - number)).unwrap());
            let running = open(&path, &header).err().unwrap().to_string();
            assert!(running.contains("this counting is running already"), "{running}");
        }
        let bytes = fs::read(&path).unwrap();
        let header_end = bytes.iter().position(|&byte| byte == b'\n').unwrap() + 1;
        for end in 0..=bytes.len() {
            fs::write(&path, &bytes[..end]).unwrap();
            let (mut journal, entries) = open(&path, &header).unwrap();
            let lines =
                bytes[header_end.min(end)..end].iter().filter(|&&byte| byte == b'\n').count();
            assert_eq!(entries, [12, 11, 10][..lines], "cut at {end}");
            journal.append(&9).unwrap();
            drop(journal);
            assert_eq!(open(&path, &header).unwrap().1.last(), Some(&9));
        }
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
}
