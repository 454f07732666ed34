//! Paints the small curves beside the board, and jumps to the turn that a person clicks on.
//!
//! `Viewer::paint` calls it. The picture is kept like that of the chart.

use agon_games::{jsonl::JsonGame, scene::Render};
use agon_paint::chart::Colors;
use agon_paint::{Area, Frame};

use super::{
    super::{Viewer, layout::Layout},
    panel::Picture,
};

impl<G: Render + JsonGame> Viewer<G> {
    pub(in crate::viewer) fn paint_curves(&mut self, frame: &mut Frame, layout: &Layout) {
        let Some(area) = layout.curves else { return };
        let theme = self.look.theme();
        let fits = |picture: &Picture| {
            let size = (picture.frame.width(), picture.frame.height());
            (picture.theme, size) == (theme, (area.width, area.height))
        };
        if !self.charts.small.as_ref().is_some_and(fits) {
            self.charts.small = self.draw_curves(area, layout.text);
        }
        match &self.charts.small {
            Some(picture) => self.show_chart(frame, area, picture),
            None => frame.fill(area, self.look.panel()),
        }
    }

    /// Draws the first series, which says most about who is ahead.
    fn draw_curves(&self, area: Area, text: u32) -> Option<Picture> {
        if area.is_empty() || G::SERIES.is_empty() {
            return None;
        }
        let chart = self.chart_of(0)?;
        let mut frame = Frame::new(area.width, area.height);
        let colors = Colors { paper: self.look.panel(), ..Colors::from(self.look.colors()) };
        let scale = chart.paint_small(&mut frame, &colors, text);
        Some(Picture { frame, scale, series: 0, theme: self.look.theme() })
    }

    /// Jumps to the step that the curves show under the pointer.
    pub(in crate::viewer) fn seek_in_curves(&mut self) {
        let Some(area) = self.layout().curves else { return };
        let Some(picture) = &self.charts.small else { return };
        let x = f64::from(self.pointer.at().0) - f64::from(area.x);
        if let Some(step) = self.charts.step_in(picture, x) {
            self.playback.seek(step);
        }
    }
}
