//! Describes the viewer's picture in numbers and texts, for tests and pages.

use agon_games::{jsonl::JsonGame, scene::Render};

use super::Viewer;
use crate::Status;

impl<G: Render + JsonGame> Viewer<G> {
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
