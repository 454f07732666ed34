//! The colours of the viewer, and small drawings that its parts share.
//!
//! The drawings are centred text, messages, and the frame around the selected place.

use crate::paint::{Area, Frame, Painter, Rgb, Theme, ThemeName, text_fit, text_width};
use agon_games::GameId;

use super::layout::Layout;

/// The theme of the viewer, with its painter.
#[derive(Debug)]
pub(super) struct ThemePainter {
    name: ThemeName,
    game: GameId,
    painter: Painter,
}

impl ThemePainter {
    pub(super) fn new(name: ThemeName, game: GameId) -> ThemePainter {
        ThemePainter { name, game, painter: Painter::new(Theme::new(name, game)) }
    }

    /// Returns the name of the theme.
    pub(super) fn theme(&self) -> ThemeName {
        self.name
    }

    /// Sets another theme.
    pub(super) fn set_theme(&mut self, name: ThemeName) {
        let patterns = self.colors().patterns;
        *self = ThemePainter::new(name, self.game);
        self.set_patterns(patterns);
    }

    /// Sets whether all players have patterns; otherwise only those have who need one.
    pub(super) fn set_patterns(&mut self, patterns: bool) {
        self.painter.theme.patterns = patterns;
    }

    /// Gives all players patterns, or takes them away.
    pub(super) fn toggle_patterns(&mut self) {
        self.set_patterns(!self.colors().patterns);
    }

    /// Sets the next theme.
    pub(super) fn next_theme(&mut self) {
        let index = ThemeName::ALL.iter().position(|&name| name == self.name).unwrap_or(0);
        self.set_theme(ThemeName::ALL[(index + 1) % ThemeName::ALL.len()]);
    }

    pub(super) fn painter(&self) -> &Painter {
        &self.painter
    }

    pub(super) fn colors(&self) -> &Theme {
        &self.painter.theme
    }

    /// Returns the colour behind everything except the board.
    pub(super) fn panel(&self) -> Rgb {
        self.colors().paper.mixed(self.colors().text, 18)
    }

    /// Returns the colour of controls.
    pub(super) fn raised(&self) -> Rgb {
        self.colors().paper.mixed(self.colors().text, 44)
    }

    /// Paints a frame around a place of the board, visible on any colour.
    pub(super) fn select(&self, frame: &mut Frame, board: Area, (x, y): (f32, f32), zoom: f32) {
        let half = (zoom / 2.0).max(4.0) + 2.0;
        let (left, top) = ((x - half).round() as i32, (y - half).round() as i32);
        let size = (2.0 * half).round() as u32;
        let area = Area { x: left, y: top, width: size, height: size };
        for (grown, color) in [(1, Rgb(0, 0, 0)), (0, Rgb(255, 255, 255))] {
            let x = area.x - grown;
            let y = area.y - grown;
            let size = size + 2 * grown as u32;
            let sides = [
                Area { x, y, width: size, height: 1 },
                Area { x, y: y + size as i32 - 1, width: size, height: 1 },
                Area { x, y, width: 1, height: size },
                Area { x: x + size as i32 - 1, y, width: 1, height: size },
            ];
            for side in sides {
                frame.fill(side.intersection(board), color);
            }
        }
    }

    /// Paints a line of text in the middle of an area, shortened if necessary.
    pub(super) fn centered(
        &self,
        frame: &mut Frame,
        area: Area,
        text: &str,
        size: u32,
        bold: bool,
        color: Rgb,
    ) {
        let text = text_fit(text, size, bold, area.width);
        let x = area.x + (area.width.saturating_sub(text_width(&text, size, bold)) / 2) as i32;
        let y = area.y + (area.height.saturating_sub(size) / 2) as i32;
        frame.text(x, y, &text, size, bold, color);
    }

    /// Paints a message for the person in a box.
    pub(super) fn message(&self, frame: &mut Frame, layout: &Layout, text: &str) {
        let Layout { message, gap, line, text: size, .. } = *layout;
        let columns =
            (message.width.saturating_sub(4 * gap) / text_width("x", size, false).max(1)) as usize;
        let most = (message.height / line).max(1) as usize;
        let mut lines = wrapped(text, columns);
        if lines.len() > most {
            lines.truncate(most);
            // Shortened below, because it is too long.
            lines[most - 1].push_str(&" ".repeat(columns));
            lines[most - 1].push('.');
        }
        let longest = lines.iter().map(|line| text_width(line, size, false)).max().unwrap_or(0);
        let width = (longest + 2 * gap).min(message.width.saturating_sub(2 * gap));
        let height = lines.len() as u32 * line + gap / 2;
        let x = message.x + (message.width.saturating_sub(width) / 2) as i32;
        let y = message.y + message.height as i32 - height as i32 - (gap / 2) as i32;
        frame.rounded(Area { x, y, width, height }, gap as f32, self.raised(), 235);
        for (row, text) in (0..).zip(&lines) {
            let inner = Area {
                x: x + gap as i32,
                y: y + row * line as i32,
                width: width.saturating_sub(2 * gap),
                height: line,
            };
            self.centered(frame, inner, text, size, false, self.colors().text);
        }
    }
}

/// Breaks the text into lines of at most `columns` characters, between words if possible.
pub(super) fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.last_mut().expect("there is a line");
        if last.is_empty() {
            last.push_str(word);
        } else if last.chars().count() + 1 + word.chars().count() <= columns {
            last.push(' ');
            last.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}
