//! What a terminal shows.

use std::borrow::Cow;

use agon_games::scene::{Ink, Place, PlayerLine, Scene};
use agon_paint::{Area, Camera, Frame, Rgb, Theme};

use crate::App;

/// An app that can be shown in characters.
///
/// The board is painted at two pixels a character, one above the other; inputs count in these
/// pixels: the middle of the character in column `x` and row `y` is at (x + 0.5, 2 y + 1).
pub trait TextApp: App {
    /// Takes so many characters; inputs and what is shown are about these from now on.
    fn lay_out(&mut self, columns: u32, rows: u32);

    /// What stands around the board, and where.
    ///
    /// # Panics
    /// If it has not been laid out.
    fn sheet(&self) -> TextLayout<'_>;

    /// Paints the board, without numbers, on a frame of its own size, with `detail` times `detail`
    /// pixels instead of each.
    ///
    /// # Panics
    /// If it has not been laid out.
    fn paint_board(&self, frame: &mut Frame, detail: u32);
}

/// All that is shown in characters; areas are columns and rows.
#[derive(Clone, Debug)]
pub struct TextLayout<'a> {
    /// The colours.
    pub theme: &'a Theme,
    /// The colour behind what is no board.
    pub panel: Rgb,
    /// The board.
    pub board: Board<'a>,
    /// Title and players.
    pub caption: Caption<'a>,
    /// What is known of the place that is selected.
    pub inspector: Option<Panel>,
    /// Where the line of messages stands.
    pub message_area: Area,
    /// What the person should know.
    pub message: Option<String>,
    /// What a person who plays can choose now.
    pub choices: Vec<Choice>,
    /// The bar.
    pub bar: Bar,
    /// All keys and what they do, if they are to be shown.
    pub help: Option<&'static [(&'static str, &'static str)]>,
}

/// The board as it lies on the screen.
#[derive(Clone, Debug)]
pub struct Board<'a> {
    /// Where.
    pub area: Area,
    /// The state.
    pub scene: Cow<'a, Scene>,
    /// Which part is seen, in pixels of half a character.
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
    /// Where.
    pub area: Area,
    /// Whether it is a column beside the board.
    pub is_column: bool,
    /// How many players share a line.
    pub columns: u32,
    /// How far the match is.
    pub title: String,
    /// The names of the players.
    pub names: &'a [String],
    /// How they stand.
    pub players: &'a [PlayerLine],
}

/// Some lines of text, of which a part is seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Panel {
    /// Where.
    pub area: Area,
    /// All lines; whether they are headings.
    pub lines: Vec<(String, bool)>,
    /// Lines before the first that is seen.
    pub scrolled: usize,
}

/// A button for something that can be chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Where.
    pub area: Area,
    /// What is written on its key: "Return".
    pub key: String,
    /// What it means.
    pub label: String,
    /// A colour that it stands for.
    pub ink: Option<Ink>,
    /// Whether it is chosen now.
    pub chosen: bool,
}

/// The bar at the lower edge.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// Where.
    pub area: Area,
    /// What can be pressed.
    pub controls: Vec<(Control, Area)>,
    /// Where the speed stands.
    pub speed_area: Area,
    /// The speed.
    pub speed: String,
    /// Whether time goes on.
    pub playing: bool,
    /// Whether it stays with the newest state of a match that is being played.
    pub following: bool,
    /// Which part of the match is over, from 0 to 1.
    pub fraction: f64,
}

/// What can be pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// To the first state.
    Start,
    /// A turn back.
    Back,
    /// Plays and pauses.
    Play,
    /// A turn on.
    Forward,
    /// To the last state.
    End,
    /// The bar for seeking.
    Seek,
    /// Half as fast.
    Slower,
    /// Twice as fast.
    Faster,
    /// The list of keys.
    Help,
}
