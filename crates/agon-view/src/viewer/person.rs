//! What differs in the viewer while a person plays: keys between two questions, units that stay in
//! sight, and leaving.
//!
//! [`HumanPlayer`](crate::HumanPlayer) holds the person's orders; this decides when the viewer asks
//! it. Games without units show the whole board.

use agon_games::scene::Place;

use super::{Viewer, layout::contains};
use crate::paint::{Area, Camera, board_point};
use crate::{Input, Redraw};

/// The size of cells on which units are seen well, in pixels of a plain screen.
const GOOD_CELL: f32 = 20.0;

/// The size of cells below which the board opens zoomed, in pixels of a plain screen.
const SMALL_CELL: f32 = 14.0;

/// The distance from the edge at which a chosen unit is still seen well, in cells.
const EDGE: f32 = 1.5;

impl Viewer {
    /// Returns whether somebody plays in the match, and sees it as a player.
    pub(super) fn is_played(&self) -> bool {
        let game = self.playback.game();
        self.person.as_ref().is_some_and(|person| person.player(game).is_some())
    }

    /// Opens the panel about what a person sees besides the board, once there is something.
    pub(super) fn show_seen_beside(&mut self) {
        if self.focus.has_panel || self.playback.is_covered {
            return;
        }
        if let Some(player) = self.playback.eyes
            && !self.playback.game().seen_beside(player).is_empty()
        {
            self.focus.has_panel = true;
            self.inspector.is_open = true;
        }
    }

    /// Offers a key to a person's person while the next question, or its state, is on its way.
    ///
    /// The key ends the movement on the board, and never goes back in the match.
    pub(super) fn early_key(&mut self, input: Input) -> Option<Redraw> {
        let (Input::Key(key), true) = (input, self.is_played()) else { return None };
        if !self.playback.following || !self.choices().is_empty() {
            return None;
        }
        let game = self.playback.game();
        self.person.as_mut()?.early(key, game)?;
        if self.playback.step() < self.playback.steps() {
            self.playback.to_end();
        }
        let game = self.playback.game();
        self.person.as_mut()?.tick(game);
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

    /// Zooms on the person's units at the first question; later only moves to chosen ones.
    pub(super) fn keep_units_in_sight(&mut self) {
        let Some(person) = &self.person else { return };
        let (units, chosen) = person.units(self.playback.game());
        if chosen.is_empty() {
            self.focus.chosen.clear();
        }
        if !self.focus.has_begun && !units.is_empty() && self.focus.has_painted {
            let units = units.to_vec();
            self.focus.has_begun = true;
            self.begin_at(&units);
        } else if !chosen.is_empty() && chosen != self.focus.chosen {
            let chosen = chosen.to_vec();
            self.bring_into_sight(&chosen);
            self.focus.chosen = chosen;
        }
    }

    /// Zooms on these units if the whole board has small cells.
    fn begin_at(&mut self, units: &[Place]) {
        let area = self.layout().board;
        let board = &self.playback.scene().board;
        let whole = Camera::fit(board, area);
        // In characters a cell is at least a character wide anyway.
        if self.characters.is_some() || whole.zoom >= SMALL_CELL * self.scale {
            return;
        }
        let points: Vec<_> = units.iter().map(|&unit| board_point(board, unit)).collect();
        let (low, high) = bounds(&points);
        // The units with a margin as wide as a third of them, but not less than three cells.
        let wide = |low: f32, high: f32| ((high - low) * 5.0 / 3.0).max(high - low + 6.0);
        let zoom = (area.width as f32 / wide(low.0, high.0))
            .min(area.height as f32 / wide(low.1, high.1))
            .min(GOOD_CELL * self.scale)
            .floor();
        let center = if zoom >= SMALL_CELL * self.scale {
            ((low.0 + high.0) / 2.0, (low.1 + high.1) / 2.0)
        } else {
            // They are far apart: begin at the one nearest to their middle.
            nearest(&points, ((low.0 + high.0) / 2.0, (low.1 + high.1) / 2.0))
        };
        let zoom = zoom.max(SMALL_CELL * self.scale).round();
        self.visible.chosen = Some(Camera { center, zoom });
    }

    /// Moves the board if none of the units lies well inside of the visible part.
    fn bring_into_sight(&mut self, units: &[Place]) {
        if self.visible.chosen.is_none() || self.followed.is_some() {
            return;
        }
        let area = self.layout().board;
        let board = &self.playback.scene().board;
        let camera = self.visible.camera(board, area);
        let inner = area.inset((EDGE * camera.zoom) as u32);
        let is_seen = |&unit: &Place| contains(inner, camera.pixel_of(board, unit, area));
        if units.iter().any(is_seen) {
            return;
        }
        let points: Vec<_> = units.iter().map(|&unit| board_point(board, unit)).collect();
        let center = nearest(&points, camera.center);
        self.visible.chosen = Some(Camera { center, ..camera });
    }

    /// Returns the pixel that keeps its place when a key zooms: the pointer on the board, else the
    /// chosen unit, else the middle.
    pub(super) fn zoom_center(&self, area: Area) -> (f32, f32) {
        let at = self.pointer.at;
        if contains(area, at) {
            return at;
        }
        let board = &self.playback.scene().board;
        let chosen = self.person.as_ref().and_then(|person| {
            let (_, chosen) = person.units(self.playback.game());
            chosen.first().copied()
        });
        let pixel = |place| self.camera(self.playback.scene(), area).pixel_of(board, place, area);
        let chosen = chosen.map(pixel).filter(|&pixel| contains(area, pixel));
        chosen.unwrap_or_else(|| area.middle())
    }
}

/// Returns the corners of the smallest rectangle around points.
fn bounds(points: &[(f32, f32)]) -> ((f32, f32), (f32, f32)) {
    let far = f32::INFINITY;
    points.iter().fold(((far, far), (-far, -far)), |(low, high), point| {
        ((low.0.min(point.0), low.1.min(point.1)), (high.0.max(point.0), high.1.max(point.1)))
    })
}

/// Returns the point that is nearest to `to`, or `to` without points.
fn nearest(points: &[(f32, f32)], to: (f32, f32)) -> (f32, f32) {
    let distance = |point: &&(f32, f32)| (point.0 - to.0).hypot(point.1 - to.1);
    let nearest = points.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)));
    nearest.copied().unwrap_or(to)
}
