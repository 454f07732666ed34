//! A chart of what players have over the turns, below the board.

mod curves;

use std::time::Duration;

use agon_chart::{Chart, Colors, Line, Scale};
use agon_core::Player;
use agon_games::{jsonl::JsonGame, scene::Render};
use agon_paint::{Area, Frame, ThemeName};

use super::{Viewer, layout::Layout};
use crate::{Charted, Playback, Redraw};
use curves::Curves;

/// While more is counted, the lines are drawn anew so often.
const REDRAW_INTERVAL: Duration = Duration::from_millis(100);

/// The least height that lines can be read in, in pixels of a plain screen.
const MIN_HEIGHT: f32 = 170.0;

/// The chart of a viewer, open or not.
pub(super) struct ChartPanel<G: Render> {
    /// Which series is shown.
    series: Option<usize>,
    /// What has been counted, once anything was wanted.
    curves: Option<Curves<G>>,
    picture: Option<Picture>,
    /// Whether a player must not see it.
    hides: bool,
    /// Whose eyes it was hidden from at which step, when that was found out last.
    checked_for: Option<(Option<Player>, u64)>,
    /// Whether more was counted than the picture shows, and when the picture was given up last.
    is_behind: bool,
    dropped_at: Duration,
}

/// The chart as it was painted last.
struct Picture {
    frame: Frame,
    scale: Option<Scale>,
    series: usize,
    theme: ThemeName,
}

impl<G: Render> Default for ChartPanel<G> {
    fn default() -> ChartPanel<G> {
        let hides = false;
        let is_behind = false;
        let drawn = Duration::ZERO;
        ChartPanel {
            series: None,
            curves: None,
            picture: None,
            hides,
            checked_for: None,
            is_behind,
            dropped_at: drawn,
        }
    }
}

impl<G: Render> ChartPanel<G> {
    pub(super) fn is_open(&self) -> bool {
        self.series.is_some()
    }

    /// Whether it has more to do before the next picture.
    pub(super) fn is_busy(&self) -> bool {
        self.is_open() && !self.hides && self.curves.as_ref().is_some_and(Curves::has_more)
    }

    /// Shows the next series; none after the last one.
    pub(super) fn next(&mut self, playback: &Playback<G>) {
        let next = self.series.map_or(0, |series| series + 1);
        self.series = (next < G::SERIES.len()).then_some(next);
        if self.is_open() && self.curves.is_none() {
            self.curves = Some(Curves::new(playback.states().fork()));
        }
        self.update_hidden(playback);
    }

    /// Hides what a player must not know: if some of the board is hidden, numbers would tell of it.
    fn update_hidden(&mut self, playback: &Playback<G>) {
        let now = Some((playback.eyes(), playback.step()));
        if std::mem::replace(&mut self.checked_for, now) == now {
            return;
        }
        let hides_now = |player| {
            let seen = playback.game().scene_for(player);
            let all = playback.game().scene();
            (seen.board, seen.cells, seen.pieces) != (all.board, all.cells, all.pieces)
        };
        self.hides = playback.eyes().is_some_and(|player| self.hides || hides_now(player));
    }

    /// Goes on counting while it is open.
    pub(super) fn tick(&mut self, now: Duration, playback: &Playback<G>) -> Redraw {
        if !self.is_open() {
            return Redraw::No;
        }
        let hid = self.hides;
        self.update_hidden(playback);
        if self.hides {
            return if hid { Redraw::No } else { Redraw::Yes };
        }
        let Some(curves) = &mut self.curves else { return Redraw::No };
        self.is_behind |= curves.tick(now);
        let is_due = now.saturating_sub(self.dropped_at) >= REDRAW_INTERVAL || !curves.has_more();
        if hid || (self.is_behind && is_due) {
            (self.picture, self.is_behind, self.dropped_at) = (None, false, now);
            return Redraw::Yes;
        }
        Redraw::No
    }

    /// What is shown.
    pub(super) fn status(&self) -> Option<Charted> {
        let series = self.series?;
        let curves = self.curves.as_ref()?;
        Some(Charted {
            series: G::SERIES[series].id.to_owned(),
            turns: if self.hides { 0 } else { curves.turns() as u64 },
            complete: curves.is_complete(),
            hidden: self.hides,
        })
    }

    /// The step that a place of its picture stands for, so far from the left.
    fn step_at(&self, x: f64) -> Option<u64> {
        let scale = self.picture.as_ref()?.scale.filter(|_| !self.hides)?;
        Some(self.curves.as_ref()?.step_of(scale.turn_at(x)))
    }
}

impl Layout {
    /// Makes room for a chart below the board.
    pub(super) fn split_board(&mut self, scale: f32) {
        let least = (MIN_HEIGHT * scale) as u32;
        let height = (self.board.height * 2 / 5).max(least.min(self.board.height / 2));
        if height == 0 {
            return;
        }
        self.board.height -= height;
        let y = self.board.y + self.board.height as i32;
        self.chart = Some(Area { y, height, ..self.board });
        if !self.is_column {
            self.message.y -= height as i32;
        }
    }
}

impl<G: Render + JsonGame> Viewer<G> {
    pub(super) fn paint_chart(&mut self, frame: &mut Frame, layout: &Layout) {
        let (Some(area), Some(series)) = (layout.chart, self.charts.series) else { return };
        if self.charts.hides {
            frame.fill(area, self.look.panel());
            let text = "The chart can be seen when the match is over.";
            self.look.centered(frame, area, text, layout.text, false, self.look.colors().text);
            return;
        }
        let theme = self.look.theme();
        let is_good = |picture: &Picture| {
            let size = (picture.frame.width(), picture.frame.height());
            (picture.series, picture.theme, size) == (series, theme, (area.width, area.height))
        };
        if !self.charts.picture.as_ref().is_some_and(is_good) {
            self.charts.picture = self.draw_chart(series, area);
        }
        let Some(picture) = &self.charts.picture else { return };
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

    fn draw_chart(&self, series: usize, area: Area) -> Option<Picture> {
        let curves = self.charts.curves.as_ref()?;
        let colors = self.look.colors();
        let names = self.playback.players().iter().zip(&self.playback.scene().players);
        let lines = names.enumerate().map(|(player, (name, line))| Line {
            name: name.clone(),
            color: colors.color(line.ink),
            points: curves.points(series, player),
        });
        let chart = Chart {
            title: G::SERIES[series].title.to_owned(),
            x: format!("{}s", G::META.turn_name),
            lines: lines.collect(),
        };
        let mut frame = Frame::new(area.width, area.height);
        let scale = chart.paint(&mut frame, &Colors::from(colors));
        Some(Picture { frame, scale, series, theme: self.look.theme() })
    }

    /// Goes to what the chart shows under the pointer.
    pub(super) fn seek_in_chart(&mut self) {
        let Some(area) = self.layout().chart else { return };
        let x = f64::from(self.pointer.at().0) - f64::from(area.x);
        if let Some(step) = self.charts.step_at(x) {
            self.playback.seek(step);
        }
    }
}

/// Copies a picture onto an area of its size, as far as it lies on the frame.
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
