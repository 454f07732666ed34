//! A disk that loses its power: `disk.c` is preloaded into programs and notes what they sync. From
//! that follows what is on the disk afterwards.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};
use std::{fs, os::unix::fs::MetadataExt, process::Command, thread};

/// What disks write in one go, in bytes.
const BLOCK: usize = 4096;

/// What the server makes anew; `disk.c` leaves it out, too.
const LEFT_OUT: [&str; 4] = ["work", "cache", "reserve", "agon.db-shm"];

/// Random numbers (`SplitMix64`).
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Returns true in one of so many cases.
    pub(super) fn one_of(&mut self, cases: u64) -> bool {
        self.next().is_multiple_of(cases)
    }

    /// Waits up to a second.
    pub(super) fn pause(&mut self) {
        thread::sleep(Duration::from_millis(100 + self.next() % 900));
    }
}

/// Something in a folder: its kind, `d` or `f`, and the key that `disk.c` gives it.
type Entry = (char, String);

/// How much of what was not synced is lost, and how much is there.
#[derive(Debug, Default)]
pub(super) struct Tally {
    /// Blocks of files.
    pub(super) lost_blocks: u64,
    pub(super) lucky_blocks: u64,
    /// Names in folders: new, other or removed ones.
    pub(super) lost_names: u64,
    pub(super) lucky_names: u64,
}

/// Writes what is left of the folder `data` to the new folder `target`, and counts it.
///
/// Of the blocks that were not synced, some are there. Of the names that were not synced, some
/// are; a file that was renamed has its old name or its new one.
pub(super) fn write(mirror: &Path, data: &Path, target: &Path, seed: u64, tally: &mut Tally) {
    let mut live = BTreeMap::new();
    note(data, &mut live);
    let mut wreck =
        Wreck { mirror, data, live, random: Random(seed), luck: BTreeMap::new(), tally };
    wreck.write("", target);
}

/// Notes all files by their keys.
fn note(folder: &Path, live: &mut BTreeMap<String, PathBuf>) {
    for (name, (kind, key)) in entries(folder) {
        let path = folder.join(name);
        match kind {
            'd' => note(&path, live),
            _ => drop(live.insert(key, path)),
        }
    }
}

/// Returns what is in a folder by name; nothing if there is no such folder.
fn entries(folder: &Path) -> BTreeMap<String, Entry> {
    let Ok(found) = fs::read_dir(folder) else { return BTreeMap::new() };
    let mut entries = BTreeMap::new();
    for path in found.map(|entry| entry.unwrap().path()) {
        let name = path.file_name().unwrap().to_str().unwrap();
        if !LEFT_OUT.contains(&name) {
            let kind = if path.is_dir() { 'd' } else { 'f' };
            entries.insert(name.to_owned(), (kind, key(&path)));
        }
    }
    entries
}

/// The name that `disk.c` gives a file.
fn key(path: &Path) -> String {
    let at = fs::symlink_metadata(path).unwrap();
    let birth = at.created().unwrap().duration_since(UNIX_EPOCH).unwrap();
    format!("{}-{}.{}", at.ino(), birth.as_secs(), birth.subsec_nanos())
}

struct Wreck<'a> {
    mirror: &'a Path,
    data: &'a Path,
    /// The files at the end, by key.
    live: BTreeMap<String, PathBuf>,
    random: Random,
    /// Whether the last names of a file reached the disk though they were not synced.
    luck: BTreeMap<String, bool>,
    tally: &'a mut Tally,
}

impl Wreck<'_> {
    /// Returns the entries of a folder that were synced.
    fn durable(&self, path: &str) -> BTreeMap<String, Entry> {
        let list = self.mirror.join("folders").join(format!("top{}", path.replace('/', "+")));
        let text = fs::read_to_string(list).unwrap_or_default();
        let entry = |line: &str| {
            let mut words = line.splitn(3, ' ');
            let (kind, key) = (words.next()?.chars().next()?, words.next()?.to_owned());
            Some((words.next()?.to_owned(), (kind, key)))
        };
        text.lines().filter_map(entry).collect()
    }

    fn is_lucky(&mut self, key: &str) -> bool {
        let random = &mut self.random;
        *self.luck.entry(key.to_owned()).or_insert_with(|| random.one_of(2))
    }

    /// Writes what is left of a folder. `path` is empty or begins with a slash.
    fn write(&mut self, path: &str, target: &Path) {
        fs::create_dir_all(target).unwrap();
        let durable = self.durable(path);
        let last = entries(&PathBuf::from(format!("{}{path}", self.data.display())));
        let names: BTreeSet<&String> = durable.keys().chain(last.keys()).collect();
        for name in names {
            let (before, after) = (durable.get(name), last.get(name));
            let left = if before == after { before } else { self.choose(before, after) };
            let Some((kind, key)) = left else { continue };
            let inner = target.join(name);
            match kind {
                'd' => self.write(&format!("{path}/{name}"), &inner),
                _ => fs::write(inner, self.contents(key)).unwrap(),
            }
        }
    }

    /// Chooses between what was synced and what was not. All names of a file go together.
    fn choose<'e>(
        &mut self,
        before: Option<&'e Entry>,
        after: Option<&'e Entry>,
    ) -> Option<&'e Entry> {
        let (_, key) = after.or(before)?;
        match self.is_lucky(key) {
            true => {
                self.tally.lucky_names += 1;
                after
            }
            false => {
                self.tally.lost_names += 1;
                before
            }
        }
    }

    /// Returns what is left of a file: of what was not synced, some blocks.
    fn contents(&mut self, key: &str) -> Vec<u8> {
        let mut bytes = fs::read(self.mirror.join("files").join(key)).unwrap_or_default();
        let Some(live) = self.live.get(key) else { return bytes };
        let live = fs::read(live).unwrap();
        // A file has its new length, or that with which it was synced.
        let length = match self.random.one_of(2) {
            true => bytes.len().max(live.len()),
            false => bytes.len(),
        };
        bytes.resize(length, 0);
        for at in (0..live.len()).step_by(BLOCK) {
            let end = (at + BLOCK).min(live.len());
            let is_there = end <= length;
            if is_there && bytes[at..end] == live[at..end] {
                continue;
            }
            if is_there && self.random.one_of(2) {
                bytes[at..end].copy_from_slice(&live[at..end]);
                self.tally.lucky_blocks += 1;
            } else {
                self.tally.lost_blocks += 1;
            }
        }
        bytes
    }
}

/// Builds what is preloaded.
pub(super) fn preload(folder: &Path) -> PathBuf {
    let path = folder.join("disk.so");
    let built = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-o"])
        .arg(&path)
        .arg("tests/power/disk.c")
        .output()
        .unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    path
}

/// A folder whose syncs are noted in another one.
pub(super) struct Disk {
    /// Where they are noted.
    pub(super) mirror: PathBuf,
    variables: [(&'static str, String); 3],
}

impl Disk {
    pub(super) fn new(mirror: PathBuf, preload: &Path, folder: &Path) -> Disk {
        fs::create_dir_all(mirror.join("files")).unwrap();
        fs::create_dir_all(mirror.join("folders")).unwrap();
        let text = |path: &Path| path.to_str().unwrap().to_owned();
        let variables = [
            ("LD_PRELOAD", text(preload)),
            ("AGON_POWER_DATA", text(folder)),
            ("AGON_POWER_MIRROR", text(&mirror)),
        ];
        Disk { mirror, variables }
    }

    /// Returns the environment of the programs that use it.
    pub(super) fn variables(&self) -> [(&str, &str); 3] {
        self.variables.each_ref().map(|(name, value)| (*name, value.as_str()))
    }

    /// Takes the power away just before something is synced: at once, or a few times later.
    pub(super) fn fail(&self, random: &mut Random) {
        let part = self.mirror.join("fail.part");
        fs::write(&part, (random.next() % 8).to_string()).unwrap();
        fs::rename(part, self.mirror.join("fail")).unwrap();
    }
}
