//! The VNC encoding ZRLE: tiles of 64 by 64 with palettes and runs, compressed.
//!
//! See RFC 6143, section 7.7.6. All tiles are in one stream of zlib.

use flate2::{Compress, Compression, FlushCompress};

use super::{Block, PixelFormat};

const SIDE: usize = 64;

/// The most colours of a palette with packed numbers.
const MAX_PACKED_COLORS: usize = 16;

/// The most colours of a palette with runs.
const MAX_COLORS: usize = 127;

/// The first byte of a tile with runs; with a palette, the number of its colours is added.
const RUNS: u8 = 128;

/// The end of a flushed stream: the length of an empty block and its complement, as in RFC 1951,
/// section 3.2.4.
const FLUSHED: [u8; 4] = [0, 0, 0xff, 0xff];

/// The stream of one client.
#[derive(Debug)]
pub(super) struct Zrle(Compress);

impl Default for Zrle {
    fn default() -> Zrle {
        // Boards are large areas of few colours: better compression hardly makes them smaller.
        Zrle(Compress::new(Compression::fast(), true))
    }
}

impl Zrle {
    pub(super) fn write(&mut self, block: &Block, format: PixelFormat, to: &mut Vec<u8>) {
        let mut plain = Vec::new();
        block.tiles(SIDE).for_each(|tile| write_tile(&tile, format, &mut plain));
        let start = to.len();
        to.extend([0; 4]);
        self.compress(&plain, to);
        // Rectangles are some megabytes at most.
        let length = (to.len() - start - 4) as u32;
        to[start..start + 4].copy_from_slice(&length.to_be_bytes());
    }

    /// Compresses all of it, and flushes it to the client.
    fn compress(&mut self, mut plain: &[u8], to: &mut Vec<u8>) {
        loop {
            to.reserve(plain.len() / 4 + 64);
            let before = self.0.total_in();
            self.0
                .compress_vec(plain, to, FlushCompress::Sync)
                .expect("a stream that is never finished");
            plain = &plain[(self.0.total_in() - before) as usize..];
            // Space that is left in the buffer is not enough: miniz_oxide sometimes takes all the
            // input, keeps a part of it and leaves space. Only the marker says that nothing waits.
            if plain.is_empty() && to.len() < to.capacity() && to.ends_with(&FLUSHED) {
                return;
            }
        }
    }
}

/// Returns runs of pixels with their lengths, row by row.
fn runs(pixels: &[u32]) -> impl Iterator<Item = (u32, usize)> + '_ {
    pixels.chunk_by(|a, b| a == b).map(|run| (run[0], run.len()))
}

/// Returns the number of bytes for the length of a run.
fn run_bytes(length: usize) -> usize {
    (length - 1) / 255 + 1
}

fn write_run(length: usize, to: &mut Vec<u8>) {
    to.extend(std::iter::repeat_n(255, run_bytes(length) - 1));
    // Less than 255.
    to.push(((length - 1) % 255) as u8);
}

/// Returns the colours in order of their numbers, if they fit into a palette.
fn colors(pixels: &[u32]) -> Option<Vec<u32>> {
    let mut colors: Vec<u32> = Vec::new();
    for (pixel, _) in runs(pixels) {
        if let Err(place) = colors.binary_search(&pixel) {
            if colors.len() == MAX_COLORS {
                return None;
            }
            colors.insert(place, pixel);
        }
    }
    Some(colors)
}

/// Writes a tile in the shortest possible way.
fn write_tile(tile: &Block, format: PixelFormat, to: &mut Vec<u8>) {
    let each = format.compressed_bytes();
    let pixels = &tile.pixels;
    let colors = colors(pixels);
    if let Some([color]) = colors.as_deref() {
        to.push(1);
        format.write_compressed(*color, to);
        return;
    }
    let raw = each * pixels.len();
    let plain_runs: usize = runs(pixels).map(|(_, length)| each + run_bytes(length)).sum();
    let numbered_run = |(_, length)| if length == 1 { 1 } else { 1 + run_bytes(length) };
    let palette_runs =
        |colors: &Vec<u32>| each * colors.len() + runs(pixels).map(numbered_run).sum::<usize>();
    let packed = |colors: &Vec<u32>| {
        each * colors.len() + tile.height() * packed_row(tile.width, colors.len())
    };
    let numbered = colors.as_ref().map_or(usize::MAX, palette_runs);
    let packed =
        colors.as_ref().filter(|c| c.len() <= MAX_PACKED_COLORS).map_or(usize::MAX, packed);
    let shortest = raw.min(plain_runs).min(numbered).min(packed);
    let colors = colors.unwrap_or_default();
    // A number of colours is at most 127.
    let count = colors.len() as u8;
    if shortest == packed {
        to.push(count);
        colors.iter().for_each(|&color| format.write_compressed(color, to));
        write_packed(tile, &colors, to);
    } else if shortest == numbered {
        to.push(RUNS + count);
        colors.iter().for_each(|&color| format.write_compressed(color, to));
        for (pixel, length) in runs(pixels) {
            let number = number_of(pixel, &colors);
            if length == 1 {
                to.push(number);
            } else {
                to.push(number | 128);
                write_run(length, to);
            }
        }
    } else if shortest == plain_runs {
        to.push(RUNS);
        for (pixel, length) in runs(pixels) {
            format.write_compressed(pixel, to);
            write_run(length, to);
        }
    } else {
        to.push(0);
        pixels.iter().for_each(|&pixel| format.write_compressed(pixel, to));
    }
}

fn number_of(pixel: u32, colors: &[u32]) -> u8 {
    // Less than 127.
    colors.binary_search(&pixel).expect("all colours of the tile are in it") as u8
}

/// Returns the bits of a colour's number in a packed palette.
fn bits(colors: usize) -> usize {
    match colors {
        0..=2 => 1,
        3..=4 => 2,
        _ => 4,
    }
}

/// Returns the bytes of a row of numbers; each row starts with a new byte.
fn packed_row(width: usize, colors: usize) -> usize {
    (width * bits(colors)).div_ceil(8)
}

fn write_packed(tile: &Block, colors: &[u32], to: &mut Vec<u8>) {
    let bits = bits(colors.len());
    for row in tile.pixels.chunks(tile.width) {
        for byte in row.chunks(8 / bits) {
            let number = |(place, &pixel): (usize, &u32)| {
                number_of(pixel, colors) << (8 - bits * (place + 1))
            };
            to.push(byte.iter().enumerate().map(number).sum());
        }
    }
}

#[cfg(test)]
mod tests {
    use flate2::{Decompress, FlushDecompress};

    use super::*;

    /// Returns bytes with little to compress, from a generator of Numerical Recipes.
    fn noise(length: usize, colors: u32) -> Vec<u8> {
        let mut state = 1_u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            ((state >> 8) % colors) as u8
        };
        (0..length).map(|_| next()).collect()
    }

    #[test]
    fn everything_is_flushed_at_once() {
        for colors in [2, 19, 100, 256] {
            // One stream with pieces of many lengths: buffers end at many places.
            let (mut zrle, mut inflate) = (Zrle::default(), Decompress::new(true));
            for length in (0..200).map(|step| step * 997).chain([1 << 20, 0, 1]) {
                let plain = noise(length, colors);
                let mut sent = vec![];
                zrle.compress(&plain, &mut sent);
                let mut got = Vec::with_capacity(length + 1);
                inflate.decompress_vec(&sent, &mut got, FlushDecompress::Sync).expect("a stream");
                assert!(got == plain, "{colors} colours: {} of {length} bytes", got.len());
            }
        }
    }
}
