//! The scratch folder of a program where mounts cannot be had: a folder of the machine, whose size is looked at.

use std::{
    fs::{self, DirBuilder},
    io,
    os::unix::fs::{DirBuilderExt, MetadataExt},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// How often the size is looked at: that takes longer than other things.
const LOOK: Duration = Duration::from_millis(200);

/// A folder that is removed when this is dropped.
#[derive(Debug)]
pub(super) struct Scratch {
    path: PathBuf,
    limit: u64,
    looked: Instant,
}

impl Scratch {
    /// Makes a folder that nobody else sees; it may hold `limit` bytes.
    pub(super) fn create(limit: u64) -> io::Result<Scratch> {
        let path = std::env::temp_dir().join(format!("agon-scratch-{}", std::process::id()));
        // Whoever had this number before may have been killed with the machine.
        let _ = fs::remove_dir_all(&path);
        DirBuilder::new().mode(0o700).create(&path)?;
        Ok(Scratch { path, limit, looked: Instant::now() })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// How many bytes there are and how many there may be, if that is more; now and then.
    pub(super) fn exceeded(&mut self) -> Option<(u64, u64)> {
        if self.looked.elapsed() < LOOK {
            return None;
        }
        self.looked = Instant::now();
        let used = size(&self.path, self.limit);
        (used > self.limit).then_some((used, self.limit))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A program may have closed a folder of its own to its owner; then it stays until somebody clears up.
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// Bytes of a folder, counted until there are more than `most`.
fn size(folder: &Path, most: u64) -> u64 {
    let mut folders = vec![folder.to_owned()];
    let mut bytes = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let Ok(facts) = fs::symlink_metadata(entry.path()) else { continue };
            // An empty file takes something as well.
            bytes += facts.blocks() * 512 + 512;
            if facts.is_dir() {
                folders.push(entry.path());
            }
            if bytes > most {
                return bytes;
            }
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_folders_counts_and_is_removed() {
        let mut scratch = Scratch::create(100_000).unwrap();
        fs::create_dir_all(scratch.path().join("a/b")).unwrap();
        fs::write(scratch.path().join("a/b/c"), vec![1; 50_000]).unwrap();
        scratch.looked -= LOOK;
        assert_eq!(scratch.exceeded(), None);
        fs::write(scratch.path().join("d"), vec![1; 100_000]).unwrap();
        assert_eq!(scratch.exceeded(), None, "it is not looked at each time");
        scratch.looked -= LOOK;
        assert!(scratch.exceeded().is_some_and(|(used, limit)| used > limit && limit == 100_000));
        let path = scratch.path().to_owned();
        drop(scratch);
        assert!(!path.exists());
    }
}
