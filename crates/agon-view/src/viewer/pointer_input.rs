//! Handles clicks, drags and the wheel in the viewer.
//!
//! A click presses a button or selects a place. A drag moves the board, or the position in the
//! match on the seek bar or the chart. The wheel zooms.

use agon_games::{human::Gesture, jsonl::JsonGame, scene::Render};

use super::{
    Viewer,
    choices::ButtonAction,
    keys::ZOOM,
    layout::{Control, contains},
    pointer::Held,
};
use crate::{Button, Input, Redraw};

/// The movement in a click that is still just a tremble, in pixels of a plain screen.
const TREMBLE: f32 = 4.0;

impl<G: Render + JsonGame> Viewer<G> {
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
            let was_playing = self.playback.is_playing();
            self.playback.pause();
            self.pointer.held = Some(Held::Curves { was_playing });
            self.seek_in_curves();
            return Redraw::Yes;
        }
        let on_inspector = layout.inspector.is_some_and(|area| contains(area, at));
        if button == Button::Left
            && !on_inspector
            && layout.chart.is_some_and(|area| contains(area, at))
        {
            let was_playing = self.playback.is_playing();
            self.playback.pause();
            self.pointer.held = Some(Held::Chart { was_playing });
            self.seek_in_chart();
            return Redraw::Yes;
        }
        if contains(layout.board, at) && !on_inspector {
            self.pointer.held = Some(Held::Board { by: button, from: at, last: at, moved: false });
        }
        Redraw::No
    }

    fn press_control(&mut self, control: Control) {
        if control == Control::Fault {
            return self.next_fault();
        }
        let playback = &mut self.playback;
        match control {
            Control::Start => playback.to_start(),
            Control::Back => playback.previous_turn(),
            Control::Play => playback.toggle(),
            Control::Forward => playback.next_turn(),
            Control::End => playback.to_end(),
            Control::Slower => playback.set_speed(playback.speed().slower()),
            Control::Faster => playback.set_speed(playback.speed().faster()),
            Control::Help => self.shows_help = true,
            Control::Fault => {}
            Control::Seek => {
                let was_playing = playback.is_playing();
                playback.pause();
                self.pointer.held = Some(Held::Seek { was_playing });
                self.seek_to_pointer();
            }
        }
    }

    fn seek_to_pointer(&mut self) {
        let Some(area) = self.layout().area_of(Control::Seek) else { return };
        let part = (self.pointer.at.0 - area.x as f32) / (area.width.max(2) - 1) as f32;
        self.playback.seek_fraction(f64::from(part));
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
            Some(ButtonAction::Act(act)) => Some(act),
            Some(ButtonAction::More) => None,
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
            Some(Held::Seek { .. }) => self.seek_to_pointer(),
            Some(Held::Chart { .. }) => self.seek_in_chart(),
            Some(Held::Curves { .. }) => self.seek_in_curves(),
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
            Some(Held::Seek { .. } | Held::Chart { .. } | Held::Curves { .. })
                if button != Button::Left =>
            {
                return Redraw::No;
            }
            _ => {}
        }
        match self.pointer.held.take() {
            Some(Held::Board { moved: false, .. }) => self.click(button),
            Some(
                Held::Seek { was_playing: true }
                | Held::Chart { was_playing: true }
                | Held::Curves { was_playing: true },
            ) if !self.playback.is_playing() => {
                if !self.playback.is_at_end() {
                    self.playback.toggle();
                }
                Redraw::Yes
            }
            _ => Redraw::No,
        }
    }

    /// Handles a click: the overlay may take it, but the right button always inspects the place.
    fn click(&mut self, button: Button) -> Redraw {
        let place = self.place();
        if let (Button::Left, Some(overlay), Some(place)) = (button, self.overlay.as_mut(), place)
            && let Some(redraw) = overlay.pick(place, self.playback.game())
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

    /// Handles a press on a choice of the overlay.
    pub(super) fn press_choice(&mut self, input: Input) -> Option<Redraw> {
        let Input::Press(Button::Left) = input else { return None };
        let act = match self.choice_at(&self.layout(), self.pointer.at)? {
            ButtonAction::Act(act) => act,
            ButtonAction::More => {
                self.choice_page += 1;
                return Some(Redraw::Yes);
            }
        };
        let game = self.playback.game();
        // Nothing else is there.
        Some(self.overlay.as_mut()?.press(act, game).unwrap_or(Redraw::No))
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
