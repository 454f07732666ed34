//! Writes WebP films: lossless pictures in a container of our own (RFC 9649).
//!
//! [`Animated`](super::Animated) calls it with the changes from picture to picture, for `--webp`.

use std::{
    io::{self, Seek, SeekFrom, Write},
    time::Duration,
};

use image_webp::{ColorType, EncodingError, WebPEncoder};

use super::{Changes, Encode, Rect, Sink};
use crate::{Format, Style};

/// WebP.
#[derive(Debug)]
pub(crate) struct WebP {
    out: Sink,
}

impl Encode for WebP {
    const FORMAT: Format = Format::WebP;
    const ENCODER: &'static str = "the library image-webp";
    const TICK: Duration = Duration::from_millis(1);
    const MIN_TICKS: u64 = 1;
    const MAX_TICKS: u64 = (1 << 24) - 1;
    const MAX_SIDE: u32 = 1 << 14;

    fn begin(mut out: Sink, (width, height): (u32, u32), _: &Style) -> io::Result<WebP> {
        out.write_all(b"RIFF\0\0\0\0WEBP")?;
        // It is animated, and parts of it are transparent.
        let mut head = vec![0x12, 0, 0, 0];
        head.extend(three_bytes(width - 1).into_iter().chain(three_bytes(height - 1)));
        write_chunk(&mut out, *b"VP8X", &head)?;
        // An invisible background, and endless repetition.
        write_chunk(&mut out, *b"ANIM", &[0, 0, 0, 255, 0, 0])?;
        Ok(WebP { out })
    }

    fn part(&mut self, changes: &Changes<'_>, ticks: u64) -> io::Result<()> {
        let Rect { x, y, width, height } = changes.rect;
        let numbers = [x / 2, y / 2, width - 1, height - 1, ticks as u32];
        let mut data: Vec<u8> = numbers.into_iter().flat_map(three_bytes).collect();
        let is_whole = changes.pixels().all(|pixel| pixel.is_some());
        // Drawn in place of the old picture, or over it; nothing is cleared afterwards.
        data.push(if is_whole { 0b10 } else { 0 });
        let pixels: Vec<u8> = changes.pixels().flat_map(Option::unwrap_or_default).collect();
        let mut file = Vec::new();
        WebPEncoder::new(&mut file)
            .encode(&pixels, width, height, ColorType::Rgba8)
            .map_err(plain)?;
        // The chunk with the picture follows the head of the file.
        data.extend_from_slice(&file[12..]);
        write_chunk(&mut self.out, *b"ANMF", &data)
    }

    fn end(mut self) -> io::Result<Sink> {
        let length = self.out.stream_position()?;
        let too_long =
            |_| io::Error::other("the film is longer than 4 GiB, which WebP cannot hold");
        let length = u32::try_from(length - 8).map_err(too_long)?;
        self.out.seek(SeekFrom::Start(4))?;
        self.out.write_all(&length.to_le_bytes())?;
        self.out.seek(SeekFrom::End(0))?;
        Ok(self.out)
    }

    /// Extends the rectangle, because the format stores places in units of two pixels.
    fn fit(changes: Changes<'_>) -> Changes<'_> {
        changes.even()
    }
}

fn three_bytes(number: u32) -> [u8; 3] {
    let [a, b, c, _] = number.to_le_bytes();
    [a, b, c]
}

fn write_chunk(out: &mut Sink, name: [u8; 4], data: &[u8]) -> io::Result<()> {
    out.write_all(&name)?;
    out.write_all(&(data.len() as u32).to_le_bytes())?;
    out.write_all(data)?;
    // Chunks have an even length.
    if data.len() % 2 == 1 { out.write_all(&[0]) } else { Ok(()) }
}

fn plain(error: EncodingError) -> io::Error {
    match error {
        EncodingError::IoError(error) => error,
        other => io::Error::other(other),
    }
}
