//! MP4 and WebM films, which `ffmpeg` encodes.
//!
//! [`Output`](super::Output) starts one for `--mp4` or `--webm`. The recorder adds pictures, which
//! go to the program's standard input.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs::File, io::Read, time::Duration};

use agon_files::{WholeFile, WriteError, parts::on_path};
use agon_view::paint::Frame;
use anyhow::{Context, Error, Result, anyhow, ensure};

use super::process::{CHECK_INTERVAL, PATIENCE, Process};
use super::{Film, Finished, Format, check_pictures, check_side, check_size};

/// A film that a program encodes.
#[derive(Debug)]
pub(crate) struct Video {
    // First, so that the program is gone before its file is removed.
    process: Process,
    file: WholeFile,
    ffmpeg: PathBuf,
    format: Format,
    /// Pictures per second.
    fps: f64,
    /// The size of pictures, which may be odd.
    size: (u32, u32),
    /// The last picture with even numbers of rows and columns, as films require.
    raw: Vec<u8>,
    time: Duration,
    pictures: u64,
}

impl Video {
    /// Starts the program.
    pub(crate) fn create(format: Format, path: &Path, size: (u32, u32), fps: f64) -> Result<Video> {
        check(format, even(size), fps)?;
        let ffmpeg = encoder(format)?;
        let file = WholeFile::create(path)?;
        let command = command(&ffmpeg, format, even(size), fps, file.part());
        let process = Process::start(command, &ffmpeg, file.part(), (CHECK_INTERVAL, PATIENCE))?;
        let raw = Vec::new();
        let time = Duration::ZERO;
        Ok(Video { process, file, ffmpeg, format, fps, size, raw, time, pictures: 0 })
    }

    /// Returns the program's error message.
    fn failure(&mut self) -> Error {
        match self.process.failure_message() {
            Ok(said) => self.failed(&said),
            Err(error) => WriteError::of(self.file.path())(error).into(),
        }
    }

    fn failed(&self, said: &str) -> Error {
        let (program, film) = (self.ffmpeg.display(), self.file.path().display());
        anyhow!("`{program}` could not encode {film}: {said}")
    }

    /// Checks that the program has really written a film.
    fn check_file(&self) -> Result<()> {
        let format = self.format;
        let mut start = Vec::new();
        let read =
            File::open(self.file.part()).and_then(|file| file.take(16).read_to_end(&mut start));
        read.map_err(WriteError::of(self.file.path()))?;
        let is_start = match format {
            Format::Mp4 => start.get(4..8) == Some(b"ftyp"),
            _ => start.starts_with(b"\x1A\x45\xDF\xA3"),
        };
        if is_start {
            return Ok(());
        }
        let what = if start.is_empty() { "nothing" } else { "something else" };
        let said = format!("it ended as if all were well, but wrote {what} instead of {format}");
        Err(self.failed(&said))
    }
}

impl Film for Video {
    fn frame(&mut self, frame: &Frame, delay: Duration) -> Result<()> {
        check_size(frame, self.size, self.file.path())?;
        self.time += delay;
        pad(frame, &mut self.raw);
        // The rate is constant: a longer picture is repeated.
        while (self.pictures as f64 + 0.5) / self.fps < self.time.as_secs_f64() {
            if self.process.write(&self.raw).is_err() {
                return Err(self.failure());
            }
            self.pictures += 1;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<Finished> {
        check_pictures(self.pictures, self.file.path())?;
        if !self.process.end() {
            return Err(self.failure());
        }
        self.check_file()?;
        let Video { file, ffmpeg, format, fps, size, pictures, .. } = *self;
        let path = file.path().to_owned();
        let bytes = file.keep()?;
        let length = Some(Duration::from_secs_f64(pictures as f64 / fps));
        let encoder = encoder_name(&ffmpeg, format);
        Ok(Finished { path, format, pictures, bytes, length, size: even(size), encoder })
    }
}

fn even((width, height): (u32, u32)) -> (u32, u32) {
    (width.next_multiple_of(2), height.next_multiple_of(2))
}

/// Copies a picture; repeats the last row or column if their number is odd.
fn pad(frame: &Frame, raw: &mut Vec<u8>) {
    raw.clear();
    let stride = 4 * frame.width() as usize;
    let rows = frame.data().chunks_exact(stride);
    let last = (frame.height() % 2 == 1).then(|| &frame.data()[frame.data().len() - stride..]);
    for row in rows.chain(last) {
        raw.extend_from_slice(row);
        if frame.width() % 2 == 1 {
            raw.extend_from_slice(&row[stride - 4..]);
        }
    }
}

/// The variable that names another `ffmpeg`; an empty one disables it.
const FFMPEG_VARIABLE: &str = "AGON_FFMPEG";

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

/// Returns the program that encodes a format.
pub(crate) fn encoder(format: Format) -> Result<PathBuf> {
    find_ffmpeg().with_context(|| {
        format!(
            "{format} needs the program ffmpeg, which is not there; install it (`apt install \
             ffmpeg`), or take --gif or --apng"
        )
    })
}

/// Checks that `ffmpeg` can encode this.
fn check(format: Format, size: (u32, u32), fps: f64) -> Result<()> {
    let (least, most) = RATES;
    check_side(format, size, MAX_SIDE)?;
    ensure!(
        (least..=most).contains(&fps),
        "{format} has no {fps} pictures a second, but {least} to {most}; choose a rate with \
         --fps"
    );
    Ok(())
}

/// Returns the command, which reads pictures of four bytes per pixel from stdin until its end.
fn command(
    ffmpeg: &Path,
    format: Format,
    (width, height): (u32, u32),
    fps: f64,
    file: &Path,
) -> Command {
    let mut command = Command::new(ffmpeg);
    let (size, rate) = (format!("{width}x{height}"), fps.to_string());
    command.args(["-loglevel", "error", "-nostdin", "-y"]);
    command.args(["-f", "rawvideo", "-pix_fmt", "rgba", "-s", &size, "-r", &rate, "-i", "-"]);
    // Colours as on screens, in the values and in the metadata.
    command.args(["-vf", "scale=out_color_matrix=bt709:out_range=tv,format=yuv420p"]);
    command.args(["-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709"]);
    let format = match format {
        Format::Mp4 => "-c:v libx264 -preset veryfast -crf 20 -movflags +faststart -f mp4",
        _ => "-c:v libvpx-vp9 -crf 28 -b:v 0 -deadline good -cpu-used 5 -row-mt 1 -f webm",
    };
    // The name of a file must not look like an option.
    command.args(format.split(' ')).arg(Path::new(".").join(file));
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    // The arena handles Ctrl-C and ends the film properly.
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command
}

/// Returns the name and version of the encoder for people.
fn encoder_name(ffmpeg: &Path, format: Format) -> String {
    let version = Command::new(ffmpeg).arg("-version").stdin(Stdio::null()).output().ok();
    let text = version.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let version = text.as_deref().and_then(|text| text.split_whitespace().nth(2)).unwrap_or("");
    let codec = if format == Format::Mp4 { "libx264" } else { "libvpx-vp9" };
    format!("ffmpeg {version} ({codec})").replace("  ", " ")
}

#[cfg(test)]
mod tests {
    use agon_view::paint::{Area, Rgb};

    use super::*;

    #[test]
    fn films_have_even_sizes() {
        let mut frame = Frame::new(3, 1);
        frame.fill(Area { x: 2, y: 0, width: 1, height: 1 }, Rgb(7, 8, 9));
        let mut raw = vec![1];
        pad(&frame, &mut raw);
        let row = [[0, 0, 0, 255], [0, 0, 0, 255], [7, 8, 9, 255], [7, 8, 9, 255]].concat();
        assert_eq!(raw, row.repeat(2));
        assert_eq!(even((3, 1)), (4, 2));
    }

    #[test]
    fn what_ffmpeg_cannot_do_is_refused_with_the_remedy() {
        let check = |size, fps| check(Format::Mp4, size, fps).map_err(|error| error.to_string());
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
