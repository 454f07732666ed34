//! A file that gets its name only when it is complete, such as a film, a picture or a report.
//!
//! If the program stops before that, the earlier file with this name stays.

use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{collections::BTreeSet, ffi::OsString};

use crate::target::{self, Identity, Target, folder};

/// How many temporary names to try. Other processes that write the same file take some.
const NAMES: u32 = 100;

/// A file that is not complete yet. Dropping it removes it, and keeps the earlier file.
///
/// A future regular file lies beside its place as `NAME.part`. An output to a device or FIFO lies
/// among the temporary files until it is copied. So encoders can always seek back in it.
#[derive(Debug)]
pub struct WholeFile {
    path: PathBuf,
    target: Target,
    part: PathBuf,
    /// Open as long as the file is not complete. Its lock keeps the name from other processes.
    file: File,
}

impl WholeFile {
    /// Starts a file, and makes folders that are missing.
    ///
    /// # Errors
    /// If it cannot be made, or must not be written.
    pub fn create(path: &Path) -> Result<WholeFile, WriteError> {
        WholeFile::begin(path).map_err(WriteError::of(path))
    }

    fn begin(path: &Path) -> io::Result<WholeFile> {
        let target = target::find(path)?;
        let (part, file) = match &target {
            Target::File(place) => begin(|| beside(place))?,
            Target::Through => begin(temporary)?,
        };
        Ok(WholeFile { path: path.to_owned(), target, part, file })
    }

    /// Returns its path while it is incomplete.
    pub fn part(&self) -> &Path {
        &self.part
    }

    /// Returns the path that it will have.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens the file for writing.
    ///
    /// # Errors
    /// If the limit of open files is reached.
    pub fn writer(&self) -> Result<BufWriter<File>, WriteError> {
        let file = self.file.try_clone().map_err(WriteError::of(&self.path))?;
        Ok(BufWriter::with_capacity(1 << 16, file))
    }

    /// Returns the number of bytes in the file so far.
    ///
    /// # Errors
    /// If it is gone.
    pub fn length(&self) -> Result<u64, WriteError> {
        let facts = fs::metadata(&self.part).map_err(WriteError::of(&self.path))?;
        Ok(facts.len())
    }

    /// Gives the file its name, or copies it to its device or FIFO. Returns its size.
    ///
    /// # Errors
    /// If that fails. The file is then removed.
    pub fn keep(self) -> Result<u64, WriteError> {
        let bytes = self.length()?;
        let kept = match &self.target {
            Target::File(place) => complete(&self.part, || fs::rename(&self.part, place)),
            Target::Through => copy(&self.part, &self.path),
        };
        kept.map_err(WriteError::of(&self.path))?;
        Ok(bytes)
    }
}

impl Drop for WholeFile {
    fn drop(&mut self) {
        discard(&self.part);
    }
}

/// Writes a file that readers find whole or not at all. Makes folders that are missing.
///
/// # Errors
/// If it cannot be written.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    let whole = WholeFile::create(path)?;
    (&whole.file).write_all(bytes).map_err(WriteError::of(path))?;
    whole.keep().map(drop)
}

fn copy(part: &Path, path: &Path) -> io::Result<()> {
    let mut from = File::open(part)?;
    io::copy(&mut from, &mut target::open(path)?).map(drop)
}

/// Makes a file among the temporary ones.
fn temporary() -> io::Result<(PathBuf, File)> {
    let file = tempfile::Builder::new().prefix("agon-").suffix(".part").tempfile()?;
    let (file, path) = file.keep()?;
    Ok((path, file))
}

/// Makes a file beside its future place. If there is a file already, it gets its permissions.
fn beside(place: &Path) -> io::Result<(PathBuf, File)> {
    let name = place.file_name().ok_or(io::ErrorKind::IsADirectory)?;
    fs::create_dir_all(folder(place))?;
    let before = existing(place)?;
    for number in 1..=NAMES {
        let mut name = OsString::from(name);
        name.push(if number == 1 { ".part".to_owned() } else { format!(".{number}.part") });
        let part = place.with_file_name(name);
        if let Some(file) = take(&part)? {
            if let Some(before) = &before {
                adopt(&file, before)?;
            }
            return Ok((part, file));
        }
    }
    Err(io::Error::other("too many other processes are writing it"))
}

/// Returns the metadata of a file that will be replaced.
///
/// # Errors
/// If this user may not write it, and so must not replace it.
fn existing(place: &Path) -> io::Result<Option<Metadata>> {
    match OpenOptions::new().write(true).open(place) {
        Ok(file) => Ok(Some(file.metadata()?)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Gives a file the owner and the permissions of another one.
fn adopt(file: &File, before: &Metadata) -> io::Result<()> {
    adopt_owner(file, before);
    file.set_permissions(before.permissions())
}

#[cfg(unix)]
fn adopt_owner(file: &File, before: &Metadata) {
    use std::os::unix::fs::{MetadataExt, fchown};

    // Only root may change the owner. For other users the new file is their own.
    let _ = fchown(file, Some(before.uid()), Some(before.gid()));
}

/// Elsewhere the new file belongs to the user who writes it.
#[cfg(not(unix))]
fn adopt_owner(_: &File, _: &Metadata) {}

/// Makes the file with this name. `None` if another process or something else has the name.
fn take(part: &Path) -> io::Result<Option<File>> {
    match OpenOptions::new().read(true).write(true).create_new(true).open(part) {
        Ok(file) => Ok((lock(&file)? && is_at(&file, part)).then_some(file)),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => retake(part),
        Err(error) => Err(error),
    }
}

/// Replaces a file with this name, if a killed process has left it.
fn retake(part: &Path) -> io::Result<Option<File>> {
    if !fs::symlink_metadata(part).is_ok_and(|facts| facts.is_file()) {
        return Ok(None);
    }
    let Ok(old) = OpenOptions::new().write(true).open(part) else { return Ok(None) };
    if !lock(&old)? || !is_at(&old, part) {
        return Ok(None);
    }
    fs::remove_file(part)?;
    let new = OpenOptions::new().read(true).write(true).create_new(true).open(part)?;
    Ok((lock(&new)? && is_at(&new, part)).then_some(new))
}

/// Locks a file; false if another process has locked it.
fn lock(file: &File) -> io::Result<bool> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        // Some network file systems have no locks. There the last writer wins.
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => Ok(true),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Returns whether the path still leads to this file.
fn is_at(file: &File, path: &Path) -> bool {
    let there = || fs::symlink_metadata(path).and_then(|facts| Identity::at(path, &facts));
    Identity::of(file).and_then(|own| Ok(own == there()?)).unwrap_or(false)
}

/// Files that are not complete yet.
#[derive(Debug)]
struct Unfinished {
    paths: BTreeSet<PathBuf>,
    /// Whether the program is about to end, so that it must not start any more files.
    closed: bool,
}

static UNFINISHED: Mutex<Unfinished> =
    Mutex::new(Unfinished { paths: BTreeSet::new(), closed: false });

fn unfinished() -> MutexGuard<'static, Unfinished> {
    // The set stays valid even if a thread panicked while it held the lock.
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes all incomplete files, for a process that is about to end without dropping them.
///
/// Afterwards no file can be started or completed.
pub fn discard_unfinished() {
    let mut all = unfinished();
    all.closed = true;
    for path in std::mem::take(&mut all.paths) {
        // It may not exist yet, or not any more.
        let _ = fs::remove_file(path);
    }
}

/// Makes a file that is removed if the program ends early.
pub(crate) fn begin<T>(
    make: impl FnOnce() -> io::Result<(PathBuf, T)>,
) -> io::Result<(PathBuf, T)> {
    // Under the lock: otherwise a file made during `discard_unfinished` would stay.
    let mut all = unfinished();
    if all.closed {
        return Err(ending());
    }
    let (path, made) = make()?;
    all.paths.insert(path.clone());
    Ok((path, made))
}

/// Completes a file, under the lock, so that it is not removed meanwhile.
pub(crate) fn complete(path: &Path, finish: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
    let mut all = unfinished();
    if all.closed {
        return Err(ending());
    }
    finish()?;
    all.paths.remove(path);
    Ok(())
}

/// Removes a file that will not be completed.
pub(crate) fn discard(path: &Path) {
    if unfinished().paths.remove(path) {
        let _ = fs::remove_file(path);
    }
}

fn ending() -> io::Error {
    io::Error::new(io::ErrorKind::Interrupted, "the program is being ended")
}

/// Opens an output that is written step by step. If the program ends early, its beginning stays.
///
/// # Errors
/// If it cannot be opened.
pub fn create(path: &Path) -> Result<File, WriteError> {
    open(path).map_err(WriteError::of(path))
}

/// Writes an output in place, in one go.
///
/// # Errors
/// If it cannot be opened or written.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    open(path).and_then(|mut file| file.write_all(bytes)).map_err(WriteError::of(path))
}

fn open(path: &Path) -> io::Result<File> {
    match target::find(path)? {
        Target::File(place) => File::create(place),
        Target::Through => target::open(path),
    }
}

/// A file cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}", path.display())]
pub struct WriteError {
    /// The file or folder.
    pub path: PathBuf,
    /// The reason.
    pub source: io::Error,
}

impl WriteError {
    /// Returns a function that adds this file to an error.
    pub fn of(path: &Path) -> impl FnOnce(io::Error) -> WriteError + use<> {
        let path = path.to_owned();
        |source| WriteError { path, source }
    }
}
