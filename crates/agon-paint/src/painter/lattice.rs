//! The positions of a grid's cells in pixels.
//!
//! The painter of grids places cells, marks and pieces with it, so that all of them fit together.

use std::ops::Range;

use crate::{Area, Camera};

/// The edges of a grid's cells in pixels.
///
/// Neighbours touch. If a cell has a whole number of pixels, all cells have exactly that many.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lattice {
    pub(super) columns: u32,
    pub(super) rows: u32,
    /// Pixels per cell.
    pub(super) zoom: f64,
    left: f64,
    top: f64,
}

impl Lattice {
    /// Lines are drawn between cells from this many pixels per cell on.
    const LINES: f64 = 12.0;

    pub(super) fn new(columns: u32, rows: u32, area: Area, camera: &Camera) -> Lattice {
        let zoom = f64::from(camera.zoom);
        let whole = zoom >= 1.0 && zoom.fract() == 0.0;
        let start = |from: i32, length: u32, center: f32| {
            let start = f64::from(from) + f64::from(length) / 2.0 - f64::from(center) * zoom;
            if whole { (start + 0.5).floor() } else { start }
        };
        let left = start(area.x, area.width, camera.center.0);
        let top = start(area.y, area.height, camera.center.1);
        Lattice { columns, rows, zoom, left, top }
    }

    /// Returns the first pixel of a column, which may lie beside the board.
    pub(super) fn left(&self, column: i64) -> i32 {
        (self.left + column as f64 * self.zoom + 0.5).floor() as i32
    }

    /// Returns the first pixel of a row, which may lie beside the board.
    pub(super) fn top(&self, row: i64) -> i32 {
        (self.top + row as f64 * self.zoom + 0.5).floor() as i32
    }

    /// Returns the pixels of a cell, which may lie beside the board.
    pub(super) fn cell(&self, column: i64, row: i64) -> Area {
        let (x, y) = (self.left(column), self.top(row));
        Area {
            x,
            y,
            width: (self.left(column + 1) - x) as u32,
            height: (self.top(row + 1) - y) as u32,
        }
    }

    /// Returns the pixels of all cells.
    pub(super) fn bounds(&self) -> Area {
        let (x, y) = (self.left(0), self.top(0));
        let (right, bottom) = (self.left(self.columns.into()), self.top(self.rows.into()));
        Area { x, y, width: (right - x) as u32, height: (bottom - y) as u32 }
    }

    /// Returns whether each cell has a line of one pixel along its left and upper edge.
    pub(super) fn lined(&self) -> bool {
        self.zoom >= Lattice::LINES
    }

    /// Returns the columns that may be visible between two pixels.
    pub(super) fn columns_between(&self, x: i32, width: u32) -> Range<u32> {
        between(self.left, self.zoom, self.columns, x, width)
    }

    /// Returns the rows that may be visible between two pixels.
    pub(super) fn rows_between(&self, y: i32, height: u32) -> Range<u32> {
        between(self.top, self.zoom, self.rows, y, height)
    }

    /// Returns the pixel with the middle of a column.
    pub(super) fn middle_x(&self, column: u32) -> i32 {
        (self.left + (f64::from(column) + 0.5) * self.zoom).floor() as i32
    }

    /// Returns the pixel with the middle of a row.
    pub(super) fn middle_y(&self, row: u32) -> i32 {
        (self.top + (f64::from(row) + 0.5) * self.zoom).floor() as i32
    }
}

fn between(start: f64, zoom: f64, count: u32, from: i32, length: u32) -> Range<u32> {
    // One more cell on both sides, because edges are rounded.
    let first = ((f64::from(from) - start) / zoom).floor() - 1.0;
    let last = ((f64::from(from) + f64::from(length) - start) / zoom).ceil() + 1.0;
    let bound = |at: f64| at.clamp(0.0, f64::from(count)) as u32;
    bound(first)..bound(last)
}
