//! What keys, clicks, drags and the wheel do in the viewer, and the list of keys for people.
//!
//! `Viewer::input` calls it for inputs that the person who plays leaves to the viewer.

use agon_games::human::Gesture;

use super::layout::{Control, contains};
use super::{Held, TimeLine, Viewer};
use crate::{Button, Input, Key, Redraw};

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

/// The movement in a click that is still just a tremble, in pixels of a plain screen.
const TREMBLE: f32 = 4.0;

impl Viewer {
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
            Key::Home => self.playback.seek(0),
            Key::End => self.playback.to_end(),
            Key::Char(']') => self.playback.set_speed(self.playback.speed.faster()),
            Key::Char('[') => self.playback.set_speed(self.playback.speed.slower()),
            Key::Char('t' | 'T') => self.look.next_theme(),
            Key::Char('p' | 'P') => self.look.toggle_patterns(),
            Key::Char('c' | 'C') => self.charts.next(&self.playback, &self.notes.faults),
            Key::Char('i' | 'I') => self.inspector.toggle(),
            Key::Char('n') => self.go_to_fault(true),
            Key::Char('N') => self.go_to_fault(false),
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

    /// Jumps to the next step with a fault, or to the previous one, and pauses there. After the
    /// last one comes the first.
    pub(super) fn go_to_fault(&mut self, is_next: bool) {
        let (here, steps) = (self.playback.step(), self.playback.steps());
        let faults = self.notes.faults.iter().map(|fault| fault.step);
        // A file may name steps that cannot be shown.
        let faults: Vec<u64> = faults.filter(|&step| step <= steps).collect();
        let others = |&step: &u64| if is_next { step > here } else { step < here };
        let beyond = faults.iter().copied().filter(others);
        let step = match is_next {
            true => beyond.min().or_else(|| faults.iter().copied().min()),
            false => beyond.max().or_else(|| faults.iter().copied().max()),
        };
        if let Some(step) = step {
            self.playback.pause();
            self.playback.seek(step);
            self.playback.pause();
        }
    }

    pub(super) fn press(&mut self, button: Button) -> Redraw {
        let layout = self.layout();
        let at = self.pointer.at;
        if self.shows_help {
            self.shows_help = false;
            return Redraw::Yes;
        }
        if button == Button::Left
            && let Some(control) = layout.control_at(at)
        {
            self.press_control(control);
            return Redraw::Yes;
        }
        if button == Button::Left && (self.press_banner(&layout) || self.press_map(&layout)) {
            return Redraw::Yes;
        }
        if button == Button::Left
            && let Some(redraw) = self.press_event(&layout)
        {
            return redraw;
        }
        if button == Button::Left && layout.curves.is_some_and(|area| contains(area, at)) {
            return self.hold(TimeLine::Curves);
        }
        let on_inspector = layout.inspector.is_some_and(|area| contains(area, at));
        let on_chart = !on_inspector && layout.chart.is_some_and(|area| contains(area, at));
        if button == Button::Left && on_chart {
            return self.hold(TimeLine::Chart);
        }
        if contains(layout.board, at) && !on_inspector {
            self.pointer.held = Some(Held::Board { by: button, from: at, last: at, moved: false });
        }
        Redraw::No
    }

    fn press_control(&mut self, control: Control) {
        let playback = &mut self.playback;
        match control {
            Control::Start => playback.seek(0),
            Control::Back => playback.previous_turn(),
            Control::Play => playback.toggle(),
            Control::Forward => playback.next_turn(),
            Control::End => playback.to_end(),
            Control::Slower => playback.set_speed(playback.speed.slower()),
            Control::Faster => playback.set_speed(playback.speed.faster()),
            Control::Help => self.shows_help = true,
            Control::Fault => self.go_to_fault(true),
            Control::Seek => {
                self.hold(TimeLine::Bar);
            }
        }
    }

    /// Drags a line of time from now on.
    fn hold(&mut self, line: TimeLine) -> Redraw {
        let was_playing = self.playback.playing;
        self.playback.pause();
        self.pointer.held = Some(Held::Time { line, was_playing });
        self.seek_in(line);
        Redraw::Yes
    }

    /// Jumps to the state under the pointer.
    fn seek_in(&mut self, line: TimeLine) {
        let layout = self.layout();
        let x = f64::from(self.pointer.at.0);
        let (area, picture) = match line {
            TimeLine::Bar => {
                let Some(area) = layout.area_of(Control::Seek) else { return };
                let part = (x - f64::from(area.x)) / f64::from(area.width.max(2) - 1);
                return self.playback.seek_fraction(part);
            }
            TimeLine::Chart => {
                (layout.chart, self.charts.picture.as_ref().filter(|_| !self.charts.is_hidden))
            }
            TimeLine::Curves => (layout.curves, self.charts.small.as_ref()),
        };
        let Some((area, picture)) = area.zip(picture) else { return };
        if let Some(step) = self.charts.step_in(picture, x - f64::from(area.x)) {
            self.playback.seek(step);
        }
    }

    /// Returns what a click would do for a person who plays with a pointer.
    ///
    /// A finger is nowhere before it clicks.
    pub(super) fn pointed_act(&self) -> Option<Gesture> {
        if self.is_touched || self.pointer.held.is_some() || self.choices().is_empty() {
            return None;
        }
        let layout = self.layout();
        match self.choice_at(&layout, self.pointer.at) {
            Some(act) => act,
            None => {
                let hides = layout.inspector.is_some_and(|area| contains(area, self.pointer.at));
                self.place().filter(|_| !hides).map(Gesture::Pick)
            }
        }
    }

    /// Handles a movement of the pointer: a drag, or another preview.
    pub(super) fn point(&mut self) -> Redraw {
        let act = self.pointed_act();
        let changed = std::mem::replace(&mut self.pointer.act, act) != act;
        if self.drag() == Redraw::Yes || changed { Redraw::Yes } else { Redraw::No }
    }

    /// Handles a drag.
    fn drag(&mut self) -> Redraw {
        let at = self.pointer.at;
        match &mut self.pointer.held {
            None => return Redraw::No,
            &mut Some(Held::Time { line, .. }) => self.seek_in(line),
            Some(Held::Board { from, last, moved, .. }) => {
                *moved |= (at.0 - from.0).hypot(at.1 - from.1) > TREMBLE * self.scale;
                if !*moved {
                    return Redraw::No;
                }
                let way = (at.0 - last.0, at.1 - last.1);
                *last = at;
                self.stop_following();
                let area = self.layout().board;
                self.visible.pan(&self.playback.scene().board, area, way);
            }
        }
        Redraw::Yes
    }

    /// Handles the release of a button.
    pub(super) fn release(&mut self, button: Button) -> Redraw {
        match self.pointer.held {
            Some(Held::Board { by, .. }) if by != button => return Redraw::No,
            Some(Held::Time { .. }) if button != Button::Left => return Redraw::No,
            _ => {}
        }
        match self.pointer.held.take() {
            Some(Held::Board { moved: false, .. }) => self.click(button),
            Some(Held::Time { was_playing: true, .. }) if !self.playback.playing => {
                if !self.playback.is_at_end() {
                    self.playback.toggle();
                }
                Redraw::Yes
            }
            _ => Redraw::No,
        }
    }

    /// Handles a click: the person may take it, but the right button always inspects the place.
    fn click(&mut self, button: Button) -> Redraw {
        let place = self.place();
        if let (Button::Left, Some(person), Some(place)) = (button, self.person.as_mut(), place)
            && let Some(redraw) = person.act(Gesture::Pick(place), self.playback.game())
        {
            return redraw;
        }
        match (button, place) {
            (Button::Left | Button::Right, Some(place)) => {
                self.inspector.select(place);
                Redraw::Yes
            }
            (Button::Left, None) => {
                self.inspector.close();
                Redraw::Yes
            }
            _ => Redraw::No,
        }
    }

    /// Handles a press on a choice of the person.
    pub(super) fn press_choice(&mut self, input: Input) -> Option<Redraw> {
        let Input::Press(Button::Left) = input else { return None };
        let act = match self.choice_at(&self.layout(), self.pointer.at)? {
            Some(act) => act,
            None => {
                self.choice_page += 1;
                return Some(Redraw::Yes);
            }
        };
        let game = self.playback.game();
        // Nothing else is there.
        Some(self.person.as_mut()?.act(act, game).unwrap_or(Redraw::No))
    }

    pub(super) fn wheel(&mut self, notches: f32) -> Redraw {
        let layout = self.layout();
        let at = self.pointer.at;
        if layout.inspector.is_some_and(|area| contains(area, at)) {
            return self.inspector.scroll((-3.0 * notches).round() as i32);
        }
        if self.scroll_events(&layout, notches) {
            return Redraw::Yes;
        }
        if !contains(layout.board, at) {
            return Redraw::No;
        }
        self.visible.zoom(&self.playback.scene().board, layout.board, ZOOM.powf(notches), at);
        Redraw::Yes
    }
}
