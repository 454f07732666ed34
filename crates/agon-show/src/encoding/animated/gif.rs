//! Writes GIF films: one table of colours for all pictures, which is written last.
//!
//! [`Animated`](super::Animated) calls it with the changes from picture to picture, for `--gif`.

use std::{
    io::{self, Seek, SeekFrom, Write},
    time::Duration,
};

use gif::{DisposalMethod, Encoder, EncodingError, Frame, Repeat};

use super::{Changes, Encode, Palette, Rect, Sink};
use crate::encoding::{Format, Style};

/// The offset of the table of colours.
///
/// It is after the signature (6 bytes) and the size of the screen (7).
const TABLE: u64 = 13;

/// The place in the table that means "as before".
///
/// It is the first one, because codes are short as long as numbers are small.
const SAME: u8 = 0;

/// GIF.
pub(crate) struct Gif {
    palette: Palette,
    encoder: Encoder<Sink>,
}

impl Encode for Gif {
    const FORMAT: Format = Format::Gif;
    const ENCODER: &'static str = "the library gif";
    const TICK: Duration = Duration::from_millis(10);
    // Viewers show a picture of one tick for ten ticks.
    const MIN_TICKS: u64 = 2;
    const MAX_TICKS: u64 = u16::MAX as u64;
    const MAX_SIDE: u32 = u16::MAX as u32;

    fn begin(out: Sink, (width, height): (u32, u32), style: &Style) -> io::Result<Gif> {
        let mut encoder =
            Encoder::new(out, width as u16, height as u16, &[0; 768]).map_err(plain)?;
        encoder.set_repeat(Repeat::Infinite).map_err(plain)?;
        Ok(Gif { palette: Palette::new(255, &style.colors), encoder })
    }

    fn part(&mut self, changes: &Changes<'_>, ticks: u64) -> io::Result<()> {
        let Rect { x, y, width, height } = changes.rect;
        let place =
            |pixel: Option<[u8; 4]>| pixel.map_or(SAME, |pixel| 1 + self.palette.place(pixel));
        let frame = Frame {
            delay: ticks as u16,
            dispose: DisposalMethod::Keep,
            transparent: Some(SAME),
            left: x as u16,
            top: y as u16,
            width: width as u16,
            height: height as u16,
            buffer: changes.pixels().map(place).collect(),
            ..Frame::default()
        };
        self.encoder.write_frame(&frame).map_err(plain)
    }

    fn end(self) -> io::Result<Sink> {
        let mut out = self.encoder.into_inner().map_err(plain)?;
        out.seek(SeekFrom::Start(TABLE))?;
        out.write_all(&[0; 3])?;
        out.write_all(&self.palette.table(255))?;
        out.seek(SeekFrom::End(0))?;
        Ok(out)
    }
}

fn plain(error: EncodingError) -> io::Error {
    match error {
        EncodingError::Io(error) => error,
        other => io::Error::other(other),
    }
}
