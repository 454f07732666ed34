//! The state of the viewer's chart: its series, and whether it is open, hidden or outdated.
//!
//! The viewer calls it for the key `c` and before each picture. It hides the chart from a person
//! who plays and must not see all of the board.

use std::time::Duration;

use agon_core::{Fault, Player};
use agon_games::{jsonl::JsonGame, scene::Render};
use agon_paint::chart::Scale;
use agon_paint::{Area, Frame, ThemeName};

use super::{
    super::{events::EventLog, layout::Layout},
    curves::Curves,
};
use crate::{Charted, Playback, Redraw};

/// Redraw interval while values are still being collected.
const REDRAW_INTERVAL: Duration = Duration::from_millis(100);

/// The minimum height at which lines can be read, in pixels of a plain screen.
const MIN_HEIGHT: f32 = 170.0;

/// The chart of a viewer, open or not.
pub(in crate::viewer) struct ChartPanel<G: Render> {
    /// The series that is shown.
    pub(super) series: Option<usize>,
    /// The values counted so far; `None` until somebody wants to see them.
    pub(super) curves: Option<Curves<G>>,
    pub(super) picture: Option<Picture>,
    /// The curves beside the board.
    pub(super) small: Option<Picture>,
    /// Whether the curves beside the board or the list of events are shown.
    is_beside: bool,
    /// Whether it is hidden, because its viewer is a player who must not see all of the board.
    pub(super) is_hidden: bool,
    /// Viewing player and step of the last visibility check.
    checked_for: Option<(Option<Player>, u64)>,
    /// Whether more was counted than the picture shows.
    is_behind: bool,
    /// When the picture was last dropped.
    dropped_at: Duration,
}

/// The last painted chart.
pub(super) struct Picture {
    pub(super) frame: Frame,
    pub(super) scale: Option<Scale>,
    pub(super) series: usize,
    pub(super) theme: ThemeName,
}

impl<G: Render> Default for ChartPanel<G> {
    fn default() -> ChartPanel<G> {
        ChartPanel {
            series: None,
            curves: None,
            picture: None,
            small: None,
            is_beside: false,
            is_hidden: false,
            checked_for: None,
            is_behind: false,
            dropped_at: Duration::ZERO,
        }
    }
}

impl<G: Render + JsonGame> ChartPanel<G> {
    pub(in crate::viewer) fn is_open(&self) -> bool {
        self.series.is_some()
    }

    /// Returns whether it has more to do before the next picture.
    pub(in crate::viewer) fn is_busy(&self) -> bool {
        let is_shown = self.is_beside || (self.is_open() && !self.is_hidden);
        is_shown && self.curves.as_ref().is_some_and(Curves::has_more)
    }

    /// Shows the curves beside the board and the list of events, or does not.
    pub(in crate::viewer) fn set_beside(
        &mut self,
        is_beside: bool,
        playback: &Playback<G>,
        faults: &[Fault],
    ) {
        self.is_beside = is_beside;
        if is_beside {
            self.begin(playback, faults);
        }
    }

    fn begin(&mut self, playback: &Playback<G>, faults: &[Fault]) {
        self.curves.get_or_insert_with(|| Curves::new(playback.states().fork(), faults));
    }

    /// Returns the events found so far, if they may be shown.
    pub(in crate::viewer) fn events(&self) -> Option<&EventLog> {
        self.curves.as_ref().filter(|_| self.is_beside).map(Curves::events)
    }

    /// Returns the number of turns that the curves beside the board show.
    pub(in crate::viewer) fn turns_beside(&self) -> Option<u64> {
        self.curves.as_ref().filter(|_| self.is_beside).map(|curves| curves.turns() as u64)
    }

    /// Shows the next series, or none after the last one.
    pub(in crate::viewer) fn next(&mut self, playback: &Playback<G>, faults: &[Fault]) {
        let next = self.series.map_or(0, |series| series + 1);
        self.series = (next < G::SERIES.len()).then_some(next);
        if self.is_open() {
            self.begin(playback, faults);
        }
        self.update_hidden(playback);
    }

    /// Hides the chart from a player who cannot see all of the board.
    ///
    /// Its numbers would reveal the rest. From then on no player sees it, because the curves have
    /// the values of all turns.
    fn update_hidden(&mut self, playback: &Playback<G>) {
        let viewed = Some((playback.eyes(), playback.step()));
        if self.checked_for == viewed {
            return;
        }
        self.checked_for = viewed;

        self.is_hidden = match playback.eyes() {
            None => false,
            Some(player) => self.is_hidden || is_board_hidden(playback.game(), player),
        };
    }

    /// Continues counting while it is open, or its curves are shown beside the board.
    pub(in crate::viewer) fn tick(&mut self, now: Duration, playback: &Playback<G>) -> Redraw {
        if !self.is_open() && !self.is_beside {
            return Redraw::No;
        }
        let was_hidden = self.is_hidden;
        self.update_hidden(playback);
        if self.is_hidden {
            return if was_hidden { Redraw::No } else { Redraw::Yes };
        }

        let Some(curves) = &mut self.curves else { return Redraw::No };
        self.is_behind |= curves.tick(now, self.series.is_some());
        let is_due = now.saturating_sub(self.dropped_at) >= REDRAW_INTERVAL || !curves.has_more();
        let is_outdated = self.is_behind && is_due;
        if !was_hidden && !is_outdated {
            return Redraw::No;
        }

        self.picture = None;
        self.small = None;
        self.is_behind = false;
        self.dropped_at = now;
        Redraw::Yes
    }

    /// Describes the chart for the app's status; `None` if it is closed.
    pub(in crate::viewer) fn status(&self) -> Option<Charted> {
        let series = self.series?;
        let curves = self.curves.as_ref()?;
        Some(Charted {
            series: G::SERIES[series].id.to_owned(),
            turns: if self.is_hidden { 0 } else { curves.turns() as u64 },
            complete: curves.is_complete(),
            hidden: self.is_hidden,
        })
    }

    /// Returns the step shown at a distance from the left edge of the picture, in pixels.
    pub(super) fn step_at(&self, x: f64) -> Option<u64> {
        self.step_in(self.picture.as_ref().filter(|_| !self.is_hidden)?, x)
    }

    /// Returns the step shown in a picture of the curves.
    pub(super) fn step_in(&self, picture: &Picture, x: f64) -> Option<u64> {
        let scale = picture.scale?;
        Some(self.curves.as_ref()?.step_of(scale.turn_at(x)))
    }
}

/// Returns whether a player cannot see all of the board.
fn is_board_hidden<G: Render>(game: &G, player: Player) -> bool {
    let seen = game.scene_for(player);
    let all = game.scene();
    (seen.board, seen.cells, seen.pieces) != (all.board, all.cells, all.pieces)
}

impl Layout {
    /// Makes room for a chart below the board.
    pub(in crate::viewer) fn split_board(&mut self, scale: f32) {
        let least = (MIN_HEIGHT * scale) as u32;
        let height = (self.board.height * 2 / 5).max(least.min(self.board.height / 2));
        if height == 0 {
            return;
        }
        self.board.height -= height;
        let y = self.board.y + self.board.height as i32;
        self.chart = Some(Area { y, height, ..self.board });
        if !self.is_column {
            self.message.y -= height as i32;
        }
    }
}
