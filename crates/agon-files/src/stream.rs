//! Opens outputs that are written from their start to their end, such as replays and exports.
//!
//! If the program ends early, what has been written stays. For files that must be complete, use
//! [`WholeFile`](crate::WholeFile).

use std::{
    fs::File,
    io::{self, Write},
    path::Path,
};

use crate::{
    WriteError,
    target::{self, Target},
};

/// Opens an output that is written step by step. If the program ends early, its beginning stays.
///
/// # Errors
/// If it cannot be opened.
pub fn create(path: &Path) -> Result<File, WriteError> {
    open(path).map_err(WriteError::of(path))
}

/// Writes an output in place, in one go.
///
/// # Errors
/// If it cannot be opened or written.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    open(path).and_then(|mut file| file.write_all(bytes)).map_err(WriteError::of(path))
}

fn open(path: &Path) -> io::Result<File> {
    match target::find(path)? {
        Target::File(place) => File::create(place),
        Target::Through => target::open(path),
    }
}
