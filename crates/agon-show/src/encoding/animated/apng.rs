//! APNG: PNG with chunks for more pictures.

use std::{
    fs::File,
    io::{self, BufWriter, Seek, SeekFrom, Write},
    time::Duration,
};

use png::{BitDepth, BlendOp, ColorType, Compression, Encoder, EncodingError, Filter, Writer};

use super::{Changes, Encode, Rect, Sink};
use crate::encoding::{Format, Style};

/// The length of the chunk IEND, which ends a file.
const END: usize = 12;

/// APNG.
pub(crate) struct Apng {
    writer: Writer<Sink>,
    /// A second handle, to write the start of the file again.
    file: File,
    size: (u32, u32),
    pictures: u32,
}

impl Encode for Apng {
    const FORMAT: Format = Format::Apng;
    const ENCODER: &'static str = "the library png";
    const TICK: Duration = Duration::from_millis(1);
    const MIN_TICKS: u64 = 1;
    const MAX_TICKS: u64 = u16::MAX as u64;
    const MAX_SIDE: u32 = i32::MAX as u32;

    fn begin(out: Sink, size: (u32, u32), _: &Style) -> io::Result<Apng> {
        let file = out.get_ref().try_clone()?;
        // The number of pictures is not known yet; the encoder writes no more than this.
        let writer = start(out, size, u32::MAX)?;
        Ok(Apng { writer, file, size, pictures: 0 })
    }

    fn part(&mut self, changes: &Changes<'_>, ticks: u64) -> io::Result<()> {
        let Rect { x, y, width, height } = changes.rect;
        let pixels: Vec<u8> = changes.pixels().flat_map(Option::unwrap_or_default).collect();
        // The old position may leave no room for the new size.
        self.writer.reset_frame_position()?;
        self.writer.set_frame_dimension(width, height)?;
        self.writer.set_frame_position(x, y)?;
        self.writer.set_frame_delay(ticks as u16, 1000)?;
        self.writer.write_image_data(&pixels)?;
        self.pictures += 1;
        Ok(())
    }

    fn end(mut self) -> io::Result<Sink> {
        self.writer.finish()?;
        // Now with the right number of pictures.
        let mut bytes = Vec::new();
        start(&mut bytes, self.size, self.pictures)?.finish()?;
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(&bytes[..bytes.len() - END])?;
        self.file.seek(SeekFrom::End(0))?;
        Ok(BufWriter::new(self.file))
    }
}

/// Writes the start of a file with this number of pictures, which repeat forever.
fn start<W: Write>(
    out: W,
    (width, height): (u32, u32),
    pictures: u32,
) -> Result<Writer<W>, EncodingError> {
    let mut encoder = Encoder::new(out, width, height);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_color(ColorType::Rgba);
    encoder.set_compression(Compression::Balanced);
    // Rows of large cells are alike.
    encoder.set_filter(Filter::Up);
    encoder.set_animated(pictures, 0)?;
    // Unchanged pixels are transparent.
    encoder.set_blend_op(BlendOp::Over)?;
    encoder.write_header()
}
