//! Exports matches as pictures in a folder, animated pictures and films.
//!
//! `agon play` films a match while it runs, and `agon replay export` films a replay. Both do so
//! through `agon-show`.
//!
//! | module | contents |
//! | --- | --- |
//! | `film` | [`Film`]: takes pictures, becomes a file; its [`Format`]s and errors |
//! | `output` | [`Output`]: the kind and the name of the file |
//! | `png` | [`Pictures`]: one PNG file for each picture; [`still`]: a single picture |
//! | `animated` | GIF and APNG, which store only the differences between pictures |
//! | `video` | MP4 and WebM, by `ffmpeg`: where it is, its limits and its command |
//! | `process` | a running encoder |
//! | `recorder` | [`Recorder`]: the states of a match in, films out |
//! | `colors` | colours by name |
//!
//! A file gets its name when it is complete: until then it is called `NAME.part` (`agon-files`).

mod animated;
mod colors;
mod film;
mod output;
mod png;
mod process;
mod recorder;
mod video;

pub use colors::{UnknownColor, color};
pub use film::{Film, FilmError, Finished, Format, Pixels, Style};
pub use output::Output;
pub use png::{Pictures, still};
pub use process::kill_encoders;
pub use recorder::{FilmStyle, FilmStyleError, RecordError, Recorder};
pub use video::find_ffmpeg;
