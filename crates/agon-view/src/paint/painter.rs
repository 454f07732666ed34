//! Paints a scene on a frame: grids, hexagons, and movements from one scene to the next.
//!
//! The viewer calls [`Theme::paint_board`] for its board, [`Screenshot`](crate::paint::Screenshot)
//! for films. Between two scenes pieces move or fade, and marks come or go.

mod grid;
mod hexagons;
mod raster;
mod shape;

use std::collections::BTreeMap;

use agon_games::scene::{Board, Mark, Piece, Place, Scene, Shape, Travel};
use raster::View;

use crate::paint::canvas::{Paint, blend};
use crate::paint::{Area, Camera, Frame, Theme};

impl Theme {
    /// Paints the board on `area` of the frame as seen by `camera`, and nothing outside of it.
    ///
    /// On the way from one scene to another, pieces move, fall or fade, and colours change
    /// gradually. A board that is turned turns first. Both ends of the way look exactly like
    /// their scenes.
    pub fn paint_board(
        &self,
        frame: &mut Frame,
        area: Area,
        instant: &Instant<'_>,
        camera: &Camera,
    ) {
        let has_patterns = self.has_patterns(instant.scene.players.len());
        self.paint(frame, area, instant, camera, has_patterns);
    }

    /// Paints the board as [`Theme::paint_board`] does, without the patterns of players.
    ///
    /// For terminals, which write letters over the board instead.
    pub fn paint_plain_board(
        &self,
        frame: &mut Frame,
        area: Area,
        instant: &Instant<'_>,
        camera: &Camera,
    ) {
        self.paint(frame, area, instant, camera, false);
    }

    fn paint(
        &self,
        frame: &mut Frame,
        area: Area,
        instant: &Instant<'_>,
        camera: &Camera,
        has_patterns: bool,
    ) {
        let instant = instant.settled();
        let view = View { theme: self, camera, has_patterns };
        match instant.scene.board {
            Board::Grid { width, height, wraps } => {
                grid::paint(view, frame, area, &instant, (width, height, wraps));
            }
            Board::Hexagon { .. } => hexagons::paint(view, frame, area, &instant),
        }
    }
}

/// A piece in two scenes, at least in one of them.
#[derive(Clone, Copy, Debug)]
enum Actor<'a> {
    Stays { before: &'a Piece, now: &'a Piece },
    Comes(&'a Piece),
    Goes(&'a Piece),
}

impl<'a> Actor<'a> {
    /// Returns all pieces of a moment, in order of id.
    fn all(instant: &Instant<'a>) -> Vec<Actor<'a>> {
        let mut actors: BTreeMap<u32, Actor<'a>> = BTreeMap::new();
        let Some(before) = instant.before else {
            return instant
                .scene
                .pieces
                .iter()
                .map(|now| Actor::Stays { before: now, now })
                .collect();
        };
        actors.extend(before.pieces.iter().map(|piece| (piece.id, Actor::Goes(piece))));
        for now in &instant.scene.pieces {
            let actor = match actors.get(&now.id) {
                Some(&Actor::Goes(before)) => Actor::Stays { before, now },
                _ => Actor::Comes(now),
            };
            actors.insert(now.id, actor);
        }
        actors.into_values().collect()
    }

    /// Returns the piece whose shape and ink it has, which do not change gradually.
    fn piece(&self, done: f32) -> &'a Piece {
        match *self {
            Actor::Stays { before, .. } if done < 0.5 => before,
            Actor::Stays { now: piece, .. } | Actor::Comes(piece) | Actor::Goes(piece) => piece,
        }
    }

    /// Returns its colour; a piece that comes or goes is faded.
    fn paint(&self, theme: &Theme, done: f32) -> Paint {
        match self {
            Actor::Stays { before, now } => {
                Paint::opaque(blend(theme.color(before.ink), theme.color(now.ink), done))
            }
            Actor::Comes(piece) => Paint { color: theme.color(piece.ink), alpha: done },
            Actor::Goes(piece) => Paint { color: theme.color(piece.ink), alpha: 1.0 - done },
        }
    }

    /// Returns its direction in radians clockwise from 0; `part` is one direction's angle.
    ///
    /// A pointer that changes direction turns the shorter way.
    fn angle(&self, part: f32, done: f32) -> f32 {
        let angle = |piece: &Piece| pointer_angle(piece.shape, part);
        match self {
            Actor::Stays { before, now } => {
                let (from, to) = (angle(before), angle(now));
                from + shorter(to - from) * done
            }
            Actor::Comes(piece) | Actor::Goes(piece) => angle(piece),
        }
    }
}

/// Returns the direction of a pointer in radians clockwise from 0; `part` is one direction's angle.
fn pointer_angle(shape: Shape, part: f32) -> f32 {
    match shape {
        Shape::Pointer(arrow) => f32::from(arrow.0) * part,
        _ => 0.0,
    }
}

/// Returns the same turn the shorter way around.
fn shorter(angle: f32) -> f32 {
    use std::f32::consts::{PI, TAU};
    (angle + PI).rem_euclid(TAU) - PI
}

/// Returns all marks of a moment with their opacity.
fn marks<'a>(instant: &Instant<'a>) -> Vec<(&'a Mark, f32)> {
    let Some(before) = instant.before else {
        return instant.scene.marks.iter().map(|mark| (mark, 1.0)).collect();
    };
    let (old, new) = (by_place(&before.marks), by_place(&instant.scene.marks));
    let stays = |mark: &Mark, other: &BTreeMap<Place, Vec<&Mark>>| {
        other.get(&mark.place).is_some_and(|marks| marks.contains(&mark))
    };
    let going = before
        .marks
        .iter()
        .filter(|mark| !stays(mark, &new))
        .map(|mark| (mark, 1.0 - instant.done));
    let coming = instant
        .scene
        .marks
        .iter()
        .map(|mark| (mark, if stays(mark, &old) { 1.0 } else { instant.done }));
    going.chain(coming).collect()
}

fn by_place(marks: &[Mark]) -> BTreeMap<Place, Vec<&Mark>> {
    let mut places: BTreeMap<Place, Vec<&Mark>> = BTreeMap::new();
    for mark in marks {
        places.entry(mark.place).or_default().push(mark);
    }
    places
}

/// Returns the opacity of a thing that exists only on the way.
fn passing(done: f32) -> f32 {
    (6.0 * done).min(6.0 * (1.0 - done)).clamp(0.0, 1.0)
}

/// Slows a movement down at both ends.
fn smooth(part: f32) -> f32 {
    part * part * (3.0 - 2.0 * part)
}

/// A moment to paint: a scene, or a time on the way to it.
#[derive(Clone, Copy, Debug)]
pub struct Instant<'a> {
    /// The scene; the end of the way, if there is one.
    pub scene: &'a Scene,
    /// The scene before it.
    pub before: Option<&'a Scene>,
    /// The pieces that were moving between the two.
    pub travels: &'a [Travel],
    /// The completed share of the way, from 0 to 1.
    pub done: f32,
}

impl<'a> Instant<'a> {
    /// Makes the moment of a scene at rest.
    pub fn still(scene: &'a Scene) -> Instant<'a> {
        Instant { scene, before: None, travels: &[], done: 1.0 }
    }

    /// Returns the same, without a way if it has not begun, is over, or changes the board.
    fn settled(&self) -> Instant<'a> {
        match self.before {
            Some(before) if same_places(&before.board, &self.scene.board) => {
                if self.done <= 0.0 {
                    Instant::still(before)
                } else if self.done < 1.0 {
                    *self
                } else {
                    Instant::still(self.scene)
                }
            }
            _ => Instant::still(self.scene),
        }
    }
}

/// Returns whether two boards differ at most in their direction of down.
fn same_places(one: &Board, other: &Board) -> bool {
    match (one, other) {
        (
            Board::Hexagon { side, cells, .. },
            Board::Hexagon { side: other_side, cells: other_cells, .. },
        ) => side == other_side && cells == other_cells,
        _ => one == other,
    }
}

#[cfg(test)]
mod tests {
    use std::f32::consts::FRAC_PI_4;

    use agon_games::scene::{Arrow, Ink};

    use super::*;

    #[test]
    fn pointers_turn_the_shorter_way() {
        let piece = |arrow| Piece {
            id: 0,
            place: 0,
            shape: Shape::Pointer(Arrow(arrow)),
            ink: Ink::GROUND,
        };
        let (before, now) = (piece(7), piece(1));
        let actor = Actor::Stays { before: &before, now: &now };
        for (done, eighths) in [(0.0, 7.0), (0.25, 7.5), (0.5, 8.0), (1.0, 9.0)] {
            assert!((actor.angle(FRAC_PI_4, done) - eighths * FRAC_PI_4).abs() < 1e-5);
        }
    }
}
