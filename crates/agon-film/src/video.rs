//! MP4 and WebM films, which `ffmpeg` encodes.
//!
//! [`Output`](crate::Output) starts one for `--mp4` or `--webm`. The recorder adds pictures, which
//! go to the program's standard input.

use std::{
    fs::File,
    io::Read,
    path::{Path, PathBuf},
    time::Duration,
};

use agon_files::WholeFile;
use agon_paint::Frame;

use crate::{
    Film, FilmError, Finished, Pixels,
    encoder::{Container, Requirements},
    process::Process,
};

/// A film that a program encodes.
#[derive(Debug)]
pub(crate) struct Video {
    // First, so that the program is gone before its file is removed.
    process: Process,
    file: WholeFile,
    ffmpeg: PathBuf,
    requirements: Requirements,
    /// The size of pictures, which may be odd.
    size: (u32, u32),
    /// The last picture with even numbers of rows and columns, as films require.
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
        let requirements = Requirements { container, size: even(size), fps };
        requirements.check()?;
        let ffmpeg = container.encoder()?;
        let file = WholeFile::create(path)?;
        let command = requirements.command(&ffmpeg, file.part());
        let process = Process::start(command, &ffmpeg, file.part())?;
        let raw = Vec::new();
        let time = Duration::ZERO;
        Ok(Video { process, file, ffmpeg, requirements, size, raw, time, pictures: 0 })
    }

    /// Returns the program's error message.
    fn failure(&mut self) -> FilmError {
        match self.process.failure_message() {
            Ok(said) => self.failed(said),
            Err(error) => FilmError::write(self.file.path())(error),
        }
    }

    fn failed(&self, said: String) -> FilmError {
        let program = self.ffmpeg.display().to_string();
        FilmError::Encoder { program, path: self.file.path().to_owned(), said }
    }

    /// Checks that the program has really written a film.
    fn check(&self) -> Result<(), FilmError> {
        let container = self.requirements.container;
        let mut start = Vec::new();
        let read =
            File::open(self.file.part()).and_then(|file| file.take(16).read_to_end(&mut start));
        read.map_err(FilmError::write(self.file.path()))?;
        if container.is_start(&start) {
            return Ok(());
        }
        let what = if start.is_empty() { "nothing" } else { "something else" };
        Err(self.failed(format!(
            "it ended as if all were well, but wrote {what} instead of {}",
            container.format()
        )))
    }
}

impl Film for Video {
    fn frame(&mut self, frame: &Frame, delay: Duration) -> Result<(), FilmError> {
        let size = (frame.width(), frame.height());
        if size != self.size {
            let expected = Pixels(self.size.0, self.size.1);
            let found = Pixels(size.0, size.1);
            return Err(FilmError::Size { path: self.file.path().to_owned(), expected, found });
        }
        self.time += delay;
        pad(frame, &mut self.raw);
        // The rate is constant: a longer picture is repeated.
        while (self.pictures as f64 + 0.5) / self.requirements.fps < self.time.as_secs_f64() {
            if self.process.write(&self.raw).is_err() {
                return Err(self.failure());
            }
            self.pictures += 1;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<Finished, FilmError> {
        if self.pictures == 0 {
            return Err(FilmError::Empty(self.file.path().to_owned()));
        }
        if !self.process.end() {
            return Err(self.failure());
        }
        self.check()?;
        let Video { file, ffmpeg, requirements, pictures, .. } = *self;
        let Requirements { container, size, fps } = requirements;
        let path = file.path().to_owned();
        let bytes = file.keep()?;
        let length = Some(Duration::from_secs_f64(pictures as f64 / fps));
        let encoder = requirements.encoder_name(&ffmpeg);
        Ok(Finished { path, format: container.format(), pictures, bytes, length, size, encoder })
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
