//! The list of keys, which the key `?` opens, and for a person who plays the goal of the game.
//!
//! `Viewer::paint` paints it last, so that it covers the rest. Terminals write the same lines.

use agon_games::{jsonl::JsonGame, scene::Render};
use agon_paint::{Area, Frame, text_fit, text_width};

use super::{
    Viewer,
    keys::{KEYS, PLAYER_KEYS, REMATCH_KEY},
    layout::Layout,
    theme_painter::wrapped,
};

/// The most characters of a line of the goal.
const GOAL_COLUMNS: usize = 64;

impl<G: Render + JsonGame> Viewer<G> {
    /// Returns the keys with their effects. A person who plays also gets the goal of the game.
    pub(super) fn help_lines(&self) -> Vec<(String, String)> {
        let owned = |&(key, what): &(&str, &str)| (key.to_owned(), what.to_owned());
        let rematch = Some(REMATCH_KEY).filter(|_| self.offers_rematch());
        if !self.is_played() {
            return KEYS.iter().chain(&rematch).map(owned).collect();
        }
        let mut lines: Vec<(String, String)> = wrapped(G::META.summary, GOAL_COLUMNS)
            .into_iter()
            .map(|line| (String::new(), line))
            .collect();
        if let Some(first) = lines.first_mut() {
            first.0 = "Goal".to_owned();
        }
        let offers = self.offers();
        lines.extend(offers.iter().map(|offer| (offer.key.clone(), offer.label.clone())));
        // A key that the game takes does not reach the viewer.
        let is_taken =
            |keys: &str| offers.iter().any(|offer| keys.split(' ').any(|key| key == offer.key));
        lines.extend(PLAYER_KEYS.iter().filter(|(keys, _)| !is_taken(keys)).map(owned));
        lines.extend(rematch.iter().map(owned));
        lines
    }

    pub(super) fn paint_help(&self, frame: &mut Frame, layout: &Layout) {
        let theme = self.look.colors();
        let gap = layout.gap;
        let keys = self.help_lines();
        // Small frames have small letters, so that all keys are readable.
        let lines = keys.len() as u32 + 2;
        let size = layout
            .text
            .min((frame.height().saturating_sub(4 * gap) / lines).saturating_sub(1))
            .max(8);
        let line = (size * 5 / 4).min(frame.height() / lines).max(1);
        let letter = text_width("x", size, false);
        let longest = |texts: &mut dyn Iterator<Item = &String>| {
            texts.map(|text| text.chars().count()).max().unwrap_or(0) as u32
        };
        let first = letter * (longest(&mut keys.iter().map(|key| &key.0)) + 2);
        let second = letter * longest(&mut keys.iter().map(|key| &key.1));
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
        for (keys, what) in &keys {
            frame.text(x, y, keys, size, true, theme.text);
            let what = text_fit(what, size, false, room.saturating_sub(first));
            frame.text(x + first as i32, y, &what, size, false, theme.text);
            y += line as i32;
        }
    }
}
