//! Exports matches as pictures in a folder, animated pictures and films.
//!
//! `agon play` films a match while it runs, and `agon replay export` films a replay.
//! [`Output::begin`] makes a [`Film`] for each [`Format`], and the recorder adds the pictures of a
//! match to it.
//!
//! | module | contents |
//! | --- | --- |
//! | `options` | [`FilmOptions`], [`Output`]: what people ask for; [`record`] |
//! | `recorder` | [`Recorder`]: the states of a match in, films out |
//! | `png` | one PNG file for each picture; [`still`]: a single picture |
//! | `animated` | GIF and APNG, which store only the differences between pictures |
//! | `video` | MP4 and WebM, by `ffmpeg`: where it is, its limits and its command |
//! | `process` | a running encoder |
//!
//! A file gets its name when it is complete: until then it is called `NAME.part` (`agon-files`).

mod animated;
mod options;
mod png;
mod process;
mod recorder;
mod video;

use std::fmt::{self, Debug};
use std::path::{Path, PathBuf};
use std::time::Duration;

use agon_view::paint::{Frame, Rgb};
use anyhow::{Result, ensure};

pub use options::{FilmOptions, Output, player_colors, record};
pub use png::still;
pub use process::kill_encoders;
pub use recorder::{FilmStyle, Recorder};
pub use video::find_ffmpeg;

pub(crate) use recorder::check_pixels;

/// A film in progress. If it is dropped before it is finished, it leaves no file.
pub trait Film: Debug + Send {
    /// Appends a picture that stays for `delay`. All pictures of a film have the same size.
    fn frame(&mut self, frame: &Frame, delay: Duration) -> Result<()>;

    /// Writes the rest, and gives the file its name.
    fn finish(self: Box<Self>) -> Result<Finished>;
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

/// Checks that a picture is as large as the first one of its film.
fn check_size(frame: &Frame, first: (u32, u32), film: &Path) -> Result<()> {
    let (width, height) = (frame.width(), frame.height());
    ensure!(
        (width, height) == first,
        "{}: a picture has {width}x{height} pixels instead of {}x{} as the first one",
        film.display(),
        first.0,
        first.1
    );
    Ok(())
}

/// Checks that a format has pictures of this size.
fn check_side(format: Format, (width, height): (u32, u32), most: u32) -> Result<()> {
    ensure!(
        width.max(height) <= most,
        "{format} has no pictures of {width}x{height} pixels, at most {most}x{most}; make them \
         smaller with --zoom or --size"
    );
    Ok(())
}

/// Checks that there was a picture for the film.
fn check_pictures(pictures: u64, film: &Path) -> Result<()> {
    ensure!(pictures > 0, "{}: there is no picture in it", film.display());
    Ok(())
}
