//! The trait of films: they take pictures and become files.
//!
//! [`Output::begin`](crate::Output::begin) makes one for each format, and the recorder adds the
//! pictures of a match to it.

use std::{fmt::Debug, path::PathBuf, time::Duration};

use agon_paint::{Frame, Rgb};

use crate::{FilmError, Format};

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
