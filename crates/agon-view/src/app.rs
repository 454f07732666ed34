//! The interface between the viewer and the programs that show it: the trait [`App`].
//!
//! A shell is a window, a terminal, a page in a browser or a VNC server. It passes a person's
//! inputs to an app, and shows the pictures that the app paints. The [`Viewer`](crate::Viewer) of
//! every game is such an app.

use std::sync::atomic::{AtomicBool, Ordering};
use std::{borrow::Cow, sync::Arc, time::Duration};

use agon_games::human::Choice;
use agon_games::scene::{Ink, Place, Scene};
use serde::Serialize;

use crate::Input;
use crate::paint::{Area, Camera, Frame, Rgb, Theme};

/// Whether a new picture is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Redraw {
    /// The last one is still right.
    No,
    /// Something has changed.
    Yes,
}

/// A program with a picture that reacts to inputs: the viewer of any game, as shells see it.
pub trait App: Send {
    /// Returns the title of the window.
    fn title(&self) -> String;

    /// Takes an input.
    fn input(&mut self, input: Input) -> Redraw;

    /// Advances the time; `now` is the time since the start of the shell.
    ///
    /// Called before each picture, at most about 60 times a second.
    fn tick(&mut self, now: Duration) -> Redraw;

    /// Returns the time without any event unless there is an input; `None` is forever.
    ///
    /// A shell may sleep for this long.
    fn idle(&self) -> Option<Duration>;

    /// Jumps to the first state of a turn, and plays from there or pauses.
    ///
    /// Jumps to the last turn if there are fewer. Without a turn it stays where it is. Does nothing
    /// while somebody plays.
    fn open_at(&mut self, turn: Option<u64>, plays: bool) {
        let _ = (turn, plays);
    }

    /// Opens a replay at a step and pauses there, as reports link to faults. Does nothing while a
    /// person is asked.
    fn open_at_step(&mut self, step: u64) {
        let _ = step;
    }

    /// Paints itself on a frame of any size.
    fn paint(&mut self, frame: &mut Frame);

    /// Returns whether the person has asked to leave.
    fn is_closed(&self) -> bool;

    /// Describes the picture in numbers and texts.
    fn status(&self) -> Status;
}

/// An app that can also be shown in a terminal.
///
/// The board is painted at two pixels a character, one above the other. Inputs use these pixels:
/// the middle of the character in column `x` and row `y` is at (x + 0.5, 2 y + 1).
pub trait TextApp: App {
    /// Lays itself out for this many characters. Later inputs and pictures use this layout.
    fn lay_out(&mut self, columns: u32, rows: u32);

    /// Returns the texts around the board, with their areas.
    fn sheet(&self) -> TextLayout<'_>;

    /// Paints the board on a frame of its own size times `detail`.
    ///
    /// Leaves out numbers, which the terminal writes as characters.
    fn paint_board(&self, frame: &mut Frame, detail: u32);
}

/// A description of a viewer's picture, for tests and for shells that also show it elsewhere.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Status {
    /// The names of the players, in order of player number.
    pub players: Vec<String>,
    /// Steps before the state that is shown.
    pub step: u64,
    /// Steps that can be shown now.
    pub steps: u64,
    /// The turn of that state.
    pub turn: u64,
    /// Whether playback runs.
    pub playing: bool,
    /// Whether it stays at the newest state of a running match.
    pub following: bool,
    /// Whether more steps may come.
    pub live: bool,
    /// Turns per second, as shown: "8/s".
    pub speed: String,
    /// The theme, by name.
    pub theme: String,
    /// Whether all of the board is visible.
    pub fits: bool,
    /// The place that is selected.
    pub selected: Option<Place>,
    /// The lines of the inspector; empty if it is closed.
    pub inspector: Vec<String>,
    /// Whether the list of keys is open.
    pub help: bool,
    /// The error that prevents it from showing all of the match.
    pub trouble: Option<String>,
    /// The line for the person.
    pub message: Option<String>,
    /// The choices of a person who plays.
    pub choices: Vec<Offer>,
    /// The middle of the button that shows more choices, if not all have a button.
    pub more: Option<(i32, i32)>,
    /// The chart, if it is open.
    pub chart: Option<Charted>,
    /// The number of turns that the curves beside the board show; `None` if there are no curves.
    pub curves: Option<u64>,
    /// The result and its reason over the board, at the end of a match.
    pub banner: Option<String>,
    /// The events that are listed beside the board in the last picture.
    pub events: Vec<ListedEvent>,
    /// The number of all events found so far.
    pub all_events: u64,
    /// The number of faults in the match.
    pub faults: u64,
    /// Faults and output of the bots at the step shown.
    pub reports: Vec<String>,
    /// The place of the unit that the picture follows.
    pub followed: Option<Place>,
    /// The numbers that are written on the board: "off", "edges" or "places".
    pub numbers: String,
}

/// An event of a match, as a line of the list beside the board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ListedEvent {
    /// Steps before the state that shows it.
    pub step: u64,
    /// The turn of that state.
    pub turn: u64,
    /// What has happened.
    pub kind: EventKind,
    /// The text of the line.
    pub text: String,
    /// The colour of its player, if it has one.
    #[serde(skip)]
    pub ink: Option<Ink>,
    /// Whether it is the last one up to the state that is shown.
    pub current: bool,
    /// The middle of its line in the last picture, from the left and from the top.
    pub at: (i32, i32),
}

/// The kind of an event of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    /// A player's move, in games whose players move one after the other.
    Move,
    /// A player takes the lead.
    Lead,
    /// A player loses a fifth or more of what it has in one turn.
    Loss,
    /// A player is out of the game.
    Out,
    /// A bot's fault, or several of the same kind in a row.
    Fault,
    /// The match ends.
    End,
}

/// A chart of the players' values over the turns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Charted {
    /// The series: a name of [`Render::SERIES`](agon_games::scene::Render::SERIES).
    pub series: String,
    /// Turns that are shown so far.
    pub turns: u64,
    /// Whether it shows all turns of a match, which is over.
    pub complete: bool,
    /// Whether a person who plays must not see it yet.
    pub hidden: bool,
}

/// A choice of a person who plays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Offer {
    /// The key for it: "r", "Return".
    pub key: String,
    /// Its meaning.
    pub label: String,
    /// Whether it is chosen now.
    pub chosen: bool,
    /// The middle of its button in the last picture, from the left and from the top.
    ///
    /// `None` if there was no space for it.
    pub at: Option<(i32, i32)>,
}

/// A person's wish for another match of the same bots. Clones share it.
///
/// A viewer that has one offers a key when a running match is over. Whoever started the match
/// reads the wish when the viewer has closed.
#[derive(Clone, Debug, Default)]
pub struct Rematch(Arc<AtomicBool>);

impl Rematch {
    /// Asks for another match.
    pub fn ask(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns whether somebody has asked.
    pub fn is_asked_for(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Returns whether somebody has asked, and forgets it.
    pub fn take(&self) -> bool {
        self.0.swap(false, Ordering::Relaxed)
    }
}

/// All parts of a viewer in characters.
#[derive(Clone, Debug)]
pub struct TextLayout<'a> {
    /// Their areas, in pixels of half a character.
    pub layout: Layout,
    /// The colours.
    pub theme: &'a Theme,
    /// The colour behind everything except the board.
    pub panel: Rgb,
    /// The state on the board, with the players' standing.
    pub scene: Cow<'a, Scene>,
    /// The visible part of the board, in pixels of half a character.
    pub camera: Camera,
    /// The place that is selected.
    pub selected: Option<Place>,
    /// The progress of the match.
    pub title: String,
    /// The names of the players.
    pub names: &'a [String],
    /// All lines about the selected place, and whether each is a heading.
    pub inspector: Vec<(String, bool)>,
    /// Lines of the inspector before the first visible one.
    pub scrolled: usize,
    /// The heading on the first line of the list of events.
    pub events_heading: String,
    /// The visible events.
    pub events: Vec<ListedEvent>,
    /// The message for the person.
    pub message: Option<String>,
    /// The choices of a person who plays.
    pub choices: Vec<ChoiceButton>,
    /// The speed.
    pub speed: String,
    /// Whether playback runs.
    pub playing: bool,
    /// Whether it stays at the newest state of a running match.
    pub following: bool,
    /// The position in the match, from 0 to 1.
    pub fraction: f64,
    /// All keys and their effects, if they are shown.
    pub help: Option<Vec<(String, String)>>,
}

/// The areas of a frame in pixels, or of a terminal in pixels of half a character, one above the
/// other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// The height of text.
    pub text: u32,
    /// The distance between two lines.
    pub line: u32,
    /// The space around parts.
    pub gap: u32,
    /// Title and players.
    pub caption: Area,
    /// Whether the caption is beside the board.
    pub is_column: bool,
    /// Players on a line of the caption.
    pub columns: u32,
    /// The board.
    pub board: Area,
    /// The inspector of the selected place; `None` if it is closed.
    pub inspector: Option<Area>,
    /// The chart below the board; `None` if it is closed.
    pub chart: Option<Area>,
    /// The result below the caption.
    pub result: Option<Area>,
    /// What shapes and colours mean.
    pub legend: Option<Area>,
    /// The small curves.
    pub curves: Option<Area>,
    /// The list of events.
    pub events: Option<Area>,
    /// The bar.
    pub bar: Area,
    /// The controls of the bar.
    pub controls: Vec<(Control, Area)>,
    /// The area of the speed.
    pub speed: Area,
    /// The area of messages: at the lower edge of the column, or of the board.
    pub message: Area,
}

/// A button for a choice.
#[derive(Clone, Debug)]
pub struct ChoiceButton {
    /// Its area, in the pixels of the [`Layout`].
    pub area: Area,
    /// The name of its key: "Return".
    pub key: String,
    /// Its meaning and colour, and whether it is chosen now.
    pub choice: Choice,
    /// Whether it shows the next page of buttons instead.
    pub is_more: bool,
}

/// A button of the bar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// To the first state.
    Start,
    /// A turn back.
    Back,
    /// Plays and pauses.
    Play,
    /// A turn forward.
    Forward,
    /// To the last state.
    End,
    /// To the next fault; only in matches with faults.
    Fault,
    /// The bar for seeking.
    Seek,
    /// Half as fast.
    Slower,
    /// Twice as fast.
    Faster,
    /// The list of keys.
    Help,
}
