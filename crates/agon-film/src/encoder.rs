//! Finds the programs that encode MP4 and WebM, knows their limits, and makes their commands.
//!
//! `video` starts the one that fits the film: `agon-film-host`, a program of Agon, or `ffmpeg`.

use std::{
    env,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use agon_parts::{Part, PartError, is_packaged, on_path};

use crate::{FilmError, Format, Pixels};

/// Agon's own encoder of MP4, a separate program.
pub const HOST: Part = Part {
    program: "agon-film-host",
    package: "agon-film-host",
    variable: "AGON_FILM_HOST",
    who: "MP4 films",
};

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

/// A program that encodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Encoder {
    /// [`HOST`].
    Host(PathBuf),
    /// `ffmpeg`.
    Ffmpeg(PathBuf),
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

/// The limits of an encoder.
struct Limits {
    /// The fewest pixels in a row or column.
    least: u32,
    /// The most pixels of the longer and of the shorter side.
    most: (u32, u32),
    /// The lowest and highest number of pictures per second.
    fps: (f64, f64),
}

/// openh264 0.9 (`Encoder::reinit`); [`HOST`] limits the rates.
const HOST_LIMITS: Limits = Limits { least: 16, most: (3840, 2160), fps: (0.01, 1000.0) };

/// libx264, whose `MAX_RESOLUTION` is smaller than the limit of libvpx.
const FFMPEG_LIMITS: Limits = Limits { least: 2, most: (16_384, 16_384), fps: (0.001, 60_000.0) };

impl Limits {
    fn size_fits(&self, (width, height): (u32, u32)) -> bool {
        let longer = width.max(height);
        let shorter = width.min(height);
        shorter >= self.least && longer <= self.most.0 && shorter <= self.most.1
    }

    fn rate_fits(&self, fps: f64) -> bool {
        (self.fps.0..=self.fps.1).contains(&fps)
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

    /// Returns the available programs that encode it.
    ///
    /// Agon's own comes before ffmpeg, since it makes the same file everywhere.
    ///
    /// # Errors
    /// If there is none.
    pub(crate) fn encoders(self) -> Result<Vec<Encoder>, FilmError> {
        let host = (self == Container::Mp4).then(|| HOST.find()).flatten().map(Encoder::Host);
        let all: Vec<Encoder> =
            host.into_iter().chain(find_ffmpeg().map(Encoder::Ffmpeg)).collect();
        if !all.is_empty() {
            return Ok(all);
        }
        let ffmpeg = "install ffmpeg (`apt install ffmpeg`)";
        let remedy = match self {
            Container::Mp4 if is_packaged() => format!("{}, or {ffmpeg}", HOST.remedy()),
            Container::Mp4 => format!(
                "build `{}` (`cargo build --release -p {}` in Agon's source) or {ffmpeg}",
                HOST.program, HOST.package
            ),
            Container::WebM => {
                format!("{ffmpeg}, or take --mp4, which `{}` makes too, or --webp", HOST.program)
            }
        };
        Err(FilmError::NoEncoder { format: self.format(), remedy })
    }
}

impl Requirements {
    /// Returns the first program that can encode this.
    ///
    /// # Errors
    /// If there is none, or none for this size and rate.
    pub(crate) fn encoder(&self) -> Result<Encoder, FilmError> {
        let all = self.container.encoders()?;
        let fitting = all.iter().find(|encoder| self.fits(encoder.limits()));
        fitting.cloned().ok_or_else(|| self.refused(&all[all.len() - 1]))
    }

    fn fits(&self, limits: &Limits) -> bool {
        limits.size_fits(self.size) && limits.rate_fits(self.fps)
    }

    /// Explains why not even the last program can encode this.
    fn refused(&self, encoder: &Encoder) -> FilmError {
        let Limits { least, most, fps } = encoder.limits();
        let found = Pixels(self.size.0, self.size.1);
        let format = self.container.format();
        let program = encoder.words();
        let (problem, mut remedy) = if self.size.0.min(self.size.1) < *least {
            let problem =
                format!("{found} pixels are too few: `{program}` takes {least}x{least} or more");
            (problem, "make them larger with --zoom or --size".to_owned())
        } else if !encoder.limits().size_fits(self.size) {
            let (longer, shorter) = *most;
            let bound = match longer == shorter {
                true => format!("{longer}x{shorter}"),
                false => format!("{longer}x{shorter} or {shorter}x{longer}"),
            };
            let problem = format!("{found} pixels are too many: `{program}` takes at most {bound}");
            (problem, format!("make them smaller with --zoom or --size {longer}x{shorter}"))
        } else {
            let (least, most) = fps;
            let problem =
                format!("{} pictures a second: `{program}` takes {least} to {most}", self.fps);
            (problem, "choose a rate with --fps".to_owned())
        };
        if matches!(encoder, Encoder::Host(_)) {
            remedy.push_str(", or install ffmpeg (`apt install ffmpeg`), which takes more");
        }
        FilmError::Limits { format, problem, remedy }
    }
}

/// Builds [`HOST`] in a checkout if no other program encodes MP4; calls `announce` first.
///
/// # Errors
/// If it cannot be built.
pub fn prepare(format: Format, announce: impl FnOnce(&str)) -> Result<(), PartError> {
    if format == Format::Mp4 && Container::Mp4.encoders().is_err() {
        HOST.build(announce)?;
    }
    Ok(())
}

fn find_ffmpeg() -> Option<PathBuf> {
    match env::var_os(FFMPEG_VARIABLE) {
        Some(path) if path.is_empty() => None,
        Some(path) => Some(path.into()),
        None => on_path("ffmpeg"),
    }
}

impl Encoder {
    pub(crate) fn program(&self) -> &Path {
        match self {
            Encoder::Host(path) | Encoder::Ffmpeg(path) => path,
        }
    }

    /// Returns the program's name for people.
    fn words(&self) -> &'static str {
        match self {
            Encoder::Host(_) => HOST.program,
            Encoder::Ffmpeg(_) => "ffmpeg",
        }
    }

    fn limits(&self) -> &'static Limits {
        match self {
            Encoder::Host(_) => &HOST_LIMITS,
            Encoder::Ffmpeg(_) => &FFMPEG_LIMITS,
        }
    }

    /// Returns the command, which reads pictures of four bytes per pixel from stdin until its end.
    pub(crate) fn command(&self, requirements: &Requirements, file: &Path) -> Command {
        let mut command = Command::new(self.program());
        let (width, height) = requirements.size;
        let size = format!("{width}x{height}");
        let rate = requirements.fps.to_string();
        match self {
            Encoder::Host(_) => {
                command
                    .args(["--for", env!("CARGO_PKG_VERSION"), "--size", &size, "--fps", &rate])
                    .arg(file);
            }
            Encoder::Ffmpeg(_) => {
                command.args(["-loglevel", "error", "-nostdin", "-y"]);
                command.args([
                    "-f", "rawvideo", "-pix_fmt", "rgba", "-s", &size, "-r", &rate, "-i", "-",
                ]);
                // Colours as on screens, in the values and in the metadata.
                command.args(["-vf", "scale=out_color_matrix=bt709:out_range=tv,format=yuv420p"]);
                command.args([
                    "-colorspace",
                    "bt709",
                    "-color_primaries",
                    "bt709",
                    "-color_trc",
                    "bt709",
                ]);
                command.args(match requirements.container {
                    Container::Mp4 => &["-c:v", "libx264", "-preset", "veryfast", "-crf", "20"][..],
                    Container::WebM => {
                        &["-c:v", "libvpx-vp9", "-crf", "28", "-b:v", "0", "-deadline", "good"]
                    }
                });
                command.args(match requirements.container {
                    Container::Mp4 => &["-movflags", "+faststart", "-f", "mp4"][..],
                    Container::WebM => &["-cpu-used", "5", "-row-mt", "1", "-f", "webm"],
                });
                // The name of a file must not look like an option.
                command.arg(Path::new(".").join(file));
            }
        }
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        // The arena handles Ctrl-C and ends the film properly.
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command
    }

    /// Returns the name and version of the encoder for people.
    pub(crate) fn name(&self, container: Container) -> String {
        match self {
            Encoder::Host(_) => format!("{} (openh264)", HOST.program),
            Encoder::Ffmpeg(path) => {
                let version = Command::new(path).arg("-version").stdin(Stdio::null()).output().ok();
                let text =
                    version.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
                let version =
                    text.as_deref().and_then(|text| text.split_whitespace().nth(2)).unwrap_or("");
                let codec = if container == Container::Mp4 { "libx264" } else { "libvpx-vp9" };
                format!("ffmpeg {version} ({codec})").replace("  ", " ")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn requirements(size: (u32, u32), fps: f64) -> Requirements {
        Requirements { container: Container::Mp4, size, fps }
    }

    #[test]
    fn limits_are_those_of_the_encoders() {
        for size in [(3840, 2160), (2160, 3840), (16, 16)] {
            assert!(requirements(size, 12.5).fits(&HOST_LIMITS), "{size:?}");
        }
        for size in [(3842, 2160), (3840, 2162), (2162, 3840), (2500, 2500), (14, 100), (100, 14)] {
            assert!(!requirements(size, 12.5).fits(&HOST_LIMITS), "{size:?}");
            assert!(requirements(size, 12.5).fits(&FFMPEG_LIMITS), "{size:?}");
        }
        assert!(!requirements((16_386, 20), 1.0).fits(&FFMPEG_LIMITS));
        assert!(
            !requirements((20, 20), 0.001).fits(&HOST_LIMITS)
                && !requirements((20, 20), 1001.0).fits(&HOST_LIMITS)
        );
    }

    #[test]
    fn what_is_refused_is_told_with_the_remedy() {
        let host = Encoder::Host("host".into());
        let text = |size, fps| requirements(size, fps).refused(&host).to_string();
        assert_eq!(
            text((4000, 3000), 12.5),
            "MP4: 4000x3000 pixels are too many: `agon-film-host` takes at most 3840x2160 or \
             2160x3840; make them smaller with --zoom or --size 3840x2160, or install ffmpeg (`apt \
             install ffmpeg`), which takes more"
        );
        assert!(
            text((8, 8), 12.5)
                .contains("too few: `agon-film-host` takes 16x16 or more; make them larger")
        );
        assert!(
            text((800, 600), 0.001)
                .contains("0.001 pictures a second: `agon-film-host` takes 0.01 to 1000")
        );
        let ffmpeg = Encoder::Ffmpeg("ffmpeg".into());
        let text = requirements((20_000, 20), 1.0).refused(&ffmpeg).to_string();
        assert!(text.contains("`ffmpeg` takes at most 16384x16384; make them smaller"), "{text}");
        assert!(!text.contains("install"), "{text}");
    }
}
