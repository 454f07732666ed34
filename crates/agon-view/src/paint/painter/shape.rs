//! Draws one mark or piece on its place: a disc, a pointer, a flag, a number, and the pattern of
//! its player.
//!
//! The painters of grids and hexagons call it for each.

use agon_games::scene::{Ink, Shape};

use crate::paint::canvas::{Canvas, Paint, blend, polygon};
use crate::paint::{Area, Frame, Rgb, Theme};
use crate::{paint::text::Face, paint::theme::Motif};

/// The place of a shape in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Spot {
    /// The middle.
    pub(super) center: (f32, f32),
    /// Width and height of the place; on hexagons the distance of neighbours.
    pub(super) size: (f32, f32),
    /// The direction of a pointer: clockwise from up, in radians.
    pub(super) angle: f32,
    /// The turn of hexagons, in radians; `None` on a grid.
    pub(super) hexagon: Option<f32>,
}

impl Spot {
    fn extent(&self) -> f32 {
        self.size.0.min(self.size.1)
    }

    /// Returns the pixels of a place of a grid, or of a part in its middle.
    fn block(&self, part: f32) -> Area {
        let along = |center: f32, size: f32| {
            let length = (size * part).round().max(1.0);
            ((center - length / 2.0).round() as i32, length as u32)
        };
        let ((x, width), (y, height)) =
            (along(self.center.0, self.size.0), along(self.center.1, self.size.1));
        Area { x, y, width, height }
    }

    /// Returns the pixels of a square in the middle of a place.
    pub(super) fn centre(&self, part: f32) -> Area {
        let side = (self.extent() * part).round();
        let start = |center: f32| (center - side / 2.0).round() as i32;
        let (x, y) = (start(self.center.0), start(self.center.1));
        Area { x, y, width: side as u32, height: side as u32 }
    }

    /// Returns turned points, which are given in shares of the place from its middle.
    fn points<const N: usize>(&self, points: [(f32, f32); N], angle: f32) -> [(f32, f32); N] {
        let (sin, cos) = angle.sin_cos();
        let size = self.extent();
        points.map(|(x, y)| {
            (self.center.0 + size * (x * cos - y * sin), self.center.1 + size * (x * sin + y * cos))
        })
    }

    /// Returns the corners of a hexagon with flat tops, turned as the board is.
    fn hexagon(&self, turn: f32) -> [(f32, f32); 6] {
        hexagon_corners(self.center, self.extent() * 0.5 * 0.92, turn)
    }
}

/// Returns the corners of a hexagon whose edges have this distance from the centre.
///
/// At `turn` 0 its top is flat. Turns are counter-clockwise in radians.
pub(super) fn hexagon_corners(center: (f32, f32), distance: f32, turn: f32) -> [(f32, f32); 6] {
    // The corners are farther away than the edges by 2/√3.
    let radius = distance * 1.154_700_5;
    std::array::from_fn(|corner| {
        let (sin, cos) = (corner as f32 * std::f32::consts::FRAC_PI_3 - turn).sin_cos();
        (center.0 + radius * cos, center.1 + radius * sin)
    })
}

/// The style of a shape.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShapeStyle {
    /// Its colour and opacity.
    pub(super) paint: Paint,
    /// The colour of numbers and of borders, which stands out from its colour or from the ground.
    pub(super) contrast: Rgb,
    /// Whether it has a border, so that it is visible on any ground.
    pub(super) bordered: bool,
}

impl ShapeStyle {
    fn border(&self) -> Paint {
        Paint { color: self.contrast, alpha: self.paint.alpha * 0.8 }
    }
}

/// Places smaller than this have blocks instead of shapes.
const SHAPES: f32 = 8.0;

/// Draws a shape that must be visible at any size.
pub(super) fn piece(canvas: &mut Canvas<'_>, spot: &Spot, shape: Shape, look: ShapeStyle) {
    match shape {
        Shape::Disc(percent) if spot.extent() >= 3.0 => pellet(canvas, spot, percent, look.paint),
        Shape::Disc(percent) => canvas.fill(spot.block(f32::from(percent) / 100.0), look.paint),
        Shape::Square | Shape::Number(_) => mark(canvas, spot, shape, look),
        _ if spot.extent() < SHAPES => block(canvas, spot, shape, look),
        _ => mark(canvas, spot, shape, look),
    }
}

/// Draws a disc with a darker rim.
fn pellet(canvas: &mut Canvas<'_>, spot: &Spot, percent: u8, paint: Paint) {
    let radius = spot.extent() * f32::from(percent) / 200.0;
    if radius < 4.0 {
        return canvas.disc(spot.center, radius, paint);
    }
    let rim = blend(paint.color, Rgb(0, 0, 0), 0.3);
    canvas.rimmed(spot.center, radius, (rim, (radius * 0.14).max(1.0)), paint);
}

/// Draws a place too small for a shape: a block in its colour, with a part that stands out.
fn block(canvas: &mut Canvas<'_>, spot: &Spot, shape: Shape, look: ShapeStyle) {
    let block = spot.block(1.0);
    canvas.fill(block, look.paint);
    let size = block.width.min(block.height);
    if size < 3 {
        return;
    }
    let set_off = match shape {
        Shape::Flag => Area { width: 1, ..block },
        _ => block.inset(if size < 6 { 1 } else { 2 }),
    };
    canvas.fill(set_off, Paint { color: look.contrast, ..look.paint });
}

/// Draws a shape if there is space for it.
pub(super) fn mark(canvas: &mut Canvas<'_>, spot: &Spot, shape: Shape, look: ShapeStyle) {
    let size = spot.extent();
    let paint = look.paint;
    let line = (size * 0.09).max(1.0);
    match shape {
        Shape::Disc(percent) => canvas.disc(spot.center, size * f32::from(percent) / 200.0, paint),
        Shape::Ring => canvas.ring(spot.center, size * 0.47, line, paint),
        Shape::Square => match spot.hexagon {
            None => canvas.fill(spot.block(1.0), paint),
            Some(turn) => {
                if let Some(path) = polygon(&spot.hexagon(turn)) {
                    canvas.path(&path, paint);
                }
            }
        },
        Shape::Pointer(_) => {
            let corners = [(0.0, -0.46), (0.37, 0.4), (0.0, 0.22), (-0.37, 0.4)];
            set_off(canvas, &spot.points(corners, spot.angle), look, line);
        }
        Shape::Flag => flag(canvas, spot, look, line),
        Shape::Cross => {
            let [a, b, c, d] =
                spot.points([(-0.3, -0.3), (0.3, 0.3), (0.3, -0.3), (-0.3, 0.3)], 0.0);
            canvas.lines(&[a, b], line * 1.3, paint);
            canvas.lines(&[c, d], line * 1.3, paint);
        }
        Shape::Number(number) => {
            write(canvas, spot, number, Paint { color: look.contrast, ..paint })
        }
    }
}

fn flag(canvas: &mut Canvas<'_>, spot: &Spot, look: ShapeStyle, line: f32) {
    let [top, bottom] = spot.points([(-0.24, -0.4), (-0.24, 0.42)], 0.0);
    let cloth = spot.points([(-0.2, -0.42), (0.36, -0.2), (-0.2, 0.04)], 0.0);
    if look.bordered {
        canvas.lines(&[top, bottom], line + 2.0, look.border());
    }
    set_off(canvas, &cloth, look, line);
    canvas.lines(&[top, bottom], line, look.paint);
}

/// Fills the polygon with these corners, and draws its border if it has one.
fn set_off(canvas: &mut Canvas<'_>, corners: &[(f32, f32)], look: ShapeStyle, line: f32) {
    if let Some(path) = polygon(corners) {
        if look.bordered {
            canvas.stroke(&path, line.min(3.0) + 1.0, look.border());
        }
        canvas.path(&path, look.paint);
    }
}

/// Writes a number into a place, shortened if necessary; nothing if it stays unreadable.
fn write(canvas: &mut Canvas<'_>, spot: &Spot, number: u64, paint: Paint) {
    let size = spot.extent();
    let width =
        |text: &str, height: u32| text.len() as f32 * Face::new(height, false).advance as f32;
    let fitting = |text: String| {
        let heights = (MIN_TEXT_HEIGHT..=(size * 0.66) as u32).rev();
        let height = heights.into_iter().find(|&height| width(&text, height) <= size * 0.94)?;
        Some((text, height))
    };
    let long = if number < 1_000_000 { number.to_string() } else { short(number) };
    let comfortable = fitting(long.clone()).filter(|&(_, height)| height > MIN_TEXT_HEIGHT);
    let found = comfortable.or_else(|| {
        [short(number), rough(number), long]
            .into_iter()
            .filter_map(fitting)
            .max_by_key(|found| found.1)
    });
    let Some((text, height)) = found else { return };
    // Digits stand slightly above the middle of their line.
    let x = (spot.center.0 - width(&text, height) / 2.0).round() as i32;
    let y = (spot.center.1 - height as f32 * 0.5).round() as i32;
    canvas.text((x, y), &text, height, height < 11, paint);
}

/// The smallest readable letters.
const MIN_TEXT_HEIGHT: u32 = 8;

/// Returns a number with even fewer digits: "1M".
fn rough(number: u64) -> String {
    let text = short(number);
    match text.split_once('.') {
        Some((whole, rest)) => format!("{whole}{}", &rest[1..]),
        None => text,
    }
}

/// Returns a number with few digits: "870", "12k", "1.2M".
fn short(number: u64) -> String {
    const UNITS: [(u64, &str); 4] =
        [(1_000_000_000_000, "T"), (1_000_000_000, "G"), (1_000_000, "M"), (1_000, "k")];
    let Some((unit, name)) = UNITS.into_iter().find(|&(unit, _)| number >= unit) else {
        return number.to_string();
    };
    let tenths = number / (unit / 10);
    match tenths {
        ..100 if !tenths.is_multiple_of(10) => format!("{}.{}{name}", tenths / 10, tenths % 10),
        _ => format!("{}{name}", tenths / 10),
    }
}

/// Marks are drawn from this many pixels per cell on.
pub(super) const MARKS: f64 = 8.0;

/// Returns whether a mark is drawn over the pieces.
///
/// Such marks leave the middle of the place free, or must be readable.
pub(super) fn above(shape: Shape) -> bool {
    matches!(shape, Shape::Ring | Shape::Cross | Shape::Number(_))
}

/// A pattern needs this many pixels in width and height.
pub(super) const LEAST: u32 = 3;

/// Cells of this many pixels have space for a pattern beside their number. Smaller ones with a
/// pattern have no number.
pub(super) const BESIDE_NUMBER: f64 = 24.0;

/// The share of black or white in the marked parts.
const STRENGTH: f32 = 0.4;

/// Draws a motif over a thing of this colour; nothing if the area is too small.
fn draw_pattern(canvas: &mut Canvas<'_>, area: Area, motif: Motif, color: Rgb, alpha: f32) {
    if area.width < LEAST || area.height < LEAST {
        return;
    }
    let paint = Paint { color: color.contrasting(), alpha: STRENGTH * alpha };
    for part in motif.parts(area) {
        canvas.fill(part, paint);
    }
}

/// Draws a motif on a cell of a grid.
///
/// Larger cells keep a margin, so that the motifs of neighbours do not melt into one. Beside a
/// number the motif stands in a corner.
pub(super) fn pattern_on_cell(
    canvas: &mut Canvas<'_>,
    cell: Area,
    motif: Motif,
    color: Rgb,
    has_number: bool,
) {
    let size = cell.width.min(cell.height);
    let area = match has_number {
        true => Area { x: cell.x + 1, y: cell.y + 1, width: size / 5, height: size / 5 },
        false => cell.inset(size / 6),
    };
    draw_pattern(canvas, area, motif, color, 1.0);
}

/// Draws a motif on a piece; nothing if its shape has no space for one.
pub(super) fn pattern_on_piece(
    canvas: &mut Canvas<'_>,
    spot: &Spot,
    shape: Shape,
    motif: Motif,
    paint: Paint,
) {
    let part = match shape {
        // The largest square in a disc has 0.7 of its diameter.
        Shape::Disc(percent) => 0.62 * f32::from(percent) / 100.0,
        Shape::Square => 0.66,
        Shape::Pointer(_) => 0.28,
        Shape::Ring | Shape::Flag | Shape::Cross | Shape::Number(_) => return,
    };
    draw_pattern(canvas, spot.centre(part), motif, paint.color, paint.alpha);
}

impl Theme {
    /// Draws the pattern of an ink over a swatch of its colour; nothing if it has none.
    pub fn draw_pattern(&self, frame: &mut Frame, swatch: Area, ink: Ink) {
        let Some(motif) = self.motif(ink) else { return };
        let size = swatch.width.min(swatch.height) * 4 / 5;
        let start = |from: i32, length: u32| from + ((length - size) / 2) as i32;
        let (x, y) = (start(swatch.x, swatch.width), start(swatch.y, swatch.height));
        let area = Area { x, y, width: size, height: size };
        let whole = frame.area();
        draw_pattern(&mut Canvas::new(frame, whole), area, motif, self.color(ink), 1.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shortened() {
        let texts: Vec<_> =
            [0, 999, 1_000, 1_249, 12_345, 999_999, 1_200_000, 12_345_678, u64::MAX]
                .into_iter()
                .map(short)
                .collect();
        assert_eq!([1_249, 999, 1_200_000].map(rough), ["1k", "999", "1M"]);
        assert_eq!(texts, ["0", "999", "1k", "1.2k", "12k", "999k", "1.2M", "12M", "18446744T"]);
    }
}
