//! Describes the viewer's picture in numbers and texts, and chooses the line for the person.

use agon_games::{human::HumanInput, jsonl::JsonGame};

use super::Viewer;
use crate::Status;

impl<G: HumanInput + JsonGame> Viewer<G> {
    pub(super) fn describe(&self) -> Status {
        let banner = self.banner().map(|result| format!("{}: {}", result.headline, result.reason));
        Status {
            players: self.playback.players().to_vec(),
            step: self.playback.step(),
            steps: self.playback.steps(),
            turn: self.playback.turn(),
            playing: self.playback.is_playing(),
            following: self.playback.is_following(),
            live: self.playback.is_live(),
            speed: self.playback.speed().to_string(),
            theme: self.look.theme().to_string(),
            fits: self.visible.is_fit(),
            selected: self.inspector.selected(),
            inspector: self.inspector.text(),
            help: self.shows_help,
            trouble: self.playback.trouble().map(str::to_owned),
            message: self.message(),
            choices: self.offers(),
            more: self.more_button(),
            chart: self.charts.status(),
            curves: self.charts.turns_beside(),
            banner,
            events: self.listed_events(),
            all_events: self.events().len() as u64,
            faults: self.notes.faults.len() as u64,
            reports: self.inspector.reports(),
            followed: self.followed_piece().map(|piece| piece.place),
            numbers: self.numbers.name().to_owned(),
        }
    }
}

/// What a person can do when a match is over.
pub(super) const OFFER: &str = "r: rematch";

impl<G: HumanInput + JsonGame> Viewer<G> {
    /// Returns the line for the person: what a person who plays is told first, then problems, then
    /// the result.
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
        let told = self.person.as_ref().filter(|_| is_told).and_then(|person| person.text(game));
        let waiting = || {
            let follows = self.playback.is_following() && !is_told;
            self.person.as_ref().filter(|_| follows).and_then(|person| person.waiting(game))
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
        told.or_else(waiting).or_else(chart).or_else(trouble).or_else(warning)
    }
}
