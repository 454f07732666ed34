//! What differs in the viewer while a person plays: keys between two questions, and leaving.
//!
//! The overlay holds the person's orders; this decides when the viewer asks it.

use agon_games::{jsonl::JsonGame, scene::Render};

use super::Viewer;
use crate::{Input, Redraw};

impl<G: Render + JsonGame> Viewer<G> {
    /// Returns whether somebody plays in the match, and sees it as a player.
    pub(super) fn is_played(&self) -> bool {
        let game = self.playback.game();
        self.overlay.as_ref().is_some_and(|overlay| overlay.player(game).is_some())
    }

    /// Opens the panel about what a person sees besides the board, once there is something.
    pub(super) fn show_seen_beside(&mut self) {
        if self.focus.has_panel || self.playback.is_covered() {
            return;
        }
        if let Some(player) = self.playback.eyes()
            && !self.playback.game().seen_beside(player).is_empty()
        {
            self.focus.has_panel = true;
            self.inspector.open();
        }
    }

    /// Offers a key to a person's overlay while the next question, or its state, is on its way.
    ///
    /// The key ends the movement on the board, and never goes back in the match.
    pub(super) fn early_key(&mut self, input: Input) -> Option<Redraw> {
        let (Input::Key(key), true) = (input, self.is_played()) else { return None };
        if !self.playback.is_following() || !self.choices().is_empty() {
            return None;
        }
        let game = self.playback.game();
        self.overlay.as_mut()?.early(key, game)?;
        if self.playback.step() < self.playback.steps() {
            self.playback.to_end();
        }
        let game = self.playback.game();
        self.overlay.as_mut()?.tick(game);
        self.adapt();
        self.inspect();
        Some(Redraw::Yes)
    }

    /// Returns whether another match is offered: when a match that was running is over.
    pub(super) fn offers_rematch(&self) -> bool {
        self.rematch.is_some() && self.was_live && !self.playback.is_live()
    }

    /// Asks for another match and closes the viewer, if that is offered.
    pub(super) fn ask_for_rematch(&mut self) -> Redraw {
        match &self.rematch {
            Some(rematch) if self.offers_rematch() => {
                rematch.ask();
                self.is_closed = true;
                Redraw::Yes
            }
            _ => Redraw::No,
        }
    }

    /// Closes the viewer. In a running match a person has to press the key twice.
    pub(super) fn leave(&mut self) {
        if self.is_played() && self.playback.is_live() && !self.asks_to_leave {
            self.asks_to_leave = true;
        } else {
            self.is_closed = true;
        }
    }
}
