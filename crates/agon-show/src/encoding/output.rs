//! A film that a person has asked for: its format and its file.
//!
//! The recorder opens it when the first state gives the size of the pictures.

use std::path::PathBuf;

use crate::encoding::{
    Film, FilmError, Format, Style,
    animated::{Animated, Apng, Gif},
    png::Pictures,
    video::{Video, encoder},
};

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

impl Output {
    /// Checks whether the film can be made here, as far as that is known without a picture.
    ///
    /// # Errors
    /// If there is no encoder, or the folder for pictures is not empty.
    pub fn check(&self) -> Result<(), FilmError> {
        match self.format {
            Format::Pictures if !self.overwrite => crate::encoding::png::check_empty(&self.path),
            Format::Mp4 | Format::WebM => encoder(self.format).map(drop),
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
            Format::Gif => Box::new(Animated::<Gif>::create(path, first, style)?),
            Format::Apng => Box::new(Animated::<Apng>::create(path, first, style)?),
            Format::Mp4 | Format::WebM => {
                Box::new(Video::create(self.format, path, first, style.fps)?)
            }
        })
    }
}
