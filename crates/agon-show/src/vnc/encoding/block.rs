//! A rectangle of pixels in a client's format, which all encodings take as their input.
//!
//! The encodings with tiles also split it.

use crate::vnc::pixel::PixelFormat;

/// A rectangle of pixels in the client's format.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) width: usize,
    pub(super) pixels: Vec<u32>,
}

impl Block {
    pub(super) fn height(&self) -> usize {
        self.pixels.len() / self.width
    }

    /// Returns tiles of this size, row by row. Those at the right and lower edges may be smaller.
    pub(super) fn tiles(&self, side: usize) -> impl Iterator<Item = Block> + '_ {
        let (width, height) = (self.width, self.height());
        (0..height).step_by(side).flat_map(move |top| {
            (0..width).step_by(side).map(move |left| {
                let right = (left + side).min(width);
                let rows = top..(top + side).min(height);
                let row = |y: usize| &self.pixels[y * width + left..y * width + right];
                Block { width: right - left, pixels: rows.flat_map(row).copied().collect() }
            })
        })
    }

    /// Writes it in the encoding Raw: pixel by pixel (RFC 6143, section 7.7.1).
    ///
    /// For clients that support no better one, and for tiles of Hextile that are too colourful.
    pub(super) fn write_raw(&self, format: PixelFormat, to: &mut Vec<u8>) {
        to.reserve(self.pixels.len() * format.bytes());
        self.pixels.iter().for_each(|&pixel| format.write(pixel, to));
    }
}
