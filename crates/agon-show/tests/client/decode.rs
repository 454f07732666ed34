//! Decodes the rectangles of updates, for the client of these tests.

use std::io::{self, Read};

use flate2::{Decompress, FlushDecompress};

use super::Rectangle;

/// A picture of pixels in the client's format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    pub width: u16,
    pub height: u16,
    pub pixels: Vec<u32>,
}

impl Picture {
    pub fn new(width: u16, height: u16) -> Picture {
        Picture {
            width,
            height,
            pixels: vec![0xdead_beef; usize::from(width) * usize::from(height)],
        }
    }

    pub fn pixel(&self, x: u16, y: u16) -> u32 {
        self.pixels[usize::from(y) * usize::from(self.width) + usize::from(x)]
    }

    fn fill(&mut self, (x, y): (usize, usize), width: usize, height: usize, pixel: u32) {
        for y in y..y + height {
            let start = y * usize::from(self.width) + x;
            self.pixels[start..start + width].fill(pixel);
        }
    }
}

/// Decodes the output of one server.
pub struct Decoder {
    format: [u8; 16],
    zlib: Decompress,
}

impl Decoder {
    pub fn new(format: [u8; 16]) -> Decoder {
        Decoder { format, zlib: Decompress::new(true) }
    }

    pub fn set_format(&mut self, format: [u8; 16]) {
        self.format = format;
    }

    fn pixel_bytes(&self) -> usize {
        usize::from(self.format[0] / 8)
    }

    fn value(&self, bytes: &[u8]) -> u32 {
        let is_big = self.format[2] != 0;
        let add = |value: u32, byte: &u8| value << 8 | u32::from(*byte);
        if is_big { bytes.iter().fold(0, add) } else { bytes.iter().rev().fold(0, add) }
    }

    fn pixel(&self, from: &mut impl Read) -> io::Result<u32> {
        let mut bytes = vec![0; self.pixel_bytes()];
        from.read_exact(&mut bytes)?;
        Ok(self.value(&bytes))
    }

    /// Reads a CPIXEL: with 32 bits and depth 24 it has only the three bytes with colours.
    fn compressed_pixel(&self, from: &mut impl Read) -> io::Result<u32> {
        let colors: u64 = [(4, 10), (6, 11), (8, 12)]
            .map(|(max, shift)| {
                u64::from(u16::from_be_bytes([self.format[max], self.format[max + 1]]))
                    << self.format[shift]
            })
            .iter()
            .sum();
        let is_low = colors >> 24 == 0;
        if self.pixel_bytes() != 4 || self.format[1] > 24 || (!is_low && colors & 0xff != 0) {
            return self.pixel(from);
        }
        let mut bytes = [0; 3];
        from.read_exact(&mut bytes)?;
        Ok(if is_low { self.value(&bytes) } else { self.value(&bytes) << 8 })
    }

    pub fn rectangle(
        &mut self,
        from: &mut impl Read,
        rectangle: Rectangle,
        to: &mut Picture,
    ) -> io::Result<()> {
        match rectangle.encoding {
            super::RAW => self.raw(from, rectangle, to),
            super::HEXTILE => self.hextile(from, rectangle, to),
            super::ZRLE => {
                let mut length = [0; 4];
                from.read_exact(&mut length)?;
                let mut compressed = vec![0; u32::from_be_bytes(length) as usize];
                from.read_exact(&mut compressed)?;
                let plain = self.inflate(&compressed);
                let mut rest = &plain[..];
                self.zrle(&mut rest, rectangle, to)?;
                assert!(rest.is_empty(), "{} bytes of a rectangle are left", rest.len());
                Ok(())
            }
            other => panic!("encoding {other}"),
        }
    }

    fn inflate(&mut self, mut compressed: &[u8]) -> Vec<u8> {
        let mut plain = Vec::with_capacity(1 << 16);
        while !compressed.is_empty() || plain.len() == plain.capacity() {
            plain.reserve(1 << 16);
            let before = self.zlib.total_in();
            self.zlib.decompress_vec(compressed, &mut plain, FlushDecompress::Sync).unwrap();
            compressed = &compressed[(self.zlib.total_in() - before) as usize..];
        }
        plain
    }

    fn raw(&self, from: &mut impl Read, area: Rectangle, to: &mut Picture) -> io::Result<()> {
        for y in area.y..area.y + area.height {
            for x in area.x..area.x + area.width {
                to.fill((x.into(), y.into()), 1, 1, self.pixel(from)?);
            }
        }
        Ok(())
    }

    fn hextile(&self, from: &mut impl Read, area: Rectangle, to: &mut Picture) -> io::Result<()> {
        let mut background = None;
        let mut foreground = None;
        for tile in tiles(area, 16) {
            let [kind] = bytes(from)?;
            if kind & 1 != 0 {
                self.raw(from, tile, to)?;
                // Nothing of the previous tile may be remembered.
                (background, foreground) = (None, None);
                continue;
            }
            if kind & 2 != 0 {
                background = Some(self.pixel(from)?);
            }
            if kind & 4 != 0 {
                foreground = Some(self.pixel(from)?);
            }
            let (x, y) = (usize::from(tile.x), usize::from(tile.y));
            let pixel = background.expect("a background");
            to.fill((x, y), tile.width.into(), tile.height.into(), pixel);
            let count = if kind & 8 != 0 { bytes::<1>(from)?[0] } else { 0 };
            for _ in 0..count {
                let pixel = if kind & 16 != 0 {
                    self.pixel(from)?
                } else {
                    foreground.expect("a foreground")
                };
                let [at, size] = bytes(from)?.map(usize::from);
                let (width, height) = ((size >> 4) + 1, (size & 15) + 1);
                assert!(
                    (at >> 4) + width <= tile.width.into()
                        && (at & 15) + height <= tile.height.into()
                );
                to.fill((x + (at >> 4), y + (at & 15)), width, height, pixel);
            }
            if kind & 16 != 0 {
                foreground = None;
            }
        }
        Ok(())
    }

    fn zrle(&self, from: &mut &[u8], area: Rectangle, to: &mut Picture) -> io::Result<()> {
        for tile in tiles(area, 64) {
            let count = usize::from(tile.width) * usize::from(tile.height);
            let [kind] = bytes(from)?;
            let colors = (0..kind % 128)
                .map(|_| self.compressed_pixel(from))
                .collect::<io::Result<Vec<_>>>()?;
            let mut pixels = Vec::with_capacity(count);
            match kind {
                0 => {
                    for _ in 0..count {
                        pixels.push(self.compressed_pixel(from)?);
                    }
                }
                1 => pixels.resize(count, colors[0]),
                2..=16 => {
                    let bits = if kind == 2 {
                        1
                    } else if kind <= 4 {
                        2
                    } else {
                        4
                    };
                    for _ in 0..tile.height {
                        let mut byte = 0;
                        let mut left = 0;
                        for _ in 0..tile.width {
                            if left == 0 {
                                (byte, left) = (bytes::<1>(from)?[0], 8);
                            }
                            left -= bits;
                            pixels.push(colors[usize::from(byte >> left & ((1 << bits) - 1))]);
                        }
                    }
                }
                128 | 130.. => {
                    while pixels.len() < count {
                        let (pixel, is_run) = if kind == 128 {
                            (self.compressed_pixel(from)?, true)
                        } else {
                            let [number] = bytes(from)?;
                            (colors[usize::from(number & 127)], number & 128 != 0)
                        };
                        let mut length = 1;
                        let mut goes_on = is_run;
                        while goes_on {
                            let [more] = bytes(from)?;
                            length += usize::from(more);
                            goes_on = more == 255;
                        }
                        pixels.resize(pixels.len() + length, pixel);
                    }
                }
                _ => panic!("a tile of kind {kind}"),
            }
            assert_eq!(pixels.len(), count);
            for (row, y) in pixels.chunks(tile.width.into()).zip(usize::from(tile.y)..) {
                row.iter()
                    .enumerate()
                    .for_each(|(x, &p)| to.fill((usize::from(tile.x) + x, y), 1, 1, p));
            }
        }
        Ok(())
    }
}

fn tiles(area: Rectangle, side: u16) -> Vec<Rectangle> {
    let mut tiles = vec![];
    for y in (0..area.height).step_by(side.into()) {
        for x in (0..area.width).step_by(side.into()) {
            let (width, height) = (side.min(area.width - x), side.min(area.height - y));
            tiles.push(Rectangle { x: area.x + x, y: area.y + y, width, height, ..area });
        }
    }
    tiles
}

fn bytes<const N: usize>(from: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    from.read_exact(&mut bytes)?;
    Ok(bytes)
}
