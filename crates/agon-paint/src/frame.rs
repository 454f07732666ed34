//! A picture in memory.
//!
//! Everything is painted on a [`Frame`]. Windows, terminals, pages and films show it.

use tiny_skia::PixmapMut;

use crate::{Area, Rgb};

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

    /// Returns some pixels of a row.
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
}
