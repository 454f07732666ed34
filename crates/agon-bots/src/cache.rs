//! Finds or makes the cache folder for compiled bots, and checks that no other user can write
//! there.
//!
//! The compiler of C bots and the start of Clojure keep their results in it.

use std::fs::{self, DirBuilder};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::{env, io};

use rustix::process::geteuid;

use crate::{HostOptions, OpenError};

/// The variable with the folder for the caches of all programs.
const VARIABLE: &str = "XDG_CACHE_HOME";

/// Returns its path; the folder need not exist.
pub(crate) fn place(options: &HostOptions) -> PathBuf {
    choose(options).0
}

/// Makes the folder if it does not exist, and returns its path.
///
/// # Errors
/// If it cannot be made. Also if everybody can make folders there and others could have put files
/// into it: Agon would take these files for bots.
pub(crate) fn open(options: &HostOptions) -> Result<PathBuf, OpenError> {
    let (path, among_others) = choose(options);
    let opened = if among_others { own(&path) } else { fs::create_dir_all(&path) };
    opened.map_err(|source| OpenError::of_cache(&path, source))?;
    Ok(path)
}

/// Chooses the path; true if it lies in the folder for everybody's temporary files.
fn choose(options: &HostOptions) -> (PathBuf, bool) {
    // A relative path would be another folder in each place; the specification ignores it.
    let folder = |name| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let at_home = || folder(VARIABLE).or_else(|| folder("HOME").map(|home| home.join(".cache")));
    if let Some(path) = options.cache.clone().or_else(|| Some(at_home()?.join("agon"))) {
        return (path, false);
    }
    (env::temp_dir().join(format!("agon-{}", geteuid().as_raw())), true)
}

/// Explains how others could have put files into it, if they could.
///
/// Looks only where everybody can make folders.
pub(crate) fn problem(options: &HostOptions) -> Option<&'static str> {
    let (path, among_others) = choose(options);
    // The facts of a link itself, not of its target.
    let facts = path.symlink_metadata().ok().filter(|_| among_others)?;
    trouble(&facts)
}

/// Makes a folder for this user alone, or makes sure that it is one.
fn own(path: &Path) -> io::Result<()> {
    // The next step examines anything that exists already, such as a link.
    match DirBuilder::new().recursive(true).mode(0o700).create(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    let wrong = |trouble| {
        io::Error::other(format!("{trouble}; set {VARIABLE} or HOME to a folder of your own"))
    };
    trouble(&path.symlink_metadata()?).map_or(Ok(()), |trouble| Err(wrong(trouble)))
}

/// Explains how others could have put files into a folder, or still may.
fn trouble(facts: &fs::Metadata) -> Option<&'static str> {
    if !facts.is_dir() {
        Some("it is no folder but a link or a file")
    } else if facts.uid() != geteuid().as_raw() {
        Some("it belongs to another user")
    } else if facts.mode() & 0o022 != 0 {
        Some("others may write to it")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, chown, symlink};

    use super::*;

    fn refusal(path: &Path) -> String {
        own(path).unwrap_err().to_string()
    }

    #[test]
    fn only_a_folder_of_ones_own_is_used_among_others() {
        let everybodys = tempfile::tempdir().unwrap();
        let path = everybodys.path().join("agon");
        own(&path).unwrap();
        own(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o700);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o770)).unwrap();
        assert_eq!(
            refusal(&path),
            "others may write to it; set XDG_CACHE_HOME or HOME to a folder of your own"
        );
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        own(&path).unwrap();
        let link = everybodys.path().join("link");
        symlink(&path, &link).unwrap();
        assert!(refusal(&link).starts_with("it is no folder but a link or a file;"));
        // Only root can give files away. For other users the root folder belongs to somebody else.
        if geteuid().is_root() {
            chown(&path, Some(65534), None).unwrap();
            assert!(refusal(&path).starts_with("it belongs to another user;"));
        } else {
            assert!(refusal(Path::new("/")).starts_with("it belongs to another user;"));
        }
    }

    #[test]
    fn the_folder_that_is_asked_for_is_made() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a/b");
        let options = HostOptions { cache: Some(path.clone()), ..HostOptions::default() };
        assert_eq!((open(&options).unwrap(), path.is_dir()), (path.clone(), true));
        fs::write(dir.path().join("file"), "").unwrap();
        let options =
            HostOptions { cache: Some(dir.path().join("file/b")), ..HostOptions::default() };
        let error = open(&options).unwrap_err().to_string();
        assert!(error.contains("file/b"), "{error}");
    }
}
