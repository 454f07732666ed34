//! Paints the legend beside the board: what the shapes and colours of a game mean.
//!
//! The game lists the entries (`Render::LEGEND`), and the painter of the board draws the samples.

use agon_games::{
    jsonl::JsonGame,
    scene::{LegendEntry, Render, Scene},
};
use agon_paint::{Area, Camera, Frame, Instant, text_fit, text_width};

use super::{Viewer, caption::inset, layout::Layout};

impl<G: Render + JsonGame> Viewer<G> {
    /// Returns the entries with the line and the distance from the left edge of each.
    fn legend_flow(&self, width: u32, layout: &Layout) -> Vec<(u32, u32, &'static LegendEntry)> {
        let mut row = 0;
        let mut x = 0;
        let mut flow = vec![];
        for entry in G::LEGEND {
            let wide = layout.text * 3 / 2 + text_width(entry.label, layout.text, false);
            if x > 0 && x + wide > width {
                (row, x) = (row + 1, 0);
            }
            flow.push((row, x, entry));
            x += wide + layout.text;
        }
        flow
    }

    /// Returns the number of lines of the legend on an area of this width.
    pub(super) fn legend_lines(&self, width: u32, layout: &Layout) -> u32 {
        let room = width.saturating_sub(2 * layout.gap);
        self.legend_flow(room, layout).last().map_or(0, |&(row, ..)| row + 1)
    }

    pub(super) fn paint_legend(&self, frame: &mut Frame, layout: &Layout) {
        let Some(area) = layout.legend else { return };
        frame.fill(area, self.look.panel());
        let inner = inset(area, layout.gap);
        let size = layout.text;
        for (row, x, entry) in self.legend_flow(inner.width, layout) {
            let y = area.y + (row * layout.line) as i32;
            let sample = Area { x: inner.x + x as i32, y, width: size, height: size };
            let scene = Scene::of_sample(entry);
            let camera = Camera::fit(&scene.board, sample);
            self.look.painter().board(frame, sample, &Instant::still(&scene), &camera);
            let left = sample.x + (size * 3 / 2) as i32;
            let room = (inner.x + inner.width as i32 - left).max(0) as u32;
            let label = text_fit(entry.label, size, false, room);
            frame.text(left, y, &label, size, false, self.look.colors().faint);
        }
    }
}
