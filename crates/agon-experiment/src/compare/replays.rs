//! The folder of `agon compare --replays`, with a replay of each match that counts.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};

/// A folder with a replay of each match that counts.
#[derive(Clone, Debug)]
pub struct Replays {
    folder: PathBuf,
}

impl Replays {
    /// Makes the folder.
    ///
    /// # Errors
    /// If it cannot be made, or there is something in it.
    pub fn create(folder: &Path) -> Result<Replays> {
        let cannot = || format!("--replays {}: cannot make this folder", folder.display());
        fs::create_dir_all(folder).with_context(cannot)?;
        if fs::read_dir(folder).with_context(cannot)?.next().is_some() {
            bail!("--replays {}: this folder is not empty; name a new one", folder.display());
        }
        Ok(Replays { folder: folder.to_owned() })
    }

    /// Opens the folder of a comparison that continues after this many seeds, with `each` matches a
    /// seed.
    ///
    /// # Errors
    /// If it cannot be made, lacks a replay of these seeds, or holds something else.
    pub fn resume(folder: &Path, seeds: u64, each: u64) -> Result<Replays> {
        if seeds == 0 && !folder.exists() {
            return Replays::create(folder);
        }
        let cannot = || format!("--replays {}: cannot read this folder", folder.display());
        let replays = Replays { folder: folder.to_owned() };
        let matches = (0..seeds).flat_map(|seed| (0..each as usize).map(move |one| (seed, one)));
        for (seed, number) in matches {
            let path = replays.path(seed, number);
            if !path.is_file() {
                bail!(
                    "{} is missing, but its match counts already; name the folder that the \
                     comparison began with, or leave --replays out",
                    path.display()
                );
            }
        }
        // Some replays of the next seed may have been written.
        let own = |path: &Path| number_in(path).is_some_and(|number| number <= seeds + 1);
        for file in fs::read_dir(folder).with_context(cannot)? {
            let path = file.with_context(cannot)?.path();
            if !own(&path) {
                bail!(
                    "{} is not a replay of the seeds that count; name the folder that the \
                     comparison began with, or delete this file",
                    path.display()
                );
            }
        }
        Ok(replays)
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Writes the replay of a match: the numbers of its seed and of itself among the seed's
    /// matches, from 1.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, seed: u64, number: usize, replay: &[u8]) -> Result<()> {
        Ok(agon_files::write(&self.path(seed, number), replay)?)
    }

    fn path(&self, seed: u64, number: usize) -> PathBuf {
        self.folder.join(format!("{:05}-{}.agon", seed + 1, number + 1))
    }
}

/// The number of the seed in the name of a replay, from 1.
fn number_in(path: &Path) -> Option<u64> {
    let name = path.file_name()?.to_str()?.strip_suffix(".agon")?;
    name.split_once('-')?.0.parse().ok()
}
