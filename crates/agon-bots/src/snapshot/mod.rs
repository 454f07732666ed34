//! Snapshots of bots: Agon copies the files that it digests, and starts the copies.
//!
//! A program sees the copies in place of the originals, as far as the sandbox can do that
//! ([`agon_sandbox::Snapshot`]). So you can edit a bot while it plays: it continues unchanged, and
//! its digest stays true.

mod copy;
mod folder;
mod reading;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use agon_core::Coverage;
use copy::SnapshotCopy;

use crate::Program;

pub use copy::CopyFolder;
pub use folder::{BYTES, FILES};

pub(crate) use copy::{read_within, write_copy};
pub(crate) use reading::copy_error;

/// A bot at the time it was read.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The program with its arguments, if the bot is one.
    pub(crate) program: Option<Program>,
    /// The digest of everything that was read; `None` if that is too large.
    digest: Option<String>,
    covers: Coverage,
    /// The files that the bot's text names, and their digest.
    pub(crate) files: Vec<PathBuf>,
    pub(crate) named: Option<String>,
    copies: Vec<Arc<SnapshotCopy>>,
    links: Vec<(PathBuf, PathBuf)>,
    /// Other files that it can read, which are not copied.
    pub(crate) beyond: Vec<PathBuf>,
    /// Files and folders that lie in its folders and are no part of it.
    foreign: Vec<PathBuf>,
    /// Notes for the person.
    pub(crate) notices: Vec<String>,
    /// The copy that the bot plays in, if it was copied with its whole folder.
    _folder: Option<Arc<CopyFolder>>,
    /// The folder with all files of the bot, if its author may be a stranger.
    home: Option<PathBuf>,
}

/// Files that a bot can read although its digest does not cover them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Beyond {
    /// Nothing.
    Nothing,
    /// Folders and files, with a digest of their names, lengths and times.
    Stamp(String),
    /// Too many files to check whether they have changed.
    Unknown,
}

impl Snapshot {
    /// Makes the snapshot of a bot that was copied with its whole folder.
    ///
    /// `beyond` is what the bot can read outside of the copy.
    pub(crate) fn of_copied_folder(
        copy: Arc<CopyFolder>,
        digest: blake3::Hash,
        named: Vec<PathBuf>,
        beyond: Vec<PathBuf>,
    ) -> Snapshot {
        Snapshot {
            program: None,
            digest: Some(digest.to_string()),
            covers: Coverage::Folder,
            files: named,
            named: Some(digest.to_string()),
            copies: Vec::new(),
            links: Vec::new(),
            beyond,
            foreign: Vec::new(),
            notices: Vec::new(),
            home: Some(copy.path()),
            _folder: Some(copy),
        }
    }

    /// Returns the homes of these bots: folders with all files of a bot whose author may be a
    /// stranger.
    pub(crate) fn homes(all: &[Arc<Snapshot>]) -> impl Iterator<Item = &Path> {
        all.iter().filter_map(|snapshot| snapshot.home.as_deref())
    }

    /// Returns the home of the bot with these snapshots.
    ///
    /// Its words, links and files show it nothing beside this folder.
    pub(crate) fn home_of(all: &[Arc<Snapshot>]) -> Option<&Path> {
        Snapshot::homes(all).next()
    }

    /// Returns the digest and its coverage.
    pub(crate) fn digest(&self) -> (Option<&str>, Coverage) {
        (self.digest.as_deref(), self.covers)
    }

    /// Returns the files that the bot can read now, beside the copies.
    pub(crate) fn beyond(&self) -> Beyond {
        if self.beyond.is_empty() {
            return Beyond::Nothing;
        }
        folder::stamp(&self.beyond, &self.foreign)
            .map_or(Beyond::Unknown, |hash| Beyond::Stamp(hash.to_string()))
    }

    /// Returns the place of an original that is gone: nothing can be shown without a place.
    pub(crate) fn lost_place(&self) -> Option<&Path> {
        self.copies.iter().map(|copy| copy.place.as_path()).find(|place| !place.exists())
    }

    /// Returns the copy that has all files of the bot, if there is one.
    pub(crate) fn only_copy(&self) -> Option<OnlyCopy<'_>> {
        let [copy] = &self.copies[..] else { return None };
        let is_folder = copy.entries.is_some();
        Some(OnlyCopy { place: &copy.place, path: copy.path()?, is_folder })
    }

    /// Returns what was copied: folders and files.
    pub(crate) fn places(&self) -> impl Iterator<Item = &Path> {
        self.copies.iter().map(|copy| copy.place.as_path())
    }

    /// Returns whether something was in this place when one of these bots was read.
    pub(crate) fn hold(all: &[Arc<Snapshot>], place: &Path) -> bool {
        all.iter().flat_map(|snapshot| &snapshot.copies).any(|copy| copy.has(place))
    }

    /// Returns the view of the programs that are started for these bots together.
    pub(crate) fn shown<'a>(
        all: impl IntoIterator<Item = &'a Arc<Snapshot>>,
    ) -> agon_sandbox::Snapshot {
        let mut shown = agon_sandbox::Snapshot::default();
        for snapshot in all {
            for copy in &snapshot.copies {
                let Some(path) = copy.path() else { continue };
                let place = copy.place.clone().into_os_string();
                if !shown.copies.iter().any(|(known, _)| *known == place) {
                    shown.copies.push((place, path.into()));
                    shown.live.extend(copy.live().map(PathBuf::into_os_string));
                }
            }
            let links = snapshot.links.iter();
            shown.links.extend(links.map(|(link, target)| (link.into(), target.into())));
        }
        shown.copies.sort();
        shown.live.sort();
        shown.live.dedup();
        shown.links.sort();
        shown.links.dedup();
        shown
    }
}

/// The only copy of a bot.
pub(crate) struct OnlyCopy<'a> {
    /// What was copied.
    pub(crate) place: &'a Path,
    /// Where the copy is.
    pub(crate) path: PathBuf,
    pub(crate) is_folder: bool,
}

impl OnlyCopy<'_> {
    /// Returns the path of a file below the folder that was copied.
    pub(crate) fn below(&self, path: &Path) -> Option<String> {
        let path = path.canonicalize().ok()?;
        let folder = if self.is_folder { self.place } else { self.place.parent()? };
        let below = path.strip_prefix(folder).ok()?;
        below.to_str().map(str::to_owned)
    }
}
