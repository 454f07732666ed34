//! What a shell runs.

use std::time::Duration;

use agon_paint::Frame;

use crate::{Input, Status};

/// Whether a new picture is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Redraw {
    /// The last one is still right.
    No,
    /// Something has changed.
    Yes,
}

/// Something with a picture that reacts to inputs: the viewer of any game, as shells see it.
pub trait App: Send {
    /// What the window is called.
    fn title(&self) -> String;

    /// Takes an input.
    fn input(&mut self, input: Input) -> Redraw;

    /// Goes on in time: `now` is the time since the shell began. Called before each picture, at most some 60 times a
    /// second.
    fn tick(&mut self, now: Duration) -> Redraw;

    /// How long nothing will happen unless there is an input; `None` if ever. A shell may sleep so long.
    fn idle(&self) -> Option<Duration>;

    /// Paints itself on a frame of any size.
    fn paint(&mut self, frame: &mut Frame);

    /// Where it stands.
    fn status(&self) -> Status;

    /// Whether the person has asked to leave.
    fn is_closed(&self) -> bool;
}
