//! The files of a bot as one blob, which can be kept in a store.
//!
//! [`resolve()`](crate::resolve()) unpacks it before the bot plays. A ladder server keeps the bots
//! of its authors in this form.

use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};
use std::{collections::BTreeMap, fmt::Display, fs, os::unix::fs::PermissionsExt};

use agon_bots::{SNAPSHOT_BYTES, SNAPSHOT_FILES, open_beneath};
use agon_core::text::escape;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The first bytes of a bundle, with the version of its form.
const MAGIC: &[u8] = b"agon-bundle-1\n";

/// The files of a bot. Equal files make equal bytes, whatever their times and owners.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bundle {
    /// In order of paths.
    files: Vec<BundledFile>,
}

/// A file of a bundle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct BundledFile {
    /// Its path below the bot's folder, with `/` between names.
    path: String,
    /// Whether it can be executed.
    executable: bool,
    contents: Vec<u8>,
}

/// Why files cannot be packed or unpacked.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BundleError {
    /// The bytes are no bundle, or a bundle may not have such files.
    #[error("{0}")]
    Refused(String),
    /// A file cannot be read or written.
    #[error("cannot use {path}: {source}")]
    Io {
        /// The file.
        path: String,
        /// Why.
        source: io::Error,
    },
}

impl Bundle {
    /// Packs all files below a folder.
    ///
    /// # Errors
    /// If there are too many, or something is neither a folder nor a regular file, or a file cannot
    /// be read.
    pub fn pack(folder: &Path) -> Result<Bundle, BundleError> {
        Bundle::pack_without(folder, |_| false)
    }

    /// Packs all files below a folder, except the folders that `leaves_out` chooses by their paths
    /// below it.
    pub fn pack_without(
        folder: &Path,
        leaves_out: impl Fn(&Path) -> bool,
    ) -> Result<Bundle, BundleError> {
        let mut bundle = Bundle::default();
        let mut folders = vec![folder.to_owned()];
        let mut bytes = 0;
        while let Some(place) = folders.pop() {
            let failed = |source| error(&place, source);
            for entry in fs::read_dir(&place).map_err(failed)? {
                let path = entry.map_err(failed)?.path();
                // Links are not followed: they may lead out of the folder.
                let facts = fs::symlink_metadata(&path).map_err(|source| error(&path, source))?;
                if facts.is_dir() {
                    let below = path.strip_prefix(folder).unwrap_or(&path);
                    if !leaves_out(below) {
                        folders.push(path);
                    }
                    continue;
                }
                bytes += facts.len();
                if bundle.files.len() as u64 >= SNAPSHOT_FILES as u64 || bytes > SNAPSHOT_BYTES {
                    return Err(too_large(&folder.display()));
                }
                bundle.add(folder, &path, &facts)?;
            }
        }
        bundle.files.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(bundle)
    }

    fn add(&mut self, folder: &Path, path: &Path, facts: &fs::Metadata) -> Result<(), BundleError> {
        let below = path.strip_prefix(folder).unwrap_or(path);
        let shown = || escape(&below.display().to_string()).into_owned();
        let Some(below) = below.to_str() else {
            let text = format!("the name of its file `{}` is not UTF-8; rename it", shown());
            return Err(BundleError::Refused(text));
        };
        if !facts.is_file() {
            return Err(BundleError::Refused(format!(
                "its `{}` is neither a folder nor a regular file; a bundle has no links or devices",
                shown()
            )));
        }
        let mut contents = Vec::new();
        open_beneath(folder, Path::new(below))
            .and_then(|file| file.take(SNAPSHOT_BYTES + 1).read_to_end(&mut contents))
            .map_err(|source| error(path, source))?;
        let executable = facts.permissions().mode() & 0o111 != 0;
        self.files.push(BundledFile { path: below.to_owned(), executable, contents });
        Ok(())
    }

    /// Packs files that are in memory: path below the bot's folder, contents, and whether the file
    /// can be executed. Of several with the same path the last one counts.
    ///
    /// A path that leads elsewhere is noticed when the bundle is read.
    pub fn of_files(files: impl IntoIterator<Item = (String, Vec<u8>, bool)>) -> Bundle {
        let file = |(path, contents, executable)| (path, (executable, contents));
        let files: BTreeMap<String, (bool, Vec<u8>)> = files.into_iter().map(file).collect();
        let file = |(path, (executable, contents))| BundledFile { path, executable, contents };
        Bundle { files: files.into_iter().map(file).collect() }
    }

    /// Returns the files, in order of paths: path, contents, and whether the file can be executed.
    pub fn files(&self) -> impl Iterator<Item = (&str, &[u8], bool)> {
        self.files
            .iter()
            .map(|file| (file.path.as_str(), file.contents.as_slice(), file.executable))
    }

    /// Returns the bytes of the bundle.
    pub fn to_bytes(&self) -> Vec<u8> {
        postcard::to_extend(self, MAGIC.to_vec()).expect("a bundle can be written to memory")
    }

    /// Reads a bundle, which may come from anybody.
    ///
    /// # Errors
    /// If it is no bundle, or a path in it leads elsewhere.
    pub fn from_bytes(bytes: &[u8]) -> Result<Bundle, BundleError> {
        let read = bytes.strip_prefix(MAGIC).and_then(|bytes| {
            let (bundle, rest) = postcard::take_from_bytes::<Bundle>(bytes).ok()?;
            rest.is_empty().then_some(bundle)
        });
        let damaged =
            || BundleError::Refused("the blob is not a bundle of a bot's files".to_owned());
        let bundle = read.ok_or_else(damaged)?;
        if bundle.files.len() as u64 > SNAPSHOT_FILES as u64 {
            return Err(too_large(&"the bundle"));
        }
        let mut before: Option<&str> = None;
        for BundledFile { path, .. } in &bundle.files {
            // In order, so that none is there twice.
            if !is_below(path) || before.is_some_and(|before| before >= path.as_str()) {
                return Err(BundleError::Refused(format!(
                    "the bundle has the file `{}`, which is not below its folder",
                    escape(path)
                )));
            }
            before = Some(path);
        }
        Ok(bundle)
    }

    /// Writes the files into an empty folder.
    pub fn unpack(&self, folder: &Path) -> Result<(), BundleError> {
        for BundledFile { path, executable, contents } in &self.files {
            let path = folder.join(path);
            let write = || {
                fs::create_dir_all(path.parent().unwrap_or(folder))?;
                agon_files::write(&path, contents).map_err(io::Error::other)?;
                let mode = if *executable { 0o755 } else { 0o644 };
                fs::set_permissions(&path, fs::Permissions::from_mode(mode))
            };
            write().map_err(|source| error(&path, source))?;
        }
        Ok(())
    }

    /// Returns the paths of the files, in order.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|file| file.path.as_str())
    }
}

/// Returns whether a path consists of names alone, so that it stays below a folder.
pub(crate) fn is_below(path: &str) -> bool {
    let normal: PathBuf =
        Path::new(path).components().filter(|part| matches!(part, Component::Normal(_))).collect();
    !path.is_empty() && !path.contains('\0') && normal.as_os_str() == path
}

fn too_large(what: &dyn Display) -> BundleError {
    let most = SNAPSHOT_BYTES >> 20;
    BundleError::Refused(format!("{what} has more than {SNAPSHOT_FILES} files or {most} MiB"))
}

fn error(path: &Path, source: io::Error) -> BundleError {
    BundleError::Io { path: path.display().to_string(), source }
}

#[cfg(test)]
mod tests {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt, os::unix::fs::symlink};

    use super::*;

    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::create_dir_all(path("lib/deep")).unwrap();
        fs::write(path("fox.py"), "print()").unwrap();
        fs::write(path("lib/deep/a"), [0, 255]).unwrap();
        fs::write(path("run"), "#!/bin/sh\n").unwrap();
        fs::set_permissions(path("run"), fs::Permissions::from_mode(0o700)).unwrap();
        folder
    }

    #[test]
    fn files_come_back_as_they_were() {
        let folder = folder();
        let bundle = Bundle::pack(folder.path()).unwrap();
        assert_eq!(bundle.paths().collect::<Vec<_>>(), ["fox.py", "lib/deep/a", "run"]);
        let bytes = bundle.to_bytes();
        assert_eq!(Bundle::from_bytes(&bytes).unwrap(), bundle);
        let other = tempfile::tempdir().unwrap();
        bundle.unpack(other.path()).unwrap();
        assert_eq!(Bundle::pack(other.path()).unwrap().to_bytes(), bytes);
    }

    #[test]
    fn names_are_text() {
        let folder = folder();
        fs::write(folder.path().join(OsStr::from_bytes(b"f\xff")), "").unwrap();
        let error = Bundle::pack(folder.path()).unwrap_err();
        assert!(error.to_string().contains("`f\u{fffd}` is not UTF-8"), "{error}");
    }

    #[test]
    fn links_are_refused() {
        let folder = folder();
        symlink("/etc/hostname", folder.path().join("link")).unwrap();
        let error = Bundle::pack(folder.path()).unwrap_err();
        assert!(error.to_string().contains("`link` is neither a folder nor a regular"), "{error}");
    }

    #[test]
    fn paths_stay_below_the_folder() {
        let is_refused = |bytes: &[u8]| {
            let error = Bundle::from_bytes(bytes).unwrap_err().to_string();
            error.ends_with("which is not below its folder")
        };
        assert!(is_below("a") && is_below("a/b.c") && is_below("..a/b"));
        for path in ["", "/a", "../a", "a/../b", "a//b", "./a", "a/", ".", "a\0b"] {
            assert!(!is_below(path), "{path}");
            let file = BundledFile { path: path.into(), executable: false, contents: vec![] };
            let bytes = Bundle { files: vec![file] }.to_bytes();
            assert!(is_refused(&bytes), "{path}");
        }
        let file =
            |path: &str| BundledFile { path: path.into(), executable: false, contents: Vec::new() };
        for paths in [["a", "a"], ["b", "a"]] {
            let bytes = Bundle { files: paths.map(file).into() }.to_bytes();
            assert!(is_refused(&bytes));
        }
    }

    #[test]
    fn damaged_bytes_are_no_bundle() {
        let bytes = Bundle::pack(folder().path()).unwrap().to_bytes();
        for end in 0..bytes.len() {
            assert!(Bundle::from_bytes(&bytes[..end]).is_err(), "{end}");
        }
        assert!(Bundle::from_bytes(&[bytes, vec![0]].concat()).is_err());
    }
}
