//! What each key does in the viewer, and the list of keys for people.
//!
//! `Viewer::input` calls it for keys that the person's overlay leaves to the viewer. `help` and the
//! terminal show the list.

use agon_games::{jsonl::JsonGame, scene::Render};

use super::Viewer;
use crate::{Key, Redraw};

/// All keys and their effects, for the list of keys.
pub(super) const KEYS: [(&str, &str); 17] = [
    ("Space", "play, pause"),
    ("Right, Left", "a turn on, back"),
    (". ,", "a single step on, back"),
    ("Home, End", "to the start, the end"),
    ("] [", "twice, half as fast"),
    ("+ -  wheel", "zoom"),
    ("Shift+arrows", "move the board (or drag it)"),
    ("f", "all of the board, or follow the chosen unit"),
    ("click, i", "inspect a cell, close"),
    ("n, N", "to the next, the previous fault"),
    ("l", "numbers of columns, of places, none"),
    ("PgUp PgDn", "scroll the inspector"),
    ("c", "chart: next, none (click goes there)"),
    ("t", "next theme"),
    ("p", "patterns for all players, or only where needed"),
    ("?", "these keys"),
    ("q", "leave"),
];

/// The keys of the viewer for a person who plays: without those that the games take for orders.
pub(super) const PLAYER_KEYS: [(&str, &str); 9] = [
    ("click", "choose or order; a right click inspects"),
    ("+ -  wheel", "zoom"),
    ("Shift+arrows", "move the board (or drag it)"),
    ("f", "all of the board"),
    ("Home, End", "look back at the start; return to the present"),
    ("t", "next theme"),
    ("p", "patterns for all players, or only where needed"),
    ("?", "these keys"),
    ("q", "leave the match"),
];

/// The key for another match, where that is offered.
pub(super) const REMATCH_KEY: (&str, &str) = ("r", "rematch: the same bots, the next seed");

/// The zoom factor of a key.
pub(super) const ZOOM: f32 = 1.25;

impl<G: Render + JsonGame> Viewer<G> {
    pub(super) fn key(&mut self, key: Key) -> Redraw {
        if self.shows_help {
            self.shows_help = false;
            // Any key just closes the list, except those for leaving.
            if !matches!(key, Key::Char('q' | 'Q')) {
                return Redraw::Yes;
            }
        }
        match key {
            Key::Char(' ') => self.playback.toggle(),
            Key::Right => self.playback.next_turn(),
            Key::Left => self.playback.previous_turn(),
            Key::Char('.') => self.playback.next_step(),
            Key::Char(',') => self.playback.previous_step(),
            Key::Home => self.playback.to_start(),
            Key::End => self.playback.to_end(),
            Key::Char(']') => self.playback.set_speed(self.playback.speed().faster()),
            Key::Char('[') => self.playback.set_speed(self.playback.speed().slower()),
            Key::Char('t' | 'T') => self.look.next_theme(),
            Key::Char('p' | 'P') => self.look.toggle_patterns(),
            Key::Char('c' | 'C') => self.charts.next(&self.playback, &self.notes.faults),
            Key::Char('i' | 'I') => self.inspector.toggle(),
            Key::Char('n') => self.next_fault(),
            Key::Char('N') => self.previous_fault(),
            Key::Char('l' | 'L') => self.numbers = self.numbers.next(),
            Key::PageUp => return self.inspector.scroll(-8),
            Key::PageDown => return self.inspector.scroll(8),
            Key::Char('?' | 'h' | 'H') => self.shows_help = true,
            Key::Char('q' | 'Q') => self.leave(),
            Key::Char('r' | 'R') => return self.ask_for_rematch(),
            Key::Char('f' | 'F') => self.follow_or_fit(),
            Key::Escape => {
                self.inspector.close();
                self.stop_following();
                self.is_banner_closed = self.playback.is_at_end();
            }
            _ => return self.look_elsewhere(key),
        }
        Redraw::Yes
    }

    /// Keys that move the camera.
    fn look_elsewhere(&mut self, key: Key) -> Redraw {
        let pans = matches!(
            key,
            Key::ShiftLeft | Key::ShiftRight | Key::ShiftUp | Key::ShiftDown | Key::Up | Key::Down
        );
        if pans {
            self.stop_following();
        }
        let area = self.layout().board;
        let board = &self.playback.scene().board;
        let middle = self.zoom_center(area);
        let step = area.width.min(area.height) as f32 / 8.0;
        match key {
            Key::Char('+' | '=') => self.visible.zoom(board, area, ZOOM, middle),
            Key::Char('-' | '_') => self.visible.zoom(board, area, 1.0 / ZOOM, middle),
            Key::ShiftLeft => self.visible.pan(board, area, (step, 0.0)),
            Key::ShiftRight => self.visible.pan(board, area, (-step, 0.0)),
            Key::ShiftUp | Key::Up => self.visible.pan(board, area, (0.0, step)),
            Key::ShiftDown | Key::Down => self.visible.pan(board, area, (0.0, -step)),
            _ => return Redraw::No,
        }
        Redraw::Yes
    }
}
