//! A folder for result files, which stays below the current one if a bot's file names it.
//!
//! A Clojure file that `agon amoebas` runs may name such a folder. This keeps the file from writing
//! anywhere else.

use std::{
    env,
    fs::File,
    io::Write,
    os::fd::{AsFd, OwnedFd},
    path::{Component, Path, PathBuf},
    thread,
};

use agon_files::write_whole;
use anyhow::{Context, Result, anyhow};
use rustix::{
    fs::{CWD, Mode, OFlags, ResolveFlags, mkdirat, open, openat2},
    io::Errno,
};

/// A folder for result files.
#[derive(Debug)]
pub enum Folder {
    /// A folder that a person has named.
    Named(PathBuf),
    /// A folder that a Clojure file has named.
    ///
    /// It is below the current folder, and stays open. Even if it is renamed or replaced, files are
    /// written to it.
    Beneath(PathBuf, OwnedFd),
}

/// Paths may not leave the folder that they start from, neither by links nor by `/proc`.
const INSIDE: ResolveFlags = ResolveFlags::BENEATH.union(ResolveFlags::NO_MAGICLINKS);

const FOLDER_FLAGS: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// A pipe without a reader is an error instead of a wait.
const FILE_FLAGS: OFlags = OFlags::WRONLY
    .union(OFlags::CREATE)
    .union(OFlags::TRUNC)
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

/// The most tries for a lookup that renames or mounts disturb. Each try takes microseconds.
const MAX_TRIES: u32 = 1000;

impl Folder {
    /// Opens a folder that a Clojure file names, and makes it if it is missing.
    ///
    /// It has to be below the current folder, even after following links.
    ///
    /// # Errors
    /// If it is elsewhere, or cannot be made. The text names the flag for other folders.
    pub fn beneath(name: &str) -> Result<Folder> {
        let path = Path::new(name);
        let here = env::current_dir().context("the current folder is gone")?;
        let below = if path.is_absolute() { path.strip_prefix(&here).ok() } else { Some(path) };
        let opened = below.ok_or(Errno::XDEV).and_then(open_or_make);
        match opened {
            Ok(folder) => Ok(Folder::Beneath(path.to_owned(), folder)),
            Err(error) => Err(refusal(error, &format!("`:directory {name:?}`"))),
        }
    }

    /// Writes a file.
    ///
    /// # Errors
    /// If it cannot be written, or is a link out of a folder that a Clojure file has named.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<()> {
        match self {
            Folder::Named(folder) => Ok(write_whole(&folder.join(name), bytes)?),
            Folder::Beneath(path, folder) => {
                let path = path.join(name);
                let file = open_inside(folder, Path::new(name), FILE_FLAGS, 0o666)
                    .map_err(|error| refusal(error, &format!("the file {}", path.display())))?;
                File::from(file)
                    .write_all(bytes)
                    .with_context(|| format!("cannot write {}", path.display()))
            }
        }
    }

    /// Returns the path, as it was named.
    pub fn path(&self) -> &Path {
        match self {
            Folder::Named(path) | Folder::Beneath(path, _) => path,
        }
    }
}

/// Opens a path that stays inside `folder`.
///
/// It tries several times: the kernel gives up on `..` while anything on the machine is renamed or
/// mounted (openat2(2), `EAGAIN`). Starting a confined bot mounts something.
fn open_inside(folder: impl AsFd, path: &Path, flags: OFlags, mode: u32) -> Result<OwnedFd, Errno> {
    for _ in 0..MAX_TRIES {
        match openat2(&folder, path, flags, Mode::from_raw_mode(mode), INSIDE) {
            Err(Errno::AGAIN) => thread::yield_now(),
            result => return result,
        }
    }
    Err(Errno::AGAIN)
}

/// Opens a folder below the current one, and makes missing folders on the way.
fn open_or_make(path: &Path) -> Result<OwnedFd, Errno> {
    let here = open(".", FOLDER_FLAGS, Mode::empty())?;
    let enter = |path: &Path| open_inside(&here, path, FOLDER_FLAGS, 0);
    let mut folder = open_inside(CWD, Path::new("."), FOLDER_FLAGS, 0)?;
    let mut so_far = PathBuf::new();
    for component in path.components().filter(|&part| part != Component::CurDir) {
        so_far.push(component);
        folder = match (enter(&so_far), component) {
            // Somebody else may make the folder at the same time. Then it is opened as usual.
            (Err(Errno::NOENT), Component::Normal(name)) => {
                match mkdirat(folder.as_fd(), name, Mode::from_raw_mode(0o777)) {
                    Ok(()) | Err(Errno::EXIST) => enter(&so_far)?,
                    Err(error) => return Err(error),
                }
            }
            (result, _) => result?,
        };
    }
    Ok(folder)
}

fn refusal(error: Errno, what: &str) -> anyhow::Error {
    let remedy = "--directory DIR of the command line writes into any folder";
    match error {
        Errno::XDEV => {
            anyhow!("{what} is not below the current folder, or a link leads out of it; {remedy}")
        }
        Errno::NOSYS => {
            anyhow!("{what}: this kernel cannot keep it below the current folder; {remedy}")
        }
        _ => anyhow!("{what} cannot be written: {error}; {remedy}"),
    }
}

#[cfg(test)]
mod tests {
    use std::{
        fs,
        sync::atomic::{AtomicBool, Ordering},
    };

    use super::*;

    #[test]
    fn renames_elsewhere_do_not_disturb() {
        let folder = tempfile::TempDir::new().unwrap();
        fs::create_dir_all(folder.path().join("a/b")).unwrap();
        let ends = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                let [one, other] = ["one", "other"].map(|name| folder.path().join(name));
                fs::write(&one, "").unwrap();
                while !ends.load(Ordering::Relaxed) {
                    fs::rename(&one, &other).unwrap();
                    fs::rename(&other, &one).unwrap();
                }
            });
            let here = open(folder.path(), FOLDER_FLAGS, Mode::empty()).unwrap();
            let open_often = |path: &str| -> Vec<_> {
                (0..5_000)
                    .map(|_| open_inside(&here, Path::new(path), FOLDER_FLAGS, 0).err())
                    .collect()
            };
            let inside = open_often("a/b/../../a");
            let outside = open_often("a/../../x");
            ends.store(true, Ordering::Relaxed);
            assert!(inside.iter().all(Option::is_none), "{inside:?}");
            assert!(outside.iter().all(|error| *error == Some(Errno::XDEV)), "{outside:?}");
        });
    }
}
