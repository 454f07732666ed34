//! Keeps what the builds of folders leave, so that a folder that has not changed is built once.
//!
//! The name of a kept build is a digest of what enters it: the bot's files, the line, the programs
//! that the line names, and what the sandbox lets it see.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::{
    env, ffi::OsStr, io, os::unix::ffi::OsStrExt, os::unix::fs::MetadataExt, process,
    time::SystemTime,
};

use tracing::debug;

use super::files::{self, BotFile};
use crate::{HostOptions, cache, on_path};

/// The folder for them in the cache.
const FOLDER: &str = "built";

/// How many are kept: those that were used last.
const MOST: usize = 32;

/// The most bytes of one. Larger ones are built again.
const BYTES: u64 = 64 << 20;

/// Variables that decide which tools a build finds.
const VARIABLES: [&str; 4] = ["PATH", "JAVA_HOME", "DOTNET_ROOT", "GOROOT"];

/// The place of a build in the cache.
pub(super) struct KeptBuild {
    /// The folder of all.
    folder: PathBuf,
    /// Its own folder, which need not exist.
    path: PathBuf,
}

impl KeptBuild {
    /// Returns the place for the build of files with this digest; `None` if there is no cache.
    pub(super) fn of(
        digest: &blake3::Hash,
        line: &str,
        options: &HostOptions,
    ) -> Option<KeptBuild> {
        let folder = cache::open(options).ok()?.join(FOLDER);
        let mut hasher = blake3::Hasher::new();
        let mut add = |part: &OsStr| {
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
        };
        add(env!("CARGO_PKG_VERSION").as_ref());
        add(digest.to_hex().as_str().as_ref());
        add(line.as_ref());
        let sandbox = &options.sandbox;
        add(format!("{:?} {:?} {:?}", sandbox.level, sandbox.read, sandbox.write).as_ref());
        for name in VARIABLES.into_iter().chain(sandbox.env.iter().map(String::as_str)) {
            add(name.as_ref());
            add(&env::var_os(name).unwrap_or_default());
        }
        for program in line.split(|c: char| c.is_whitespace() || ";&|()".contains(c)) {
            let Some(path) = on_path(program).and_then(|path| path.canonicalize().ok()) else {
                continue;
            };
            add(path.as_os_str());
            let facts = fs::metadata(&path).ok()?;
            add(format!("{} {} {}", facts.len(), facts.mtime(), facts.mtime_nsec()).as_ref());
        }
        let path = folder.join(hasher.finalize().to_hex().as_str());
        Some(KeptBuild { folder, path })
    }

    /// Returns the folder with what the build has left, if it is kept.
    pub(super) fn find(&self) -> Option<PathBuf> {
        self.mark_as_used().ok()?;
        debug!(path = ?self.path, "takes what an earlier build has left");
        Some(self.path.clone())
    }

    /// Keeps a copy of what the build has left. Without room, it is built again next time.
    pub(super) fn keep(&self, built: &Path, files: &[BotFile]) {
        if let Err(error) = self.try_to_keep(built, files) {
            debug!(path = ?self.path, %error, "cannot keep a build");
        }
    }

    fn try_to_keep(&self, built: &Path, files: &[BotFile]) -> io::Result<()> {
        let lengths = files.iter().map(|file| built.join(&file.path).symlink_metadata());
        let bytes = lengths.map(|facts| Ok(facts?.len())).sum::<io::Result<u64>>()?;
        if bytes > BYTES {
            return Ok(());
        }
        fs::create_dir_all(&self.folder)?;
        // Several processes may do this at once.
        let name = format!("new-{}-{}", process::id(), blake3::hash(built.as_os_str().as_bytes()));
        let new = self.folder.join(name);
        let copied = files::copy_built(built, files, &new);
        if copied.and_then(|()| fs::rename(&new, &self.path)).is_err() {
            fs::remove_dir_all(&new)?;
        }
        self.mark_as_used()?;
        self.remove_old()
    }

    fn mark_as_used(&self) -> io::Result<()> {
        File::open(&self.path)?.set_modified(SystemTime::now())
    }

    /// Removes those that were used longest ago, and copies that killed processes have left.
    fn remove_old(&self) -> io::Result<()> {
        let mut all = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            all.push((entry.metadata()?.modified()?, entry.path()));
        }
        all.sort_unstable();
        let old = all.len().saturating_sub(MOST);
        all[..old].iter().try_for_each(|(_, path)| fs::remove_dir_all(path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SandboxOptions;

    #[test]
    fn the_name_covers_what_enters_a_build() {
        let cache = tempfile::tempdir().unwrap();
        let options =
            HostOptions { cache: Some(cache.path().to_owned()), ..HostOptions::default() };
        let path = |files: &[u8], line: &str, options: &HostOptions| {
            KeptBuild::of(&blake3::hash(files), line, options).unwrap().path
        };
        let usual = path(b"a", "cc bot.c", &options);
        assert_eq!(usual, path(b"a", "cc bot.c", &options));
        assert_ne!(usual, path(b"b", "cc bot.c", &options));
        assert_ne!(usual, path(b"a", "cc  bot.c", &options));
        let sandbox = SandboxOptions { read: vec!["/data".into()], ..SandboxOptions::default() };
        assert_ne!(usual, path(b"a", "cc bot.c", &HostOptions { sandbox, ..options }));
    }

    #[test]
    fn the_last_ones_are_kept() {
        let cache = tempfile::tempdir().unwrap();
        let options =
            HostOptions { cache: Some(cache.path().to_owned()), ..HostOptions::default() };
        let built = tempfile::tempdir().unwrap();
        let of = |number: usize| {
            KeptBuild::of(&blake3::hash(&number.to_le_bytes()), "true", &options).unwrap()
        };
        assert!(of(0).find().is_none());
        for number in 0..MOST + 2 {
            of(number).keep(built.path(), &[]);
            // The first one is used again and again.
            assert!(of(0).find().is_some(), "{number}");
        }
        assert_eq!(fs::read_dir(cache.path().join(FOLDER)).unwrap().count(), MOST);
        assert!(of(1).find().is_none() && of(MOST + 1).find().is_some());
    }
}
