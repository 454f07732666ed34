//! Encodes rectangles of pixels for a client (RFC 6143, section 7.7), in the format of pixels that
//! it chooses (section 7.4).
//!
//! `screen` writes each area of an update with it, in the encoding that the client prefers.

mod zrle;

use std::io;

use agon_view::paint::{Area, Frame, Rgb};
use zrle::Zrle;

/// An encoding of pixels that the server supports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// Pixel by pixel; every client supports it.
    #[default]
    Raw,
    /// Tiles of 16 by 16 as rectangles of one colour.
    Hextile,
    /// Tiles of 64 by 64, with palettes and runs, compressed.
    Zrle,
}

/// The number of DesktopSize: the client supports other sizes.
const DESKTOP_SIZE: i32 = -223;
/// The number of Cursor: the client draws the pointer.
const CURSOR: i32 = -239;
/// The number of ExtendedDesktopSize: the client may also ask for a size.
const EXTENDED_DESKTOP_SIZE: i32 = -308;

impl Encoding {
    fn from_number(number: i32) -> Option<Encoding> {
        [Encoding::Raw, Encoding::Hextile, Encoding::Zrle]
            .into_iter()
            .find(|known| known.number() == number)
    }

    /// Returns its number in messages.
    pub fn number(self) -> i32 {
        match self {
            Encoding::Raw => 0,
            Encoding::Hextile => 5,
            Encoding::Zrle => 16,
        }
    }
}

/// The encodings and features that a client supports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Encodings {
    /// The first one of its list that the server supports.
    pub best: Encoding,
    /// Whether it supports other sizes.
    pub desktop_size: bool,
    /// Whether it may ask for a size.
    pub extended_desktop_size: bool,
    /// Whether it draws the pointer.
    pub cursor: bool,
    /// Whether `best` comes from the list.
    is_chosen: bool,
}

impl Encodings {
    /// Adds the next number of the client's list, which starts with its favourite.
    pub(crate) fn add(&mut self, number: i32) {
        match number {
            DESKTOP_SIZE => self.desktop_size = true,
            CURSOR => self.cursor = true,
            EXTENDED_DESKTOP_SIZE => self.extended_desktop_size = true,
            _ => {
                if let (false, Some(encoding)) = (self.is_chosen, Encoding::from_number(number)) {
                    (self.best, self.is_chosen) = (encoding, true);
                }
            }
        }
    }
}

/// Writes rectangles for one client. All of them share one stream of zlib.
#[derive(Debug)]
pub struct Encoder {
    format: PixelFormat,
    palette: Palette,
    zrle: Zrle,
}

impl Default for Encoder {
    fn default() -> Encoder {
        let format = PixelFormat::default();
        Encoder { format, palette: Palette::new(format), zrle: Zrle::default() }
    }
}

impl Encoder {
    /// Sets the format of the pixels that follow.
    pub fn set_format(&mut self, format: PixelFormat) {
        if self.format != format {
            (self.format, self.palette) = (format, Palette::new(format));
        }
    }

    /// Writes an area of a picture as a rectangle of an update: place, encoding, pixels.
    ///
    /// # Panics
    /// If the picture has no such area.
    pub fn rectangle(&mut self, frame: &Frame, area: Area, encoding: Encoding, to: &mut Vec<u8>) {
        header(area, encoding.number(), to);
        let block = self.block(frame, area);
        match encoding {
            Encoding::Raw => block.write_raw(self.format, to),
            Encoding::Hextile => write_hextile(&block, self.format, to),
            Encoding::Zrle => self.zrle.write(&block, self.format, to),
        }
    }

    /// Writes a picture of the pointer (section 7.8.1).
    ///
    /// Only the pixels that are `Some` are visible, and (`x`, `y`) is the point.
    pub(crate) fn cursor(
        &self,
        (x, y): (u16, u16),
        width: usize,
        pixels: &[Option<Rgb>],
        to: &mut Vec<u8>,
    ) {
        let width32 = width as u32;
        let height = (pixels.len() / width) as u32;
        header(Area { x: x.into(), y: y.into(), width: width32, height }, CURSOR, to);
        for pixel in pixels {
            self.format.write(self.palette.pixel(pixel.unwrap_or_default()), to);
        }
        for row in pixels.chunks(width) {
            for eight in row.chunks(8) {
                let bit =
                    |(bit, pixel): (usize, &Option<Rgb>)| u8::from(pixel.is_some()) << (7 - bit);
                to.push(eight.iter().enumerate().map(bit).sum());
            }
        }
    }

    fn block(&self, frame: &Frame, area: Area) -> Block {
        let width = area.width as usize;
        let mut pixels = Vec::with_capacity(width * area.height as usize);
        for y in area.y..area.y + area.height as i32 {
            let colors = frame.row(y, area.x, area.width).iter();
            pixels.extend(
                colors.map(|&[red, green, blue, _]| self.palette.pixel(Rgb(red, green, blue))),
            );
        }
        Block { width, pixels }
    }
}

/// Writes the start of each rectangle of an update.
fn header(area: Area, encoding: i32, to: &mut Vec<u8>) {
    for number in [area.x as u32, area.y as u32, area.width, area.height] {
        // Pictures are at most 65535 pixels wide and high.
        to.extend((number as u16).to_be_bytes());
    }
    to.extend(encoding.to_be_bytes());
}

/// Writes a new size of the screen for clients with DesktopSize (section 7.8.2).
pub(crate) fn desktop_size(width: u32, height: u32, to: &mut Vec<u8>) {
    header(Area { x: 0, y: 0, width, height }, DESKTOP_SIZE, to);
}

/// Writes the size of the screen for clients with ExtendedDesktopSize.
///
/// It includes the reason, and the result of the client's own request.
pub(crate) fn extended_desktop_size(
    (reason, status): (u16, u16),
    width: u32,
    height: u32,
    to: &mut Vec<u8>,
) {
    header(Area { x: reason.into(), y: status.into(), width, height }, EXTENDED_DESKTOP_SIZE, to);
    // One screen with number 0 covers everything; no flags.
    to.extend([1, 0, 0, 0]);
    to.extend([0; 4]);
    to.extend([0; 4]);
    to.extend((width as u16).to_be_bytes());
    to.extend((height as u16).to_be_bytes());
    to.extend([0; 4]);
}

/// A rectangle of pixels in the client's format.
#[derive(Debug)]
struct Block {
    width: usize,
    pixels: Vec<u32>,
}

impl Block {
    fn height(&self) -> usize {
        self.pixels.len() / self.width
    }

    /// Returns tiles of this size, row by row. Those at the right and lower edges may be smaller.
    fn tiles(&self, side: usize) -> impl Iterator<Item = Block> + '_ {
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
    fn write_raw(&self, format: PixelFormat, to: &mut Vec<u8>) {
        to.reserve(self.pixels.len() * format.bytes());
        self.pixels.iter().for_each(|&pixel| format.write(pixel, to));
    }
}

/// The side of the tiles of Hextile (section 7.7.4), each a background and rectangles on it.
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

/// Writes a block in the encoding Hextile.
fn write_hextile(block: &Block, format: PixelFormat, to: &mut Vec<u8>) {
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

/// Bytes of a pixel format in a message.
pub(crate) const FORMAT_BYTES: usize = 16;

/// A format of pixels in true colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PixelFormat {
    /// Bytes of a pixel: 1, 2 or 4.
    bytes: u8,
    /// The number of its significant bits.
    depth: u8,
    big_endian: bool,
    red: Channel,
    green: Channel,
    blue: Channel,
}

/// The place of a colour in a pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Channel {
    max: u16,
    shift: u8,
}

impl Default for PixelFormat {
    /// Returns the server's proposal, which most clients accept: 32 bits, 0RGB, little-endian.
    fn default() -> PixelFormat {
        let channel = |shift| Channel { max: 255, shift };
        PixelFormat {
            bytes: 4,
            depth: 24,
            big_endian: false,
            red: channel(16),
            green: channel(8),
            blue: channel(0),
        }
    }
}

impl PixelFormat {
    /// Reads the format from a message; fails if pixels of this format are impossible.
    pub fn from_bytes(bytes: [u8; FORMAT_BYTES]) -> io::Result<PixelFormat> {
        let [bits, depth, big_endian, true_color, r1, r0, g1, g0, b1, b0, red, green, blue, ..] =
            bytes;
        if !matches!(bits, 8 | 16 | 32) {
            let why = format!("it wants pixels of {bits} bits; 8, 16 and 32 are offered");
            return Err(io::Error::other(why));
        }
        if true_color == 0 {
            return Err(io::Error::other("it wants a colour map; only true colour is offered"));
        }
        let channel = |max: [u8; 2], shift: u8| {
            let max = u16::from_be_bytes(max);
            let is_range = max & max.wrapping_add(1) == 0;
            if !is_range || u32::from(shift) + max.count_ones() > u32::from(bits) {
                return Err(io::Error::other(format!(
                    "it wants colours from 0 to {max} at bit {shift} of pixels of {bits} bits, \
                     which is no range of bits"
                )));
            }
            Ok(Channel { max, shift })
        };
        Ok(PixelFormat {
            bytes: bits / 8,
            depth,
            big_endian: big_endian != 0,
            red: channel([r1, r0], red)?,
            green: channel([g1, g0], green)?,
            blue: channel([b1, b0], blue)?,
        })
    }

    /// Returns the format as in messages.
    pub fn to_bytes(self) -> [u8; FORMAT_BYTES] {
        let PixelFormat { bytes, depth, big_endian, red, green, blue } = self;
        let ([r1, r0], [g1, g0]) = (red.max.to_be_bytes(), green.max.to_be_bytes());
        let [b1, b0] = blue.max.to_be_bytes();
        let flags = [8 * bytes, depth, u8::from(big_endian), 1];
        let [bits, depth, big_endian, true_color] = flags;
        let shifts = (red.shift, green.shift, blue.shift);
        [
            bits, depth, big_endian, true_color, r1, r0, g1, g0, b1, b0, shifts.0, shifts.1,
            shifts.2, 0, 0, 0,
        ]
    }

    /// Returns the bytes of a pixel.
    pub(crate) fn bytes(self) -> usize {
        usize::from(self.bytes)
    }

    /// Writes a pixel.
    pub(crate) fn write(self, pixel: u32, to: &mut Vec<u8>) {
        self.write_part(pixel, 0, self.bytes(), to);
    }

    /// Writes a CPIXEL of ZRLE (section 7.7.5).
    ///
    /// These are the three significant bytes of a pixel if it has them, or else all bytes.
    pub(crate) fn write_compressed(self, pixel: u32, to: &mut Vec<u8>) {
        let (lowest, count) = self.compressed();
        self.write_part(pixel, lowest, count, to);
    }

    /// Returns the bytes of a CPIXEL.
    pub(crate) fn compressed_bytes(self) -> usize {
        self.compressed().1
    }

    /// Returns the lowest byte of a pixel in a CPIXEL, and the number of its bytes.
    fn compressed(self) -> (usize, usize) {
        let mask = |channel: Channel| u32::from(channel.max) << channel.shift;
        let used = mask(self.red) | mask(self.green) | mask(self.blue);
        match (self.bytes, self.depth) {
            (4, ..=24) if used >> 24 == 0 => (0, 3),
            (4, ..=24) if used & 0xff == 0 => (1, 3),
            _ => (0, self.bytes()),
        }
    }

    fn write_part(self, pixel: u32, lowest: usize, count: usize, to: &mut Vec<u8>) {
        let mut bytes = pixel.to_le_bytes();
        let part = &mut bytes[lowest..lowest + count];
        if self.big_endian {
            part.reverse();
        }
        to.extend_from_slice(part);
    }
}

/// Makes pixels of a format.
#[derive(Clone, Debug)]
pub(crate) struct Palette {
    red: [u32; 256],
    green: [u32; 256],
    blue: [u32; 256],
}

impl Palette {
    /// Makes a palette for a format.
    pub(crate) fn new(format: PixelFormat) -> Palette {
        let table = |Channel { max, shift }: Channel| {
            let value = |level: usize| (level as u32 * u32::from(max) + 127) / 255;
            std::array::from_fn(|level| value(level).checked_shl(shift.into()).unwrap_or(0))
        };
        Palette { red: table(format.red), green: table(format.green), blue: table(format.blue) }
    }

    /// Returns the pixel of a colour.
    pub(crate) fn pixel(&self, Rgb(red, green, blue): Rgb) -> u32 {
        self.red[usize::from(red)] | self.green[usize::from(green)] | self.blue[usize::from(blue)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_that_cannot_be() {
        for (start, why) in [
            ([8, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], "it wants a colour map"),
            ([24, 24, 0, 1, 0, 255, 0, 255, 0, 255, 0, 8, 16], "it wants pixels of 24 bits"),
            (
                [16, 16, 0, 1, 0, 255, 0, 255, 0, 255, 9, 0, 0],
                "0 to 255 at bit 9 of pixels of 16 bits",
            ),
            ([16, 16, 0, 1, 0, 5, 0, 255, 0, 255, 0, 0, 0], "0 to 5 at bit 0 of pixels of 16 bits"),
            ([32, 24, 0, 1, 0, 0, 0, 0, 0, 0, 255, 0, 0], "0 to 0 at bit 255 of pixels of 32 bits"),
        ] {
            let mut bytes = [0; FORMAT_BYTES];
            bytes[..13].copy_from_slice(&start);
            let error = PixelFormat::from_bytes(bytes).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
    }
}
