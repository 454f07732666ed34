//! Films in formats that store only the differences between pictures: GIF and APNG.
//!
//! [`Animated`] is the film of both. It measures out the time of each picture; the formats'
//! modules write the file.

mod apng;
mod gif;
mod palette;

use std::{
    fmt::{self, Debug},
    fs::File,
    io::{self, BufWriter, Write},
    path::Path,
    time::Duration,
};

use agon_files::WholeFile;
use agon_view::paint::Frame;

use crate::encoding::{Film, FilmError, Finished, Format, Pixels, Style};

pub(crate) use apng::Apng;
pub(crate) use gif::Gif;
pub(crate) use palette::Palette;

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
    pub(crate) fn create(
        path: &Path,
        size: (u32, u32),
        style: &Style,
    ) -> Result<Animated<E>, FilmError> {
        if size.0.max(size.1) > E::MAX_SIDE {
            let format = E::FORMAT;
            let found = Pixels(size.0, size.1);
            let most = Pixels(E::MAX_SIDE, E::MAX_SIDE);
            return Err(FilmError::TooLarge { format, found, most });
        }
        let file = WholeFile::create(path)?;
        let encode = E::begin(file.writer()?, size, style).map_err(FilmError::write(path))?;
        let time = Duration::ZERO;
        let ticks = 0;
        let pictures = 0;
        Ok(Animated { file, encode, size, shown: None, next: None, time, ticks, pictures })
    }

    /// Writes the waiting picture.
    fn write_next(&mut self) -> Result<(), FilmError> {
        let Some((frame, delay)) = self.next.take() else { return Ok(()) };
        let ticks = ticks(self.time + delay, E::TICK).saturating_sub(self.ticks).max(E::MIN_TICKS);
        let error = FilmError::write(self.file.path());
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
    fn frame(&mut self, frame: &Frame, delay: Duration) -> Result<(), FilmError> {
        let size = (frame.width(), frame.height());
        if size != self.size {
            let expected = Pixels(self.size.0, self.size.1);
            let found = Pixels(size.0, size.1);
            return Err(FilmError::Size { path: self.file.path().to_owned(), expected, found });
        }
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

    fn finish(mut self: Box<Self>) -> Result<Finished, FilmError> {
        self.write_next()?;
        let path = self.file.path().to_owned();
        if self.pictures == 0 {
            return Err(FilmError::Empty(path));
        }
        let Animated { file, encode, pictures, ticks, size, .. } = *self;
        encode.end().and_then(|mut out| out.flush()).map_err(FilmError::write(&path))?;
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

/// A rectangle of a picture, in pixels; never empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rect {
    pub(crate) x: u32,
    pub(crate) y: u32,
    pub(crate) width: u32,
    pub(crate) height: u32,
}

/// A picture, and its differences from the one before.
#[derive(Debug)]
pub(crate) struct Changes<'a> {
    before: Option<&'a Frame>,
    now: &'a Frame,
    /// The smallest rectangle with all differences; a single pixel if there are none.
    pub(crate) rect: Rect,
}

impl<'a> Changes<'a> {
    /// Compares two pictures of the same size; without `before` everything differs.
    pub(crate) fn between(before: Option<&'a Frame>, now: &'a Frame) -> Changes<'a> {
        let rect = match before {
            Some(before) => differing(before, now),
            None => Rect { x: 0, y: 0, width: now.width(), height: now.height() },
        };
        Changes { before, now, rect }
    }

    /// Returns the pixels of the rectangle; `None` for each unchanged one.
    pub(crate) fn pixels(&self) -> impl Iterator<Item = Option<[u8; 4]>> + '_ {
        let Rect { x, y, width, height } = self.rect;
        let all = self.now.width() as usize;
        let row = move |frame: &'a Frame, y: u32| {
            let start = y as usize * all + x as usize;
            &frame.data().as_chunks::<4>().0[start..start + width as usize]
        };
        (y..y + height).flat_map(move |y| {
            let before = self.before.map(|before| row(before, y));
            let now = row(self.now, y);
            now.iter().enumerate().map(move |(x, pixel)| {
                let same = before.is_some_and(|before| before[x] == *pixel);
                (!same).then_some(*pixel)
            })
        })
    }
}

fn differing(before: &Frame, now: &Frame) -> Rect {
    let stride = 4 * now.width() as usize;
    let rows = || before.data().chunks_exact(stride).zip(now.data().chunks_exact(stride));
    let Some(top) = rows().position(|(a, b)| a != b) else {
        return Rect { x: 0, y: 0, width: 1, height: 1 };
    };
    let bottom = rows().rposition(|(a, b)| a != b).unwrap_or(top);
    let (mut left, mut right) = (now.width() as usize, 0);
    for (a, b) in rows().skip(top).take(bottom + 1 - top) {
        let (a, b) = (a.as_chunks::<4>().0, b.as_chunks::<4>().0);
        // Only differences outside of the columns found so far can change them.
        if let Some(first) = a[..left].iter().zip(&b[..left]).position(|(a, b)| a != b) {
            left = first;
        }
        if let Some(last) = a[right..].iter().zip(&b[right..]).rposition(|(a, b)| a != b) {
            right += last;
        }
    }
    let right = right.max(left);
    Rect {
        x: left as u32,
        y: top as u32,
        width: (right + 1 - left) as u32,
        height: (bottom + 1 - top) as u32,
    }
}

#[cfg(test)]
mod tests {
    use agon_view::paint::{Area, Rgb};

    use super::*;

    #[test]
    fn the_rectangle_is_the_smallest() {
        let before = Frame::new(9, 7);
        assert_eq!(
            Changes::between(Some(&before), &before).rect,
            Rect { x: 0, y: 0, width: 1, height: 1 }
        );
        assert_eq!(Changes::between(None, &before).rect, Rect { x: 0, y: 0, width: 9, height: 7 });
        let dots = [(0, 0), (8, 6), (3, 2), (5, 4), (8, 0), (0, 6), (4, 3)];
        for a in dots {
            for b in dots {
                let mut now = before.clone();
                for (x, y) in [a, b] {
                    now.fill(Area { x, y, width: 1, height: 1 }, Rgb(9, 9, 9));
                }
                let changes = Changes::between(Some(&before), &now);
                let (x, y) = (a.0.min(b.0) as u32, a.1.min(b.1) as u32);
                let (width, height) = (a.0.abs_diff(b.0) + 1, a.1.abs_diff(b.1) + 1);
                assert_eq!(changes.rect, Rect { x, y, width, height }, "{a:?} {b:?}");
                let expected = if a == b { 1 } else { 2 };
                assert_eq!(changes.pixels().flatten().count(), expected);
            }
        }
    }
}
