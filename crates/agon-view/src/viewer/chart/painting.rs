//! Paints the chart below the board, and jumps to the turn that a person clicks on.
//!
//! `agon_paint::chart` draws the lines. The picture is kept until the values, the theme or the size
//! change.

use agon_games::{jsonl::JsonGame, scene::Render};
use agon_paint::chart::{Chart, Colors, Line};
use agon_paint::{Area, Frame};

use super::{
    super::{Viewer, layout::Layout},
    panel::Picture,
};

impl<G: Render + JsonGame> Viewer<G> {
    pub(in crate::viewer) fn paint_chart(&mut self, frame: &mut Frame, layout: &Layout) {
        let (Some(area), Some(series)) = (layout.chart, self.charts.series) else { return };
        if self.charts.is_hidden {
            frame.fill(area, self.look.panel());
            let text = "The chart can be seen when the match is over.";
            self.look.centered(frame, area, text, layout.text, false, self.look.colors().text);
            return;
        }
        let theme = self.look.theme();
        let fits = |picture: &Picture| {
            let size = (picture.frame.width(), picture.frame.height());
            (picture.series, picture.theme, size) == (series, theme, (area.width, area.height))
        };
        if !self.charts.picture.as_ref().is_some_and(fits) {
            self.charts.picture = self.draw_chart(series, area);
        }
        if let Some(picture) = &self.charts.picture {
            self.show_chart(frame, area, picture);
        }
    }

    /// Copies the picture of a chart to its area, and marks the turn that is shown.
    pub(super) fn show_chart(&self, frame: &mut Frame, area: Area, picture: &Picture) {
        copy(&picture.frame, frame, area);
        let Some(scale) = picture.scale else { return };
        if let Some(x) = scale.place(self.playback.turn()) {
            let x = area.x + x.round() as i32 - 1;
            let top = scale.top.round();
            let height = (scale.bottom - scale.top).round();
            let line = Area { x, y: area.y + top as i32, width: 2, height: height as u32 };
            frame.fill(line.intersection(area), self.look.colors().text);
        }
    }

    /// Returns the chart of a series with the values counted so far.
    pub(super) fn chart_of(&self, series: usize) -> Option<Chart> {
        let curves = self.charts.curves.as_ref()?;
        let colors = self.look.colors();
        let names = self.playback.players().iter().zip(&self.playback.scene().players);
        let lines = names.enumerate().map(|(player, (name, line))| Line {
            name: name.clone(),
            color: colors.color(line.ink),
            points: curves.points(series, player),
        });
        Some(Chart {
            title: G::SERIES[series].title.to_owned(),
            x: format!("{}s", G::META.turn_name),
            lines: lines.collect(),
        })
    }

    fn draw_chart(&self, series: usize, area: Area) -> Option<Picture> {
        let chart = self.chart_of(series)?;
        let colors = self.look.colors();
        let mut frame = Frame::new(area.width, area.height);
        let scale = chart.paint(&mut frame, &Colors::from(colors));
        Some(Picture { frame, scale, series, theme: self.look.theme() })
    }

    /// Jumps to the step that the chart shows under the pointer.
    pub(in crate::viewer) fn seek_in_chart(&mut self) {
        let Some(area) = self.layout().chart else { return };
        let x = f64::from(self.pointer.at().0) - f64::from(area.x);
        if let Some(step) = self.charts.step_at(x) {
            self.playback.seek(step);
        }
    }
}

/// Copies a picture to an area of its size, as far as the frame has it.
fn copy(picture: &Frame, frame: &mut Frame, area: Area) {
    let seen = area.intersection(frame.area());
    let width = frame.width() as usize;
    let left = (seen.x - area.x) as usize;
    let length = 4 * seen.width as usize;
    for row in 0..seen.height as usize {
        let from = 4 * ((row + (seen.y - area.y) as usize) * picture.width() as usize + left);
        let to = 4 * ((row + seen.y as usize) * width + seen.x as usize);
        frame.data_mut()[to..to + length].copy_from_slice(&picture.data()[from..from + length]);
    }
}
