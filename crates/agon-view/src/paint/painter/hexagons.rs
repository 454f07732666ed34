//! Paints boards of hexagons, with boards that turn and pieces that fall.
//!
//! [`Theme::paint_board`](crate::paint::Theme::paint_board) calls it for scenes with hexagons.

use std::{collections::BTreeMap, f32::consts::FRAC_PI_3};

use agon_games::scene::{Board, Mark, Piece, Place, Shape, Travel};
use tiny_skia::PathBuilder;

use super::raster::{Cells, View};
use super::shape::{self, MARKS, ShapeStyle, Spot, above, hexagon_corners};
use super::{Actor, Instant, grid, marks, passing, pointer_angle, smooth};
use crate::paint::canvas::{Canvas, Paint, add_polygon};
use crate::paint::{Area, Camera, Frame};

/// The share of the time in which a board turns, before things fall.
const TURN: f32 = 0.45;

/// A board of hexagons while it is painted.
struct Hexagons<'a> {
    side: u32,
    places: &'a [(i16, i16)],
    /// The turn of the board, counter-clockwise in radians.
    turn: f32,
    /// The share of the fall that is done, from 0.
    fallen: f32,
    area: Area,
    camera: &'a Camera,
    cells: Cells<'a>,
    has_patterns: bool,
}

/// Paints a board of hexagons.
pub(super) fn paint(
    View { theme, camera, has_patterns }: View<'_>,
    frame: &mut Frame,
    area: Area,
    instant: &Instant<'_>,
) {
    frame.fill(area, theme.paper);
    let Board::Hexagon { side, cells: ref places, down } = instant.scene.board else { return };
    let (turn, fallen) = match instant.before.map(|scene| &scene.board) {
        Some(&Board::Hexagon { down: before, .. }) if before != down => {
            turning(before, down, instant.done)
        }
        _ => (f32::from(down) * FRAC_PI_3, instant.done),
    };
    let part = (instant.done * 256.0) as u32;
    let before = instant.before.map(|scene| (&scene.cells[..], part));
    let cells = Cells { now: &instant.scene.cells, before, theme };
    let board = Hexagons { side, places, turn, fallen, area, camera, cells, has_patterns };
    let mut canvas = Canvas::new(frame, area);
    board.ground(&mut canvas);
    board.marks(&mut canvas, instant, false);
    board.travels(&mut canvas, instant);
    board.pieces(&mut canvas, instant);
    board.marks(&mut canvas, instant, true);
}

/// Returns the turn of a board on the shorter way between directions, and the fallen share.
fn turning(before: u8, now: u8, done: f32) -> (f32, f32) {
    let sixths = match (i16::from(now) - i16::from(before)).rem_euclid(6) {
        sixths @ 0..=3 => sixths,
        sixths => sixths - 6,
    };
    let turned = smooth((done / TURN).min(1.0));
    let turn = (f32::from(before) + f32::from(sixths) * turned) * FRAC_PI_3;
    (turn, ((done - TURN) / (1.0 - TURN)).max(0.0))
}

impl Hexagons<'_> {
    /// Returns the middle of a place in cells from the middle of the board, with its turn.
    fn point(&self, place: Place) -> (f32, f32) {
        let (q, r) = self.places[place as usize];
        let (x, y) = (f32::from(q) * Camera::COLUMN, f32::from(r) + f32::from(q) / 2.0);
        let (sin, cos) = self.turn.sin_cos();
        (x * cos + y * sin, y * cos - x * sin)
    }

    fn spot(&self, point: (f32, f32), shape: Shape, angle: f32) -> Spot {
        // Directions count from South.
        let angle = match shape {
            Shape::Pointer(_) => std::f32::consts::PI + angle - self.turn,
            _ => 0.0,
        };
        let size = (self.camera.zoom, self.camera.zoom);
        Spot { center: self.camera.pixel(self.area, point), size, angle, hexagon: Some(self.turn) }
    }

    fn sees(&self, canvas: &Canvas<'_>, (x, y): (f32, f32)) -> bool {
        let clip = canvas.clip;
        let beside = |at: f32, from: i32, length: u32| {
            at + self.camera.zoom < from as f32
                || at - self.camera.zoom > (from as f32 + length as f32)
        };
        !beside(x, clip.x, clip.width) && !beside(y, clip.y, clip.height)
    }

    /// Paints the cells. Those of one colour are one path, so that there is no seam between them.
    fn ground(&self, canvas: &mut Canvas<'_>) {
        // Cells have gaps between them if there is space.
        let gap = if self.camera.zoom < 6.0 { 0.0 } else { (self.camera.zoom * 0.035).max(0.6) };
        let distance = self.camera.zoom * 0.5 - gap;
        let mut paths: BTreeMap<[u8; 3], PathBuilder> = BTreeMap::new();
        for place in 0..self.places.len() as Place {
            let center = self.camera.pixel(self.area, self.point(place));
            if self.sees(canvas, center) {
                let color = self.cells.color(place as usize);
                let path = paths.entry([color.0, color.1, color.2]).or_default();
                add_polygon(path, &hexagon_corners(center, distance, self.turn));
            }
        }
        for ([red, green, blue], path) in paths {
            if let Some(path) = path.finish() {
                canvas.path(&path, Paint::opaque(crate::paint::Rgb(red, green, blue)));
            }
        }
        if self.has_patterns {
            self.patterns(canvas);
        }
    }

    /// Draws the patterns of players' cells.
    fn patterns(&self, canvas: &mut Canvas<'_>) {
        for place in 0..self.places.len() as Place {
            let Some(motif) = self.cells.theme.motif(self.cells.ink(place as usize)) else {
                continue;
            };
            let spot = self.spot(self.point(place), Shape::Square, 0.0);
            if self.sees(canvas, spot.center) {
                let paint = Paint::opaque(self.cells.color(place as usize));
                shape::pattern_on_piece(canvas, &spot, Shape::Square, motif, paint);
            }
        }
    }

    fn marks(&self, canvas: &mut Canvas<'_>, instant: &Instant<'_>, top: bool) {
        if f64::from(self.camera.zoom) < MARKS {
            return;
        }
        for (&Mark { place, shape, ink }, alpha) in marks(instant) {
            if above(shape) == top {
                let angle = pointer_angle(shape, FRAC_PI_3);
                let paint = Paint { color: self.cells.theme.color(ink), alpha };
                let contrast = self.below(instant, place).contrasting();
                let spot = self.spot(self.point(place), shape, angle);
                shape::mark(canvas, &spot, shape, ShapeStyle { paint, contrast, bordered: false });
            }
        }
    }

    /// Returns the colour in the middle of a place at the end of the way.
    fn below(&self, instant: &Instant<'_>, place: Place) -> crate::paint::Rgb {
        let piece = instant.scene.pieces.iter().rev().find(|piece| piece.place == place);
        piece.map_or_else(
            || self.cells.color(place as usize),
            |piece| self.cells.theme.color(piece.ink),
        )
    }

    fn travels(&self, canvas: &mut Canvas<'_>, instant: &Instant<'_>) {
        if instant.before.is_none() {
            return;
        }
        for &Travel { from, to, ink } in instant.travels {
            let point = between(self.point(from), self.point(to), instant.done);
            let paint = Paint { color: self.cells.theme.color(ink), alpha: passing(instant.done) };
            grid::travel(canvas, &self.spot(point, Shape::Disc(40), 0.0), paint);
        }
    }

    fn pieces(&self, canvas: &mut Canvas<'_>, instant: &Instant<'_>) {
        let actors = Actor::all(instant);
        let ways: Vec<_> = actors.iter().map(|actor| self.way(actor)).collect();
        let length = |(from, to): ((f32, f32), (f32, f32))| (to.0 - from.0).hypot(to.1 - from.1);
        let longest = ways.iter().map(|&way| length(way)).fold(0.0, f32::max);
        for (actor, way) in actors.iter().zip(ways) {
            // All things fall with the same acceleration, and the one that falls farthest arrives
            // at the end.
            let fallen = longest * self.fallen * self.fallen;
            let part = if length(way) > 0.0 { (fallen / length(way)).min(1.0) } else { 1.0 };
            let mut paint = actor.paint(self.cells.theme, instant.done);
            if let Actor::Comes(_) = actor {
                paint.alpha = (12.0 * self.fallen).min(1.0);
            }
            let look = ShapeStyle { paint, contrast: paint.color.contrasting(), bordered: true };
            let shape = actor.piece(instant.done).shape;
            let spot =
                self.spot(between(way.0, way.1, part), shape, actor.angle(FRAC_PI_3, instant.done));
            shape::piece(canvas, &spot, shape, look);
            let motif = self.cells.theme.motif(actor.piece(instant.done).ink);
            if let Some(motif) = motif.filter(|_| self.has_patterns) {
                shape::pattern_on_piece(canvas, &spot, shape, motif, paint);
            }
        }
    }

    /// Returns the start and the end of a fall; new things come from above the board.
    fn way(&self, actor: &Actor<'_>) -> ((f32, f32), (f32, f32)) {
        let at = |piece: &Piece| self.point(piece.place);
        match actor {
            Actor::Stays { before, now } => (at(before), at(now)),
            Actor::Goes(piece) => (at(piece), at(piece)),
            Actor::Comes(piece) => {
                let (x, y) = at(piece);
                let column = (x / Camera::COLUMN).abs();
                let top = column / 2.0 - (self.side as f32 - 1.0);
                ((x, top - 1.0), (x, y))
            }
        }
    }
}

fn between(from: (f32, f32), to: (f32, f32), part: f32) -> (f32, f32) {
    (from.0 + (to.0 - from.0) * part, from.1 + (to.1 - from.1) * part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_turn_the_shorter_way() {
        for (before, now, middle) in
            [(0, 1, 0.5), (1, 0, 0.5), (0, 5, -0.5), (5, 0, 5.5), (2, 5, 3.5)]
        {
            let (turn, fallen) = turning(before, now, TURN / 2.0);
            assert!((turn - middle * FRAC_PI_3).abs() < 1e-5, "from {before} to {now}: {turn}");
            assert_eq!(fallen, 0.0);
            assert_eq!(turning(before, now, 1.0).1, 1.0);
        }
    }
}
