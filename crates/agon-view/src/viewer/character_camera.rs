//! Adjusts the camera of a board that a terminal shows.
//!
//! A terminal has few pixels: two per character. Here a small board is enlarged to use them, and
//! cells are moved to whole pixels or characters.

use agon_games::scene::{Board, Scene};
use agon_paint::{Area, Camera};

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
    let middle =
        (area.x as f32 + area.width as f32 / 2.0, area.y as f32 + area.height as f32 / 2.0);
    let left = middle.0 - camera.center.0 * camera.zoom;
    let top = middle.1 - camera.center.1 * camera.zoom;
    let rows = if camera.zoom % 2.0 == 0.0 { 2.0 } else { 1.0 };
    let right = left.round() - left;
    let down = (top / rows).round() * rows - top;
    let center = (camera.center.0 - right / camera.zoom, camera.center.1 - down / camera.zoom);
    Camera { center, ..camera }
}
