//! The reasons why a film cannot be made, with remedies.
//!
//! All films report these errors, and `agon` prints them.

use std::{
    io,
    path::{Path, PathBuf},
};

use agon_files::WriteError;
use thiserror::Error;

use crate::{Format, Pixels};

/// The reason why there is no film.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FilmError {
    /// A file cannot be written.
    #[error("cannot write {}", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// The folder for pictures is not empty.
    #[error("{} is not empty; name a new or an empty folder", .0.display())]
    NotEmpty(PathBuf),
    /// There is no program that encodes this format.
    #[error(
        "{0} needs the program ffmpeg, which is not there; install it (`apt install ffmpeg`), or \
         take --gif or --apng"
    )]
    NoEncoder(Format),
    /// The program that encodes cannot be started.
    #[error("cannot start `{program}`")]
    Start {
        /// The program.
        program: String,
        /// The reason.
        source: io::Error,
    },
    /// The program that encodes has failed.
    #[error("`{program}` could not encode {}: {said}", path.display())]
    Encoder {
        /// The program.
        program: String,
        /// The file that it should have written.
        path: PathBuf,
        /// Its output on stderr, or its exit status.
        said: String,
    },
    /// A picture has another size than the first one.
    #[error(
        "{}: a picture has {found} pixels instead of {expected} as the first one",
        path.display()
    )]
    Size {
        /// The film.
        path: PathBuf,
        /// The first size.
        expected: Pixels,
        /// This size.
        found: Pixels,
    },
    /// The format cannot have pictures of this size.
    #[error(
        "{format} has no pictures of {found} pixels, at most {most}; make them smaller with --zoom \
         or --size"
    )]
    TooLarge {
        /// The format.
        format: Format,
        /// The requested size.
        found: Pixels,
        /// The largest.
        most: Pixels,
    },
    /// The encoder does not accept this rate.
    #[error(
        "{format} has no {fps} pictures a second, but {least} to {most}; choose a rate with --fps"
    )]
    Rate {
        /// The format.
        format: Format,
        /// The requested rate.
        fps: f64,
        /// The lowest.
        least: f64,
        /// The highest.
        most: f64,
    },
    /// There was no picture to show.
    #[error("{}: there is no picture in it", .0.display())]
    Empty(PathBuf),
}

impl From<WriteError> for FilmError {
    fn from(WriteError { path, source }: WriteError) -> FilmError {
        FilmError::Write { path, source }
    }
}

impl FilmError {
    pub(crate) fn write(path: &Path) -> impl FnOnce(io::Error) -> FilmError + use<> {
        let path = path.to_owned();
        |source| FilmError::Write { path, source }
    }
}
