//! Films that programs encode: `agon-film-host`, a program of Agon, or `ffmpeg`.

use std::{
    env,
    io::{BufWriter, Read, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, Stdio},
    thread::JoinHandle,
    time::Duration,
};

use agon_paint::Frame;

use crate::{Film, FilmError, Finished, Format, film::Pixels, partial::Partial};

/// Agon's own encoder of MP4, a program beside the arena.
pub const HOST: &str = "agon-film-host";

/// The variable that names another place of [`HOST`]; empty, it is not used.
pub const HOST_VARIABLE: &str = "AGON_FILM_HOST";

/// What builds [`HOST`] in Agon's source, beside the arena.
pub const HOST_BUILD: &str = "cargo build --release -p agon-film-host";

/// The variable that names another `ffmpeg`; empty, it is not used.
const FFMPEG_VARIABLE: &str = "AGON_FFMPEG";

/// How much of what an encoder says is told.
const MOST_SAID: usize = 600;

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

impl Container {
    fn format(self) -> Format {
        match self {
            Container::Mp4 => Format::Mp4,
            Container::WebM => Format::WebM,
        }
    }

    /// The program that encodes it here: Agon's own before ffmpeg, since it makes the same file everywhere.
    pub(crate) fn encoder(self) -> Result<Encoder, FilmError> {
        let host = || (self == Container::Mp4).then(find_host).flatten().map(Encoder::Host);
        let ffmpeg = || find_ffmpeg().map(Encoder::Ffmpeg);
        host().or_else(ffmpeg).ok_or_else(|| {
            let ffmpeg = "install ffmpeg (`apt install ffmpeg`)";
            let remedy = match self {
                Container::Mp4 => format!("build `{HOST}` (`{HOST_BUILD}` in Agon's source) or {ffmpeg}"),
                Container::WebM => format!("{ffmpeg}, or take --mp4, which `{HOST}` makes too, or --webp"),
            };
            FilmError::NoEncoder { format: self.format(), remedy }
        })
    }
}

/// Agon's own program: from the environment, beside this program, or on `PATH`.
fn find_host() -> Option<PathBuf> {
    if let Some(path) = env::var_os(HOST_VARIABLE) {
        return (!path.is_empty()).then(|| path.into());
    }
    let beside = env::current_exe().ok().and_then(|path| Some(path.parent()?.join(HOST)));
    beside.filter(|path| path.is_file()).or_else(|| on_path(HOST))
}

fn find_ffmpeg() -> Option<PathBuf> {
    match env::var_os(FFMPEG_VARIABLE) {
        Some(path) if path.is_empty() => None,
        Some(path) => Some(path.into()),
        None => on_path("ffmpeg"),
    }
}

/// A program in one of the folders of `PATH`.
fn on_path(program: &str) -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders).map(|folder| folder.join(program)).find(|path| path.is_file())
}

impl Encoder {
    fn program(&self) -> &Path {
        match self {
            Encoder::Host(path) | Encoder::Ffmpeg(path) => path,
        }
    }

    /// The program with arguments: it reads pictures of four bytes a pixel from stdin until its end.
    fn command(&self, container: Container, (width, height): (u32, u32), fps: f64, file: &Path) -> Command {
        let mut command = Command::new(self.program());
        let (size, rate) = (format!("{width}x{height}"), fps.to_string());
        match self {
            Encoder::Host(_) => {
                command.args(["--for", env!("CARGO_PKG_VERSION"), "--size", &size, "--fps", &rate]).arg(file);
            }
            Encoder::Ffmpeg(_) => {
                command.args(["-loglevel", "error", "-nostdin", "-y"]);
                command.args(["-f", "rawvideo", "-pix_fmt", "rgba", "-s", &size, "-r", &rate, "-i", "-"]);
                // Colours as screens have them, told and meant.
                command.args(["-vf", "scale=out_color_matrix=bt709:out_range=tv,format=yuv420p"]);
                command.args(["-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709"]);
                command.args(match container {
                    Container::Mp4 => &["-c:v", "libx264", "-preset", "veryfast", "-crf", "20"][..],
                    Container::WebM => {
                        &["-c:v", "libvpx-vp9", "-crf", "28", "-b:v", "0", "-deadline", "good"]
                    }
                });
                command.args(match container {
                    Container::Mp4 => &["-movflags", "+faststart", "-f", "mp4"][..],
                    Container::WebM => &["-cpu-used", "5", "-row-mt", "1", "-f", "webm"],
                });
                // A file of an odd name is no option.
                command.arg(Path::new(".").join(file));
            }
        }
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        // Ctrl-C is the arena's business, which ends the film in order.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        command
    }

    /// What has encoded, with its version, for people.
    fn name(&self, container: Container) -> String {
        match self {
            Encoder::Host(_) => format!("{HOST} (openh264)"),
            Encoder::Ffmpeg(path) => {
                let version = Command::new(path).arg("-version").output().ok();
                let text = version.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
                let version = text.as_deref().and_then(|text| text.split_whitespace().nth(2)).unwrap_or("");
                let codec = if container == Container::Mp4 { "libx264" } else { "libvpx-vp9" };
                format!("ffmpeg {version} ({codec})").replace("  ", " ")
            }
        }
    }
}

/// A film that a program encodes.
#[derive(Debug)]
pub(crate) struct Video {
    // First, so that the program is gone before its file is removed.
    process: Process,
    partial: Partial,
    container: Container,
    encoder: Encoder,
    fps: f64,
    size: (u32, u32),
    /// The last picture with an even number of rows and columns, as films want them.
    raw: Vec<u8>,
    time: Duration,
    pictures: u64,
}

impl Video {
    /// Starts the program.
    pub(crate) fn create(
        container: Container,
        path: &Path,
        size: (u32, u32),
        fps: f64,
    ) -> Result<Video, FilmError> {
        let encoder = container.encoder()?;
        let partial = Partial::new(path)?;
        // So that a folder that cannot be written to is told in our words.
        partial.create()?;
        let command = encoder.command(container, even(size), fps, partial.part());
        let process = Process::start(command, encoder.program())?;
        let (raw, time) = (Vec::new(), Duration::ZERO);
        Ok(Video { process, partial, container, encoder, fps, size, raw, time, pictures: 0 })
    }

    /// What the program said when it failed.
    fn failure(&mut self) -> FilmError {
        let program = self.encoder.program().display().to_string();
        let path = self.partial.path().to_owned();
        FilmError::Encoder { program, path, said: self.process.last_words() }
    }
}

impl Film for Video {
    fn frame(&mut self, frame: &Frame, delay: Duration) -> Result<(), FilmError> {
        let size = (frame.width(), frame.height());
        if size != self.size {
            let (expected, found) = (Pixels(self.size.0, self.size.1), Pixels(size.0, size.1));
            return Err(FilmError::Size { path: self.partial.path().to_owned(), expected, found });
        }
        self.time += delay;
        pad(frame, &mut self.raw);
        // The rate is constant: what is seen for longer comes several times.
        while (self.pictures as f64 + 0.5) / self.fps < self.time.as_secs_f64() {
            if self.process.write(&self.raw).is_err() {
                return Err(self.failure());
            }
            self.pictures += 1;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<Finished, FilmError> {
        if self.pictures == 0 {
            return Err(FilmError::Empty(self.partial.path().to_owned()));
        }
        if !self.process.end() {
            return Err(self.failure());
        }
        let Video { partial, container, encoder, fps, size, pictures, .. } = *self;
        let path = partial.path().to_owned();
        let bytes = partial.keep()?;
        let length = Some(Duration::from_secs_f64(pictures as f64 / fps));
        let encoder = encoder.name(container);
        Ok(Finished { path, format: container.format(), pictures, bytes, length, size: even(size), encoder })
    }
}

fn even((width, height): (u32, u32)) -> (u32, u32) {
    (width.next_multiple_of(2), height.next_multiple_of(2))
}

/// Copies a picture; of an odd number of columns or rows the last one comes twice.
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

/// The program at work. Dropped, it is ended.
#[derive(Debug)]
struct Process {
    child: Child,
    stdin: Option<BufWriter<ChildStdin>>,
    stderr: Option<JoinHandle<String>>,
}

impl Process {
    fn start(mut command: Command, program: &Path) -> Result<Process, FilmError> {
        let program = program.display().to_string();
        let mut child = command.spawn().map_err(|source| FilmError::Start { program, source })?;
        let stdin = child.stdin.take().map(BufWriter::new);
        let stderr = child.stderr.take().map(|mut stderr| {
            std::thread::spawn(move || {
                let mut said = Vec::new();
                // What cannot be read is not told.
                let _ = stderr.read_to_end(&mut said);
                String::from_utf8_lossy(&said).into_owned()
            })
        });
        Ok(Process { child, stdin, stderr })
    }

    fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.stdin.as_mut().map_or(Ok(()), |stdin| stdin.write_all(bytes))
    }

    /// Lets it finish, and says whether it has succeeded.
    fn end(&mut self) -> bool {
        let flushed = self.stdin.take().is_none_or(|mut stdin| stdin.flush().is_ok());
        let ended = self.child.wait().is_ok_and(|status| status.success());
        flushed && ended
    }

    /// What it wrote to stderr, or how it ended.
    fn last_words(&mut self) -> String {
        drop(self.stdin.take());
        let status = self.child.wait();
        let said = self.stderr.take().and_then(|thread| thread.join().ok()).unwrap_or_default();
        let said = said.trim();
        match (said.is_empty(), status) {
            (false, _) => said.chars().take(MOST_SAID).collect(),
            (true, Ok(status)) => format!("it ended with {status}"),
            (true, Err(error)) => error.to_string(),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Of no effect if it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use agon_paint::{Area, Rgb};

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
}
