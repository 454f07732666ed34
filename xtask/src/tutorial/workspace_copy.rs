//! The copy of the workspace in which the game of the tutorial is built.
//!
//! It stays in the target folder, so that the next run builds only what has changed.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, ensure};

/// The folders with compiled crates in a target folder.
const BUILT: [&str; 3] = ["deps", "build", ".fingerprint"];

/// A folder with a copy of the sources and a target folder.
pub(super) struct WorkspaceCopy {
    folder: PathBuf,
}

impl WorkspaceCopy {
    pub(super) fn new(folder: PathBuf) -> WorkspaceCopy {
        WorkspaceCopy { folder }
    }

    /// Returns the root of the copy.
    pub(super) fn sources(&self) -> PathBuf {
        self.folder.join("sources")
    }

    fn target(&self) -> PathBuf {
        self.folder.join("target")
    }

    /// Returns the folder with the programs that were built from the copy.
    pub(super) fn programs(&self) -> PathBuf {
        self.target().join("debug")
    }

    /// Makes an empty folder for files that these programs write.
    pub(super) fn scratch(&self) -> Result<PathBuf> {
        let folder = self.folder.join("scratch");
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        fs::create_dir_all(&folder)?;
        Ok(folder)
    }

    /// Makes a command of cargo work on the copy.
    pub(super) fn redirect(&self, command: &mut Command) {
        command
            .arg("--manifest-path")
            .arg(self.sources().join("Cargo.toml"))
            .arg("--target-dir")
            .arg(self.target())
            .env_remove("CARGO_TARGET_DIR")
            // Incremental builds would take gigabytes.
            .env("CARGO_INCREMENTAL", "0");
    }

    /// Copies all files that git knows or would add, each changed by `change`.
    ///
    /// Deletes other files of the copy.
    pub(super) fn update(
        &self,
        root: &Path,
        change: impl Fn(&str, &[u8]) -> Result<Vec<u8>>,
    ) -> Result<()> {
        let list = Command::new("git")
            .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
            .current_dir(root)
            .output()
            .context("cannot run git, which lists the files to copy")?;
        ensure!(list.status.success(), "git lists no files: {}", String::from_utf8(list.stderr)?);

        let list = String::from_utf8(list.stdout)?;
        let paths: BTreeSet<&str> = list.split_terminator('\0').collect();
        for path in paths.iter().filter(|path| root.join(path).is_file()) {
            let content = fs::read(root.join(path)).with_context(|| (*path).to_owned())?;
            self.write(Path::new(path), &change(path, &content)?)?;
        }
        self.delete_others(&self.sources(), &paths)
    }

    fn delete_others(&self, folder: &Path, wanted: &BTreeSet<&str>) -> Result<()> {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                self.delete_others(&path, wanted)?;
                continue;
            }
            let name = path.strip_prefix(self.sources())?.to_string_lossy().into_owned();
            if !wanted.contains(name.as_str()) {
                fs::remove_file(&path)?;
            }
        }
        Ok(())
    }

    /// Writes a file of the copy.
    ///
    /// A file with the same contents keeps its time, so that it is not compiled again.
    pub(super) fn write(&self, path: &Path, content: &[u8]) -> Result<()> {
        let path = self.sources().join(path);
        if fs::read(&path).is_ok_and(|old| old == content) {
            return Ok(());
        }
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(&path, content).with_context(|| path.display().to_string())
    }

    /// Links crates of other projects that are already compiled for the workspace, once.
    pub(super) fn share_crates(&self, target: &Path) -> Result<()> {
        if self.programs().exists() {
            return Ok(());
        }
        for folder in BUILT {
            let (from, to) = (target.join("debug").join(folder), self.programs().join(folder));
            if from.is_dir() {
                link_below(&from, &to, &is_shared)
                    .with_context(|| format!("cannot link {}", from.display()))?;
            }
        }
        Ok(())
    }
}

/// Returns whether a file or folder of a target folder belongs to a crate of another project.
///
/// The workspace's own crates have their names first. Files without an extension are programs, most
/// of them tests.
fn is_shared(name: &str, is_folder: bool) -> bool {
    let name = name.strip_prefix("lib").unwrap_or(name);
    let is_own = ["agon", "xtask"].iter().any(|own| name.starts_with(own));
    !is_own && (is_folder || name.contains('.'))
}

/// Links files from one folder into another.
fn link_below(from: &Path, to: &Path, wanted: &dyn Fn(&str, bool) -> bool) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let name = entry.file_name();
        let path = entry.path();
        let is_folder = entry.file_type()?.is_dir();
        if !wanted(&name.to_string_lossy(), is_folder) {
            continue;
        }
        if is_folder {
            link_below(&path, &to.join(&name), &|_, _| true)?;
        } else if fs::hard_link(&path, to.join(&name)).is_err() {
            // Another file system, or a file that is gone by now.
            match fs::copy(&path, to.join(&name)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_belongs_to_others_is_shared() {
        assert!(is_shared("libserde-1f.rlib", false) && is_shared("serde-1f", true));
        assert!(!is_shared("libagon_games-1f.rlib", false) && !is_shared("agon-1f", true));
        assert!(!is_shared("all-1f", false) && !is_shared("xtask-1f.d", false));
    }

    #[test]
    fn files_that_stay_the_same_keep_their_time() {
        let folder = tempfile::tempdir().unwrap();
        let copy = WorkspaceCopy::new(folder.path().to_owned());
        let path = Path::new("a/b.rs");
        let time = || fs::metadata(copy.sources().join(path)).unwrap().modified().unwrap();
        copy.write(path, b"one").unwrap();
        let first = time();
        copy.write(path, b"one").unwrap();
        assert_eq!(time(), first);
        copy.write(path, b"two").unwrap();
        assert_eq!(fs::read(copy.sources().join(path)).unwrap(), b"two");
    }

    #[test]
    fn folders_are_linked_once() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("target");
        let deps = target.join("debug/deps");
        fs::create_dir_all(&deps).unwrap();
        fs::write(deps.join("libserde.rlib"), "serde").unwrap();
        fs::write(deps.join("libagon_core.rlib"), "core").unwrap();
        let copy = WorkspaceCopy::new(folder.path().join("tutorial"));
        copy.share_crates(&target).unwrap();
        let shared = copy.programs().join("deps");
        assert_eq!(fs::read(shared.join("libserde.rlib")).unwrap(), b"serde");
        assert!(!shared.join("libagon_core.rlib").exists());
        fs::remove_file(shared.join("libserde.rlib")).unwrap();
        copy.share_crates(&target).unwrap();
        assert!(!shared.join("libserde.rlib").exists());
    }
}
