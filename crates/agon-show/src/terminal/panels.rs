//! Draws the panels around the board: caption, inspector, messages, choices, keys, and the bar.
//!
//! `draw` calls each of them. Their areas and texts come from the viewer.

use agon_games::scene::PlayerLine;
use agon_view::paint::{Area, Rgb};
use agon_view::{ChoiceButton, Control, Layout};
use ratatui_core::layout::Rect;
use ratatui_core::style::{Modifier, Style};

use super::draw::{Capabilities, Drawing};
use super::letters::{letter, rect};

impl Drawing<'_, '_> {
    /// Returns the style of text on panels.
    pub(crate) fn text(&self) -> Style {
        self.style(self.sheet.theme.text)
    }

    /// Returns the style of a colour on panels.
    pub(crate) fn style(&self, color: Rgb) -> Style {
        Style::new().fg(self.look.color(color)).bg(self.look.color(self.sheet.panel))
    }

    /// Clears an area.
    pub(crate) fn clear(&mut self, area: Rect) {
        let style = self.text();
        for position in area.intersection(self.buffer.area).positions() {
            self.buffer[position].reset();
            self.buffer[position].set_style(style);
        }
    }

    /// Writes text, shortened if there is no space, and returns its width.
    pub(crate) fn write(
        &mut self,
        column: u16,
        row: u16,
        text: &str,
        room: u16,
        style: Style,
    ) -> u16 {
        let text = fit(text, usize::from(room), self.look);
        let end = self.buffer.area.bottom();
        if row >= end || room == 0 {
            return 0;
        }
        self.buffer
            .set_stringn(column, row, &text, usize::from(room), style)
            .0
            .saturating_sub(column)
    }

    pub(crate) fn caption(&mut self) {
        let sheet = self.sheet;
        let Layout { caption, is_column, columns, .. } = sheet.layout;
        let area = self.panel(caption);
        if area.is_empty() {
            return;
        }
        self.write(
            area.x,
            area.y,
            &sheet.title,
            area.width,
            self.text().add_modifier(Modifier::BOLD),
        );
        let players = sheet.scene.players.len();
        // Name and score get a line each if there are enough lines.
        let lines = 1 + u16::from(is_column && usize::from(area.height) > 2 * players);
        let gap =
            u16::from(is_column && usize::from(area.height) > usize::from(lines) * players + 1);
        let columns = columns.max(1) as usize;
        let room = usize::from(area.height.saturating_sub(1 + gap) / lines) * columns;
        // The last line counts the players without one.
        let shown = if players > room { room.saturating_sub(1) } else { players };
        let width = area.width / columns as u16;
        let cell = |index: usize| Rect {
            x: area.x + (index % columns) as u16 * width,
            y: area.y + 1 + gap + (index / columns) as u16 * lines,
            width: width - u16::from(columns > 1),
            height: lines,
        };
        for (index, player) in sheet.scene.players.iter().enumerate().take(shown) {
            self.player(cell(index), &sheet.names[index], player);
        }
        if shown < players && room > 0 {
            let area = cell(shown);
            let more = format!("and {} more", players - shown);
            self.write(area.x, area.y, &more, area.width, self.style(sheet.theme.faint));
        }
    }

    fn player(&mut self, area: Rect, name: &str, player: &PlayerLine) {
        let theme = self.sheet.theme;
        let blocks = self.look.has_blocks();
        let has_square = blocks && !theme.has_pattern(player.ink);
        let swatch = match (has_square, player.out) {
            (true, false) => "■".to_owned(),
            (true, true) => "□".to_owned(),
            (false, _) => letter(player.ink).to_string(),
        };
        let mut x = area.x;
        x += self.write(x, area.y, &swatch, 1, self.style(theme.color(player.ink)));
        x += 1;
        let mut style = self.style(if player.out { theme.faint } else { theme.text });
        if player.to_move {
            style = style.add_modifier(Modifier::BOLD);
            let sign = if self.look.unicode { "►" } else { ">" };
            x += 1 + self.write(x, area.y, sign, 1, style);
        }
        let score = if player.out { format!("{} out", player.score) } else { player.score.clone() };
        let room = area.right().saturating_sub(x);
        if area.height > 1 {
            self.write(x, area.y, name, room, style);
            self.write(area.x + 2, area.y + 1, &score, area.width.saturating_sub(2), style);
            return;
        }
        // The first letters of a name are always shown.
        let score = fit(&score, usize::from(room.saturating_sub(7)), self.look);
        let length = score.chars().count() as u16;
        self.write(area.right() - length, area.y, &score, length, style);
        self.write(x, area.y, name, room.saturating_sub(length + 1), style);
    }

    pub(crate) fn inspector(&mut self) {
        let sheet = self.sheet;
        let Some(area) = sheet.layout.inspector else { return };
        let (lines, scrolled) = (&sheet.inspector, sheet.scrolled);
        let area = self.panel(area);
        if area.is_empty() {
            return;
        }
        let room = usize::from(area.height);
        for (row, (text, is_heading)) in (area.y..).zip(lines.iter().skip(scrolled).take(room)) {
            let bold = if *is_heading { Modifier::BOLD } else { Modifier::empty() };
            self.write(area.x, row, text, area.width, self.text().add_modifier(bold));
        }
        if lines.len() > room {
            let from = room * scrolled / lines.len();
            let to = (room * (scrolled + room)).div_ceil(lines.len());
            for row in from..to.min(room) {
                let sign = if self.look.unicode { "▐" } else { "|" };
                self.write(
                    area.right(),
                    area.y + row as u16,
                    sign,
                    1,
                    self.style(self.sheet.theme.faint),
                );
            }
        }
    }

    /// Writes the list of events.
    pub(crate) fn events(&mut self) {
        let sheet = self.sheet;
        let Some(area) = sheet.layout.events else { return };
        let area = self.panel(area);
        if area.is_empty() {
            return;
        }
        let bold = self.text().add_modifier(Modifier::BOLD);
        self.write(area.x, area.y, &sheet.events_heading, area.width, bold);
        let digits = sheet.events.iter().map(|line| line.turn.to_string().len()).max();
        let digits = digits.unwrap_or(0);
        let faint = self.style(self.sheet.theme.faint);
        for (row, line) in (area.y + 1..area.bottom()).zip(&sheet.events) {
            let style = if line.current { bold } else { self.text() };
            let turn = format!("{:>digits$} ", line.turn);
            let mut x = area.x + self.write(area.x, row, &turn, area.width, faint);
            let room = |x: u16| area.right().saturating_sub(x);
            if let Some(ink) = line.ink {
                let swatch = if self.look.has_blocks() { '■' } else { letter(ink) };
                let color = self.style(self.sheet.theme.color(ink));
                x += self.write(x, row, &swatch.to_string(), room(x).min(1), color) + 1;
            }
            self.write(x, row, &line.text, room(x), style);
        }
    }

    /// Clears a panel, and returns its space for text.
    ///
    /// If colours do not show its edge, a line does.
    fn panel(&mut self, area: Area) -> Rect {
        let area = rect(area);
        self.clear(area);
        if self.sheet.layout.is_column && !self.look.has_blocks() {
            for row in area.rows() {
                self.write(row.x, row.y, "|", 1, self.text());
            }
        }
        Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area }
    }

    /// Writes the line of messages; without a message it has some keys.
    pub(crate) fn message(&mut self) {
        let sheet = self.sheet;
        let area = rect(sheet.layout.message);
        self.clear(area);
        let room = area.width.saturating_sub(2);
        match &sheet.message {
            Some(message) => {
                let style = self.text().add_modifier(Modifier::BOLD);
                self.write(area.x + 1, area.y, message, room, style);
            }
            None => {
                let keys = "space play/pause  arrows turn  [ ] speed  click/i inspect  ? all keys  \
                    q leave";
                self.write(area.x + 1, area.y, keys, room, self.style(sheet.theme.faint));
            }
        }
    }

    /// Writes buttons for a person's choices.
    pub(crate) fn choices(&mut self) {
        let sheet = self.sheet;
        for ChoiceButton { area, key, choice, .. } in &sheet.choices {
            let area = rect(*area);
            self.clear(area);
            let front = sheet.theme.text;
            let back = sheet.theme.paper.mixed(sheet.theme.text, 44);
            let mut style = self.style(front).bg(self.look.color(back));
            if choice.chosen {
                style = style.add_modifier(Modifier::REVERSED);
            }
            self.buffer.set_style(area, style);
            let mut x = area.x + 1;
            let room = |x: u16| area.right().saturating_sub(x);
            x += self.write(x, area.y, key, room(x), style.add_modifier(Modifier::BOLD)) + 1;
            if let Some(ink) = choice.ink {
                let color = self.look.color(sheet.theme.color(ink));
                let is_plain = self.look.has_blocks() && !sheet.theme.has_pattern(ink);
                let swatch = if is_plain { '■' } else { letter(ink) };
                x +=
                    self.write(x, area.y, &swatch.to_string(), room(x).min(1), style.fg(color)) + 1;
            }
            self.write(x, area.y, &choice.label, room(x), style);
        }
    }

    pub(crate) fn help(&mut self, keys: &[(String, String)]) {
        let all = self.buffer.area;
        let longest = |pick: fn(&(String, String)) -> &str| {
            keys.iter().map(|key| pick(key).chars().count()).max().unwrap_or(0) as u16
        };
        let first = longest(|key| &key.0) + 2;
        let width = (first + longest(|key| &key.1) + 4).min(all.width);
        let height = (keys.len() as u16 + 2).min(all.height);
        let x = all.x + (all.width - width) / 2;
        let y = all.y + (all.height - height) / 2;
        let theme = self.sheet.theme;
        let back = self.look.color(theme.paper.mixed(theme.text, 44));
        self.clear(Rect { x, y, width, height });
        let room = width.saturating_sub(4);
        let style = self.text().bg(back);
        for row in (Rect { x, y, width, height }).rows() {
            self.buffer.set_style(row, style);
            if !self.look.has_blocks() {
                self.write(row.x, row.y, "|", 1, style);
                self.write(row.right() - 1, row.y, "|", 1, style);
            }
        }
        for (row, (key, what)) in (y + 1..y + height).zip(keys) {
            self.write(x + 2, row, key, room, style.add_modifier(Modifier::BOLD));
            self.write(x + 2 + first, row, what, room.saturating_sub(first), style);
        }
    }

    pub(crate) fn bar(&mut self) {
        let sheet = self.sheet;
        self.clear(rect(sheet.layout.bar));
        for &(control, area) in &sheet.layout.controls {
            let area = rect(area);
            if control == Control::Seek {
                self.seek_bar(area.x, area.y, area.width);
                continue;
            }
            let label = label(control, sheet.playing, self.look.unicode);
            let style = self.text().add_modifier(Modifier::BOLD);
            let before = area.width.saturating_sub(label.chars().count() as u16) / 2;
            self.write(area.x + before, area.y, label, area.width - before, style);
        }
        let area = rect(sheet.layout.speed);
        let speed = &sheet.speed;
        let before = area.width.saturating_sub(speed.chars().count() as u16) / 2;
        self.write(area.x + before, area.y, speed, area.width - before, self.text());
    }

    fn seek_bar(&mut self, x: u16, y: u16, width: u16) {
        let sheet = self.sheet;
        let unicode = self.look.unicode;
        let done = (sheet.fraction * f64::from(width.saturating_sub(1))).round() as u16;
        let color = if sheet.following { Rgb(220, 60, 50) } else { Rgb(64, 140, 230) };
        let rest = sheet.theme.paper.mixed(sheet.theme.text, 90);
        for column in 0..width {
            let (sign, plain) = match column.cmp(&done) {
                std::cmp::Ordering::Less => ("━", "="),
                std::cmp::Ordering::Equal => ("●", "O"),
                std::cmp::Ordering::Greater => ("─", "-"),
            };
            let style = self.style(if column <= done { color } else { rest });
            self.write(x + column, y, if unicode { sign } else { plain }, 1, style);
        }
    }
}

/// Returns the text, or as much of it as fits, with a sign for the rest.
///
/// Control characters must not reach a terminal.
fn fit(text: &str, room: usize, look: Capabilities) -> String {
    let known = |letter: char| match letter {
        letter if agon_core::text::is_hidden(letter) => '_',
        letter if !look.unicode && !letter.is_ascii() => '?',
        letter => letter,
    };
    let text: String = text.chars().map(known).collect();
    if text.chars().count() <= room {
        return text;
    }
    let more = if look.unicode { "…" } else { "~" };
    let kept: String = text.chars().take(room.saturating_sub(1)).collect();
    if room == 0 { kept } else { kept + more }
}

fn label(control: Control, playing: bool, unicode: bool) -> &'static str {
    let (sign, plain) = match control {
        Control::Start => ("|◄", "|<"),
        Control::Back => ("◄", "<"),
        Control::Play if playing => ("pause", "pause"),
        Control::Play => ("play", "play"),
        Control::Forward => ("►", ">"),
        Control::End => ("►|", ">|"),
        Control::Fault => ("!", "!"),
        Control::Slower => ("-", "-"),
        Control::Faster => ("+", "+"),
        Control::Help => ("?", "?"),
        Control::Seek => ("", ""),
    };
    if unicode { sign } else { plain }
}
