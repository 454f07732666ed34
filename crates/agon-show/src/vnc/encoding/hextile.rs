//! The VNC encoding Hextile: tiles of 16 by 16, each a background and rectangles on it.
//!
//! See RFC 6143, section 7.7.4.

use super::block::Block;
use crate::vnc::pixel::PixelFormat;

const SIDE: usize = 16;

// The first byte of a tile.
const RAW: u8 = 1;
const BACKGROUND: u8 = 2;
const FOREGROUND: u8 = 4;
const RECTANGLES: u8 = 8;
const COLORED: u8 = 16;

/// A rectangle of one colour in a tile, with sides from 1 to 16.
#[derive(Clone, Copy, Debug)]
struct Part {
    pixel: u32,
    x: usize,
    y: usize,
    width: usize,
    height: usize,
}

pub(super) fn write(block: &Block, format: PixelFormat, to: &mut Vec<u8>) {
    // The colours that the client remembers of the previous tile.
    let mut background = None;
    let mut foreground = None;
    for tile in block.tiles(SIDE) {
        let most = most_frequent(&tile.pixels);
        let parts = parts(&tile, most);
        let others =
            parts.first().map(|first| (first.pixel, parts.iter().all(|p| p.pixel == first.pixel)));
        let per_part = 2 + if let Some((_, false)) = others { format.bytes() } else { 0 };
        let is_long =
            parts.len() > 255 || parts.len() * per_part >= tile.pixels.len() * format.bytes();
        if is_long {
            to.push(RAW);
            tile.write_raw(format, to);
            // The specification does not say what a client then remembers.
            (background, foreground) = (None, None);
            continue;
        }
        let start = to.len();
        let mut kind = 0;
        to.push(kind);
        if background != Some(most) {
            kind |= BACKGROUND;
            format.write(most, to);
            background = Some(most);
        }
        if let Some((pixel, is_only)) = others {
            kind |= RECTANGLES;
            if !is_only {
                kind |= COLORED;
                foreground = None;
            } else if foreground != Some(pixel) {
                kind |= FOREGROUND;
                format.write(pixel, to);
                foreground = Some(pixel);
            }
            // At most 255.
            to.push(parts.len() as u8);
            for part in parts {
                if !is_only {
                    format.write(part.pixel, to);
                }
                to.push((part.x << 4 | part.y) as u8);
                to.push(((part.width - 1) << 4 | (part.height - 1)) as u8);
            }
        }
        to[start] = kind;
    }
}

/// Returns the most frequent pixel.
fn most_frequent(pixels: &[u32]) -> u32 {
    let mut sorted = pixels.to_vec();
    sorted.sort_unstable();
    let longest = sorted.chunk_by(|a, b| a == b).max_by_key(|run| run.len());
    longest.map_or(0, |run| run[0])
}

/// Returns rectangles that cover everything except the background.
///
/// Each starts at the first pixel that is not covered, and goes right as far as it can, then down.
fn parts(tile: &Block, background: u32) -> Vec<Part> {
    let (width, height) = (tile.width, tile.height());
    let mut left: Vec<Option<u32>> =
        tile.pixels.iter().map(|&pixel| Some(pixel).filter(|&p| p != background)).collect();
    let mut parts = Vec::new();
    for y in 0..height {
        for x in 0..width {
            let Some(pixel) = left[y * width + x] else { continue };
            let is_same = |cell: &Option<u32>| *cell == Some(pixel);
            let across = left[y * width + x..(y + 1) * width]
                .iter()
                .take_while(|cell| is_same(cell))
                .count();
            let row = |y: usize| y * width + x..y * width + x + across;
            let down = (y..height).take_while(|&y| left[row(y)].iter().all(is_same)).count();
            (y..y + down).for_each(|y| left[row(y)].fill(None));
            parts.push(Part { pixel, x, y, width: across, height: down });
        }
    }
    parts
}
