//! The files of a bot as one blob, as the server keeps them.

use agon_arena::Bundle;
use agon_ladder::archive::{Files, FilesError};

/// Packs files.
pub(crate) fn pack(files: &Files) -> Vec<u8> {
    Bundle::of_files(files.parts()).to_bytes()
}

/// Takes the files out of a blob.
///
/// # Errors
/// If it is damaged.
pub(crate) fn unpack(blob: &[u8]) -> anyhow::Result<Files> {
    let bundle = Bundle::from_bytes(blob)?;
    let mut files = Files::default();
    for (path, contents, is_executable) in bundle.files() {
        files.add(path, contents.to_vec(), is_executable).map_err(anyhow::Error::from)?;
    }
    Ok(files)
}

/// Says why files cannot be handed in, if nobody can tell how they are run.
pub(crate) fn unclear(why: impl Into<String>) -> FilesError {
    FilesError::Manifest(why.into())
}
