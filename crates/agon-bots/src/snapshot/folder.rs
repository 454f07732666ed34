//! Lists the files of a bot's folder: those that belong to the bot, and those that are only beside
//! it.

use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::{io, os::unix::fs::MetadataExt};

/// The most files, folders and links of a bot that are copied.
pub const FILES: usize = 4096;

/// The most bytes of a bot's files that are copied.
pub const BYTES: u64 = 128 << 20;

/// Histories of versions, which are not part of a bot.
const HISTORIES: [&str; 4] = [".git", ".hg", ".svn", ".jj"];

/// Python's compiled sources, which are not part of a bot either: they may hold other code than the
/// sources.
const CACHE: &str = "__pycache__";

/// Folders with files that tools have built or installed.
///
/// They may be large, so the originals are shown.
const LIVE: [&str; 2] = ["target", "node_modules"];

/// Files that mark folders built or installed by tools: virtual environments of Python, caches.
const LIVE_MARKS: [&str; 2] = ["pyvenv.cfg", "CACHEDIR.TAG"];

/// The folder that marks a build folder of Cargo: all folders beside it are Cargo's.
const CARGO_MARK: &str = ".fingerprint";

/// Files that mark folders written by this program: results, and keys of a server of matches.
const OWN_MARKS: [&str; 3] = ["journal.jsonl", "tune.jsonl", "account.seed"];

/// Files with these endings are this program's: replays, and credentials for such a server.
const OWN_ENDINGS: [&str; 2] = ["agon", "creds"];

/// An entry of a folder, with its path from there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) path: PathBuf,
    pub(super) what: Kind,
    stamp: Stamp,
}

/// The kind of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Folder,
    File,
    /// With its target.
    Link(PathBuf),
    /// A folder that is shown as the original.
    Live,
}

/// Facts that show whether an entry has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    inode: u64,
    length: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Stamp {
    fn of(facts: &Metadata) -> Stamp {
        Stamp {
            inode: facts.ino(),
            length: if facts.is_dir() { 0 } else { facts.len() },
            modified: if facts.is_dir() { (0, 0) } else { (facts.mtime(), facts.mtime_nsec()) },
            changed: if facts.is_dir() { (0, 0) } else { (facts.ctime(), facts.ctime_nsec()) },
        }
    }
}

impl Entry {
    /// Returns the time of its last change, in seconds and nanoseconds.
    pub(super) fn changed(&self) -> (i64, i64) {
        self.stamp.changed
    }
}

/// Lists the contents of a folder, sorted.
///
/// The contents of `foreign` are no part of it, and those of `live` are shown as originals. `None`
/// if there are more than may be copied, or the folder cannot be read.
pub(super) fn list(root: &Path, foreign: &[PathBuf], live: &[PathBuf]) -> Option<Vec<Entry>> {
    let mut found = Vec::new();
    let mut waiting = vec![PathBuf::new()];
    let mut bytes = 0;
    while let Some(folder) = waiting.pop() {
        let here = match read(&root.join(&folder)) {
            Ok(here) => here,
            Err(_) if folder.as_os_str().is_empty() => return None,
            // A bot cannot read it either.
            Err(_) => continue,
        };
        let cargos = here.iter().any(|(name, _)| name.as_os_str() == CARGO_MARK);
        for (name, facts) in here {
            let path = folder.join(&name);
            let whole = root.join(&folder).join(&name);
            if foreign.contains(&whole) {
                continue;
            }
            let Some(what) = kind(&whole, &facts, cargos, live) else { continue };
            match what {
                Kind::Folder => waiting.push(path.clone()),
                Kind::File => bytes += facts.len(),
                Kind::Link(_) | Kind::Live => {}
            }
            found.push(Entry { path, what, stamp: Stamp::of(&facts) });
            if found.len() > FILES || bytes > BYTES {
                return None;
            }
        }
    }
    found.sort_by(|a, b| a.path.as_os_str().cmp(b.path.as_os_str()));
    Some(found)
}

/// Returns the names in a folder, with facts about them.
fn read(folder: &Path) -> io::Result<Vec<(PathBuf, Metadata)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        // It may be gone already.
        if let Ok(facts) = entry.metadata() {
            found.push((entry.file_name().into(), facts));
        }
        if found.len() > 2 * FILES {
            break;
        }
    }
    Ok(found)
}

/// Returns the kind of an entry; `None` if it is no part of a bot.
fn kind(path: &Path, facts: &Metadata, cargos: bool, live: &[PathBuf]) -> Option<Kind> {
    if facts.is_symlink() {
        return fs::read_link(path).ok().map(Kind::Link);
    }
    if facts.is_file() {
        return (!is_own(path)).then_some(Kind::File);
    }
    let name = path.file_name()?;
    let has = |marks: &[&str]| marks.iter().any(|mark| path.join(mark).is_file());
    if !facts.is_dir()
        || HISTORIES.iter().chain([&CACHE]).any(|hidden| name == *hidden)
        || has(&OWN_MARKS)
    {
        return None;
    }
    let seen_as_it_is = cargos
        || LIVE.iter().any(|live| name == *live)
        || live.iter().any(|live| live == path)
        || has(&LIVE_MARKS);
    Some(if seen_as_it_is { Kind::Live } else { Kind::Folder })
}

fn is_own(path: &Path) -> bool {
    path.extension().is_some_and(|ending| OWN_ENDINGS.iter().any(|own| ending == *own))
}

/// The most entries, in folders that are not copied, that are checked for changes.
const STAMPED: usize = 100_000;

/// Returns a digest of names, lengths and times of everything in these places.
///
/// They are not copied. `None` if they have too many entries.
pub(super) fn stamp(places: &[PathBuf], foreign: &[PathBuf]) -> Option<blake3::Hash> {
    let mut hasher = blake3::Hasher::new();
    let mut left = STAMPED;
    let mut waiting: Vec<PathBuf> = places.iter().rev().cloned().collect();
    while let Some(path) = waiting.pop() {
        left = left.checked_sub(1)?;
        if foreign.contains(&path) || is_own(&path) {
            continue;
        }
        let Ok(facts) = path.symlink_metadata() else { continue };
        let Stamp { length, modified: (seconds, nanoseconds), .. } = Stamp::of(&facts);
        let text = format!("{} {length} {seconds}.{nanoseconds}\n", path.display());
        hasher.update(text.as_bytes());
        let name = path.file_name().unwrap_or_default();
        // Python loads the compiled sources of what is not copied.
        let hidden = HISTORIES.iter().any(|hidden| name == *hidden);
        if facts.is_dir() && !hidden && !OWN_MARKS.iter().any(|mark| path.join(mark).is_file()) {
            let names = fs::read_dir(&path).into_iter().flatten().flatten();
            let mut below: Vec<PathBuf> = names.take(left + 1).map(|entry| entry.path()).collect();
            below.sort_unstable_by(|a, b| b.cmp(a));
            waiting.extend(below);
        }
    }
    Some(hasher.finalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_beside_a_bot_is_no_part_of_it() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        let write = |name: &str| {
            let path = root.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        };
        for name in [
            "bot.py",
            "lib/helper.py",
            "lib/__pycache__/helper.pyc",
            ".git/HEAD",
            "node_modules/a/b.js",
            "env/pyvenv.cfg",
            "env/lib/x.py",
            "cup-results/journal.jsonl",
            "old.agon",
            "queue/account.seed",
            "queue/worker.creds",
            "ada.creds",
            "cup.toml",
        ] {
            write(name);
        }
        let entries = list(root, &[root.join("cup.toml")], &[]).unwrap();
        let names = |wanted: fn(&Entry) -> bool| -> Vec<&str> {
            entries
                .iter()
                .filter(|entry| wanted(entry))
                .map(|entry| entry.path.to_str().unwrap())
                .collect()
        };
        assert_eq!(names(|_| true), ["bot.py", "env", "lib", "lib/helper.py", "node_modules"]);
        assert_eq!(names(|entry| entry.what == Kind::Live), ["env", "node_modules"]);
        assert_eq!(names(|entry| entry.what == Kind::File), ["bot.py", "lib/helper.py"]);
        assert!(list(&root.join("nothing"), &[], &[]).is_none());
    }

    #[test]
    fn too_many_files_are_not_listed() {
        let dir = tempfile::tempdir().unwrap();
        (0..=FILES).for_each(|number| fs::write(dir.path().join(number.to_string()), "").unwrap());
        assert!(list(dir.path(), &[], &[]).is_none());
        fs::remove_file(dir.path().join("7")).unwrap();
        assert_eq!(list(dir.path(), &[], &[]).unwrap().len(), FILES);
    }

    #[test]
    fn a_stamp_changes_with_a_file() {
        let dir = tempfile::tempdir().unwrap();
        let places = [dir.path().join("a"), dir.path().join("gone")];
        fs::create_dir_all(places[0].join("b")).unwrap();
        fs::write(places[0].join("b/c"), "1").unwrap();
        let before = stamp(&places, &[]).unwrap();
        assert_eq!(stamp(&places, &[]), Some(before));
        fs::write(places[0].join("b/c"), "12").unwrap();
        assert_ne!(stamp(&places, &[]), Some(before));
    }
}
