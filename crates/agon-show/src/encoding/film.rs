//! The trait of films: they take pictures and become files. Their formats, and the reasons why a
//! film cannot be made, with remedies.
//!
//! [`Output::begin`](crate::encoding::Output::begin) makes one for each format, and the recorder adds the
//! pictures of a match to it.

use std::{
    fmt::{self, Debug},
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use agon_files::WriteError;
use agon_view::paint::{Frame, Rgb};
use thiserror::Error;

/// A film in progress. If it is dropped before it is finished, it leaves no file.
pub trait Film: Debug + Send {
    /// Appends a picture that stays for `delay`. All pictures of a film have the same size.
    ///
    /// # Errors
    /// If it cannot be encoded or written.
    fn frame(&mut self, frame: &Frame, delay: Duration) -> Result<(), FilmError>;

    /// Writes the rest, and gives the file its name.
    ///
    /// # Errors
    /// If it cannot be encoded or written.
    fn finish(self: Box<Self>) -> Result<Finished, FilmError>;
}

/// A finished film.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// The file, or the folder with pictures.
    pub path: PathBuf,
    /// Its format.
    pub format: Format,
    /// The number of its pictures.
    pub pictures: u64,
    /// Its size in bytes; for a folder, of all files together.
    pub bytes: u64,
    /// Its duration; `None` for pictures in a folder.
    pub length: Option<Duration>,
    /// Pixels in a row, and rows.
    pub size: (u32, u32),
    /// Its encoder: a library, or a program with its version.
    pub encoder: String,
}

/// Facts about a film before its first picture.
#[derive(Clone, Debug, Default)]
pub struct Style {
    /// Colours that will appear, the most important first.
    ///
    /// Formats with few colours reserve places for them.
    pub colors: Vec<Rgb>,
    /// Pictures per second, for formats with a constant rate.
    pub fps: f64,
}

/// A kind of film.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// A folder with a PNG file for each picture: `00000000.png` and so on.
    Pictures,
    /// GIF: every viewer shows it; at most 256 colours and 50 pictures per second.
    Gif,
    /// Animated PNG, lossless.
    Apng,
    /// H.264 in MP4.
    Mp4,
    /// VP9 in WebM.
    WebM,
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::Pictures => "PNG",
            Format::Gif => "GIF",
            Format::Apng => "APNG",
            Format::Mp4 => "MP4",
            Format::WebM => "WebM",
        })
    }
}

/// The size of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pixels(pub u32, pub u32);

impl fmt::Display for Pixels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.0, self.1)
    }
}

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
