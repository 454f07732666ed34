//! Events of films. `agon play` and `agon replay export` print them for complete films.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Serialize;

/// A complete film.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FilmFile<'a> {
    /// The file, or the folder with pictures.
    pub path: Cow<'a, str>,
    /// The format, such as `GIF`.
    pub format: String,
    /// The number of pictures.
    pub pictures: u64,
    /// The width of a picture in pixels.
    pub width: u32,
    /// The height of a picture in pixels.
    pub height: u32,
    /// The size in bytes; of a folder, that of its pictures together.
    pub bytes: u64,
    /// The duration in seconds; `null` for pictures in a folder.
    pub seconds: Option<f64>,
    /// The encoder: a library, or a program with its version.
    pub encoder: &'a str,
}
