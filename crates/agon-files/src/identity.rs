//! The identity of a file, which it has under all its names.

use std::{
    fs::{File, Metadata},
    io,
    path::Path,
};

/// The numbers of a file and of the file system that it is on.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Identity {
    system: u64,
    file: u64,
}

#[cfg(unix)]
impl Identity {
    /// Returns that of an open file.
    pub(crate) fn of(file: &File) -> io::Result<Identity> {
        Ok(Identity::from(&file.metadata()?))
    }

    /// Returns that of the file with this path and this metadata.
    pub(crate) fn at(_: &Path, facts: &Metadata) -> io::Result<Identity> {
        Ok(Identity::from(facts))
    }

    fn from(facts: &Metadata) -> Identity {
        use std::os::unix::fs::MetadataExt;

        Identity { system: facts.dev(), file: facts.ino() }
    }
}

/// Windows has the numbers for open files only.
#[cfg(windows)]
impl Identity {
    /// Returns that of an open file.
    pub(crate) fn of(file: &File) -> io::Result<Identity> {
        let facts = winapi_util::file::information(file)?;
        Ok(Identity { system: facts.volume_serial_number(), file: facts.file_index() })
    }

    /// Returns that of the file with this path and this metadata.
    pub(crate) fn at(path: &Path, _: &Metadata) -> io::Result<Identity> {
        Identity::of(&File::open(path)?)
    }
}
