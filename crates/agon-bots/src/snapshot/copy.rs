//! Copies the folders and files of bots, and digests them on the way. Programs start from these
//! copies.

use std::fs::{self, File, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, SystemTime};

use agon_sandbox::{Folder, Launcher, remove_folder};
use rustix::process::geteuid;

use super::folder::{BYTES, Entry, Kind};
use crate::open_beneath::open_beneath;
use crate::sandbox::{SandboxOptions, removed_workplace, workplace};

/// A copy with digests of its contents. Dropping it removes it.
#[derive(Debug)]
pub(super) struct SnapshotCopy {
    /// The copied folder or file, without links in its path.
    pub(super) place: PathBuf,
    /// The contents of the folder; `None` for a file.
    pub(super) entries: Option<Vec<Entry>>,
    /// The digest of the file, or of the list of the folder.
    pub(super) digest: blake3::Hash,
    /// Whether nothing in it had changed for a while before the copy.
    ///
    /// A later change then shows in its time.
    settled: bool,
    /// `None` if only the digest was wanted.
    folder: Option<CopyFolder>,
}

/// A folder for the files of a bot, which nobody else of this machine finds. Dropping it removes it
/// in any state.
#[derive(Debug)]
pub struct CopyFolder {
    // Dropped in this order: first the own folder.
    own: Folder,
    _all: Option<Arc<AllCopies>>,
}

/// The folder for all copies of this process.
#[derive(Debug)]
struct AllCopies {
    folder: Folder,
    /// The folder, locked as long as it is in use.
    _lock: File,
}

/// The folder for all copies, as long as there are any.
static ALL: Mutex<Weak<AllCopies>> = Mutex::new(Weak::new());

/// The start of its name.
const ALL_NAME: &str = "agon-bots-";

/// The age from which a folder without a lock is a leftover: a new one is not locked at once.
const ABANDONED: Duration = Duration::from_secs(60);

impl CopyFolder {
    /// Makes a folder for a copy. A kill of this process also removes the folder for all copies.
    pub(crate) fn new(launcher: &Launcher) -> io::Result<CopyFolder> {
        let mut known = ALL.lock().unwrap_or_else(PoisonError::into_inner);
        let all = match known.upgrade() {
            Some(all) => all,
            None => {
                // Its path must not contain a link.
                let place = std::env::temp_dir().canonicalize()?;
                remove_abandoned(&place);
                let folder = removed_workplace(&place, ALL_NAME, launcher)?;
                let lock = File::open(folder.path())?;
                // Where files cannot be locked, nobody takes the folder for a leftover either.
                let _ = lock.lock_shared();
                let all = Arc::new(AllCopies { folder, _lock: lock });
                *known = Arc::downgrade(&all);
                all
            }
        };
        Ok(CopyFolder { own: workplace(all.folder.path(), "bot-")?, _all: Some(all) })
    }

    /// Makes a folder among the temporary files, and an empty folder for the bot in it. A kill of
    /// this process also removes it.
    pub fn temporary(options: &SandboxOptions) -> io::Result<CopyFolder> {
        CopyFolder::new(&options.launcher()?)?.with_empty()
    }

    /// Makes a folder in `place`, and an empty folder for the bot in it.
    pub fn in_place(place: &Path) -> io::Result<CopyFolder> {
        CopyFolder { own: workplace(place, "bot-")?, _all: None }.with_empty()
    }

    fn with_empty(self) -> io::Result<CopyFolder> {
        fs::create_dir(self.path())?;
        // The bot may run as another user.
        fs::set_permissions(self.path(), Permissions::from_mode(0o755))?;
        Ok(self)
    }

    /// Returns the path of the folder for the bot in it.
    pub fn path(&self) -> PathBuf {
        self.own.path().join(NAME)
    }

    /// Returns a text with the paths below such temporary folders of any machine shortened:
    /// authors know their files by the names that they gave them.
    pub fn left_out_of(text: &str) -> String {
        let mut short = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find(ALL_NAME) {
            let (before, found) = rest.split_at(at);
            match after_folder(found).filter(|_| before.ends_with('/')) {
                Some(after) => {
                    short.push_str(before.trim_end_matches(is_of_path));
                    rest = after.strip_prefix('/').unwrap_or_else(|| {
                        short.push('.');
                        after
                    });
                }
                None => {
                    short.push_str(before);
                    short.push_str(ALL_NAME);
                    rest = &found[ALL_NAME.len()..];
                }
            }
        }
        short + rest
    }
}

/// Returns what follows the folder for a bot in a text that begins with the name of the folder for
/// all copies, if it goes on with that.
fn after_folder(text: &str) -> Option<&str> {
    let is_random = |c: char| c.is_ascii_alphanumeric();
    let own = text.strip_prefix(ALL_NAME)?.trim_start_matches(is_random);
    let own = own.strip_prefix("/bot-")?.trim_start_matches(is_random);
    let after = own.strip_prefix('/')?.strip_prefix(NAME)?;
    (after.starts_with('/') || !after.starts_with(is_of_path)).then_some(after)
}

fn is_of_path(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '/' | '-' | '_' | '.')
}

/// Removes the copies of this user's processes that were killed together with their starters of
/// programs.
fn remove_abandoned(place: &Path) {
    let own = geteuid().as_raw();
    for entry in fs::read_dir(place).into_iter().flatten().flatten() {
        let is_copies = entry.file_name().as_bytes().starts_with(ALL_NAME.as_bytes());
        let Some(facts) = is_copies.then(|| entry.metadata().ok()).flatten() else { continue };
        let age = facts.modified().ok().and_then(|time| time.elapsed().ok());
        if !facts.is_dir() || facts.uid() != own || age.is_none_or(|age| age < ABANDONED) {
            continue;
        }
        if File::open(entry.path()).is_ok_and(|folder| folder.try_lock().is_ok()) {
            // Another process may be doing the same.
            let _ = remove_folder(&entry.path());
        }
    }
}

/// The longest time that a file system's clock stands still.
const TICK: Duration = Duration::from_millis(100);

/// The folder copies in use. Bots in one folder share its copy.
static USED: Mutex<Vec<Weak<SnapshotCopy>>> = Mutex::new(Vec::new());

/// The name of the copied thing within its folder.
const NAME: &str = "bot";

impl SnapshotCopy {
    /// Copies a folder with these entries, or shares an equal copy.
    pub(super) fn of_folder(
        place: &Path,
        entries: Vec<Entry>,
        keep: Option<&Launcher>,
    ) -> io::Result<Arc<SnapshotCopy>> {
        // The list stays valid even if a thread panicked while it held the lock.
        let mut used = USED.lock().unwrap_or_else(PoisonError::into_inner);
        used.retain(|copy| copy.strong_count() > 0);
        let same = |copy: &Arc<SnapshotCopy>| {
            copy.settled && copy.place == place && copy.entries.as_ref() == Some(&entries)
        };
        if let Some(copy) = used.iter().filter_map(Weak::upgrade).find(same) {
            return Ok(copy);
        }
        let settled = entries.iter().all(|entry| is_settled(entry.changed()));
        let folder = keep.map(CopyFolder::new).transpose()?;
        let target = folder.as_ref().map(CopyFolder::path);
        let digest = copy_all(place, &entries, target.as_deref())?;
        let entries = Some(entries);
        let copy =
            Arc::new(SnapshotCopy { place: place.to_owned(), entries, digest, settled, folder });
        if keep.is_some() {
            used.push(Arc::downgrade(&copy));
        }
        Ok(copy)
    }

    /// Copies a file.
    pub(super) fn of_file(place: &Path, keep: Option<&Launcher>) -> io::Result<Arc<SnapshotCopy>> {
        let folder = keep.map(CopyFolder::new).transpose()?;
        let target = folder.as_ref().map(CopyFolder::path);
        // The person named this file, so it may be a link.
        let digest = copy_file(&File::open(place)?, target.as_deref())?;
        Ok(Arc::new(SnapshotCopy {
            place: place.to_owned(),
            entries: None,
            digest,
            settled: false,
            folder,
        }))
    }

    /// Returns the path of the copy.
    pub(super) fn path(&self) -> Option<PathBuf> {
        self.folder.as_ref().map(CopyFolder::path)
    }

    /// Returns the parts of the folder that are shown as originals.
    pub(super) fn live(&self) -> impl Iterator<Item = PathBuf> + '_ {
        let entries = self.entries.iter().flatten();
        entries.filter(|entry| entry.what == Kind::Live).map(|entry| self.place.join(&entry.path))
    }

    /// Returns whether this place had something when it was copied.
    pub(super) fn has(&self, place: &Path) -> bool {
        let Ok(path) = place.strip_prefix(&self.place) else { return false };
        let mut entries = self.entries.iter().flatten();
        path.as_os_str().is_empty() || entries.any(|entry| entry.path == path)
    }

    /// Returns whether it holds the file of this place.
    pub(super) fn holds(&self, file: &Path) -> bool {
        let Ok(path) = file.strip_prefix(&self.place) else { return false };
        match &self.entries {
            Some(entries) => {
                entries.iter().any(|entry| entry.path == path && entry.what == Kind::File)
            }
            None => path.as_os_str().is_empty(),
        }
    }
}

fn is_settled((seconds, nanoseconds): (i64, i64)) -> bool {
    let (Ok(seconds), Ok(nanoseconds)) = (u64::try_from(seconds), u32::try_from(nanoseconds))
    else {
        return false;
    };
    let changed = SystemTime::UNIX_EPOCH + Duration::new(seconds, nanoseconds);
    SystemTime::now().duration_since(changed).is_ok_and(|age| age > TICK)
}

/// Copies the listed entries of a folder and digests them.
///
/// The digest covers a line for each file, as `b3sum` prints it. A link counts as a file that
/// contains its target's path.
fn copy_all(place: &Path, entries: &[Entry], target: Option<&Path>) -> io::Result<blake3::Hash> {
    let mut hasher = blake3::Hasher::new();
    let mut folders = vec![(place.to_owned(), target.map(Path::to_owned))];
    if let Some(target) = target {
        fs::create_dir(target)?;
    }
    for entry in entries {
        let from = place.join(&entry.path);
        let to = target.map(|target| target.join(&entry.path));
        let digest = match &entry.what {
            Kind::Folder | Kind::Live => {
                to.as_ref().map_or(Ok(()), fs::create_dir)?;
                if entry.what == Kind::Folder {
                    folders.push((from, to));
                }
                continue;
            }
            Kind::Link(says) => {
                to.as_ref().map_or(Ok(()), |to| symlink(says, to))?;
                blake3::hash(says.as_os_str().as_bytes())
            }
            Kind::File => match open_beneath(place, &entry.path)
                .and_then(|file| copy_file(&file, to.as_deref()))
            {
                Ok(digest) => digest,
                // Either the arena cannot read it, so neither can the bot, or it is gone.
                Err(error) if is_unseen(&error) => continue,
                Err(error) => return Err(error),
            },
        };
        hasher.update(digest.to_string().as_bytes()).update(b"  ");
        hasher.update(entry.path.as_os_str().as_bytes()).update(b"\n");
    }
    // Last, because nothing is written to them any more.
    for (from, to) in folders {
        if let (Some(to), Ok(_)) = (to, fs::metadata(&from)) {
            fs::set_permissions(&to, Permissions::from_mode(0o755))?;
        }
    }
    Ok(hasher.finalize())
}

fn is_unseen(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied)
}

/// Digests a file and copies it. Both are of the same bytes.
fn copy_file(file: &File, to: Option<&Path>) -> io::Result<blake3::Hash> {
    let bytes = read_within(file, &mut { BYTES })?;
    if let Some(to) = to {
        // The bot's user may be another one than the owner of the originals. The folder above
        // keeps the copies from everybody else.
        let is_program = file.metadata()?.permissions().mode() & 0o111 != 0;
        write_copy(file, &bytes, to, if is_program { 0o555 } else { 0o444 })?;
    }
    Ok(blake3::hash(&bytes))
}

/// Reads a file, which may grow meanwhile, of at most `room` bytes.
pub(crate) fn read_within(from: &File, room: &mut u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(*room + 1).read_to_end(&mut bytes)?;
    *room = room.checked_sub(bytes.len() as u64).ok_or(io::ErrorKind::FileTooLarge)?;
    Ok(bytes)
}

/// Writes the copy of a file, with its time: compilers and interpreters compare times, and Python
/// uses compiled code only for a source with the same one.
pub(crate) fn write_copy(from: &File, bytes: &[u8], to: &Path, mode: u32) -> io::Result<()> {
    let mut copy = File::create_new(to)?;
    copy.write_all(bytes)?;
    copy.set_modified(from.metadata()?.modified()?)?;
    copy.set_permissions(Permissions::from_mode(mode))
}

#[cfg(test)]
mod tests {
    use super::{super::folder::list, *};
    use crate::SandboxOptions;

    fn launcher() -> Launcher {
        SandboxOptions::default().launcher().unwrap()
    }

    fn copy(root: &Path, keep: bool) -> Arc<SnapshotCopy> {
        let launcher = launcher();
        SnapshotCopy::of_folder(root, list(root, &[], &[]).unwrap(), keep.then_some(&launcher))
            .unwrap()
    }

    #[test]
    fn a_copy_stays_as_it_was() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("lib")).unwrap();
        fs::create_dir_all(root.join("target")).unwrap();
        fs::write(root.join("lib/helper.py"), "x = 1").unwrap();
        symlink("lib/helper.py", root.join("link.py")).unwrap();
        let first = copy(&root, true);
        let path = first.path().unwrap();
        fs::write(root.join("lib/helper.py"), "x = 2").unwrap();
        assert_eq!(fs::read_to_string(path.join("link.py")).unwrap(), "x = 1");
        assert_eq!(first.live().collect::<Vec<_>>(), [root.join("target")]);
        assert!(first.holds(&root.join("lib/helper.py")) && !first.holds(&root.join("lib")));
        let lines = format!(
            "{}  lib/helper.py\n{}  link.py\n",
            blake3::hash(b"x = 1"),
            blake3::hash(b"lib/helper.py")
        );
        assert_eq!(first.digest, blake3::hash(lines.as_bytes()));
        assert_ne!(first.digest, copy(&root, false).digest);
        drop(first);
        assert!(!path.exists());
    }

    #[test]
    fn texts_name_files_as_their_author_does() {
        let copy = CopyFolder::new(&launcher()).unwrap().path();
        let text = format!("  File \"{}/lib/a.py\", line 2", copy.display());
        assert_eq!(CopyFolder::left_out_of(&text), "  File \"lib/a.py\", line 2");
        let of_others = "cd /var/x/agon-bots-iJ3/bot-q3q/bot: file:///tmp/agon-bots-a/bot-b/bot/c";
        assert_eq!(CopyFolder::left_out_of(of_others), "cd .: file:c");
        for text in ["/tmp/agon-bots-a/bot-b/botany", "/agon-bots-/bot", "agon-bots-a/bot-b/bot/c"]
        {
            assert_eq!(CopyFolder::left_out_of(text), text);
        }
    }

    #[test]
    fn copies_of_killed_processes_are_removed() {
        let dir = tempfile::tempdir().unwrap();
        let [old, used, new, other] =
            ["agon-bots-a", "agon-bots-b", "agon-bots-c", "bots-d"].map(|name| {
                let folder = dir.path().join(name);
                fs::create_dir_all(folder.join("closed")).unwrap();
                let closed = Permissions::from_mode(0o000);
                fs::set_permissions(folder.join("closed"), closed).unwrap();
                folder
            });
        for folder in [&old, &used, &other] {
            let time = SystemTime::now() - 2 * ABANDONED;
            File::open(folder).unwrap().set_modified(time).unwrap();
        }
        let lock = File::open(&used).unwrap();
        lock.lock_shared().unwrap();
        remove_abandoned(dir.path());
        assert_eq!(
            [&old, &used, &new, &other].map(|folder| folder.exists()),
            [false, true, true, true]
        );
        drop(lock);
        for folder in [used, new, other] {
            remove_folder(&folder).unwrap();
        }
    }

    #[test]
    fn a_folder_for_a_bot_is_closed_to_others() {
        let copy = CopyFolder::new(&launcher()).unwrap();
        let all = copy.path().ancestors().nth(2).unwrap().to_owned();
        let mode = fs::metadata(&all).unwrap().permissions().mode() & 0o777;
        // Root's bots run as other users, who pass through without seeing a name.
        assert_eq!(mode, if geteuid().is_root() { 0o711 } else { 0o700 });
    }

    #[test]
    fn files_can_be_executed_and_not_be_written() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("bot.sh");
        fs::write(&file, "#!/bin/sh\n").unwrap();
        fs::set_permissions(&file, Permissions::from_mode(0o755)).unwrap();
        let copy = SnapshotCopy::of_file(&file, Some(&launcher())).unwrap();
        let mode = fs::metadata(copy.path().unwrap()).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode, copy.digest), (0o555, blake3::hash(b"#!/bin/sh\n")));
        assert!(SnapshotCopy::of_file(&dir.path().join("gone"), None).is_err());
    }
}
