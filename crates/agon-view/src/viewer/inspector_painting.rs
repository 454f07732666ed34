//! Paints the inspector, the panel about a selected place, with its scroll bar.
//!
//! `Viewer::paint` calls it. A terminal writes the inspector's lines itself.

use agon_games::{jsonl::JsonGame, scene::Render};
use agon_paint::{Area, Frame, text_fit, text_width};

use super::{Viewer, caption::inset, layout::Layout};

impl<G: Render + JsonGame> Viewer<G> {
    pub(super) fn paint_inspector(&mut self, frame: &mut Frame, layout: &Layout) {
        let Some(area) = layout.inspector else { return };
        frame.fill(area, self.look.panel());
        let theme = self.look.colors();
        let inner = inset(area, layout.gap);
        let size = layout.text;
        let columns = (inner.width / text_width("x", size, false).max(1)) as usize;
        let room = (inner.height / layout.line) as usize;
        let lines = self.inspector.fit(columns, room);
        let mut y = inner.y;
        for (text, is_heading) in lines.iter().skip(self.inspector.scrolled).take(room) {
            let text = text_fit(text, size, *is_heading, inner.width);
            frame.text(inner.x, y, &text, size, *is_heading, theme.text);
            y += layout.line as i32;
        }
        if self.inspector.hidden > 0 && room > 0 {
            self.paint_scroll_bar(frame, layout, lines.len(), room);
        }
    }

    fn paint_scroll_bar(&self, frame: &mut Frame, layout: &Layout, lines: usize, room: usize) {
        let Some(area) = layout.inspector else { return };
        let part = |lines_before: usize| (area.height as usize * lines_before / lines) as i32;
        let width = (layout.gap / 2).max(2);
        let (from, to) = (part(self.inspector.scrolled), part(self.inspector.scrolled + room));
        let x = area.x + (area.width - width) as i32;
        let thumb = Area { x, y: area.y + from, width, height: (to - from).max(4) as u32 };
        frame.fill(thumb, self.look.colors().faint);
    }
}
