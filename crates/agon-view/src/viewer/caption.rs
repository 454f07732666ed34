//! Paints the caption: the progress of the match, and the players' standing.
//!
//! For pictures; a terminal takes only the title from here.

use agon_games::{
    jsonl::JsonGame,
    scene::{PlayerLine, Render},
};
use agon_paint::{Area, Frame, text_fit, text_width};

use super::{Viewer, layout::Layout, notes::with_names};

impl<G: Render + JsonGame> Viewer<G> {
    pub(super) fn paint_caption(&self, frame: &mut Frame, layout: &Layout) {
        frame.fill(layout.caption, self.look.panel());
        let Layout { caption, gap, line, text, is_column, .. } = *layout;
        let inner = inset(caption, gap);
        let title = self.caption_title();
        let theme = self.look.colors();
        let fit = text_fit(&title, text, true, inner.width);
        frame.text(inner.x, inner.y, &fit, text, true, theme.text);
        let columns = layout.columns;
        let lines = &self.playback.scene().players;
        let top = inner.y + line as i32 + if is_column { gap as i32 } else { 0 };
        let room = (caption.y + caption.height as i32 - top).max(0) as u32 / line * columns;
        // The last line counts the players without one.
        let shown =
            if lines.len() as u32 > room { (room as usize).saturating_sub(1) } else { lines.len() };
        let width = inner.width / columns;
        let cell = |index: usize| {
            let (column, row) = (index as u32 % columns, index as u32 / columns);
            let x = inner.x + (column * width) as i32;
            Area {
                x,
                y: top + (row * line) as i32,
                width: width - if columns > 1 { gap } else { 0 },
                height: line,
            }
        };
        let game = self.playback.game();
        let own = self.overlay.as_ref().and_then(|overlay| overlay.player(game));
        for (index, player) in lines.iter().enumerate().take(shown) {
            let name = &self.playback.players()[index];
            let is_own = own.is_some_and(|own| own.index() == index);
            let name = if is_own { format!("{name} (you)") } else { name.clone() };
            self.paint_player(frame, layout, cell(index), &name, player);
        }
        if shown < lines.len() && room > 0 {
            let more = format!("and {} more", lines.len() - shown);
            let area = cell(shown);
            frame.text(area.x, area.y, &more, text, false, theme.faint);
        }
    }

    /// Returns the progress of the match, and whether it is running.
    pub(super) fn caption_title(&self) -> String {
        let title = with_names(&self.playback.scene().title, self.playback.players());
        if !self.playback.is_live() {
            return title;
        }
        let behind = self.playback.steps() - self.playback.step();
        if self.playback.is_following() {
            format!("live - {title}")
        } else {
            let steps = if behind == 1 { "step" } else { "steps" };
            format!("{behind} {steps} ago - {title}")
        }
    }

    fn paint_player(
        &self,
        frame: &mut Frame,
        layout: &Layout,
        area: Area,
        name: &str,
        player: &PlayerLine,
    ) {
        let theme = self.look.colors();
        let size = layout.text;
        let color = if player.out { theme.faint } else { theme.text };
        let swatch = size * 3 / 4;
        let y = area.y + (size - swatch) as i32 / 2;
        let left = Area { x: area.x, y, width: swatch, height: swatch };
        let middle = (left.x as f32 + swatch as f32 / 2.0, left.y as f32 + swatch as f32 / 2.0);
        let ink = theme.color(player.ink);
        if player.out {
            frame.ring(middle, swatch as f32 / 2.0, 2.0, ink);
        } else {
            frame.rounded(left, swatch as f32 / 4.0, ink, 255);
            theme.draw_pattern(frame, left, player.ink);
        }
        let mut x = area.x + (swatch + layout.gap) as i32;
        if player.to_move {
            let height = swatch as f32;
            let top = left.y as f32;
            let corners = [
                (x as f32, top),
                (x as f32, top + height),
                (x as f32 + height * 0.8, top + height / 2.0),
            ];
            frame.triangle(corners, theme.text);
            x += swatch as i32 + layout.gap as i32 / 2;
        }
        let room = (area.x + area.width as i32 - x).max(0) as u32;
        // The first letters of a name are always shown.
        let least = text_width("abcdefgh", size, player.to_move) + layout.gap;
        let score = text_fit(&player.score, size, false, room.saturating_sub(least));
        let score_width = text_width(&score, size, false);
        let right = area.x + area.width as i32 - score_width as i32;
        frame.text(right, area.y, &score, size, false, color);
        let hand = player.hand.len() as u32 * (swatch + 2);
        let name = text_fit(
            name,
            size,
            player.to_move,
            room.saturating_sub(score_width + hand + layout.gap),
        );
        let width = frame.text(x, area.y, &name, size, player.to_move, color);
        let mut x = x as f32 + width as f32 + swatch as f32;
        for &ink in &player.hand {
            frame.disc((x, middle.1), swatch as f32 * 0.42, theme.color(ink));
            let from = (x - swatch as f32 / 2.0) as i32;
            theme.draw_pattern(frame, Area { x: from, ..left }, ink);
            x += swatch as f32 + 2.0;
        }
    }
}

pub(super) fn inset(area: Area, border: u32) -> Area {
    Area {
        x: area.x + border as i32,
        y: area.y + border as i32,
        width: area.width.saturating_sub(2 * border),
        height: area.height.saturating_sub(2 * border),
    }
}
