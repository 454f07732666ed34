//! Matches as files that one can look at: pictures in a folder, moving pictures, films.
//!
//! | module | noun |
//! | --- | --- |
//! | `film` | [`Film`]: takes pictures, becomes a file; [`Format`], [`Output`]: which file of which kind |
//! | `png` | [`Pictures`]: a PNG file a picture; [`still`]: a single one |
//! | `animated` | GIF, APNG and WebP: only what changes between two pictures is stored |
//! | `video` | MP4 and WebM, by programs that encode them |
//! | `encoder` | these programs: `agon-film-host` or `ffmpeg`, and what they can do |
//! | `process` | such a program at work |
//! | `recorder` | [`Recorder`]: the states of a match in, films out |
//! | `colors` | colours by name |
//!
//! A file gets its name when it is complete: until then it is called `NAME.part` (`agon-files`).

mod animated;
mod colors;
mod encoder;
mod film;
mod png;
mod process;
mod recorder;
mod video;

pub use colors::{CLASSIC_COLORS, UnknownColor, color};
pub use encoder::{HOST, prepare};
pub use film::{Film, FilmError, Finished, Format, Output, Pixels, Style};
pub use png::{Pictures, still};
pub use process::kill_encoders;
pub use recorder::{
    FilmStyle, FilmStyleError, RecordError, Recorder, Shown, Tempo, zoom_for, zoom_within,
};
