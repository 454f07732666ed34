//! What a shell runs.

use std::time::Duration;

use agon_games::scene::Place;
use agon_paint::Frame;
use serde::Serialize;

use crate::{Input, TextApp};

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

    /// Goes on in time: `now` is the time since the shell began. Called before each picture, at
    /// most some 60 times a second.
    fn tick(&mut self, now: Duration) -> Redraw;

    /// How long nothing will happen unless there is an input; `None` if ever. A shell may sleep so
    /// long.
    fn idle(&self) -> Option<Duration>;

    /// Paints itself on a frame of any size.
    fn paint(&mut self, frame: &mut Frame);

    /// The same in characters, if it can be shown so.
    fn in_characters(&mut self) -> Option<&mut dyn TextApp> {
        None
    }

    /// Whether the person has asked to leave.
    fn is_closed(&self) -> bool;

    /// What it shows, in numbers.
    fn status(&self) -> Status;
}

/// What a viewer shows, for tests, and for shells that say it elsewhere, too.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Status {
    /// The names of the players, in order of player number.
    pub players: Vec<String>,
    /// Steps before the state that is shown.
    pub step: u64,
    /// Steps that can be shown by now.
    pub steps: u64,
    /// The turn of that state.
    pub turn: u64,
    /// Whether it goes on by itself.
    pub playing: bool,
    /// Whether it stays with the newest state of a match that is being played.
    pub following: bool,
    /// Whether more may come.
    pub live: bool,
    /// Turns per second, as shown: "8/s".
    pub speed: String,
    /// The theme, by name.
    pub theme: String,
    /// Whether all of the board is seen.
    pub fits: bool,
    /// The place that is selected.
    pub selected: Option<Place>,
    /// What the inspector says, line by line; empty if it is closed.
    pub inspector: Vec<String>,
    /// Whether the list of keys is open.
    pub help: bool,
    /// Why not all of the match can be shown.
    pub trouble: Option<String>,
    /// The line for the person.
    pub message: Option<String>,
    /// What somebody who plays can choose now.
    pub choices: Vec<Offer>,
    /// The chart, if it is open.
    pub chart: Option<Charted>,
}

/// A chart of what players have over the turns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Charted {
    /// What is counted: a name of [`Render::SERIES`](agon_games::scene::Render::SERIES).
    pub series: String,
    /// Turns that are shown by now.
    pub turns: u64,
    /// Whether these are all of a match that is over.
    pub complete: bool,
    /// Whether a person who plays must not see it yet.
    pub hidden: bool,
}

/// What somebody who plays can choose.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Offer {
    /// The key for it: "r", "Return".
    pub key: String,
    /// What it means.
    pub label: String,
    /// Whether it is chosen now.
    pub chosen: bool,
    /// The middle of its button in the last picture, if there was room for one: from the left and
    /// from the top.
    pub at: Option<(i32, i32)>,
}
