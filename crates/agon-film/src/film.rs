//! Films: they take pictures and become files.

use std::{
    fmt::{self, Debug},
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use agon_files::WriteError;
use agon_paint::{Frame, Rgb};
use thiserror::Error;

use crate::{
    animated::{Animated, Apng, Gif, WebP},
    encoder::Container,
    png::Pictures,
    video::Video,
};

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
    #[error("{format} needs a program that encodes it, and there is none; {remedy}")]
    NoEncoder {
        /// The format.
        format: Format,
        /// The remedy.
        remedy: String,
    },
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
    /// No encoder accepts this size or rate.
    #[error("{format}: {problem}; {remedy}")]
    Limits {
        /// The format.
        format: Format,
        /// The problem, with the limit.
        problem: String,
        /// The remedy.
        remedy: String,
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

/// The size of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pixels(pub u32, pub u32);

impl fmt::Display for Pixels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.0, self.1)
    }
}

/// A kind of film.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// A folder with a PNG file for each picture: `00000000.png` and so on.
    Pictures,
    /// The same, with numbers as in the amoebas manual: `g00000.png` and so on.
    Rounds,
    /// GIF: every viewer shows it; at most 256 colours and 50 pictures per second.
    Gif,
    /// Animated PNG, lossless.
    Apng,
    /// Animated WebP, lossless.
    WebP,
    /// H.264 in MP4.
    Mp4,
    /// VP9 in WebM.
    WebM,
}

impl Format {
    /// All kinds.
    pub const ALL: [Format; 7] = [
        Format::Pictures,
        Format::Rounds,
        Format::Gif,
        Format::Apng,
        Format::WebP,
        Format::Mp4,
        Format::WebM,
    ];
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::Pictures | Format::Rounds => "PNG",
            Format::Gif => "GIF",
            Format::Apng => "APNG",
            Format::WebP => "WebP",
            Format::Mp4 => "MP4",
            Format::WebM => "WebM",
        })
    }
}

/// A requested film.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// The format.
    pub format: Format,
    /// The file, or the folder for pictures. Missing folders are made.
    pub path: PathBuf,
    /// Whether existing files in a folder for pictures are overwritten.
    pub overwrite: bool,
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

impl Output {
    /// Checks whether the film can be made here, as far as that is known without a picture.
    ///
    /// # Errors
    /// If there is no encoder, or the folder for pictures is not empty.
    pub fn check(&self) -> Result<(), FilmError> {
        match self.format {
            Format::Pictures | Format::Rounds if !self.overwrite => {
                crate::png::check_empty(&self.path)
            }
            Format::Mp4 => Container::Mp4.encoders().map(drop),
            Format::WebM => Container::WebM.encoders().map(drop),
            _ => Ok(()),
        }
    }

    /// Starts the film with pictures of the size `first`.
    ///
    /// # Errors
    /// If there is no encoder, the file cannot be written, or it cannot have pictures of this size.
    pub fn begin(&self, first: (u32, u32), style: &Style) -> Result<Box<dyn Film>, FilmError> {
        let path = self.path.as_path();
        Ok(match self.format {
            Format::Pictures => Box::new(Pictures::create(path, self.overwrite)?),
            Format::Rounds => Box::new(
                Pictures::create(path, self.overwrite)?.named(|number| format!("g{number:05}.png")),
            ),
            Format::Gif => Box::new(Animated::<Gif>::create(path, first, style)?),
            Format::Apng => Box::new(Animated::<Apng>::create(path, first, style)?),
            Format::WebP => Box::new(Animated::<WebP>::create(path, first, style)?),
            Format::Mp4 => Box::new(Video::create(Container::Mp4, path, first, style.fps)?),
            Format::WebM => Box::new(Video::create(Container::WebM, path, first, style.fps)?),
        })
    }
}
