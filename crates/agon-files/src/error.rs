//! The error of a file that cannot be written. It names the file.

use std::{
    io,
    path::{Path, PathBuf},
};

/// A file cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}", path.display())]
pub struct WriteError {
    /// The file or folder.
    pub path: PathBuf,
    /// The reason.
    pub source: io::Error,
}

impl WriteError {
    /// Returns a function that adds this file to an error.
    pub fn of(path: &Path) -> impl FnOnce(io::Error) -> WriteError + use<> {
        let path = path.to_owned();
        |source| WriteError { path, source }
    }
}
