//! The formats of films, one for each flag such as `--gif` or `--mp4`.
//!
//! [`Output`](crate::Output) starts a film of the chosen format.

use std::fmt;

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
    /// H.264 in MP4.
    Mp4,
    /// VP9 in WebM.
    WebM,
}

impl Format {
    /// All kinds.
    pub const ALL: [Format; 6] =
        [Format::Pictures, Format::Rounds, Format::Gif, Format::Apng, Format::Mp4, Format::WebM];
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::Pictures | Format::Rounds => "PNG",
            Format::Gif => "GIF",
            Format::Apng => "APNG",
            Format::Mp4 => "MP4",
            Format::WebM => "WebM",
        })
    }
}
