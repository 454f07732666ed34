//! Encodes rectangles of pixels for a client (RFC 6143, section 7.7).
//!
//! `screen` writes each area of an update with it, in the encoding that the client prefers.

mod block;
mod hextile;
mod zrle;

use agon_view::paint::{Area, Frame, Rgb};

use crate::vnc::pixel::{Palette, PixelFormat};
use block::Block;
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
    pub fn add(&mut self, number: i32) {
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
    /// Everything outside of the picture is black.
    pub fn rectangle(&mut self, frame: &Frame, area: Area, encoding: Encoding, to: &mut Vec<u8>) {
        header(area, encoding.number(), to);
        let block = self.block(frame, area);
        match encoding {
            Encoding::Raw => block.write_raw(self.format, to),
            Encoding::Hextile => hextile::write(&block, self.format, to),
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
        let seen = area.intersection(frame.area());
        let mut pixels = vec![self.palette.pixel(Rgb(0, 0, 0)); width * area.height as usize];
        let rows = if seen.is_empty() { 0..0 } else { seen.y..seen.y + seen.height as i32 };
        for y in rows {
            let start = y as usize * frame.width() as usize + seen.x as usize;
            let colors = &frame.data().as_chunks::<4>().0[start..start + seen.width as usize];
            let start = (y - area.y) as usize * width + (seen.x - area.x) as usize;
            for (pixel, &[red, green, blue, _]) in pixels[start..].iter_mut().zip(colors) {
                *pixel = self.palette.pixel(Rgb(red, green, blue));
            }
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
