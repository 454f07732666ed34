//! The VNC encoding Raw: pixel by pixel (RFC 6143, section 7.7.1).
//!
//! For clients that support no better one, and for tiles of Hextile that are too colourful.

use super::block::Block;
use crate::pixel::PixelFormat;

pub(super) fn write(block: &Block, format: PixelFormat, to: &mut Vec<u8>) {
    to.reserve(block.pixels.len() * format.bytes());
    block.pixels.iter().for_each(|&pixel| format.write(pixel, to));
}
