//! The copy of a bot whose files are all in one place.

use std::path::{Path, PathBuf};

/// The only copy of a bot.
pub(crate) struct OnlyCopy<'a> {
    /// What was copied.
    pub(crate) place: &'a Path,
    /// Where the copy is.
    pub(crate) path: PathBuf,
    pub(crate) is_folder: bool,
}

impl OnlyCopy<'_> {
    /// Returns the path of a file below the folder that was copied.
    pub(crate) fn below(&self, path: &Path) -> Option<String> {
        let path = path.canonicalize().ok()?;
        let folder = if self.is_folder { self.place } else { self.place.parent()? };
        let below = path.strip_prefix(folder).ok()?;
        below.to_str().map(str::to_owned)
    }
}
