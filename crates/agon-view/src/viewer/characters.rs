//! The viewer in characters: its layout for a terminal, and its board in coarse pixels.
//!
//! `agon_show::terminal` calls this ([`TextApp`]) instead of asking the viewer for a picture.

use std::borrow::Cow;

use agon_games::scene::{Scene, Shape};

use super::Viewer;
use super::layout::{BUTTONS, Control, Layout, area};
use crate::paint::{Area, Camera, Frame, Instant};
use crate::{TextApp, TextLayout};

/// The scale for inputs: pixels of half a character are larger than those of a plain screen.
const SCALE: f32 = 0.25;

/// The columns from which there is a column beside the board.
const COLUMN_FROM: u32 = 60;

/// The fewest lines of the list of events, with its heading.
const LEAST_EVENTS: u32 = 4;

impl Layout {
    /// Returns the layout of a terminal, in pixels of half a character, one above the other.
    pub(crate) fn characters(columns: u32, rows: u32, players: usize, inspects: bool) -> Layout {
        let above = rows.saturating_sub(2);
        let is_column = columns >= COLUMN_FROM && 2 * columns > 3 * rows;
        let players = players as u32;
        // If two players share a line, each has space for a name and a score.
        let shared = if is_column || columns < 44 { 1 } else { 2 };
        let (caption, board, inspector) = if is_column {
            let column = (columns * 35 / 100).clamp(24, 48);
            let x = columns - column;
            let lines = if inspects { (2 * players + 2).min(above / 2) } else { above };
            let inspector = lines_of(x, lines, column, above - lines);
            (lines_of(x, 0, column, lines), lines_of(0, 0, x, above), inspector)
        } else {
            let lines = (1 + players.div_ceil(shared)).min(above / 3).max(1);
            let half = (above - lines) / 2;
            let board = lines_of(0, lines, columns, above - lines);
            (lines_of(0, 0, columns, lines), board, lines_of(0, above - half, columns, half))
        };
        let mut layout = Layout {
            text: 2,
            line: 2,
            gap: 1,
            caption,
            is_column,
            columns: shared,
            board,
            inspector: inspects.then_some(inspector),
            bar: lines_of(0, above + 1, columns, 1),
            message: lines_of(0, above, columns, 1),
            ..Layout::default()
        };
        layout.fill_line(columns < 44);
        layout
    }

    /// Puts the list of events below the players, if there is space.
    pub(crate) fn add_events_in_characters(&mut self, players: u32) {
        let lines = 2 * (2 * players + 2);
        if !self.is_column || self.caption.height < lines + 2 * LEAST_EVENTS {
            return;
        }
        let height = self.caption.height - lines;
        self.caption.height = lines;
        let y = self.caption.y + lines as i32;
        self.events = Some(Area { y, height, ..self.caption });
    }

    fn fill_line(&mut self, small: bool) {
        let bar = self.bar;
        let mut x = 0;
        let mut place = |width: u32| {
            let area = Area { x, width, ..bar };
            x += width as i32;
            area
        };
        let mut left = vec![];
        for control in BUTTONS {
            let width = match control {
                Control::Play => 7,
                Control::Start | Control::End => 4,
                _ => 3,
            };
            if control == Control::Play || !small {
                left.push((control, place(width)));
            }
        }
        place(1);
        let used = left.iter().map(|(_, area)| area.width).sum::<u32>();
        let right = 1 + 3 + 6 + 3 + if small { 0 } else { 3 };
        left.push((Control::Seek, place(bar.width.saturating_sub(used + 1 + right).max(1))));
        place(1);
        left.push((Control::Slower, place(3)));
        self.speed = place(6);
        left.push((Control::Faster, place(3)));
        if !small {
            left.push((Control::Help, place(3)));
        }
        self.controls = left;
    }
}

/// Returns the pixels of some lines of characters.
fn lines_of(column: u32, row: u32, columns: u32, rows: u32) -> Area {
    area(column, 2 * row, columns, 2 * rows)
}

/// Returns the scene without numbers, which are better written than painted.
fn without_numbers(scene: &Scene) -> Cow<'_, Scene> {
    let is_number = |shape| matches!(shape, Shape::Number(_));
    let has_numbers = scene.marks.iter().any(|mark| is_number(mark.shape))
        || scene.pieces.iter().any(|piece| is_number(piece.shape));
    if !has_numbers {
        return Cow::Borrowed(scene);
    }
    let mut scene = scene.clone();
    scene.marks.retain(|mark| !is_number(mark.shape));
    scene.pieces.retain(|piece| !is_number(piece.shape));
    Cow::Owned(scene)
}

impl TextApp for Viewer {
    fn lay_out(&mut self, columns: u32, rows: u32) {
        (self.characters, self.scale) = (Some((columns, rows)), SCALE);
        self.size = (columns.max(1), 2 * rows.max(1));
        self.adapt();
        if let Some(area) = self.layout().inspector {
            self.inspector.fit(area.width.saturating_sub(2) as usize, area.height as usize / 2);
        }
    }

    fn sheet(&self) -> TextLayout<'_> {
        let layout = self.layout();
        let scene = match self.overlaid() {
            Some(scene) => Cow::Owned(scene),
            None => Cow::Borrowed(self.playback.scene()),
        };
        let camera = self.camera(&scene, layout.board);
        let inspector = layout.inspector.map(|area| area.width.saturating_sub(2) as usize);
        TextLayout {
            theme: &self.look.colors,
            panel: self.look.panel(),
            scene,
            camera,
            selected: self.inspector.selected,
            title: self.caption_title(),
            names: self.playback.players(),
            inspector: inspector.map_or(vec![], |columns| self.inspector.lines(columns)),
            scrolled: self.inspector.scrolled,
            events_heading: self.events_heading(),
            events: self.listed_events(&layout),
            message: self.message(),
            choices: self.choice_buttons(&layout),
            speed: self.playback.speed.to_string(),
            playing: self.playback.playing,
            following: self.playback.is_live() && self.playback.following,
            fraction: self.playback.fraction(),
            help: self.shows_help.then(|| self.help_lines()),
            layout,
        }
    }

    fn paint_board(&self, frame: &mut Frame, detail: u32) {
        let board = self.layout().board;
        if board.is_empty() {
            return;
        }
        frame.resize(board.width * detail, board.height * detail);
        let overlaid = self.overlaid();
        let instant = self.instant(overlaid.as_ref());
        let camera = self.camera(instant.scene, board);
        let camera = Camera { zoom: camera.zoom * detail as f32, ..camera };
        let scene = without_numbers(instant.scene);
        let before = instant.before.map(without_numbers);
        let instant = Instant { scene: &scene, before: before.as_deref(), ..instant };
        self.look.colors.paint_plain_board(frame, frame.area(), &instant, &camera);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_has_room_on_all_terminals() {
        for (columns, rows) in [(24, 8), (40, 12), (80, 24), (60, 60), (132, 43), (300, 90)] {
            for (players, inspects) in [(2, false), (2, true), (12, true), (12, false)] {
                let name = format!("{columns}x{rows} with {players}, {inspects}");
                let layout = Layout::characters(columns, rows, players, inspects);
                let screen = area(0, 0, columns, 2 * rows);
                let areas = [layout.caption, layout.board, layout.bar, layout.message];
                for inner in areas.into_iter().chain(layout.inspector) {
                    assert!(screen.contains(inner) && !inner.is_empty(), "{name}: {inner:?}");
                    assert_eq!((inner.y % 2, inner.height % 2), (0, 0), "{name}: {inner:?}");
                }
                assert!(layout.board.height >= rows, "{name}: {:?}", layout.board);
                let mut with_events = layout.clone();
                with_events.add_events_in_characters(players as u32);
                if let Some(events) = with_events.events {
                    assert!(screen.contains(events) && events.height >= 8, "{name}: {events:?}");
                    assert!(events.intersection(with_events.caption).is_empty(), "{name}");
                }
                let mut right = 0;
                for (control, area) in &layout.controls {
                    assert!(layout.bar.contains(*area), "{name}: {control:?} {area:?}");
                    assert!(area.x >= right && area.width > 0, "{name}: {control:?} {area:?}");
                    right = area.x + area.width as i32;
                }
            }
        }
    }
}
