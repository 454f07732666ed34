//! Numbers on the board, on demand: of columns and rows along its edges, and of each place.
//!
//! The key `l` shows them. Bots name places by them, and so do people who talk about a match.

use std::collections::BTreeSet;

use agon_games::{
    jsonl::JsonGame,
    scene::{Board, Mark, Place, Render, Scene, Shape},
};
use agon_paint::{Area, Camera, Frame, text_width};

use super::{Viewer, layout::contains, number_choice::Numbers};

/// The smallest letters in pixels.
const SMALLEST: u32 = 8;

impl<G: Render + JsonGame> Viewer<G> {
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
        let theme = self.look.colors();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_do_not_overlap() {
        assert_eq!([40.0, 12.0, 5.0, 1.0, 0.1].map(|zoom| spacing(24.0, zoom)), [1, 2, 5, 50, 500]);
        assert_eq!(spacing(24.0, 0.0), 5000);
    }

    #[test]
    fn the_key_leads_back_to_no_numbers() {
        assert_eq!(Numbers::Off.next().next().next(), Numbers::Off);
    }
}
