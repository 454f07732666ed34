//! Finds out where the path of an output leads, before it is opened.
//!
//! It follows links, tells regular files from devices and FIFOs, and refuses files that the same
//! command reads.

use std::fs::{self, File, FileType, Metadata, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{collections::BTreeSet, io};

/// The number of links in a row that counts as circular, as in the kernel.
const LINKS: usize = 40;

/// The kind of thing that an output is written to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// A regular file, which may not exist yet. No link is left to follow.
    File(PathBuf),
    /// A device, a FIFO, or a file that is open already (`/dev/stdout`).
    ///
    /// Agon opens it and writes to it, and never replaces it.
    Through,
}

/// Follows the links of a path.
///
/// # Errors
/// If the path leads to a folder, a socket or a file that is read, or cannot be followed.
pub(crate) fn find(path: &Path) -> io::Result<Target> {
    let mut place = path.to_owned();
    for _ in 0..LINKS {
        let kind = match fs::symlink_metadata(&place) {
            Ok(facts) => facts.file_type(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Target::File(place));
            }
            Err(error) => return Err(error),
        };
        if !kind.is_symlink() {
            if !is_regular(kind)? {
                return Ok(Target::Through);
            }
            check(&place)?;
            return Ok(Target::File(place));
        }
        if is_of_process(&place)? {
            is_regular(fs::metadata(&place)?.file_type())?;
            return Ok(Target::Through);
        }
        let target = fs::read_link(&place)?;
        place = folder(&place).join(target);
    }
    Err(io::Error::other("its links go in circles"))
}

/// Opens a [`Target::Through`].
pub(crate) fn open(path: &Path) -> io::Result<File> {
    // Without O_CREAT, which the kernel refuses for others' FIFOs in /tmp.
    OpenOptions::new().write(true).truncate(true).open(path)
}

/// Returns the folder that a path is in.
pub(crate) fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn is_regular(kind: FileType) -> io::Result<bool> {
    if kind.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if is_socket(kind) {
        let why = "it is a socket; name a file, a FIFO or a device";
        return Err(io::Error::new(io::ErrorKind::Unsupported, why));
    }
    Ok(kind.is_file())
}

#[cfg(unix)]
fn is_socket(kind: FileType) -> bool {
    std::os::unix::fs::FileTypeExt::is_socket(&kind)
}

/// Other systems have no paths of sockets, or do not report them.
#[cfg(not(unix))]
fn is_socket(_: FileType) -> bool {
    false
}

/// Returns whether a link stands for something that a process has open: it has no path to follow.
fn is_of_process(link: &Path) -> io::Result<bool> {
    Ok(folder(link).canonicalize()?.starts_with("/proc"))
}

/// The numbers of a file and of the file system that it is on.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Identity {
    system: u64,
    file: u64,
}

#[cfg(unix)]
impl Identity {
    /// Returns that of an open file.
    pub(crate) fn of(file: &File) -> io::Result<Identity> {
        Ok(Identity::from(&file.metadata()?))
    }

    /// Returns that of the file with this path and this metadata.
    pub(crate) fn at(_: &Path, facts: &Metadata) -> io::Result<Identity> {
        Ok(Identity::from(facts))
    }

    fn from(facts: &Metadata) -> Identity {
        use std::os::unix::fs::MetadataExt;

        Identity { system: facts.dev(), file: facts.ino() }
    }
}

/// Windows has the numbers for open files only.
#[cfg(windows)]
impl Identity {
    /// Returns that of an open file.
    pub(crate) fn of(file: &File) -> io::Result<Identity> {
        let facts = winapi_util::file::information(file)?;
        Ok(Identity { system: facts.volume_serial_number(), file: facts.file_index() })
    }

    /// Returns that of the file with this path and this metadata.
    pub(crate) fn at(path: &Path, _: &Metadata) -> io::Result<Identity> {
        Identity::of(&File::open(path)?)
    }
}

/// The files. They are refused under other names, too.
static INPUTS: Mutex<BTreeSet<Identity>> = Mutex::new(BTreeSet::new());

fn inputs() -> MutexGuard<'static, BTreeSet<Identity>> {
    // The set stays valid even if a thread panicked while it held the lock.
    INPUTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes this crate refuse to write to this file from now on, because the program reads it.
///
/// Only regular files could be lost that way.
pub fn protect(path: &Path) {
    if let Ok(facts) = fs::metadata(path)
        && facts.is_file()
        && let Ok(identity) = Identity::at(path, &facts)
    {
        inputs().insert(identity);
    }
}

/// Checks that the file is not an input of this program.
///
/// # Errors
/// If it is one.
pub(crate) fn check(place: &Path) -> io::Result<()> {
    match fs::metadata(place).and_then(|facts| Identity::at(place, &facts)) {
        Ok(identity) if inputs().contains(&identity) => {
            Err(io::Error::other("it is read here, and would be lost; name another file"))
        }
        _ => Ok(()),
    }
}
