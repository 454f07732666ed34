//! Films in formats that store only the differences between pictures: GIF and APNG.
//!
//! [`Animated`] is the film of both. It measures out the time of each picture; [`Gif`] and [`Apng`]
//! write the file.

use std::fmt::{self, Debug};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::{collections::HashMap, fs::File, path::Path, time::Duration};

use agon_files::{WholeFile, WriteError};
use agon_view::paint::{Area, Frame, Rgb};
use anyhow::Result;
use gif::{DisposalMethod, Repeat};
use png::{BitDepth, BlendOp, ColorType, Compression, Filter};

use super::{Film, Finished, Format, Style, check_pictures, check_side, check_size};

/// The file of a film.
pub(crate) type Sink = BufWriter<File>;

/// A format.
pub(crate) trait Encode: Sized + Send {
    /// The format.
    const FORMAT: Format;
    /// The library that encodes it.
    const ENCODER: &'static str;
    /// The unit of time.
    const TICK: Duration;
    /// The fewest ticks for a picture.
    const MIN_TICKS: u64;
    /// The most ticks for a picture; a longer one is stored twice.
    const MAX_TICKS: u64;
    /// The largest width and height.
    const MAX_SIDE: u32;

    /// Starts a file.
    fn begin(out: Sink, size: (u32, u32), style: &Style) -> io::Result<Self>;

    /// Writes the changes.
    fn part(&mut self, changes: &Changes<'_>, ticks: u64) -> io::Result<()>;

    /// Ends the file.
    fn end(self) -> io::Result<Sink>;
}

/// A film of a format that stores changes.
pub(crate) struct Animated<E> {
    file: WholeFile,
    encode: E,
    size: (u32, u32),
    /// The last picture in the file.
    shown: Option<Frame>,
    /// The next picture with its minimum time. It is written when another one follows.
    next: Option<(Frame, Duration)>,
    /// The time of all pictures in the file.
    time: Duration,
    /// The same as stored in the file.
    ticks: u64,
    pictures: u64,
}

impl<E: Encode> Animated<E> {
    pub(crate) fn create(path: &Path, size: (u32, u32), style: &Style) -> Result<Animated<E>> {
        check_side(E::FORMAT, size, E::MAX_SIDE)?;
        let file = WholeFile::create(path)?;
        let encode = E::begin(file.writer()?, size, style).map_err(WriteError::of(path))?;
        let time = Duration::ZERO;
        Ok(Animated { file, encode, size, shown: None, next: None, time, ticks: 0, pictures: 0 })
    }

    /// Writes the waiting picture.
    fn write_next(&mut self) -> Result<()> {
        let Some((frame, delay)) = self.next.take() else { return Ok(()) };
        let ticks = ticks(self.time + delay, E::TICK).saturating_sub(self.ticks).max(E::MIN_TICKS);
        let error = WriteError::of(self.file.path());
        self.write_part(&frame, ticks).map_err(error)?;
        self.time += delay;
        self.ticks += ticks;
        self.pictures += 1;
        self.shown = Some(frame);
        Ok(())
    }

    fn write_part(&mut self, frame: &Frame, ticks: u64) -> io::Result<()> {
        let first = ticks.min(E::MAX_TICKS);
        let changes = Changes::between(self.shown.as_ref(), frame);
        self.encode.part(&changes, first)?;
        let mut left = ticks - first;
        while left > 0 {
            let part = left.min(E::MAX_TICKS);
            self.encode.part(&Changes::between(Some(frame), frame), part)?;
            left -= part;
        }
        Ok(())
    }
}

impl<E> Debug for Animated<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Animated").field("path", &self.file.path()).finish_non_exhaustive()
    }
}

impl<E: Encode> Film for Animated<E> {
    fn frame(&mut self, frame: &Frame, delay: Duration) -> Result<()> {
        check_size(frame, self.size, self.file.path())?;
        match &mut self.next {
            // It just stays longer.
            Some((next, seen)) if next == frame => *seen += delay,
            // Nobody would see it: the time is too short for the format.
            Some((next, seen)) if ticks(self.time + *seen, E::TICK) < self.ticks + E::MIN_TICKS => {
                next.clone_from(frame);
                *seen += delay;
            }
            _ => {
                self.write_next()?;
                self.next = Some((frame.clone(), delay));
            }
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<Finished> {
        self.write_next()?;
        let path = self.file.path().to_owned();
        check_pictures(self.pictures, &path)?;
        let Animated { file, encode, pictures, ticks, size, .. } = *self;
        encode.end().and_then(|mut out| out.flush()).map_err(WriteError::of(&path))?;
        let bytes = file.keep()?;
        let length = Some(E::TICK * u32::try_from(ticks).unwrap_or(u32::MAX));
        let encoder = E::ENCODER.to_owned();
        Ok(Finished { path, format: E::FORMAT, pictures, bytes, length, size, encoder })
    }
}

/// Returns a time in whole ticks.
fn ticks(time: Duration, tick: Duration) -> u64 {
    ((time + tick / 2).as_nanos() / tick.as_nanos()) as u64
}

/// A picture, and its differences from the one before.
#[derive(Debug)]
pub(crate) struct Changes<'a> {
    before: Option<&'a Frame>,
    now: &'a Frame,
    /// The smallest rectangle with all differences; a single pixel if there are none.
    pub(crate) rect: Area,
}

impl<'a> Changes<'a> {
    /// Compares two pictures of the same size; without `before` everything differs.
    pub(crate) fn between(before: Option<&'a Frame>, now: &'a Frame) -> Changes<'a> {
        let rect = match before {
            Some(before) => now.difference(before, now.area()).unwrap_or(Area {
                x: 0,
                y: 0,
                width: 1,
                height: 1,
            }),
            None => now.area(),
        };
        Changes { before, now, rect }
    }

    /// Returns the pixels of the rectangle; `None` for each unchanged one.
    pub(crate) fn pixels(&self) -> impl Iterator<Item = Option<[u8; 4]>> + '_ {
        let Area { x, y, width, height } = self.rect;
        (y..y + height as i32).flat_map(move |y| {
            let before = self.before.map(|before| before.row(y, x, width));
            self.now.row(y, x, width).iter().enumerate().map(move |(x, pixel)| {
                let same = before.is_some_and(|before| before[x] == *pixel);
                (!same).then_some(*pixel)
            })
        })
    }
}

/// The offset of the table of colours.
///
/// It is after the signature (6 bytes) and the size of the screen (7).
const TABLE: u64 = 13;

/// The place in the table that means "as before".
///
/// It is the first one, because codes are short as long as numbers are small.
const SAME: u8 = 0;

/// GIF.
pub(crate) struct Gif {
    palette: Palette,
    encoder: gif::Encoder<Sink>,
}

impl Encode for Gif {
    const FORMAT: Format = Format::Gif;
    const ENCODER: &'static str = "the library gif";
    const TICK: Duration = Duration::from_millis(10);
    // Viewers show a picture of one tick for ten ticks.
    const MIN_TICKS: u64 = 2;
    const MAX_TICKS: u64 = u16::MAX as u64;
    const MAX_SIDE: u32 = u16::MAX as u32;

    fn begin(out: Sink, (width, height): (u32, u32), style: &Style) -> io::Result<Gif> {
        let mut encoder =
            gif::Encoder::new(out, width as u16, height as u16, &[0; 768]).map_err(plain)?;
        encoder.set_repeat(Repeat::Infinite).map_err(plain)?;
        Ok(Gif { palette: Palette::new(255, &style.colors), encoder })
    }

    fn part(&mut self, changes: &Changes<'_>, ticks: u64) -> io::Result<()> {
        let Area { x, y, width, height } = changes.rect;
        let place =
            |pixel: Option<[u8; 4]>| pixel.map_or(SAME, |pixel| 1 + self.palette.place(pixel));
        let frame = gif::Frame {
            delay: ticks as u16,
            dispose: DisposalMethod::Keep,
            transparent: Some(SAME),
            left: x as u16,
            top: y as u16,
            width: width as u16,
            height: height as u16,
            buffer: changes.pixels().map(place).collect(),
            ..gif::Frame::default()
        };
        self.encoder.write_frame(&frame).map_err(plain)
    }

    fn end(self) -> io::Result<Sink> {
        let mut out = self.encoder.into_inner().map_err(plain)?;
        out.seek(SeekFrom::Start(TABLE))?;
        out.write_all(&[0; 3])?;
        out.write_all(&self.palette.table(255))?;
        out.seek(SeekFrom::End(0))?;
        Ok(out)
    }
}

fn plain(error: gif::EncodingError) -> io::Error {
    match error {
        gif::EncodingError::Io(error) => error,
        other => io::Error::other(other),
    }
}

/// The length of the chunk IEND, which ends a file.
const END: usize = 12;

/// APNG: PNG with chunks for more pictures.
pub(crate) struct Apng {
    writer: png::Writer<Sink>,
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
        let Area { x, y, width, height } = changes.rect;
        let pixels: Vec<u8> = changes.pixels().flat_map(Option::unwrap_or_default).collect();
        // The old position may leave no room for the new size.
        self.writer.reset_frame_position()?;
        self.writer.set_frame_dimension(width, height)?;
        self.writer.set_frame_position(x as u32, y as u32)?;
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
) -> Result<png::Writer<W>, png::EncodingError> {
    let mut encoder = png::Encoder::new(out, width, height);
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

/// The number of colours from which a new one must differ from all others to get its own place.
const CROWDED: usize = 160;

/// That difference: the sum of squared differences of red, green and blue.
const DIFFERENT: u32 = 3 * 6 * 6;

/// A table of colours that grows with the pictures, for GIF films and for PNG pictures of few
/// colours. Once it is full, new colours become the nearest ones in it.
#[derive(Debug)]
pub(crate) struct Palette {
    colors: Vec<Rgb>,
    most: usize,
    /// The place of a pixel's colour in the table.
    places: HashMap<u32, u8>,
    /// The last colours by a hash, because most pixels repeat an earlier one.
    recent: Vec<(u32, u8)>,
}

impl Palette {
    /// Makes a table with at most `most` colours, and reserves places for `first`.
    ///
    /// # Panics
    /// If it has no place, or more than 256.
    pub(crate) fn new(most: usize, first: &[Rgb]) -> Palette {
        assert!((1..=256).contains(&most), "a palette has 1 to 256 places");
        // No pixel has this key: its alpha is 255.
        let recent = vec![(0, 0); 1024];
        let mut palette = Palette { colors: Vec::new(), most, places: HashMap::new(), recent };
        for &Rgb(r, g, b) in first.iter().take(most / 2) {
            palette.place([r, g, b, 255]);
        }
        palette
    }

    /// Returns a picture's colours, three bytes each; fills in the place of each pixel's colour.
    ///
    /// `None` if there are more than 256 colours.
    pub(crate) fn exact(frame: &Frame, indices: &mut Vec<u8>) -> Option<Vec<u8>> {
        let mut palette = Palette::new(256, &[]);
        for &pixel in frame.data().as_chunks::<4>().0 {
            let known = palette.colors.len();
            let index =
                palette.known(pixel).or_else(|| (known < 256).then(|| palette.add(pixel)))?;
            indices.push(index);
        }
        Some(palette.table(palette.colors.len()))
    }

    /// Returns the place of a pixel's colour, or of the nearest one.
    pub(crate) fn place(&mut self, pixel: [u8; 4]) -> u8 {
        if let Some(place) = self.known(pixel) {
            return place;
        }
        if self.colors.len() < CROWDED.min(self.most) {
            return self.add(pixel);
        }
        let (nearest, distance) = self.nearest(pixel);
        if self.colors.len() < self.most && distance > DIFFERENT {
            return self.add(pixel);
        }
        self.places.insert(key(pixel), nearest);
        nearest
    }

    /// Returns the table, three bytes per colour, filled with black up to `length` colours.
    pub(crate) fn table(&self, length: usize) -> Vec<u8> {
        let mut table: Vec<u8> = self.colors.iter().flat_map(|&Rgb(r, g, b)| [r, g, b]).collect();
        table.resize(3 * length, 0);
        table
    }

    fn known(&mut self, pixel: [u8; 4]) -> Option<u8> {
        let key = key(pixel);
        let slot = &mut self.recent[(key.wrapping_mul(0x9E37_79B1) >> 22) as usize];
        if slot.0 != key {
            *slot = (key, *self.places.get(&key)?);
        }
        Some(slot.1)
    }

    fn add(&mut self, pixel: [u8; 4]) -> u8 {
        let place = u8::try_from(self.colors.len()).expect("there are at most 256 colours");
        self.colors.push(Rgb(pixel[0], pixel[1], pixel[2]));
        self.places.insert(key(pixel), place);
        place
    }

    fn nearest(&self, pixel: [u8; 4]) -> (u8, u32) {
        let distance = |&Rgb(r, g, b): &Rgb| {
            [(r, pixel[0]), (g, pixel[1]), (b, pixel[2])]
                .iter()
                .map(|&(one, other)| u32::from(one.abs_diff(other)).pow(2))
                .sum()
        };
        let nearest =
            self.colors.iter().map(distance).enumerate().min_by_key(|&(_, distance)| distance);
        let (place, distance) = nearest.expect("no colour is looked for before there is one");
        (place as u8, distance)
    }
}

fn key(pixel: [u8; 4]) -> u32 {
    u32::from_le_bytes(pixel)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rectangle_is_the_smallest() {
        let before = Frame::new(9, 7);
        assert_eq!(
            Changes::between(Some(&before), &before).rect,
            Area { x: 0, y: 0, width: 1, height: 1 }
        );
        assert_eq!(Changes::between(None, &before).rect, Area { x: 0, y: 0, width: 9, height: 7 });
        let dots = [(0, 0), (8, 6), (3, 2), (5, 4), (8, 0), (0, 6), (4, 3)];
        for a in dots {
            for b in dots {
                let mut now = before.clone();
                for (x, y) in [a, b] {
                    now.fill(Area { x, y, width: 1, height: 1 }, Rgb(9, 9, 9));
                }
                let changes = Changes::between(Some(&before), &now);
                let (x, y) = (a.0.min(b.0), a.1.min(b.1));
                let (width, height) = (a.0.abs_diff(b.0) + 1, a.1.abs_diff(b.1) + 1);
                assert_eq!(changes.rect, Area { x, y, width, height }, "{a:?} {b:?}");
                let expected = if a == b { 1 } else { 2 };
                assert_eq!(changes.pixels().flatten().count(), expected);
            }
        }
    }

    #[test]
    fn pictures_of_256_colours_are_exact_and_of_257_are_not() {
        for (width, fits) in [(256, true), (257, false)] {
            let mut frame = Frame::new(width, 1);
            for (n, pixel) in frame.data_mut().chunks_exact_mut(4).enumerate() {
                pixel[0] = n as u8;
                pixel[1] = (n / 256) as u8;
            }
            let mut indices = Vec::new();
            let table = Palette::exact(&frame, &mut indices);
            assert_eq!(table.is_some(), fits);
            if let Some(table) = table {
                assert_eq!((table.len(), indices[255], table[3 * 255]), (768, 255, 255));
            }
        }
    }
}
