//! The visible part of the board, and helps on large boards: halos around units that are hard to
//! see, a map of the whole board, a camera that follows a unit, and numbers of columns, rows and
//! places. A terminal has few pixels, so a small board is enlarged there to use them.
//!
//! `Viewer::paint` draws them. The key `f` follows the unit at the selected place, and `l` shows
//! numbers, by which bots name places.

use std::collections::BTreeSet;

use agon_games::scene::{Board, Mark, Piece, Place, Scene, Shape};

use super::layout::{Layout, contains};
use super::{Numbers, Viewer};
use crate::paint::{Area, Camera, Frame, Instant, board_point, text_width};

/// The most pieces that get halos; more of them would hide the board.
const MAX_HALOS: usize = 64;

/// The size of cells below which pieces get halos, in pixels of a plain screen.
const SMALL_CELL: f32 = 9.0;

/// The size of cells when a unit is followed, in pixels of a plain screen, if that is larger.
const FOLLOWED_CELL: f32 = 16.0;

/// The smallest and the largest longer side of the map, in pixels of a plain screen.
const MAP: (f32, f32) = (72.0, 220.0);

/// The distance in cells from which a movement is a jump.
const JUMP: f32 = 2.5;

/// The smallest letters in pixels.
const SMALLEST: u32 = 8;

impl Viewer {
    /// Returns the point of the board in the middle of a piece, which may be moving.
    fn point_of(&self, instant: &Instant<'_>, piece: &Piece) -> (f32, f32) {
        let now = board_point(&instant.scene.board, piece.place);
        let before = instant.before.filter(|before| before.board == instant.scene.board);
        let start = before.and_then(|before| {
            let start = before.pieces.iter().find(|start| start.id == piece.id)?;
            Some(board_point(&before.board, start.place))
        });
        let Some(start) = start else { return now };
        if (now.0 - start.0).hypot(now.1 - start.1) > JUMP {
            return now;
        }
        let mix = |from: f32, to: f32| from + (to - from) * instant.done;
        (mix(start.0, now.0), mix(start.1, now.1))
    }

    /// Returns the point of the unit that the camera follows.
    pub(super) fn followed_point(&self) -> Option<(f32, f32)> {
        let instant = self.playback.instant();
        let piece = self.followed_piece()?;
        Some(self.point_of(&instant, piece))
    }

    /// Returns the unit that the camera follows.
    pub(super) fn followed_piece(&self) -> Option<&Piece> {
        let followed = self.followed?;
        self.playback.scene().pieces.iter().find(|piece| piece.id == followed)
    }

    /// Follows the unit at the selected place, or shows the whole board.
    pub(super) fn follow_or_fit(&mut self) {
        let selected = self.inspector.selected;
        let pieces = &self.playback.scene().pieces;
        let piece = pieces.iter().find(|piece| Some(piece.place) == selected).map(|piece| piece.id);
        if self.followed.is_some() || piece.is_none() {
            self.followed = None;
            self.visible.chosen = None;
            return;
        }
        let area = self.layout().board;
        let camera = self.visible.camera(&self.playback.scene().board, area);
        let zoom = camera.zoom.max((FOLLOWED_CELL * self.scale).round());
        self.visible.chosen = Some(Camera { zoom, ..camera });
        self.followed = piece;
    }

    /// Stops following; the board stays where it is.
    pub(super) fn stop_following(&mut self) {
        if self.followed.is_some() {
            let area = self.layout().board;
            let camera = self.camera(self.playback.scene(), area);
            self.visible.chosen = Some(camera);
            self.followed = None;
        }
    }

    /// Moves the selection with the unit that is followed. A unit that is gone is not followed.
    pub(super) fn track(&mut self) {
        match self.followed_piece().map(|piece| piece.place) {
            Some(place) => self.inspector.follow(place),
            None => self.stop_following(),
        }
    }

    /// Paints halos around pieces that point somewhere, where cells are small.
    pub(super) fn paint_halos(
        &self,
        frame: &mut Frame,
        area: Area,
        instant: &Instant<'_>,
        camera: &Camera,
    ) {
        let pieces = &instant.scene.pieces;
        if camera.zoom >= SMALL_CELL * self.scale || pieces.len() > MAX_HALOS {
            return;
        }
        let theme = &self.look.colors;
        let radius = 9.0 * self.scale;
        for piece in pieces.iter().filter(|piece| matches!(piece.shape, Shape::Pointer(_))) {
            let point = self.point_of(instant, piece);
            let at = camera.pixel(area, point);
            if contains(area, at) {
                let color = theme.color(piece.ink);
                frame.ring(at, radius + 1.5 * self.scale, 4.5 * self.scale, theme.paper);
                frame.ring(at, radius, 2.5 * self.scale, color);
            }
        }
    }

    /// Returns the area of the map, if only a part of the board is visible.
    fn map_area(&self, layout: &Layout) -> Option<Area> {
        let is_whole = self.visible.chosen.is_none() && self.followed.is_none();
        if is_whole || self.characters.is_some() {
            return None;
        }
        let area = layout.board;
        let (width, height) = match self.playback.scene().board {
            Board::Grid { width, height, .. } => (width as f32, height as f32),
            Board::Hexagon { .. } => (1.0, 1.0),
        };
        let side = area.width.min(area.height) as f32 / 4.0;
        let side = side.min(MAP.1 * self.scale);
        if side < MAP.0 * self.scale {
            return None;
        }
        let part = side / width.max(height);
        let (width, height) = ((width * part).max(8.0) as u32, (height * part).max(8.0) as u32);
        let gap = layout.gap as i32;
        let x = area.x + (area.width - width) as i32 - gap;
        // Above the message, where that lies over the board.
        let lower = area.y + area.height as i32;
        let lower = if layout.is_column { lower } else { lower.min(layout.message.y) };
        let y = lower - height as i32 - gap;
        (y > area.y).then_some(Area { x, y, width, height })
    }

    /// Paints the whole board in a corner, with a frame around the visible part.
    pub(super) fn paint_overview(&self, frame: &mut Frame, layout: &Layout) {
        let Some(map) = self.map_area(layout) else { return };
        let overlaid = self.overlaid();
        let instant = self.instant(overlaid.as_ref());
        let theme = &self.look.colors;
        let edge = (2.0 * self.scale) as i32;
        let grown = |area: Area, by: i32| Area {
            x: area.x - by,
            y: area.y - by,
            width: area.width + 2 * by as u32,
            height: area.height + 2 * by as u32,
        };
        frame.fill(grown(map, edge), theme.faint);
        let board = &instant.scene.board;
        let camera = Camera::fit(board, map);
        self.look.colors.paint_board(frame, map, &Instant::still(instant.scene), &camera);
        let seen = self.camera(instant.scene, layout.board);
        let area = layout.board;
        let corners = [(area.x, area.y), (area.x + area.width as i32, area.y + area.height as i32)];
        let corners = corners.map(|(x, y)| {
            let (x, y) = camera.pixel(map, seen.point(area, (x as f32, y as f32)));
            (x.round() as i32, y.round() as i32)
        });
        let [(left, top), (right, bottom)] = corners;
        let (width, height) = ((right - left).max(2) as u32, (bottom - top).max(2) as u32);
        let visible = Area { x: left, y: top, width, height }.intersection(map);
        frame.outline(visible, edge.max(1) as u32, theme.text);
    }

    /// Shows the part of the board at the pointer, if it is on the map.
    pub(super) fn press_map(&mut self, layout: &Layout) -> bool {
        let at = self.pointer.at;
        let Some(map) = self.map_area(layout).filter(|&map| contains(map, at)) else {
            return false;
        };
        self.stop_following();
        let board = &self.playback.scene().board;
        let center = Camera::fit(board, map).point(map, at);
        let camera = self.visible.camera(board, layout.board);
        self.visible.chosen = Some(Camera { center, ..camera });
        true
    }

    pub(super) fn paint_numbers(
        &self,
        frame: &mut Frame,
        area: Area,
        scene: &Scene,
        camera: &Camera,
    ) {
        match self.numbers {
            Numbers::Off => {}
            Numbers::Edges => self.paint_edges(frame, area, scene, camera),
            Numbers::Places => self.paint_places(frame, area, scene, camera),
        }
    }

    fn paint_edges(&self, frame: &mut Frame, area: Area, scene: &Scene, camera: &Camera) {
        let size = self.layout().text * 7 / 8;
        let Board::Grid { width, height, .. } = scene.board else {
            // The view of a player has the same columns as the whole board.
            for (place, number) in self.playback.game().columns() {
                let (x, y) = camera.pixel_of(&scene.board, place, area);
                let at = (x, (y - camera.zoom * 0.85).max(area.y as f32 + size as f32 / 2.0));
                self.paint_number(frame, area, at, &number.to_string(), size, true);
            }
            return;
        };
        let letters = text_width(&width.max(height).to_string(), size, false) as f32;
        let column = |x: u32| camera.pixel_of(&scene.board, x, area).0;
        let row = |y: u32| camera.pixel_of(&scene.board, y * width, area).1;
        let top = (row(0) - camera.zoom / 2.0).max(area.y as f32) + size as f32 * 0.6;
        let left = (column(0) - camera.zoom / 2.0).max(area.x as f32) + letters / 2.0 + 2.0;
        for x in (0..width).step_by(spacing(letters * 1.8, camera.zoom)) {
            self.paint_number(frame, area, (column(x), top), &x.to_string(), size, true);
        }
        let rows = spacing(size as f32 * 1.8, camera.zoom);
        for y in (0..height).step_by(rows).skip(1) {
            self.paint_number(frame, area, (left, row(y)), &y.to_string(), size, true);
        }
    }

    fn paint_places(&self, frame: &mut Frame, area: Area, scene: &Scene, camera: &Camera) {
        let name = |place: Place| match scene.board {
            Board::Grid { width, .. } => format!("{},{}", place % width, place / width),
            Board::Hexagon { .. } => place.to_string(),
        };
        let last = (scene.board.places() as Place).saturating_sub(1);
        // Letters as large as fit into a cell.
        let fits = |&size: &u32| text_width(&name(last), size, false) as f32 <= camera.zoom * 0.8;
        let most = self.layout().text * 7 / 8;
        let Some(size) = (SMALLEST..=most).rev().find(fits) else { return };
        let is_number = |mark: &&Mark| matches!(mark.shape, Shape::Number(_));
        let numbered: BTreeSet<Place> =
            scene.marks.iter().filter(is_number).map(|mark| mark.place).collect();
        // Below a number in the cell, if there is room.
        let below = size.min((camera.zoom * 0.24) as u32);
        for place in 0..=last {
            let (x, mut y) = camera.pixel_of(&scene.board, place, area);
            let mut size = size;
            if numbered.contains(&place) {
                if below < SMALLEST {
                    continue;
                }
                (size, y) = (below, y + (camera.zoom - below as f32) / 2.0);
            }
            if contains(area, (x, y)) {
                self.paint_number(frame, area, (x, y), &name(place), size, false);
            }
        }
    }

    /// Paints a number around a point, readable on any colour.
    fn paint_number(
        &self,
        frame: &mut Frame,
        area: Area,
        (x, y): (f32, f32),
        text: &str,
        size: u32,
        has_box: bool,
    ) {
        if !contains(area, (x, y)) {
            return;
        }
        let theme = &self.look.colors;
        let width = text_width(text, size, false);
        let left = (x - width as f32 / 2.0).round() as i32;
        let top = (y - size as f32 / 2.0).round() as i32;
        if has_box {
            let back = Area { x: left - 2, y: top, width: width + 4, height: size };
            frame.blend(back.intersection(area), theme.paper, 170);
            frame.text(left, top, text, size, false, theme.text);
            return;
        }
        for (dx, dy) in [(-1, 0), (1, 0), (0, -1), (0, 1)] {
            frame.text(left + dx, top + dy, text, size, false, theme.paper);
        }
        frame.text(left, top, text, size, false, theme.text);
    }
}

/// Returns the distance of numbers in cells, so that they do not overlap: 1, 2 or 5 times a power
/// of ten.
fn spacing(length: f32, zoom: f32) -> usize {
    let least = length / zoom.max(0.01);
    let steps = (0..9).flat_map(|power| [1, 2, 5].map(|step| step * 10usize.pow(power)));
    steps.into_iter().find(|&step| step as f32 >= least).unwrap_or(usize::MAX)
}

/// A zoom and a place, or the whole board.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct VisibleArea {
    /// The chosen camera; `None` shows the whole board for any size of window.
    pub(super) chosen: Option<Camera>,
}

/// The most pixels of a cell.
const MAX_ZOOM: f32 = 128.0;

impl VisibleArea {
    /// Returns the camera on an area.
    pub(super) fn camera(&self, board: &Board, area: Area) -> Camera {
        self.chosen.unwrap_or_else(|| Camera::fit(board, area))
    }

    /// Enlarges cells by `factor`; the point at `fixed` keeps its place.
    pub(super) fn zoom(&mut self, board: &Board, area: Area, factor: f32, fixed: (f32, f32)) {
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
            self.chosen = None;
            return;
        }
        let point = old.point(area, fixed);
        let new = Camera { zoom, ..old };
        let moved = new.point(area, fixed);
        let center = (old.center.0 + point.0 - moved.0, old.center.1 + point.1 - moved.1);
        self.chosen = Some(Camera { center: kept_on(board, center), zoom });
    }

    /// Moves the board by this many pixels.
    pub(super) fn pan(&mut self, board: &Board, area: Area, (x, y): (f32, f32)) {
        let old = self.camera(board, area);
        let center = (old.center.0 - x / old.zoom, old.center.1 - y / old.zoom);
        self.chosen = Some(Camera { center: kept_on(board, center), ..old });
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

    #[test]
    fn numbers_do_not_overlap() {
        assert_eq!([40.0, 12.0, 5.0, 1.0, 0.1].map(|zoom| spacing(24.0, zoom)), [1, 2, 5, 50, 500]);
        assert_eq!(spacing(24.0, 0.0), 5000);
    }

    const AREA: Area = Area { x: 0, y: 0, width: 400, height: 300 };
    const BOARD: Board = Board::Grid { width: 40, height: 30, wraps: false };

    #[test]
    fn the_board_cannot_be_lost() {
        let mut visible = VisibleArea::default();
        visible.zoom(&BOARD, AREA, 3.0, (200.0, 150.0));
        visible.pan(&BOARD, AREA, (1e9, -1e9));
        assert_eq!(visible.camera(&BOARD, AREA).center, (0.0, 30.0));
    }
}
