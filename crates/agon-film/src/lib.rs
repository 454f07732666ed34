//! Matches as files that one can look at: pictures in a folder, moving pictures, films.
//!
//! | module | noun |
//! | --- | --- |
//! | `film` | [`Film`]: takes pictures, becomes a file; [`Format`], [`Output`]: which file of which kind |
//! | `png` | [`Pictures`]: a PNG file a picture; [`still`]: a single one |
//! | `animated` | GIF, APNG and WebP: only what changes between two pictures is stored |
//! | `video` | MP4 and WebM, by programs that encode them: `agon-film-host` or `ffmpeg` |
//! | `recorder` | [`Recorder`]: the states of a match in, films out |
//! | `colors` | colours by name |
//!
//! A file gets its name when it is complete: until then it is called `NAME.part`.

mod animated;
mod colors;
mod film;
mod partial;
mod png;
mod recorder;
mod video;

pub use colors::{CLASSIC_COLORS, UnknownColor, color};
pub use film::{Film, FilmError, Finished, Format, Output, Pixels, Style};
pub use partial::write_whole;
pub use png::{Pictures, still};
pub use recorder::{Look, LookError, RecordError, Recorder, Shown, Tempo, zoom_for, zoom_within};
pub use video::{HOST, HOST_BUILD, HOST_VARIABLE};
