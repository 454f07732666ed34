//! The visible part of a board, and its scale.
//!
//! The painter draws the board through a [`Camera`]. Viewers also ask it which place of the board
//! is at a pixel.

use agon_games::scene::{Board, Place};

use crate::paint::Area;

/// The view of a board: its point in the middle of the area, and the size of its cells.
///
/// Points of a board are measured in cells. On a grid they count from the upper left corner. On
/// hexagons they count from the centre, and 1 is the distance of two neighbours' centres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// The point in the middle.
    pub center: (f32, f32),
    /// Pixels per cell.
    pub zoom: f32,
}

impl Camera {
    /// Shows the whole board as large as it fits.
    ///
    /// Cells get a whole number of pixels if there is space for that.
    pub fn fit(board: &Board, area: Area) -> Camera {
        let (columns, rows, center) = match *board {
            Board::Grid { width, height, .. } => {
                let (width, height) = (width as f32, height as f32);
                (width, height, (width / 2.0, height / 2.0))
            }
            Board::Hexagon { side, .. } => {
                let span = 2.0 * side as f32 - 1.0;
                (span * Camera::COLUMN + 0.4, span + 0.1, (0.0, 0.0))
            }
        };
        let zoom = (area.width as f32 / columns).min(area.height as f32 / rows);
        let whole = matches!(board, Board::Grid { .. }) && zoom >= 1.0;
        Camera { center, zoom: if whole { zoom.floor() } else { zoom } }
    }

    /// The distance between two columns of hexagons, in cells: the cosine of 30°.
    pub(crate) const COLUMN: f32 = 0.866_025_4;

    /// Returns the middle of a place in pixels of the frame that `area` is part of.
    ///
    /// # Panics
    /// If the board has no such place.
    pub fn pixel_of(&self, board: &Board, place: Place, area: Area) -> (f32, f32) {
        self.pixel(area, board_point(board, place))
    }

    /// Returns the pixel of a point of the board.
    pub fn pixel(&self, area: Area, (x, y): (f32, f32)) -> (f32, f32) {
        let middle = area.middle();
        (middle.0 + (x - self.center.0) * self.zoom, middle.1 + (y - self.center.1) * self.zoom)
    }

    /// Returns the point of the board at a pixel.
    pub fn point(&self, area: Area, (x, y): (f32, f32)) -> (f32, f32) {
        let middle = area.middle();
        ((x - middle.0) / self.zoom + self.center.0, (y - middle.1) / self.zoom + self.center.1)
    }

    /// Returns the place at a pixel, if there is one.
    pub fn place_at(&self, board: &Board, area: Area, pixel: (f32, f32)) -> Option<Place> {
        let (x, y) = self.point(area, pixel);
        match board {
            Board::Grid { width, height, .. } => {
                let inside = x >= 0.0 && y >= 0.0 && x < *width as f32 && y < *height as f32;
                inside.then(|| y as u32 * width + x as u32)
            }
            Board::Hexagon { cells, .. } => {
                let distance = |place: Place| {
                    let (px, py) = board_point(board, place);
                    (px - x).powi(2) + (py - y).powi(2)
                };
                let nearest =
                    (0..cells.len() as Place).min_by(|&a, &b| distance(a).total_cmp(&distance(b)));
                nearest.filter(|&place| distance(place) <= 0.333)
            }
        }
    }
}

/// Returns the middle of a place in points of the board, turned so that down is down.
pub fn board_point(board: &Board, place: Place) -> (f32, f32) {
    match board {
        Board::Grid { width, .. } => ((place % width) as f32 + 0.5, (place / width) as f32 + 0.5),
        Board::Hexagon { cells, down, .. } => {
            let (q, r) = cells[place as usize];
            let (q, r) = turned((q, r), *down);
            (f32::from(q) * Camera::COLUMN, f32::from(r) + f32::from(q) / 2.0)
        }
    }
}

/// Turns a hexagon's coordinates so that direction `down` points South.
fn turned((q, r): (i16, i16), down: u8) -> (i16, i16) {
    // A sixth of a turn counter-clockwise on the screen takes SouthWest (-1, 1) to South (0, 1).
    (0..down % 6).fold((q, r), |(q, r), _| (q + r, -q))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use agon_games::cluster::{Board as Hexagons, DIRECTIONS};

    use super::*;

    const AREA: Area = Area { x: 10, y: 20, width: 300, height: 200 };

    fn boards() -> Vec<Board> {
        let hexagons = Hexagons::new(4);
        let cells: Arc<[_]> =
            (0..hexagons.cells() as u16).map(|c| hexagons.coordinates(c)).collect();
        let mut boards: Vec<_> =
            (0..6).map(|down| Board::Hexagon { side: 4, cells: cells.clone(), down }).collect();
        boards.push(Board::Grid { width: 17, height: 9, wraps: true });
        boards
    }

    #[test]
    fn places_are_found_where_they_are_seen() {
        for board in boards() {
            let camera = Camera::fit(&board, AREA);
            for place in 0..board.places() as Place {
                let pixel = camera.pixel_of(&board, place, AREA);
                assert_eq!(camera.place_at(&board, AREA, pixel), Some(place), "{board:?}");
                let inside = |at: f32, from: i32, length: u32| {
                    at > from as f32 && at < (from + length as i32) as f32
                };
                assert!(
                    inside(pixel.0, AREA.x, AREA.width) && inside(pixel.1, AREA.y, AREA.height)
                );
            }
            assert_eq!(camera.place_at(&board, AREA, (10.0, 20.0)), None);
        }
    }

    #[test]
    fn down_is_down() {
        for down in 0..6 {
            assert_eq!(turned(DIRECTIONS[usize::from(down)], down), DIRECTIONS[0]);
        }
    }
}
