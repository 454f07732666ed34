//! Paints the panels of a picture: caption, bar, legend, inspector, and the list of keys. The
//! colours of the viewer, and small drawings that its parts share.
//!
//! `Viewer::paint` calls it. A terminal draws its own panels, and takes only texts from here.

use agon_games::any::GameKind;
use agon_games::scene::{LegendEntry, PlayerLine, Scene};

use super::inputs::{KEYS, PLAYER_KEYS, REMATCH_KEY};
use super::layout::{Control, Layout, contains};
use super::{Viewer, notes::with_names};
use crate::paint::{Area, Camera, Frame, Instant, Rgb, Theme, ThemeName, text_fit, text_width};

/// The most characters of a line of the goal.
const GOAL_COLUMNS: usize = 64;

impl Viewer {
    pub(super) fn paint_caption(&self, frame: &mut Frame, layout: &Layout) {
        frame.fill(layout.caption, self.look.panel());
        let Layout { caption, gap, line, text, is_column, .. } = *layout;
        let inner = caption.inset(gap);
        let title = self.caption_title();
        let theme = &self.look.colors;
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
        let own = self.person.as_ref().and_then(|person| person.player(game));
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
        if self.playback.following {
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
        let theme = &self.look.colors;
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
            frame.polygon(&corners, theme.text);
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

    pub(super) fn paint_bar(&self, frame: &mut Frame, layout: &Layout) {
        frame.fill(layout.bar, self.look.panel());
        for &(control, area) in &layout.controls {
            if control == Control::Seek {
                self.paint_seek_bar(frame, layout, area);
                continue;
            }
            if contains(area, self.pointer.at) {
                frame.rounded(area, layout.gap as f32 / 2.0, self.look.raised(), 255);
            }
            let color = self.look.colors.text;
            match control {
                Control::Slower => self.look.centered(frame, area, "-", layout.text, true, color),
                Control::Faster => self.look.centered(frame, area, "+", layout.text, true, color),
                Control::Fault => self.look.centered(frame, area, "!", layout.text, true, color),
                Control::Help => self.look.centered(frame, area, "?", layout.text, true, color),
                _ => symbol(frame, area, control, self.playback.playing, color),
            }
        }
        let speed = self.playback.speed.to_string();
        let faint = self.look.colors.text;
        self.look.centered(frame, layout.speed, &speed, layout.text, false, faint);
    }

    fn paint_seek_bar(&self, frame: &mut Frame, layout: &Layout, area: Area) {
        let theme = &self.look.colors;
        let thickness = (layout.gap / 2).max(3);
        let y = area.y + (area.height / 2) as i32 - (thickness / 2) as i32;
        let way = Area { y, height: thickness, ..area };
        frame.rounded(way, thickness as f32 / 2.0, theme.paper.mixed(theme.text, 90), 255);
        let done = (self.playback.fraction() * f64::from(area.width.saturating_sub(1))) as u32;
        let live = self.playback.is_live() && self.playback.following;
        let color = if live { Rgb(220, 60, 50) } else { Rgb(64, 140, 230) };
        frame.rounded(Area { width: done.max(1), ..way }, thickness as f32 / 2.0, color, 255);
        let middle = (area.x as f32 + done as f32 + 0.5, area.y as f32 + area.height as f32 / 2.0);
        frame.disc(middle, thickness as f32 * 1.6, color);
    }

    /// Returns the entries with the line and the distance from the left edge of each.
    fn legend_flow(&self, width: u32, layout: &Layout) -> Vec<(u32, u32, &'static LegendEntry)> {
        let mut row = 0;
        let mut x = 0;
        let mut flow = vec![];
        for entry in self.playback.game().kind().legend() {
            let wide = layout.text * 3 / 2 + text_width(entry.label, layout.text, false);
            if x > 0 && x + wide > width {
                (row, x) = (row + 1, 0);
            }
            flow.push((row, x, entry));
            x += wide + layout.text;
        }
        flow
    }

    /// Returns the number of lines of the legend on an area of this width.
    pub(super) fn legend_lines(&self, width: u32, layout: &Layout) -> u32 {
        let room = width.saturating_sub(2 * layout.gap);
        self.legend_flow(room, layout).last().map_or(0, |&(row, ..)| row + 1)
    }

    pub(super) fn paint_legend(&self, frame: &mut Frame, layout: &Layout) {
        let Some(area) = layout.legend else { return };
        frame.fill(area, self.look.panel());
        let inner = area.inset(layout.gap);
        let size = layout.text;
        for (row, x, entry) in self.legend_flow(inner.width, layout) {
            let y = area.y + (row * layout.line) as i32;
            let sample = Area { x: inner.x + x as i32, y, width: size, height: size };
            let scene = Scene::of_sample(entry);
            let camera = Camera::fit(&scene.board, sample);
            self.look.colors.paint_board(frame, sample, &Instant::still(&scene), &camera);
            let left = sample.x + (size * 3 / 2) as i32;
            let room = (inner.x + inner.width as i32 - left).max(0) as u32;
            let label = text_fit(entry.label, size, false, room);
            frame.text(left, y, &label, size, false, self.look.colors.faint);
        }
    }

    pub(super) fn paint_inspector(&mut self, frame: &mut Frame, layout: &Layout) {
        let Some(area) = layout.inspector else { return };
        frame.fill(area, self.look.panel());
        let theme = &self.look.colors;
        let inner = area.inset(layout.gap);
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
        frame.fill(thumb, self.look.colors.faint);
    }

    /// Returns the keys with their effects. A person who plays also gets the goal of the game.
    pub(super) fn help_lines(&self) -> Vec<(String, String)> {
        let owned = |&(key, what): &(&str, &str)| (key.to_owned(), what.to_owned());
        let rematch = Some(REMATCH_KEY).filter(|_| self.offers_rematch());
        if !self.is_played() {
            return KEYS.iter().chain(&rematch).map(owned).collect();
        }
        let goal = self.playback.game().meta().summary;
        let mut lines: Vec<(String, String)> =
            wrapped(goal, GOAL_COLUMNS).into_iter().map(|line| (String::new(), line)).collect();
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
        let theme = &self.look.colors;
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

/// Paints the sign on a button.
fn symbol(frame: &mut Frame, area: Area, control: Control, playing: bool, color: Rgb) {
    let (x, y) = area.middle();
    let r = area.width.min(area.height) as f32 * 0.26;
    type Spans = &'static [(f32, f32)];
    // Triangles from one side to their point on the other, and upright bars, in shares of `r`.
    let (arrows, bars): (Spans, Spans) = match control {
        Control::Play if playing => (&[], &[(-0.8, -0.2), (0.2, 0.8)]),
        Control::Play => (&[(-0.8, 1.0)], &[]),
        Control::Forward => (&[(-0.8, 0.5)], &[(0.5, 0.8)]),
        Control::Back => (&[(0.8, -0.5)], &[(-0.8, -0.5)]),
        Control::End => (&[(-1.0, 0.0), (0.0, 1.0)], &[(1.0, 1.3)]),
        Control::Start => (&[(1.0, 0.0), (0.0, -1.0)], &[(-1.3, -1.0)]),
        _ => (&[], &[]),
    };
    for (from, to) in arrows.iter().map(|(from, to)| (x + r * from, x + r * to)) {
        frame.polygon(&[(from, y - r), (from, y + r), (to, y)], color);
    }
    for (from, to) in bars {
        let (left, top) = ((x + r * from).round() as i32, (y - r).round() as i32);
        let width = ((x + r * to).round() as i32 - left).max(2) as u32;
        frame.fill(Area { x: left, y: top, width, height: (2.0 * r).round() as u32 }, color);
    }
}

/// The theme of the viewer, by name and applied to the game.
#[derive(Debug)]
pub(super) struct ThemePainter {
    pub(super) name: ThemeName,
    pub(super) colors: Theme,
}

impl ThemePainter {
    pub(super) fn new(name: ThemeName, kind: &'static dyn GameKind) -> ThemePainter {
        ThemePainter { name, colors: Theme::new(name, kind) }
    }

    /// Sets another theme.
    pub(super) fn set_theme(&mut self, name: ThemeName) {
        let Theme { kind, patterns, .. } = self.colors;
        *self = ThemePainter::new(name, kind);
        self.colors.patterns = patterns;
    }

    /// Gives all players patterns, or takes them away from those who need none.
    pub(super) fn toggle_patterns(&mut self) {
        self.colors.patterns = !self.colors.patterns;
    }

    /// Sets the next theme.
    pub(super) fn next_theme(&mut self) {
        let index = ThemeName::ALL.iter().position(|&name| name == self.name).unwrap_or(0);
        self.set_theme(ThemeName::ALL[(index + 1) % ThemeName::ALL.len()]);
    }

    /// Returns the colour behind everything except the board.
    pub(super) fn panel(&self) -> Rgb {
        self.colors.paper.mixed(self.colors.text, 18)
    }

    /// Returns the colour of controls.
    pub(super) fn raised(&self) -> Rgb {
        self.colors.paper.mixed(self.colors.text, 44)
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
            self.centered(frame, inner, text, size, false, self.colors.text);
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
