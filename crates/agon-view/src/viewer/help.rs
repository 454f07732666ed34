//! Paints the list of keys, which the key `?` opens.
//!
//! `Viewer::paint` calls it last, so that it covers the rest.

use agon_games::{jsonl::JsonGame, scene::Render};
use agon_paint::{Area, Frame, text_fit, text_width};

use super::{Viewer, keys::KEYS, layout::Layout};

impl<G: Render + JsonGame> Viewer<G> {
    pub(super) fn paint_help(&self, frame: &mut Frame, layout: &Layout) {
        let theme = self.look.colors();
        let gap = layout.gap;
        // Small frames have small letters, so that all keys are readable.
        let lines = KEYS.len() as u32 + 2;
        let size = layout
            .text
            .min((frame.height().saturating_sub(4 * gap) / lines).saturating_sub(1))
            .max(8);
        let line = (size * 5 / 4).min(frame.height() / lines).max(1);
        let column = |pick: fn(&(&str, &str)) -> usize| KEYS.iter().map(pick).max().unwrap_or(0);
        let letter = text_width("x", size, false);
        let first = letter * (column(|key| key.0.len()) as u32 + 2);
        let second = letter * column(|key| key.1.len()) as u32;
        let (width, height) = (first + second + 4 * gap, lines * line + 2 * gap);
        let (width, height) = (width.min(frame.width()), height.min(frame.height()));
        let x = ((frame.width() - width) / 2) as i32;
        let y = ((frame.height() - height) / 2) as i32;
        frame.blend(frame.area(), theme.paper, 130);
        frame.rounded(Area { x, y, width, height }, gap as f32, self.look.panel(), 250);
        let (x, mut y) = (x + 2 * gap as i32, y + gap as i32);
        let room = width.saturating_sub(4 * gap);
        frame.text(x, y, "Keys", size, true, theme.text);
        y += line as i32 * 3 / 2;
        for (keys, what) in KEYS {
            frame.text(x, y, keys, size, true, theme.text);
            let what = text_fit(what, size, false, room.saturating_sub(first));
            frame.text(x + first as i32, y, &what, size, false, theme.text);
            y += line as i32;
        }
    }
}
