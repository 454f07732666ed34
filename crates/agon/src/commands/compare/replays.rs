//! The replays of a comparison.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};

/// A folder with a replay of each match that counts.
#[derive(Clone, Debug)]
pub(super) struct Replays {
    folder: PathBuf,
}

impl Replays {
    /// Makes the folder.
    ///
    /// # Errors
    /// If it cannot be made, or there is something in it.
    pub(super) fn create(folder: &Path) -> Result<Replays> {
        let cannot = || format!("--replays {}: cannot make this folder", folder.display());
        fs::create_dir_all(folder).with_context(cannot)?;
        if fs::read_dir(folder).with_context(cannot)?.next().is_some() {
            bail!("--replays {}: this folder is not empty; name a new one", folder.display());
        }
        Ok(Replays { folder: folder.to_owned() })
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Writes the replay of a match: the numbers of its seed and of itself among the seed's matches, from 1.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn write(&self, seed: u64, number: usize, replay: &[u8]) -> Result<()> {
        let path = self.folder.join(format!("{:05}-{}.agon", seed + 1, number + 1));
        Ok(agon_files::write(&path, replay)?)
    }
}
