//! Paints the list of events, the chart below the board and the small curves beside it.
//!
//! A click goes to the event or to the turn there. `crate::paint::chart` draws the lines. Their
//! pictures are kept until the values, the theme or the size change.

use agon_core::Player;
use agon_games::scene::Ink;

use super::layout::{Layout, contains};
use super::{Viewer, chart::Picture, events::Event};
use crate::paint::chart::{Chart, Colors, Line};
use crate::paint::{Area, Frame, text_fit, text_width};
use crate::{EventKind, ListedEvent, Redraw};

impl Viewer {
    /// Returns the events found so far.
    pub(super) fn events(&self) -> &[Event] {
        self.charts.events().map_or(&[], |log| log.events.as_slice())
    }

    /// Returns the visible events with their lines; the last value says whether it is the current
    /// one.
    pub(super) fn event_lines(&self, layout: &Layout) -> Vec<(&Event, Area, bool)> {
        let Some(area) = layout.events else { return vec![] };
        let inner = area.inset(layout.gap / 2);
        // The first line is the heading.
        let room = (inner.height / layout.line).saturating_sub(1) as usize;
        let events = self.events();
        let (visible, current) = self.events_panel.visible(events, self.playback.step(), room);
        let line = |(row, at): (usize, usize)| {
            let y = inner.y + (layout.line as usize * (row + 1)) as i32;
            let area = Area { y, height: layout.line, ..inner };
            (&events[at], area, current == Some(at))
        };
        visible.enumerate().map(line).collect()
    }

    /// Returns the visible events for terminals and for the app's status.
    pub(super) fn listed_events(&self, layout: &Layout) -> Vec<ListedEvent> {
        let listed = |(event, area, current): (&Event, Area, bool)| ListedEvent {
            step: event.step,
            turn: event.turn,
            kind: event.kind,
            text: event.text.clone(),
            ink: event.player.and_then(|player| self.ink_of(player)),
            current,
            at: area.center(),
        };
        self.event_lines(layout).into_iter().map(listed).collect()
    }

    /// Returns the colour of a player; `None` if a file names one that does not exist.
    pub(super) fn ink_of(&self, player: Player) -> Option<Ink> {
        self.playback.scene().players.get(player.index()).map(|line| line.ink)
    }

    pub(super) fn paint_events(&self, frame: &mut Frame, layout: &Layout) {
        let Some(area) = layout.events else { return };
        frame.fill(area, self.look.panel());
        let theme = &self.look.colors;
        let size = layout.text;
        let inner = area.inset(layout.gap / 2);
        let left = inner.x + (layout.gap / 2) as i32;
        let wide = inner.width.saturating_sub(layout.gap);
        let heading = text_fit(&self.events_heading(), size, true, wide).into_owned();
        frame.text(left, inner.y, &heading, size, true, theme.text);
        let lines = self.event_lines(layout);
        let digits = lines.iter().map(|(event, ..)| event.turn.to_string().len()).max();
        let column = text_width("0", size, false) * digits.unwrap_or(0) as u32;
        for (event, area, is_current) in lines {
            if is_current || contains(area, self.pointer.at) {
                frame.rounded(area, layout.gap as f32 / 2.0, self.look.raised(), 255);
            }
            let y = area.y + (area.height.saturating_sub(size) / 2) as i32;
            let turn = event.turn.to_string();
            let right = left + column.saturating_sub(text_width(&turn, size, false)) as i32;
            frame.text(right, y, &turn, size, false, theme.faint);
            let mut x = left + (column + layout.gap) as i32;
            x += self.paint_event_sign(frame, event, (x, y), size) as i32;
            let room = (left + wide as i32 - x).max(0) as u32;
            let bold = matches!(event.kind, EventKind::Fault | EventKind::End | EventKind::Out);
            let text = text_fit(&event.text, size, bold, room);
            frame.text(x, y, &text, size, bold, theme.text);
        }
    }

    /// Paints the colour of an event's player, and returns the width with its space.
    fn paint_event_sign(
        &self,
        frame: &mut Frame,
        event: &Event,
        (x, y): (i32, i32),
        size: u32,
    ) -> u32 {
        let Some(ink) = event.player.and_then(|player| self.ink_of(player)) else { return 0 };
        let theme = &self.look.colors;
        let swatch = size / 2;
        let area = Area { x, y: y + (size / 4) as i32, width: swatch, height: swatch };
        if event.kind == EventKind::Fault {
            let width = frame.text(x, y, "!", size, true, theme.color(ink));
            return width.max(swatch) + size / 3;
        }
        frame.rounded(area, swatch as f32 / 4.0, theme.color(ink), 255);
        swatch + size / 3
    }

    /// Returns the heading: how many events and faults there are.
    pub(super) fn events_heading(&self) -> String {
        let left_out = self.charts.events().map_or(0, |log| log.left_out);
        let more =
            if left_out > 0 { format!(", {left_out} more not listed") } else { String::new() };
        match self.notes.faults.len() {
            0 => format!("Events{more}"),
            1 => format!("Events{more}, 1 fault (n: go there)"),
            faults => format!("Events{more}, {faults} faults (n: next)"),
        }
    }

    /// Jumps to the event under the pointer, and pauses there.
    pub(super) fn press_event(&mut self, layout: &Layout) -> Option<Redraw> {
        let at = self.pointer.at;
        layout.events.filter(|&area| contains(area, at))?;
        let lines = self.event_lines(layout);
        let step = lines.into_iter().find(|(_, area, _)| contains(*area, at));
        let Some(step) = step.map(|(event, ..)| event.step) else { return Some(Redraw::No) };
        self.playback.pause();
        self.playback.seek(step);
        Some(Redraw::Yes)
    }

    /// Scrolls the list if the pointer is over it.
    pub(super) fn scroll_events(&mut self, layout: &Layout, notches: f32) -> bool {
        let Some(area) = layout.events.filter(|&area| contains(area, self.pointer.at)) else {
            return false;
        };
        let inner = area.inset(layout.gap / 2);
        let room = (inner.height / layout.line).saturating_sub(1) as usize;
        let events = self.charts.events().map_or(&[][..], |log| log.events.as_slice());
        let by = (-3.0 * notches).round() as i32;
        self.events_panel.scroll(events, self.playback.step(), room, by);
        true
    }

    pub(super) fn paint_chart(&mut self, frame: &mut Frame, layout: &Layout) {
        let (Some(area), Some(series)) = (layout.chart, self.charts.series) else { return };
        if self.charts.is_hidden {
            frame.fill(area, self.look.panel());
            let text = "The chart can be seen when the match is over.";
            self.look.centered(frame, area, text, layout.text, false, self.look.colors.text);
            return;
        }
        if !self.is_current(self.charts.picture.as_ref(), series, area) {
            self.charts.picture = self.draw_chart(area, series, None);
        }
        if let Some(picture) = &self.charts.picture {
            self.show_chart(frame, area, picture);
        }
    }

    /// Paints the first series, which says most about who is ahead.
    pub(super) fn paint_curves(&mut self, frame: &mut Frame, layout: &Layout) {
        let Some(area) = layout.curves else { return };
        if !self.is_current(self.charts.small.as_ref(), 0, area) {
            self.charts.small = self.draw_chart(area, 0, Some(layout.text));
        }
        match &self.charts.small {
            Some(picture) => self.show_chart(frame, area, picture),
            None => frame.fill(area, self.look.panel()),
        }
    }

    fn is_current(&self, picture: Option<&Picture>, series: usize, area: Area) -> bool {
        picture.is_some_and(|picture| {
            let size = (picture.frame.width(), picture.frame.height());
            let wanted = (series, self.look.name, (area.width, area.height));
            (picture.series, picture.theme, size) == wanted
        })
    }

    /// Copies the picture of a chart to its area, and marks the turn that is shown.
    fn show_chart(&self, frame: &mut Frame, area: Area, picture: &Picture) {
        frame.copy(&picture.frame, picture.frame.area(), (area.x, area.y));
        let Some(scale) = picture.scale else { return };
        if let Some(x) = scale.place(self.playback.turn()) {
            let x = area.x + x.round() as i32 - 1;
            let top = scale.top.round();
            let height = (scale.bottom - scale.top).round();
            let line = Area { x, y: area.y + top as i32, width: 2, height: height as u32 };
            frame.fill(line.intersection(area), self.look.colors.text);
        }
    }

    /// Draws a series with the values counted so far. Letters of a small chart have the height
    /// `small`.
    fn draw_chart(&self, area: Area, series: usize, small: Option<u32>) -> Option<Picture> {
        let curves = self.charts.curves.as_ref()?;
        let title = curves.series.get(series).filter(|_| !area.is_empty())?.title.to_owned();
        let theme = &self.look.colors;
        let names = self.playback.players().iter().zip(&self.playback.scene().players);
        let lines = names.enumerate().map(|(player, (name, line))| Line {
            name: name.clone(),
            color: theme.color(line.ink),
            points: curves.points(series, player),
        });
        let x = format!("{}s", self.playback.game().meta().turn_name);
        let chart = Chart { title, x, lines: lines.collect() };
        let mut frame = Frame::new(area.width, area.height);
        let colors = Colors::from(theme);
        let scale = match small {
            None => chart.paint(&mut frame, &colors),
            Some(text) => {
                let colors = Colors { paper: self.look.panel(), ..colors };
                chart.paint_small(&mut frame, &colors, text)
            }
        };
        Some(Picture { frame, scale, series, theme: self.look.name })
    }
}
