//! Paints boards of squares: cells, marks, pieces, and things that move between two scenes.
//!
//! [`Theme::paint_board`](crate::paint::Theme::paint_board) calls it for scenes with a grid.

use std::{collections::BTreeSet, f32::consts::FRAC_PI_4};

use agon_games::scene::{Mark, Place, Shape, Travel};

use super::raster::{Cells, Lattice, View};
use super::shape::{self, MARKS, ShapeStyle, Spot, above};
use super::{Actor, Instant, marks, passing, pointer_angle};
use crate::paint::canvas::{Canvas, Paint};
use crate::paint::theme::Motif;
use crate::paint::{Area, Frame, Rgb};

/// A grid while it is painted.
struct Grid<'a> {
    lattice: Lattice,
    wraps: bool,
    cells: Cells<'a>,
    has_patterns: bool,
}

/// Paints a grid on an area that already has the colour of paper outside of the board.
pub(super) fn paint(
    View { theme, camera, has_patterns }: View<'_>,
    frame: &mut Frame,
    area: Area,
    instant: &Instant<'_>,
    (columns, rows, wraps): (u32, u32, bool),
) {
    let lattice = Lattice::new(columns, rows, area, camera);
    let clip = area.intersection(frame.area()).intersection(lattice.bounds());
    surround(frame, area, clip, theme.paper);
    if clip.is_empty() {
        return;
    }
    let part = (instant.done * 256.0) as u32;
    let before = instant.before.map(|scene| (&scene.cells[..], part));
    let cells = Cells { now: &instant.scene.cells, before, theme };
    cells.paint(frame, clip, &lattice);
    let grid = Grid { lattice, wraps, cells, has_patterns };
    let mut canvas = Canvas::new(frame, clip);
    grid.patterns(&mut canvas, instant);
    grid.marks(&mut canvas, instant, false);
    grid.travels(&mut canvas, instant);
    grid.pieces(&mut canvas, instant);
    grid.marks(&mut canvas, instant, true);
}

/// Fills the part of `area` outside of `inner`.
fn surround(frame: &mut Frame, area: Area, inner: Area, color: Rgb) {
    if inner.is_empty() {
        return frame.fill(area, color);
    }
    let (right, bottom) = (inner.x + inner.width as i32, inner.y + inner.height as i32);
    let end =
        (area.x.saturating_add_unsigned(area.width), area.y.saturating_add_unsigned(area.height));
    let between = |from: i32, to: i32| (to - from).max(0) as u32;
    frame.fill(Area { height: between(area.y, inner.y), ..area }, color);
    frame.fill(Area { y: bottom, height: between(bottom, end.1), ..area }, color);
    frame.fill(Area { x: area.x, width: between(area.x, inner.x), ..inner }, color);
    frame.fill(Area { x: right, width: between(right, end.0), ..inner }, color);
}

impl Grid<'_> {
    fn place(&self, place: Place) -> (i64, i64) {
        (i64::from(place % self.lattice.columns), i64::from(place / self.lattice.columns))
    }

    /// Returns the pixels of a place without its lines.
    fn inner(&self, (column, row): (i64, i64)) -> Area {
        let Area { x, y, width, height } = self.lattice.cell(column, row);
        let line = u32::from(self.lattice.lined());
        Area { x: x + line as i32, y: y + line as i32, width: width - line, height: height - line }
    }

    fn spot(&self, at: (i64, i64), angle: f32) -> Spot {
        let Area { x, y, width, height } = self.inner(at);
        let size = (width as f32, height as f32);
        Spot {
            center: (x as f32 + size.0 / 2.0, y as f32 + size.1 / 2.0),
            size,
            angle,
            hexagon: None,
        }
    }

    /// Draws the patterns of players' cells, if cells are large enough.
    fn patterns(&self, canvas: &mut Canvas<'_>, instant: &Instant<'_>) {
        if !self.has_patterns || self.lattice.zoom < f64::from(shape::LEAST) {
            return;
        }
        let is_number = |mark: &&Mark| matches!(mark.shape, Shape::Number(_));
        let numbers = instant.scene.marks.iter().filter(is_number).map(|mark| mark.place);
        let numbered: BTreeSet<Place> =
            numbers.filter(|_| self.lattice.zoom >= shape::BESIDE_NUMBER).collect();
        let clip = canvas.clip;
        for row in self.lattice.rows_between(clip.y, clip.height) {
            for column in self.lattice.columns_between(clip.x, clip.width) {
                let place = row * self.lattice.columns + column;
                if let Some(motif) = self.motif(place) {
                    let cell = self.inner((column.into(), row.into()));
                    let color = self.cells.color(place as usize);
                    shape::pattern_on_cell(canvas, cell, motif, color, numbered.contains(&place));
                }
            }
        }
    }

    /// Returns the pattern of a place, if it has one.
    fn motif(&self, place: Place) -> Option<Motif> {
        let motif = self.cells.theme.motif(self.cells.ink(place as usize));
        motif.filter(|_| self.has_patterns)
    }

    fn marks(&self, canvas: &mut Canvas<'_>, instant: &Instant<'_>, top: bool) {
        if self.lattice.zoom < MARKS {
            return;
        }
        for (mark, alpha) in marks(instant) {
            let at = self.place(mark.place);
            let hidden = self.lattice.cell(at.0, at.1).intersection(canvas.clip).is_empty();
            if hidden || above(mark.shape) != top {
                continue;
            }
            // A number would be unreadable on a pattern.
            let is_small = self.lattice.zoom < shape::BESIDE_NUMBER;
            if is_small
                && matches!(mark.shape, Shape::Number(_))
                && self.motif(mark.place).is_some()
            {
                continue;
            }
            let angle = pointer_angle(mark.shape, FRAC_PI_4);
            let contrast = self.cells.color(mark.place as usize).contrasting();
            let paint = Paint { color: self.cells.theme.color(mark.ink), alpha };
            shape::mark(
                canvas,
                &self.spot(at, angle),
                mark.shape,
                ShapeStyle { paint, contrast, bordered: false },
            );
        }
    }

    fn pieces(&self, canvas: &mut Canvas<'_>, instant: &Instant<'_>) {
        for actor in Actor::all(instant) {
            let angle = actor.angle(FRAC_PI_4, instant.done);
            let (from, to) = match actor {
                Actor::Stays { before, now } => (before.place, now.place),
                Actor::Comes(piece) | Actor::Goes(piece) => (piece.place, piece.place),
            };
            let paint = actor.paint(self.cells.theme, instant.done);
            let look = ShapeStyle { paint, contrast: paint.color.contrasting(), bordered: true };
            let shape = actor.piece(instant.done).shape;
            let motif = self.cells.theme.motif(actor.piece(instant.done).ink);
            for spot in self.way(from, to, instant.done, angle) {
                shape::piece(canvas, &spot, shape, look);
                if let Some(motif) = motif.filter(|_| self.has_patterns) {
                    shape::pattern_on_piece(canvas, &spot, shape, motif, paint);
                }
            }
        }
    }

    fn travels(&self, canvas: &mut Canvas<'_>, instant: &Instant<'_>) {
        if instant.before.is_none() {
            return;
        }
        let seen = passing(instant.done);
        for Travel { from, to, ink } in instant.travels {
            let paint = Paint { color: self.cells.theme.color(*ink), alpha: seen };
            for spot in self.way(*from, *to, instant.done, 0.0) {
                travel(canvas, &spot, paint);
            }
        }
    }

    /// Returns the places on the shorter way between two places.
    ///
    /// A thing that crosses an edge is visible on both sides.
    fn way(&self, from: Place, to: Place, done: f32, angle: f32) -> Vec<Spot> {
        let (from, to) = (self.place(from), self.place(to));
        if from == to {
            return vec![self.spot(to, angle)];
        }
        let Lattice { columns, rows, .. } = self.lattice;
        let over = |from: i64, to: i64, length: u32| {
            let length = i64::from(length);
            let far = self.wraps && (to - from).abs() * 2 > length;
            if far { (to - from).signum() * length } else { 0 }
        };
        let (dx, dy) = (over(from.0, to.0, columns), over(from.1, to.1, rows));
        let mut spots = Vec::new();
        for (dx, column) in [(dx, 0), (dx, -dx)].into_iter().take(if dx == 0 { 1 } else { 2 }) {
            for (dy, row) in [(dy, 0), (dy, -dy)].into_iter().take(if dy == 0 { 1 } else { 2 }) {
                let start = self.spot((from.0 + dx + column, from.1 + dy + row), angle);
                let end = self.spot((to.0 + column, to.1 + row), angle);
                spots.push(between(&start, &end, done));
            }
        }
        spots
    }
}

fn between(from: &Spot, to: &Spot, done: f32) -> Spot {
    let mix = |from: (f32, f32), to: (f32, f32)| {
        (from.0 + (to.0 - from.0) * done, from.1 + (to.1 - from.1) * done)
    };
    Spot { center: mix(from.center, to.center), size: mix(from.size, to.size), ..*to }
}

/// Draws a thing on its way.
pub(super) fn travel(canvas: &mut Canvas<'_>, spot: &Spot, paint: Paint) {
    let radius = (spot.size.0.min(spot.size.1) * 0.2).max(0.7);
    if radius >= 2.0 {
        let edge = Paint { color: paint.color.contrasting(), alpha: paint.alpha * 0.6 };
        canvas.disc(spot.center, radius + 1.0, edge);
    }
    canvas.disc(spot.center, radius, paint);
}
