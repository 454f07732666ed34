//! Shapes and texts on a frame: lines, discs, boxes, letters.
//!
//! The viewer draws its panels with these methods, films their captions, and charts their lines.

use crate::{
    Area, Frame, Rgb,
    canvas::{Canvas, Paint, polygon, rounded_rectangle},
};

impl Frame {
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
    /// [`text_width`](crate::text_width) and [`text_fit`](crate::text_fit) help to find space
    /// for it.
    pub fn text(&mut self, x: i32, y: i32, text: &str, size: u32, bold: bool, color: Rgb) -> u32 {
        self.canvas().text((x, y), text, size, bold, Paint::opaque(color))
    }

    /// Returns a canvas with all of it.
    fn canvas(&mut self) -> Canvas<'_> {
        let area = self.area();
        Canvas::new(self, area)
    }
}
