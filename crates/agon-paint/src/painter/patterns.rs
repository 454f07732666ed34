//! Draws the patterns of players on cells, pieces and swatches.
//!
//! The painters of grids and hexagons call it for things whose ink has a pattern in the theme.

use agon_games::scene::{Ink, Shape};

use super::shape::Spot;
use crate::{
    Area, Frame, Rgb, Theme,
    canvas::{Canvas, Paint},
    theme::Motif,
};

/// A pattern needs this many pixels in width and height.
pub(super) const LEAST: u32 = 3;

/// Cells of this many pixels have space for a pattern beside their number. Smaller ones with a
/// pattern have no number.
pub(super) const BESIDE_NUMBER: f64 = 24.0;

/// The share of black or white in the marked parts.
const STRENGTH: f32 = 0.4;

/// Draws a motif over a thing of this colour; nothing if the area is too small.
pub(super) fn draw(canvas: &mut Canvas<'_>, area: Area, motif: Motif, color: Rgb, alpha: f32) {
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
pub(super) fn on_cell(
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
    draw(canvas, area, motif, color, 1.0);
}

/// Draws a motif on a piece; nothing if its shape has no space for one.
pub(super) fn on_piece(
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
    draw(canvas, spot.centre(part), motif, paint.color, paint.alpha);
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
        draw(&mut Canvas::new(frame, whole), area, motif, self.color(ink), 1.0);
    }
}
