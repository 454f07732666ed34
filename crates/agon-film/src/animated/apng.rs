//! APNG: PNG with chunks for more pictures.
//!
//! Source: W3C, "PNG Specification, Third Edition", sections 11.3.6 and 4.9.

use std::{
    io::{self, Seek, SeekFrom, Write},
    time::Duration,
};

use png::{BitDepth, ColorType, Compression, Encoder, Filter};

use super::{Changes, Encode, Rect, Sink};
use crate::{Format, Style};

const SIGNATURE: [u8; 8] = *b"\x89PNG\r\n\x1a\n";

/// The offset of the number of pictures.
///
/// It is after the signature and the chunk IHDR (13 bytes and 12 around them).
const COUNT: u64 = 8 + 25;

/// APNG.
#[derive(Debug)]
pub(crate) struct Apng {
    out: Sink,
    pictures: u32,
    /// Chunks for pictures are numbered.
    sequence: u32,
}

impl Encode for Apng {
    const FORMAT: Format = Format::Apng;
    const ENCODER: &'static str = "the library png";
    const TICK: Duration = Duration::from_millis(1);
    const MIN_TICKS: u64 = 1;
    const MAX_TICKS: u64 = u16::MAX as u64;
    const MAX_SIDE: u32 = i32::MAX as u32;

    fn begin(mut out: Sink, (width, height): (u32, u32), _: &Style) -> io::Result<Apng> {
        out.write_all(&SIGNATURE)?;
        let mut head = [width.to_be_bytes(), height.to_be_bytes()].concat();
        // Eight bits for each of red, green, blue and alpha; the only compression and filters;
        // not interlaced.
        head.extend([8, 6, 0, 0, 0]);
        write_chunk(&mut out, *b"IHDR", &head)?;
        let mut apng = Apng { out, pictures: 0, sequence: 0 };
        apng.write_count()?;
        Ok(apng)
    }

    fn part(&mut self, changes: &Changes<'_>, ticks: u64) -> io::Result<()> {
        let Rect { x, y, width, height } = changes.rect;
        let mut control = self.numbered();
        control.extend([width, height, x, y].iter().flat_map(|n| n.to_be_bytes()));
        // The delay as a fraction; nothing is cleared afterwards; drawn over the old picture.
        control.extend(
            (ticks as u16).to_be_bytes().into_iter().chain(1000u16.to_be_bytes()).chain([0, 1]),
        );
        write_chunk(&mut self.out, *b"fcTL", &control)?;
        let pixels: Vec<u8> = changes.pixels().flat_map(Option::unwrap_or_default).collect();
        let data = compressed(&pixels, width, height)?;
        if self.pictures == 0 {
            write_chunk(&mut self.out, *b"IDAT", &data)?;
        } else {
            let mut numbered = self.numbered();
            numbered.extend(data);
            write_chunk(&mut self.out, *b"fdAT", &numbered)?;
        }
        self.pictures += 1;
        Ok(())
    }

    fn end(mut self) -> io::Result<Sink> {
        write_chunk(&mut self.out, *b"IEND", &[])?;
        self.out.seek(SeekFrom::Start(COUNT))?;
        self.write_count()?;
        self.out.seek(SeekFrom::End(0))?;
        Ok(self.out)
    }
}

impl Apng {
    /// Writes the number of pictures, and that they repeat forever.
    fn write_count(&mut self) -> io::Result<()> {
        let counts = [self.pictures.to_be_bytes(), 0u32.to_be_bytes()].concat();
        write_chunk(&mut self.out, *b"acTL", &counts)
    }

    /// Starts a chunk with a number.
    fn numbered(&mut self) -> Vec<u8> {
        let number = self.sequence.to_be_bytes();
        self.sequence += 1;
        number.to_vec()
    }
}

/// Returns the compressed pixels as in a PNG file.
fn compressed(pixels: &[u8], width: u32, height: u32) -> io::Result<Vec<u8>> {
    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, width, height);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_color(ColorType::Rgba);
    encoder.set_compression(Compression::Balanced);
    // Rows of large cells are alike.
    encoder.set_filter(Filter::Up);
    encoder.write_header().and_then(|mut writer| {
        writer.write_image_data(pixels)?;
        writer.finish()
    })?;
    let mut data = Vec::new();
    let mut rest = &file[SIGNATURE.len()..];
    while let Some((length, tail)) = rest.split_first_chunk::<4>() {
        let length = u32::from_be_bytes(*length) as usize;
        if tail.starts_with(b"IDAT") {
            data.extend_from_slice(&tail[4..4 + length]);
        }
        rest = &tail[4 + length + 4..];
    }
    Ok(data)
}

fn write_chunk(out: &mut Sink, name: [u8; 4], data: &[u8]) -> io::Result<()> {
    out.write_all(&(data.len() as u32).to_be_bytes())?;
    out.write_all(&name)?;
    out.write_all(data)?;
    out.write_all(&crc(&name, data).to_be_bytes())
}

/// Returns the checksum of a chunk: CRC-32 over its name and data, byte by byte with a table.
///
/// Source: the same specification, section 5.5.
fn crc(name: &[u8], data: &[u8]) -> u32 {
    let step = |crc: u32, &byte: &u8| (crc >> 8) ^ CRCS[usize::from(crc as u8 ^ byte)];
    !name.iter().chain(data).fold(u32::MAX, step)
}

const CRCS: [u32; 256] = {
    let mut table = [0; 256];
    let mut n = 0;
    while n < 256 {
        let mut crc = n as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 1 == 1 { 0xEDB8_8320 ^ (crc >> 1) } else { crc >> 1 };
            bit += 1;
        }
        table[n] = crc;
        n += 1;
    }
    table
};
