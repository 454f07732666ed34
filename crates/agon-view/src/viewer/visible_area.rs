//! The visible part of the board: all of it, or a zoom and a place that a person has chosen.
//!
//! A terminal has few pixels: two per character. There a small board is enlarged to use them, and
//! cells are moved to whole pixels or characters.

use crate::paint::{Area, Camera};
use agon_games::scene::{Board, Scene};

/// A zoom and a place, or the whole board.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct VisibleArea {
    /// The chosen camera; `None` shows the whole board for any size of window.
    camera: Option<Camera>,
}

/// The most pixels of a cell.
const MAX_ZOOM: f32 = 128.0;

impl VisibleArea {
    /// Returns the camera on an area.
    pub(crate) fn camera(&self, board: &Board, area: Area) -> Camera {
        self.camera.unwrap_or_else(|| Camera::fit(board, area))
    }

    /// Returns whether the whole board is visible.
    pub(crate) fn is_fit(&self) -> bool {
        self.camera.is_none()
    }

    /// Shows the whole board.
    pub(crate) fn fit(&mut self) {
        self.camera = None;
    }

    /// Shows a part of the board.
    pub(crate) fn set(&mut self, camera: Camera) {
        self.camera = Some(camera);
    }

    /// Enlarges cells by `factor`; the point at `fixed` keeps its place.
    pub(crate) fn zoom(&mut self, board: &Board, area: Area, factor: f32, fixed: (f32, f32)) {
        let old = self.camera(board, area);
        let smallest = Camera::fit(board, area).zoom;
        let mut zoom = (old.zoom * factor).min(MAX_ZOOM.max(smallest));
        // Cells of whole pixels look best.
        if zoom >= 1.0 && matches!(board, Board::Grid { .. }) {
            zoom = match factor > 1.0 {
                true if old.zoom < 1.0 => 1.0,
                true => zoom.ceil(),
                false => zoom.floor(),
            };
        }
        if zoom <= smallest {
            self.fit();
            return;
        }
        let point = old.point(area, fixed);
        let new = Camera { zoom, ..old };
        let moved = new.point(area, fixed);
        let center = (old.center.0 + point.0 - moved.0, old.center.1 + point.1 - moved.1);
        self.camera = Some(Camera { center: kept_on(board, center), zoom });
    }

    /// Moves the board by this many pixels.
    pub(crate) fn pan(&mut self, board: &Board, area: Area, (x, y): (f32, f32)) {
        let old = self.camera(board, area);
        let center = (old.center.0 - x / old.zoom, old.center.1 - y / old.zoom);
        self.camera = Some(Camera { center: kept_on(board, center), ..old });
    }
}

/// Returns the nearest point on the board, so that the board stays in sight.
fn kept_on(board: &Board, (x, y): (f32, f32)) -> (f32, f32) {
    match *board {
        Board::Grid { width, height, .. } => {
            (x.clamp(0.0, width as f32), y.clamp(0.0, height as f32))
        }
        Board::Hexagon { side, .. } => {
            let far = side as f32;
            (x.clamp(-far, far), y.clamp(-far, far))
        }
    }
}

/// Enlarges a board of squares where whole pixels would waste much of the few characters.
///
/// Squares as large as characters stay whole.
pub(super) fn enlarged(camera: Camera, board: &Board, area: Area) -> Camera {
    let Board::Grid { width, height, .. } = *board else { return camera };
    let zoom = (area.width as f32 / width as f32).min(area.height as f32 / height as f32);
    let is_poor = camera.zoom < 2.0 && camera.zoom < 0.8 * zoom;
    Camera { zoom: if is_poor { zoom } else { camera.zoom }, ..camera }
}

/// Moves a board of squares slightly, so that its cells start with whole pixels.
///
/// They start with whole characters if they are as high.
pub(super) fn aligned(camera: Camera, scene: &Scene, area: Area) -> Camera {
    if !matches!(scene.board, Board::Grid { .. }) || camera.zoom < 1.0 {
        return camera;
    }
    let middle = area.middle();
    let left = middle.0 - camera.center.0 * camera.zoom;
    let top = middle.1 - camera.center.1 * camera.zoom;
    let rows = if camera.zoom % 2.0 == 0.0 { 2.0 } else { 1.0 };
    let right = left.round() - left;
    let down = (top / rows).round() * rows - top;
    let center = (camera.center.0 - right / camera.zoom, camera.center.1 - down / camera.zoom);
    Camera { center, ..camera }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AREA: Area = Area { x: 0, y: 0, width: 400, height: 300 };
    const BOARD: Board = Board::Grid { width: 40, height: 30, wraps: false };

    #[test]
    fn the_point_under_the_pointer_stays() {
        let mut visible = VisibleArea::default();
        let at = (333.0, 42.0);
        for factor in [1.25, 1.25, 2.0, 0.8, 1.25] {
            let before = visible.camera(&BOARD, AREA).point(AREA, at);
            visible.zoom(&BOARD, AREA, factor, at);
            let after = visible.camera(&BOARD, AREA).point(AREA, at);
            assert!((before.0 - after.0).abs() < 1e-3 && (before.1 - after.1).abs() < 1e-3);
        }
        visible.zoom(&BOARD, AREA, 0.01, at);
        assert!(visible.is_fit());
    }

    #[test]
    fn the_board_cannot_be_lost() {
        let mut visible = VisibleArea::default();
        visible.zoom(&BOARD, AREA, 3.0, (200.0, 150.0));
        visible.pan(&BOARD, AREA, (1e9, -1e9));
        assert_eq!(visible.camera(&BOARD, AREA).center, (0.0, 30.0));
    }
}
