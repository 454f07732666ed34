//! The pixel formats that clients choose (RFC 6143, section 7.4).
//!
//! The encodings convert colours to a client's format with it.

use agon_view::paint::Rgb;
use thiserror::Error;

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

/// The reason why a format of pixels is impossible.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum FormatError {
    /// Pixels would be indices of colours.
    #[error("it wants a colour map; only true colour is offered")]
    ColorMap,
    /// Pixels are neither bytes nor words.
    #[error("it wants pixels of {0} bits; 8, 16 and 32 are offered")]
    Bits(u8),
    /// A colour does not fit into the pixel.
    #[error(
        "it wants colours from 0 to {max} at bit {shift} of pixels of {bits} bits, which is no \
         range of bits"
    )]
    Channel {
        /// The brightest.
        max: u16,
        /// The lowest bit.
        shift: u8,
        /// Bits of a pixel.
        bits: u8,
    },
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
    /// Reads the format from a message.
    ///
    /// # Errors
    /// If pixels of this format are impossible.
    pub fn from_bytes(bytes: [u8; FORMAT_BYTES]) -> Result<PixelFormat, FormatError> {
        let [bits, depth, big_endian, true_color, r1, r0, g1, g0, b1, b0, red, green, blue, ..] =
            bytes;
        if !matches!(bits, 8 | 16 | 32) {
            return Err(FormatError::Bits(bits));
        }
        if true_color == 0 {
            return Err(FormatError::ColorMap);
        }
        let channel = |max: [u8; 2], shift: u8| {
            let max = u16::from_be_bytes(max);
            let is_range = max & max.wrapping_add(1) == 0;
            if !is_range || u32::from(shift) + max.count_ones() > u32::from(bits) {
                return Err(FormatError::Channel { max, shift, bits });
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

    fn format(bytes: [u8; 13]) -> Result<PixelFormat, FormatError> {
        let mut all = [0; 16];
        all[..13].copy_from_slice(&bytes);
        PixelFormat::from_bytes(all)
    }

    #[test]
    fn formats_that_cannot_be() {
        assert_eq!(format([8, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]), Err(FormatError::ColorMap));
        assert_eq!(
            format([24, 24, 0, 1, 0, 255, 0, 255, 0, 255, 0, 8, 16]),
            Err(FormatError::Bits(24))
        );
        let outside = FormatError::Channel { max: 255, shift: 9, bits: 16 };
        assert_eq!(format([16, 16, 0, 1, 0, 255, 0, 255, 0, 255, 9, 0, 0]), Err(outside));
        let gaps = FormatError::Channel { max: 5, shift: 0, bits: 16 };
        assert_eq!(format([16, 16, 0, 1, 0, 5, 0, 255, 0, 255, 0, 0, 0]), Err(gaps));
        let far = FormatError::Channel { max: 0, shift: 255, bits: 32 };
        assert_eq!(format([32, 24, 0, 1, 0, 0, 0, 0, 0, 0, 255, 0, 0]), Err(far));
    }
}
