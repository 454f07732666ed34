//! Paints the list of events, and jumps to the event that a person clicks on.
//!
//! The viewer calls it for each picture, and for presses and the wheel on the list.

use agon_games::{jsonl::JsonGame, scene::Render};
use agon_paint::{Area, Frame, text_fit, text_width};

use super::{
    super::{
        Viewer,
        caption::inset,
        layout::{Layout, contains},
    },
    log::Event,
};
use crate::{EventKind, ListedEvent, Redraw};

impl<G: Render + JsonGame> Viewer<G> {
    /// Returns the events found so far.
    pub(in crate::viewer) fn events(&self) -> &[Event] {
        self.charts.events().map_or(&[], |log| log.events())
    }

    /// Returns the visible events with their lines; the last value says whether it is the current
    /// one.
    pub(in crate::viewer) fn event_lines(&self, layout: &Layout) -> Vec<(&Event, Area, bool)> {
        let Some(area) = layout.events else { return vec![] };
        let inner = inset(area, layout.gap / 2);
        // The first line is the heading.
        let room = (inner.height / layout.line).saturating_sub(1) as usize;
        let events = self.events();
        let visible = self.events_panel.visible(events, self.playback.step(), room);
        let line = |row: usize| {
            let at = visible.first + row;
            let y = inner.y + (layout.line as usize * (row + 1)) as i32;
            let area = Area { y, height: layout.line, ..inner };
            (&events[at], area, visible.current == Some(at))
        };
        (0..visible.count).map(line).collect()
    }

    /// Returns the visible events for the app's status.
    pub(in crate::viewer) fn listed_events(&self) -> Vec<ListedEvent> {
        let layout = self.layout();
        let listed = |(event, area, current): (&Event, Area, bool)| ListedEvent {
            step: event.step,
            turn: event.turn,
            kind: event.kind,
            text: event.text.clone(),
            current,
            at: (area.x + (area.width / 2) as i32, area.y + (area.height / 2) as i32),
        };
        self.event_lines(&layout).into_iter().map(listed).collect()
    }

    pub(in crate::viewer) fn paint_events(&self, frame: &mut Frame, layout: &Layout) {
        let Some(area) = layout.events else { return };
        frame.fill(area, self.look.panel());
        let theme = self.look.colors();
        let size = layout.text;
        let inner = inset(area, layout.gap / 2);
        let left = inner.x + (layout.gap / 2) as i32;
        let wide = inner.width.saturating_sub(layout.gap);
        let heading = text_fit(&self.events_heading(), size, true, wide).into_owned();
        frame.text(left, inner.y, &heading, size, true, theme.text);
        let lines = self.event_lines(layout);
        let digits = lines.iter().map(|(event, ..)| event.turn.to_string().len()).max();
        let column = text_width("0", size, false) * digits.unwrap_or(0) as u32;
        for (event, area, is_current) in lines {
            if is_current || contains(area, self.pointer.at()) {
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
        let ink = event.player.and_then(|player| {
            self.playback.scene().players.get(player.index()).map(|line| line.ink)
        });
        let Some(ink) = ink else { return 0 };
        let theme = self.look.colors();
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
    pub(in crate::viewer) fn events_heading(&self) -> String {
        let left_out = self.charts.events().map_or(0, |log| log.left_out());
        let more =
            if left_out > 0 { format!(", {left_out} more not listed") } else { String::new() };
        match self.notes.faults.len() {
            0 => format!("Events{more}"),
            1 => format!("Events{more}, 1 fault (n: go there)"),
            faults => format!("Events{more}, {faults} faults (n: next)"),
        }
    }

    /// Jumps to the event under the pointer, and pauses there.
    pub(in crate::viewer) fn press_event(&mut self, layout: &Layout) -> Option<Redraw> {
        let at = self.pointer.at();
        layout.events.filter(|&area| contains(area, at))?;
        let lines = self.event_lines(layout);
        let step = lines.into_iter().find(|(_, area, _)| contains(*area, at));
        let Some(step) = step.map(|(event, ..)| event.step) else { return Some(Redraw::No) };
        self.playback.pause();
        self.playback.seek(step);
        Some(Redraw::Yes)
    }

    /// Scrolls the list if the pointer is over it.
    pub(in crate::viewer) fn scroll_events(&mut self, layout: &Layout, notches: f32) -> bool {
        let Some(area) = layout.events.filter(|&area| contains(area, self.pointer.at())) else {
            return false;
        };
        let inner = inset(area, layout.gap / 2);
        let room = (inner.height / layout.line).saturating_sub(1) as usize;
        let events = self.charts.events().map_or(&[][..], |log| log.events());
        let by = (-3.0 * notches).round() as i32;
        self.events_panel.scroll(events, self.playback.step(), room, by);
        true
    }
}
