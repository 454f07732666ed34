//! A picture in memory.

use tiny_skia::PixmapMut;

use crate::{
    Rgb,
    canvas::{Canvas, Paint, polygon, rounded_rectangle},
};

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

    /// Returns whether it contains all of `other`.
    pub fn contains(self, other: Area) -> bool {
        self.intersection(other) == other
    }
}

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

    /// Fills an area with a translucent colour: `alpha` 0 is nothing, 255 is [`Frame::fill`].
    pub fn blend(&mut self, area: Area, color: Rgb, alpha: u8) {
        self.canvas().fill(area, Paint { color, alpha: f32::from(alpha) / 255.0 });
    }

    /// Draws the border of an area inside of it, `thickness` pixels wide.
    pub fn outline(&mut self, area: Area, thickness: u32, color: Rgb) {
        let Area { x, y, width, height } = area;
        let across = thickness.min(width);
        let down = thickness.min(height);
        let (right, bottom) = (x + (width - across) as i32, y + (height - down) as i32);
        self.fill(Area { height: down, ..area }, color);
        self.fill(Area { y: bottom, height: down, ..area }, color);
        self.fill(Area { width: across, ..area }, color);
        self.fill(Area { x: right, width: across, ..area }, color);
    }

    /// Fills an area with round corners; `alpha` as in [`Frame::blend`].
    pub fn rounded(&mut self, area: Area, radius: f32, color: Rgb, alpha: u8) {
        let paint = Paint { color, alpha: f32::from(alpha) / 255.0 };
        if let Some(path) = rounded_rectangle(area, radius) {
            self.canvas().path(&path, paint);
        }
    }

    /// Draws a line of this width between two points, with round ends.
    ///
    /// Pixels lie between whole numbers: the middle of the first one is (0.5, 0.5).
    pub fn line(&mut self, from: (f32, f32), to: (f32, f32), width: f32, color: Rgb) {
        self.lines(&[from, to], width, color);
    }

    /// Draws a line through several points, as [`Frame::line`].
    pub fn lines(&mut self, points: &[(f32, f32)], width: f32, color: Rgb) {
        self.canvas().lines(points, width, Paint::opaque(color));
    }

    /// Fills a disc.
    pub fn disc(&mut self, center: (f32, f32), radius: f32, color: Rgb) {
        self.canvas().disc(center, radius, Paint::opaque(color));
    }

    /// Draws a circle; `radius` reaches the outside of the line.
    pub fn ring(&mut self, center: (f32, f32), radius: f32, thickness: f32, color: Rgb) {
        self.canvas().ring(center, radius, thickness, Paint::opaque(color));
    }

    /// Fills a triangle.
    pub fn triangle(&mut self, corners: [(f32, f32); 3], color: Rgb) {
        self.polygon(&corners, color);
    }

    /// Fills the polygon with these corners.
    pub fn polygon(&mut self, corners: &[(f32, f32)], color: Rgb) {
        if let Some(path) = polygon(corners) {
            self.canvas().path(&path, Paint::opaque(color));
        }
    }

    /// Writes text with its upper left corner at a pixel, and returns its width.
    ///
    /// Lines are `size` pixels high. Characters that are missing in the font become a box.
    /// [`text_width`](crate::text_width) and [`text_fit`](crate::text_fit) tell the space that
    /// it needs.
    pub fn text(&mut self, x: i32, y: i32, text: &str, size: u32, bold: bool, color: Rgb) -> u32 {
        self.canvas().text((x, y), text, size, bold, Paint::opaque(color))
    }

    /// Returns a canvas with all of it.
    fn canvas(&mut self) -> Canvas<'_> {
        let area = self.area();
        Canvas::new(self, area)
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
