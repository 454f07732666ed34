//! A picture in memory, its rectangles and its colours.
//!
//! Everything is painted on a [`Frame`]. Windows, terminals, pages and films show it.

use tiny_skia::PixmapMut;

/// A picture of opaque pixels: red, green, blue and 255, row by row from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    width: u32,
    height: u32,
    data: Vec<u8>,
}

impl Frame {
    /// Makes a black picture.
    ///
    /// # Panics
    /// If it is empty.
    pub fn new(width: u32, height: u32) -> Frame {
        assert!(width > 0 && height > 0, "a picture has at least one pixel");
        let data = [0, 0, 0, 255].repeat(width as usize * height as usize);
        Frame { width, height, data }
    }

    /// Changes the size. The picture is undefined afterwards, but opaque.
    ///
    /// # Panics
    /// As [`Frame::new`].
    pub fn resize(&mut self, width: u32, height: u32) {
        if (self.width, self.height) != (width, height) {
            *self = Frame::new(width, height);
        }
    }

    /// Returns the number of pixels in a row.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Returns the number of rows.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// Returns the area of the whole picture.
    pub fn area(&self) -> Area {
        Area { x: 0, y: 0, width: self.width, height: self.height }
    }

    /// Returns the pixels, four bytes each.
    pub fn data(&self) -> &[u8] {
        &self.data
    }

    /// Returns the pixels for changes, four bytes each. The fourth byte has to stay 255.
    pub fn data_mut(&mut self) -> &mut [u8] {
        &mut self.data
    }

    /// Returns the colour of a pixel.
    ///
    /// # Panics
    /// If there is no such pixel.
    pub fn pixel(&self, x: u32, y: u32) -> Rgb {
        assert!(x < self.width && y < self.height, "the picture has no pixel {x},{y}");
        let at = 4 * (y as usize * self.width as usize + x as usize);
        Rgb(self.data[at], self.data[at + 1], self.data[at + 2])
    }

    /// Fills an area, as far as it lies on the picture.
    pub fn fill(&mut self, area: Area, color: Rgb) {
        let area = area.intersection(self.area());
        if area.is_empty() {
            return;
        }
        let pixel = [color.0, color.1, color.2, 255];
        for y in area.y..area.y + area.height as i32 {
            self.row_mut(y, area.x, area.width).fill(pixel);
        }
    }

    /// Copies a part of another picture, as far as there is room for it. Its upper left corner goes
    /// to the pixel (`x`, `y`).
    pub fn copy(&mut self, from: &Frame, part: Area, (x, y): (i32, i32)) {
        let to = Area { x, y, ..part }.intersection(self.area());
        if to.is_empty() {
            return;
        }
        for row in to.y..to.y + to.height as i32 {
            let pixels = from.row(row + part.y - y, to.x + part.x - x, to.width);
            self.row_mut(row, to.x, to.width).copy_from_slice(pixels);
        }
    }

    /// Returns the smallest area with all differences from a picture of the same size, as far as
    /// they are within `within`; `None` if there are none.
    pub fn difference(&self, other: &Frame, within: Area) -> Option<Area> {
        let within = within.intersection(self.area());
        if within.is_empty() {
            return None;
        }
        let pixels = |y: i32| [self, other].map(|frame| frame.row(y, within.x, within.width));
        let differs = |y: &i32| {
            // Bytes are compared fastest.
            let [own, others] = pixels(*y).map(<[[u8; 4]]>::as_flattened);
            own != others
        };
        let mut rows = within.y..within.y + within.height as i32;
        let top = rows.find(differs)?;
        let bottom = rows.rfind(differs).unwrap_or(top);
        let (mut left, mut right) = (within.width as usize, 0);
        for [own, others] in (top..=bottom).map(pixels) {
            let differs = |(one, other): (&[u8; 4], &[u8; 4])| one != other;
            // Only differences outside of the columns found so far can change them.
            if let Some(first) = own[..left].iter().zip(&others[..left]).position(differs) {
                left = first;
            }
            if let Some(last) = own[right..].iter().zip(&others[right..]).rposition(differs) {
                right += last;
            }
        }
        Some(Area {
            x: within.x + left as i32,
            y: top,
            width: (right + 1 - left) as u32,
            height: (bottom + 1 - top) as u32,
        })
    }

    /// Returns some pixels of a row.
    ///
    /// # Panics
    /// If they do not exist.
    pub fn row(&self, y: i32, x: i32, width: u32) -> &[[u8; 4]] {
        let start = y as usize * self.width as usize + x as usize;
        &self.data.as_chunks().0[start..start + width as usize]
    }

    /// Returns some pixels of a row for changes.
    ///
    /// # Panics
    /// If they do not exist.
    pub(crate) fn row_mut(&mut self, y: i32, x: i32, width: u32) -> &mut [[u8; 4]] {
        let start = y as usize * self.width as usize + x as usize;
        &mut self.data.as_chunks_mut().0[start..start + width as usize]
    }

    /// Copies pixels of a row to the rows below it.
    pub(crate) fn repeat_row(&mut self, y: i32, x: i32, width: u32, times: u32) {
        let start = 4 * (y as usize * self.width as usize + x as usize);
        for row in 1..=times as usize {
            let to = start + 4 * row * self.width as usize;
            self.data.copy_within(start..start + 4 * width as usize, to);
        }
    }

    /// Returns the frame in tiny-skia's form.
    pub(crate) fn pixmap(&mut self) -> PixmapMut<'_> {
        PixmapMut::from_bytes(&mut self.data, self.width, self.height)
            .expect("four bytes a pixel, and at least one pixel")
    }
}

/// A rectangle of a frame, in pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Area {
    /// The left edge.
    pub x: i32,
    /// The upper edge.
    pub y: i32,
    /// Width.
    pub width: u32,
    /// Height.
    pub height: u32,
}

impl Area {
    /// Returns the common part of both; empty if there is none.
    pub fn intersection(self, other: Area) -> Area {
        let along = |from: i32, length: u32, other_from: i32, other_length: u32| {
            let start = from.max(other_from);
            let end = from
                .saturating_add_unsigned(length)
                .min(other_from.saturating_add_unsigned(other_length));
            (start, i64::from(end) - i64::from(start))
        };
        let (x, width) = along(self.x, self.width, other.x, other.width);
        let (y, height) = along(self.y, self.height, other.y, other.height);
        Area { x, y, width: width.max(0) as u32, height: height.max(0) as u32 }
    }

    /// Returns whether it has no pixel.
    pub fn is_empty(self) -> bool {
        self.width == 0 || self.height == 0
    }

    /// Returns the area without a border of this many pixels; empty if it is too small.
    pub fn inset(self, border: u32) -> Area {
        let (x, y) =
            (self.x.saturating_add_unsigned(border), self.y.saturating_add_unsigned(border));
        let less = |length: u32| length.saturating_sub(2 * border);
        Area { x, y, width: less(self.width), height: less(self.height) }
    }

    /// Returns the point in its middle.
    pub fn middle(self) -> (f32, f32) {
        (self.x as f32 + self.width as f32 / 2.0, self.y as f32 + self.height as f32 / 2.0)
    }

    /// Returns the pixel in its middle.
    pub fn center(self) -> (i32, i32) {
        (self.x + (self.width / 2) as i32, self.y + (self.height / 2) as i32)
    }

    /// Returns whether it contains all of `other`.
    pub fn contains(self, other: Area) -> bool {
        self.intersection(other) == other
    }
}

/// A colour: red, green, blue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Rgb(pub u8, pub u8, pub u8);

impl Rgb {
    /// Black.
    pub const BLACK: Rgb = Rgb(0, 0, 0);

    /// White.
    pub const WHITE: Rgb = Rgb(255, 255, 255);

    /// Returns its brightness: 0 is black, 1 is white (relative luminance, WCAG 2.2).
    pub fn luminance(self) -> f32 {
        let [red, green, blue] = self.linear();
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }

    /// Returns the contrast ratio of two colours, from 1 to 21 (WCAG 2.2).
    pub fn contrast(self, other: Rgb) -> f32 {
        let (one, two) = (self.luminance(), other.luminance());
        (one.max(two) + 0.05) / (one.min(two) + 0.05)
    }

    /// Returns black or white, whichever is more readable on it.
    pub fn contrasting(self) -> Rgb {
        let on_white = self.contrast(Rgb::WHITE);
        if self.contrast(Rgb::BLACK) >= on_white { Rgb::BLACK } else { Rgb::WHITE }
    }

    /// Returns a colour between two, `part` of 255 on the way.
    pub fn mixed(self, to: Rgb, part: u16) -> Rgb {
        let mix = |from: u8, to: u8| {
            ((u16::from(from) * (255 - part) + u16::from(to) * part) / 255) as u8
        };
        Rgb(mix(self.0, to.0), mix(self.1, to.1), mix(self.2, to.2))
    }

    /// Returns red, green and blue as amounts of light, from 0 to 1 (sRGB, IEC 61966-2-1).
    pub(crate) fn linear(self) -> [f32; 3] {
        [self.0, self.1, self.2].map(|part| {
            let part = f32::from(part) / 255.0;
            if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_are_clipped() {
        let mut frame = Frame::new(4, 3);
        frame.fill(Area { x: -2, y: 1, width: 3, height: 9 }, Rgb(9, 8, 7));
        let filled = |x, y| frame.pixel(x, y) == Rgb(9, 8, 7);
        let all: Vec<_> =
            (0..3).map(|y| (0..4).map(|x| filled(x, y)).collect::<Vec<_>>()).collect();
        assert_eq!(all, [[false; 4], [true, false, false, false], [true, false, false, false]]);
        frame.fill(Area { x: 7, y: -9, width: 3, height: 2 }, Rgb(1, 1, 1));
        assert!(frame.data().iter().skip(3).step_by(4).all(|&alpha| alpha == 255));
    }

    #[test]
    fn contrast_is_that_of_wcag() {
        assert!((Rgb::BLACK.contrast(Rgb::WHITE) - 21.0).abs() < 1e-4);
        assert_eq!(Rgb::WHITE.contrast(Rgb::WHITE), 1.0);
        // #777777 on white is the well-known pair just below 4.5.
        assert!((Rgb(0x77, 0x77, 0x77).contrast(Rgb::WHITE) - 4.48).abs() < 0.01);
        assert_eq!(Rgb(240, 228, 66).contrasting(), Rgb::BLACK);
        assert_eq!(Rgb(0, 40, 140).contrasting(), Rgb::WHITE);
    }
}
