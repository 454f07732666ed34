//! The part of a frame that may be drawn on, and how shapes and text get there.
//!
//! The painter draws boards on a [`Canvas`], so that nothing goes beyond their area. The viewer
//! draws its panels with methods of [`Frame`], films their captions, and charts their lines.

use tiny_skia::{Color, FillRule, LineCap, LineJoin, Mask, Path, PathBuilder, Stroke, Transform};

use crate::paint::text::Face;
use crate::paint::{Area, Frame, Rgb};

/// The colour of a drawing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Paint {
    pub(crate) color: Rgb,
    /// From 0, invisible, to 1.
    pub(crate) alpha: f32,
}

impl Paint {
    pub(crate) fn opaque(color: Rgb) -> Paint {
        Paint { color, alpha: 1.0 }
    }
}

/// A frame of which only a part may change.
pub(crate) struct Canvas<'f> {
    frame: &'f mut Frame,
    /// The part that may change.
    pub(crate) clip: Area,
    /// The part in tiny-skia's form. It is made for paths that cross its edge.
    mask: Option<Mask>,
    /// The fonts used so far.
    faces: Vec<Face>,
}

impl<'f> Canvas<'f> {
    pub(crate) fn new(frame: &'f mut Frame, clip: Area) -> Canvas<'f> {
        let clip = clip.intersection(frame.area());
        Canvas { frame, clip, mask: None, faces: Vec::new() }
    }

    pub(crate) fn fill(&mut self, area: Area, paint: Paint) {
        let area = area.intersection(self.clip);
        if area.is_empty() {
            return;
        }
        let part = parts(paint.alpha);
        for y in area.y..area.y + area.height as i32 {
            for pixel in self.frame.row_mut(y, area.x, area.width) {
                over(pixel, paint.color, part);
            }
        }
    }

    pub(crate) fn disc(&mut self, center: (f32, f32), radius: f32, paint: Paint) {
        self.round(center, radius, |distance| {
            (paint.color, paint.alpha * inside(radius - distance))
        });
    }

    /// Fills a disc whose outermost pixels have another colour.
    pub(crate) fn rimmed(
        &mut self,
        center: (f32, f32),
        radius: f32,
        rim: (Rgb, f32),
        paint: Paint,
    ) {
        self.round(center, radius, |distance| {
            let core = inside(radius - rim.1 - distance);
            (blend(rim.0, paint.color, core), paint.alpha * inside(radius - distance))
        });
    }

    /// Draws a circle; `radius` reaches the outside of the line.
    pub(crate) fn ring(&mut self, center: (f32, f32), radius: f32, thickness: f32, paint: Paint) {
        self.round(center, radius, |distance| {
            let line = inside(radius - distance) - inside(radius - thickness - distance);
            (paint.color, paint.alpha * line)
        });
    }

    /// Draws a shape whose colour depends only on the distance from a point.
    fn round(&mut self, center: (f32, f32), radius: f32, paint: impl Fn(f32) -> (Rgb, f32)) {
        let Some(area) = around(center, radius + 0.5) else { return };
        let area = area.intersection(self.clip);
        if area.is_empty() {
            return;
        }
        for y in area.y..area.y + area.height as i32 {
            let dy = y as f32 + 0.5 - center.1;
            for (x, pixel) in (area.x..).zip(self.frame.row_mut(y, area.x, area.width)) {
                let dx = x as f32 + 0.5 - center.0;
                let (color, alpha) = paint((dx * dx + dy * dy).sqrt());
                over(pixel, color, parts(alpha));
            }
        }
    }

    /// Fills a path.
    pub(crate) fn path(&mut self, path: &Path, paint: Paint) {
        if self.prepare(path, 0.0) {
            let whole = self.covers(path, 0.0);
            let mask = self.mask.as_ref().filter(|_| !whole);
            let mut pixmap = self.frame.pixmap();
            pixmap.fill_path(path, &skia(paint), FillRule::Winding, Transform::identity(), mask);
        }
    }

    /// Draws along a path, with round corners and ends.
    pub(crate) fn stroke(&mut self, path: &Path, width: f32, paint: Paint) {
        if self.prepare(path, width) {
            let stroke = Stroke {
                width,
                line_cap: LineCap::Round,
                line_join: LineJoin::Round,
                ..Stroke::default()
            };
            let whole = self.covers(path, width);
            let mask = self.mask.as_ref().filter(|_| !whole);
            let mut pixmap = self.frame.pixmap();
            pixmap.stroke_path(path, &skia(paint), &stroke, Transform::identity(), mask);
        }
    }

    pub(crate) fn lines(&mut self, points: &[(f32, f32)], width: f32, paint: Paint) {
        let mut builder = PathBuilder::new();
        for (index, &(x, y)) in points.iter().enumerate() {
            if index == 0 { builder.move_to(x, y) } else { builder.line_to(x, y) }
        }
        if let Some(path) = builder.finish() {
            self.stroke(&path, width, paint);
        }
    }

    /// Writes text and returns its width.
    pub(crate) fn text(
        &mut self,
        at: (i32, i32),
        text: &str,
        size: u32,
        bold: bool,
        paint: Paint,
    ) -> u32 {
        let known = self.faces.iter().position(|face| face.is(size, bold));
        let mut face = match known {
            Some(index) => self.faces.swap_remove(index),
            None => Face::new(size, bold),
        };
        let advance = face.advance;
        let mut x = at.0;
        for character in text.chars() {
            let cell = Area { x, y: at.1, width: advance, height: size };
            let seen = cell.intersection(self.clip);
            if !seen.is_empty() {
                stamp(self.frame, cell, seen, face.glyph(character), paint);
            }
            x += advance as i32;
        }
        self.faces.push(face);
        (x - at.0) as u32
    }

    /// Returns whether a path is visible; makes the mask if the path crosses the edge.
    fn prepare(&mut self, path: &Path, width: f32) -> bool {
        let Some(bounds) = bounds(path, width) else { return false };
        if bounds.intersection(self.clip).is_empty() {
            return false;
        }
        if !self.covers(path, width) && self.mask.is_none() {
            let mut mask =
                Mask::new(self.frame.width(), self.frame.height()).expect("a frame has pixels");
            let Area { x, y, width, height } = self.clip;
            for row in mask
                .data_mut()
                .chunks_exact_mut(self.frame.width() as usize)
                .skip(y as usize)
                .take(height as usize)
            {
                row[x as usize..][..width as usize].fill(255);
            }
            self.mask = Some(mask);
        }
        true
    }

    /// Returns whether a path stays within the part that may change.
    fn covers(&self, path: &Path, width: f32) -> bool {
        let inside = bounds(path, width).is_some_and(|bounds| self.clip.contains(bounds));
        inside || self.clip == self.frame.area()
    }
}

/// Draws the part `seen` of a glyph that lies in `cell`, row by row.
fn stamp(frame: &mut Frame, cell: Area, seen: Area, glyph: &[u8], paint: Paint) {
    for y in seen.y..seen.y + seen.height as i32 {
        let start = (y - cell.y) as usize * cell.width as usize + (seen.x - cell.x) as usize;
        for (pixel, &ink) in frame.row_mut(y, seen.x, seen.width).iter_mut().zip(&glyph[start..]) {
            over(pixel, paint.color, parts(paint.alpha * f32::from(ink) / 255.0));
        }
    }
}

/// Returns the pixels that a path may touch.
fn bounds(path: &Path, width: f32) -> Option<Area> {
    let bounds = path.bounds();
    let more = width / 2.0 + 1.0;
    area(
        (bounds.left() - more, bounds.top() - more),
        (bounds.right() + more, bounds.bottom() + more),
    )
}

/// Returns the pixels that a disc may touch.
fn around(center: (f32, f32), radius: f32) -> Option<Area> {
    area((center.0 - radius, center.1 - radius), (center.0 + radius, center.1 + radius))
}

/// Returns the pixels between two corners; `None` if numbers are beyond all pictures.
fn area(from: (f32, f32), to: (f32, f32)) -> Option<Area> {
    const MAX_COORDINATE: f32 = 1e8;
    let fits = [from.0, from.1, to.0, to.1].into_iter().all(|at| at.abs() < MAX_COORDINATE);
    let (x, y) = (from.0.floor() as i32, from.1.floor() as i32);
    fits.then(|| Area {
        x,
        y,
        width: (to.0.ceil() as i32 - x) as u32,
        height: (to.1.ceil() as i32 - y) as u32,
    })
}

/// Returns the part of a pixel inside an edge, from the distance of its middle.
fn inside(distance: f32) -> f32 {
    (distance + 0.5).clamp(0.0, 1.0)
}

/// Returns a share from 0 to 1 in 256ths.
fn parts(alpha: f32) -> u32 {
    (alpha.clamp(0.0, 1.0) * 256.0 + 0.5) as u32
}

/// Draws over a pixel.
fn over(pixel: &mut [u8; 4], color: Rgb, part: u32) {
    let mix = |from: u8, to: u8| {
        ((u32::from(from) * (256 - part) + u32::from(to) * part + 128) >> 8) as u8
    };
    *pixel = [mix(pixel[0], color.0), mix(pixel[1], color.1), mix(pixel[2], color.2), 255];
}

/// Mixes two colours: 0 is `from`, 1 is `to`.
pub(crate) fn blend(from: Rgb, to: Rgb, part: f32) -> Rgb {
    let mut pixel = [from.0, from.1, from.2, 255];
    over(&mut pixel, to, parts(part));
    Rgb(pixel[0], pixel[1], pixel[2])
}

fn skia(paint: Paint) -> tiny_skia::Paint<'static> {
    let mut made = tiny_skia::Paint::default();
    let Rgb(r, g, b) = paint.color;
    made.set_color(Color::from_rgba8(r, g, b, (paint.alpha.clamp(0.0, 1.0) * 255.0 + 0.5) as u8));
    made
}

/// Returns the polygon with these corners; `None` if it is empty.
pub(crate) fn polygon(corners: &[(f32, f32)]) -> Option<Path> {
    let mut builder = PathBuilder::new();
    add_polygon(&mut builder, corners);
    builder.finish()
}

/// Adds the polygon with these corners to a path.
pub(crate) fn add_polygon(builder: &mut PathBuilder, corners: &[(f32, f32)]) {
    for (index, &(x, y)) in corners.iter().enumerate() {
        if index == 0 { builder.move_to(x, y) } else { builder.line_to(x, y) }
    }
    if !corners.is_empty() {
        builder.close();
    }
}

/// Returns an area with round corners; `None` if it is empty.
pub(crate) fn rounded_rectangle(area: Area, radius: f32) -> Option<Path> {
    let (left, top) = (area.x as f32, area.y as f32);
    let (right, bottom) = (left + area.width as f32, top + area.height as f32);
    let radius = radius.min(area.width as f32 / 2.0).min(area.height as f32 / 2.0).max(0.0);
    // A quarter of a circle as a cubic curve: the control points are at 4/3·(√2 − 1) of the radius.
    let near = radius * (1.0 - 0.552_284_8);
    let mut path = PathBuilder::new();
    path.move_to(left + radius, top);
    path.line_to(right - radius, top);
    path.cubic_to(right - near, top, right, top + near, right, top + radius);
    path.line_to(right, bottom - radius);
    path.cubic_to(right, bottom - near, right - near, bottom, right - radius, bottom);
    path.line_to(left + radius, bottom);
    path.cubic_to(left + near, bottom, left, bottom - near, left, bottom - radius);
    path.line_to(left, top + radius);
    path.cubic_to(left, top + near, left + near, top, left + radius, top);
    path.close();
    (!area.is_empty()).then(|| path.finish()).flatten()
}

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

    /// Draws a line of this width through points, with round ends.
    ///
    /// Pixels lie between whole numbers: the middle of the first one is (0.5, 0.5).
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

    /// Fills the polygon with these corners.
    pub fn polygon(&mut self, corners: &[(f32, f32)], color: Rgb) {
        if let Some(path) = polygon(corners) {
            self.canvas().path(&path, Paint::opaque(color));
        }
    }

    /// Writes text with its upper left corner at a pixel, and returns its width.
    ///
    /// Lines are `size` pixels high. Characters that are missing in the font become a box.
    /// [`text_width`](super::text_width) and [`text_fit`](super::text_fit) help to find
    /// space for it.
    pub fn text(&mut self, x: i32, y: i32, text: &str, size: u32, bold: bool, color: Rgb) -> u32 {
        self.canvas().text((x, y), text, size, bold, Paint::opaque(color))
    }

    /// Returns a canvas with all of it.
    fn canvas(&mut self) -> Canvas<'_> {
        let area = self.area();
        Canvas::new(self, area)
    }
}
