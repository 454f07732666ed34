//! The line for the person: what an overlay says, problems, and how the match ended.
//!
//! `Viewer::paint` and the terminal show it.

use agon_games::{jsonl::JsonGame, scene::Render};

use super::Viewer;

/// What a person can do when a match is over.
pub(super) const OFFER: &str = "r: rematch";

impl<G: Render + JsonGame> Viewer<G> {
    /// Returns the line for the person: the overlay's line first, then problems, then the result.
    pub(super) fn message(&self) -> Option<String> {
        let outcome = || {
            let game = self.playback.game();
            // A standing may look at the whole board, which is too slow for every picture.
            let outcome = game.decisions().is_empty().then(|| game.standing().outcome).flatten()?;
            Some(outcome.sentence(|player| &self.playback.players()[player.index()]))
        };
        let told = self.urgent_message().or_else(outcome);
        if !self.offers_rematch() {
            return told;
        }
        Some(told.map_or(OFFER.to_owned(), |told| format!("{told} \u{b7} {OFFER}")))
    }

    /// Returns the same without the result of the match.
    pub(super) fn urgent_message(&self) -> Option<String> {
        if self.asks_to_leave {
            return Some("q again ends the match; any other key goes on".to_owned());
        }
        let game = self.playback.game();
        // A person who is about to see the state of the line needs no hint about its place.
        let is_told = !self.playback.is_following() || !self.choices().is_empty();
        let overlay =
            self.overlay.as_ref().filter(|_| is_told).and_then(|overlay| overlay.text(game));
        let waiting = || {
            let follows = self.playback.is_following() && !is_told;
            self.overlay.as_ref().filter(|_| follows).and_then(|overlay| overlay.waiting(game))
        };
        let trouble = || {
            self.playback
                .trouble()
                .map(|trouble| format!("shown up to step {}: {trouble}", self.playback.steps()))
        };
        let warning = || self.notes.warning.clone().filter(|_| self.playback.is_at_end());
        let chart = || {
            let cannot = self.charts.is_open() && self.characters.is_some();
            cannot.then(|| {
                "Charts need pixels: a window, a page, or `agon replay chart`; c goes on".to_owned()
            })
        };
        overlay.or_else(waiting).or_else(chart).or_else(trouble).or_else(warning)
    }
}
