//! The viewer in characters: areas in columns and rows, with their texts and colours.
//!
//! The viewer makes a [`TextLayout`], and `agon_show::terminal` draws it.

use std::borrow::Cow;

use crate::paint::{Area, Camera, Rgb, Theme};
use agon_games::{
    human::Choice,
    scene::{Ink, Place, PlayerLine, Scene},
};

pub use crate::TextApp;

/// All parts of a viewer in characters. Areas are columns and rows.
#[derive(Clone, Debug)]
pub struct TextLayout<'a> {
    /// The colours.
    pub theme: &'a Theme,
    /// The colour behind everything except the board.
    pub panel: Rgb,
    /// The board.
    pub board: Board<'a>,
    /// Title and players.
    pub caption: Caption<'a>,
    /// The facts about the selected place.
    pub inspector: Option<Panel>,
    /// The list of events, if there is space for it.
    pub events: Option<Events>,
    /// The area of the line of messages.
    pub message_area: Area,
    /// The message for the person.
    pub message: Option<String>,
    /// The choices of a person who plays.
    pub choices: Vec<ChoiceButton>,
    /// The bar.
    pub bar: Bar,
    /// All keys and their effects, if they are shown.
    pub help: Option<Vec<(String, String)>>,
}

/// The board on the screen.
#[derive(Clone, Debug)]
pub struct Board<'a> {
    /// Its area.
    pub area: Area,
    /// The state.
    pub scene: Cow<'a, Scene>,
    /// The visible part, in pixels of half a character.
    pub camera: Camera,
    /// The place that is selected.
    pub selected: Option<Place>,
}

impl Board<'_> {
    /// Its area in pixels of half a character.
    pub fn pixels(&self) -> Area {
        Area { y: 2 * self.area.y, height: 2 * self.area.height, ..self.area }
    }
}

/// Title and players.
#[derive(Clone, Debug)]
pub struct Caption<'a> {
    /// Its area.
    pub area: Area,
    /// Whether it is a column beside the board.
    pub is_column: bool,
    /// The number of players on a line.
    pub columns: u32,
    /// The progress of the match.
    pub title: String,
    /// The names of the players.
    pub names: &'a [String],
    /// The players' standing.
    pub players: &'a [PlayerLine],
}

/// Lines of text, of which a part is visible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Panel {
    /// Its area.
    pub area: Area,
    /// All lines, and whether each is a heading.
    pub lines: Vec<(String, bool)>,
    /// Lines before the first visible one.
    pub scrolled: usize,
}

/// The visible part of the list of events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Events {
    /// Its area.
    pub area: Area,
    /// The heading on its first line.
    pub heading: String,
    /// A line for each event.
    pub lines: Vec<EventLine>,
}

/// A line of the list of events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventLine {
    /// The turn of the event.
    pub turn: u64,
    /// The colour of its player, if it has one.
    pub ink: Option<Ink>,
    /// Its text.
    pub text: String,
    /// Whether it is the last one up to the state that is shown.
    pub is_current: bool,
}

/// A button for a choice.
#[derive(Clone, Debug)]
pub struct ChoiceButton {
    /// Its area; in pixels where pictures are painted.
    pub area: Area,
    /// The name of its key: "Return".
    pub key: String,
    /// Its meaning and colour, and whether it is chosen now.
    pub choice: Choice,
    /// Whether it shows the next page of buttons instead.
    pub is_more: bool,
}

/// The bar at the lower edge.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// Its area.
    pub area: Area,
    /// Its buttons.
    pub controls: Vec<(Control, Area)>,
    /// The area of the speed.
    pub speed_area: Area,
    /// The speed.
    pub speed: String,
    /// Whether playback runs.
    pub playing: bool,
    /// Whether it stays at the newest state of a running match.
    pub following: bool,
    /// The position in the match, from 0 to 1.
    pub fraction: f64,
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
