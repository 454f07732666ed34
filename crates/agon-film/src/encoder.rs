//! Finds `ffmpeg`, knows its limits, and makes its command.
//!
//! `video` starts it for MP4 and WebM.

use std::{
    env,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use agon_parts::on_path;

use crate::{FilmError, Format, Pixels};

/// The variable that names another `ffmpeg`; an empty one disables it.
const FFMPEG_VARIABLE: &str = "AGON_FFMPEG";

/// A kind of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Container {
    /// H.264.
    Mp4,
    /// VP9.
    WebM,
}

/// The requirements of a film.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Requirements {
    pub(crate) container: Container,
    /// Pixels in a row, and rows; both even.
    pub(crate) size: (u32, u32),
    /// Pictures per second.
    pub(crate) fps: f64,
}

/// The most pixels of a side: libx264's `MAX_RESOLUTION`, which is smaller than libvpx's limit.
const MAX_SIDE: u32 = 16_384;

/// The lowest and highest number of pictures per second.
const RATES: (f64, f64) = (0.001, 60_000.0);

/// Returns the program that encodes MP4 and WebM, if there is one.
pub fn find_ffmpeg() -> Option<PathBuf> {
    match env::var_os(FFMPEG_VARIABLE) {
        Some(path) if path.is_empty() => None,
        Some(path) => Some(path.into()),
        None => on_path("ffmpeg"),
    }
}

impl Container {
    pub(crate) fn format(self) -> Format {
        match self {
            Container::Mp4 => Format::Mp4,
            Container::WebM => Format::WebM,
        }
    }

    /// Returns whether a file of this kind starts like this.
    pub(crate) fn is_start(self, bytes: &[u8]) -> bool {
        match self {
            Container::Mp4 => bytes.get(4..8) == Some(b"ftyp"),
            Container::WebM => bytes.starts_with(b"\x1A\x45\xDF\xA3"),
        }
    }

    /// Returns the program that encodes it.
    ///
    /// # Errors
    /// If there is none.
    pub(crate) fn encoder(self) -> Result<PathBuf, FilmError> {
        find_ffmpeg().ok_or(FilmError::NoEncoder(self.format()))
    }
}

impl Requirements {
    /// Checks that `ffmpeg` can encode this.
    ///
    /// # Errors
    /// If it cannot.
    pub(crate) fn check(&self) -> Result<(), FilmError> {
        let format = self.container.format();
        let found = Pixels(self.size.0, self.size.1);
        let (least, most) = RATES;
        if self.size.0.max(self.size.1) > MAX_SIDE {
            Err(FilmError::TooLarge { format, found, most: Pixels(MAX_SIDE, MAX_SIDE) })
        } else if !(least..=most).contains(&self.fps) {
            Err(FilmError::Rate { format, fps: self.fps, least, most })
        } else {
            Ok(())
        }
    }

    /// Returns the command, which reads pictures of four bytes per pixel from stdin until its end.
    pub(crate) fn command(&self, ffmpeg: &Path, file: &Path) -> Command {
        let mut command = Command::new(ffmpeg);
        let (width, height) = self.size;
        let (size, rate) = (format!("{width}x{height}"), self.fps.to_string());
        command.args(["-loglevel", "error", "-nostdin", "-y"]);
        command.args(["-f", "rawvideo", "-pix_fmt", "rgba", "-s", &size, "-r", &rate, "-i", "-"]);
        // Colours as on screens, in the values and in the metadata.
        command.args(["-vf", "scale=out_color_matrix=bt709:out_range=tv,format=yuv420p"]);
        command.args(["-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709"]);
        let format = match self.container {
            Container::Mp4 => "-c:v libx264 -preset veryfast -crf 20 -movflags +faststart -f mp4",
            Container::WebM => {
                "-c:v libvpx-vp9 -crf 28 -b:v 0 -deadline good -cpu-used 5 -row-mt 1 -f webm"
            }
        };
        // The name of a file must not look like an option.
        command.args(format.split(' ')).arg(Path::new(".").join(file));
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        // The arena handles Ctrl-C and ends the film properly.
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command
    }

    /// Returns the name and version of the encoder for people.
    pub(crate) fn encoder_name(&self, ffmpeg: &Path) -> String {
        let version = Command::new(ffmpeg).arg("-version").stdin(Stdio::null()).output().ok();
        let text = version.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
        let version = text.as_deref().and_then(|text| text.split_whitespace().nth(2)).unwrap_or("");
        let codec = if self.container == Container::Mp4 { "libx264" } else { "libvpx-vp9" };
        format!("ffmpeg {version} ({codec})").replace("  ", " ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ffmpeg_cannot_do_is_refused_with_the_remedy() {
        let check = |size, fps| {
            let checked = Requirements { container: Container::Mp4, size, fps }.check();
            checked.map_err(|error| error.to_string())
        };
        for size in [(2, 2), (16_384, 2), (2500, 2500)] {
            assert_eq!(check(size, 12.5), Ok(()), "{size:?}");
        }
        let error = check((20_000, 20), 1.0).unwrap_err();
        assert!(error.contains("at most 16384x16384; make them smaller"), "{error}");
        assert_eq!(
            check((20, 20), 70_000.0).unwrap_err(),
            "MP4 has no 70000 pictures a second, but 0.001 to 60000; choose a rate with --fps"
        );
    }
}
