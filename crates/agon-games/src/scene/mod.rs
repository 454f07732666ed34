//! The look of a game: its state as a small [`Scene`] of inks, marks and pieces, without a single
//! pixel. Viewers, films and screenshots show it.
//!
//! A game's `scene.rs` implements [`Render`]. The painter (`agon-paint`) decides the colours of
//! inks, the size of cells, and movements between two scenes, so all outputs look alike.

mod board;
mod caption;
mod colors;
pub mod drawing;
mod fog;
mod ink;
mod legend;
mod mark;
mod player_line;
mod sample;

pub use board::{Board, Place};
pub use colors::{ColorPair, Colors};
pub use ink::{Hue, Ink};
pub use legend::LegendEntry;
pub use mark::{Arrow, Mark, Piece, Shape, Travel};
pub use player_line::PlayerLine;

pub(crate) use caption::{blob, counted, grid_place, player_lines, thousands, title};

/// Boards with more numbers than this show none: nobody could read them, and they would take most
/// of the time.
pub(crate) const MAX_NUMBERS: usize = 1 << 16;

use std::borrow::Cow;

use agon_core::{Decision, Game, Player};

/// A game that can be looked at.
pub trait Render: Game {
    /// The numbers that charts show over time, with one line per player.
    const SERIES: &'static [Series<Self>];

    /// The game's own colours.
    const COLORS: Colors = Colors::USUAL;

    /// What the shapes and colours of the scene mean. Viewers show it beside the board.
    const LEGEND: &'static [LegendEntry] = &[];

    /// The state as a picture.
    fn scene(&self) -> Scene;

    /// Returns what the person who plays `player` sees; everything, unless the game hides
    /// something.
    fn scene_for(&self, player: Player) -> Scene {
        let _ = player;
        self.scene()
    }

    /// Returns what moves if the open decisions get these `answers`. Films and viewers animate it.
    fn travels(&self, answers: &[Self::Answer]) -> Vec<Travel> {
        let _ = answers;
        Vec::new()
    }

    /// Returns the uppermost place of each column with the column's number, if bots name columns
    /// by numbers that the picture does not show.
    fn columns(&self) -> Vec<(Place, u32)> {
        Vec::new()
    }

    /// Returns facts about a place, the most important first. The viewer's inspector shows them.
    ///
    /// # Panics
    /// If the scene has no such place.
    fn inspect(&self, place: Place) -> Vec<Fact>;

    /// Returns the facts that the person who plays `player` may know about a place of
    /// [`Render::scene_for`].
    ///
    /// # Panics
    /// If that scene has no such place.
    fn inspect_for(&self, player: Player, place: Place) -> Vec<Fact> {
        match self.scene_for(player).cells[place as usize].hue() {
            Hue::Hidden => Vec::new(),
            _ => self.inspect(place),
        }
    }

    /// Returns what the person who plays `player` sees besides the scene, such as a hand of dice.
    /// Screens show it as long as nobody closes it.
    fn seen_beside(&self, player: Player) -> Vec<Fact> {
        let _ = player;
        Vec::new()
    }

    /// Returns whether others must not look at the screen of the person who plays `player`.
    fn has_secrets(&self, player: Player) -> bool {
        let own = self.scene_for(player);
        Player::all(self.players()).any(|other| other != player && self.scene_for(other) != own)
    }

    /// Returns who leads in the eyes of a spectator. By default these are the players in first
    /// place. A game whose places say little before its end tells more: events of the viewer and
    /// the figures of presets follow it.
    fn leaders(&self) -> Vec<Player> {
        self.standing().leaders()
    }

    /// Returns the open decision of the unit on a place; `None` if there is none.
    fn decision_at(&self, place: Place) -> Option<Decision>;
}

/// A state as a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scene {
    /// Its shape.
    pub board: Board,
    /// The ink of every place, in order of place.
    pub cells: Vec<Ink>,
    /// Drawn on places that are large enough, in order of place.
    pub marks: Vec<Mark>,
    /// Things on places that may move, in order of `id`.
    pub pieces: Vec<Piece>,
    /// How far the game is: "turn 12 of 500".
    pub title: String,
    /// How the players stand, in order of player number.
    pub players: Vec<PlayerLine>,
}

/// Something to know about a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// What it is: "energy".
    pub name: Cow<'static, str>,
    /// Its value: "120 of 255".
    pub value: String,
}

impl Fact {
    /// A fact.
    pub fn new(name: impl Into<Cow<'static, str>>, value: impl ToString) -> Fact {
        Fact { name: name.into(), value: value.to_string() }
    }
}

/// A number per player that changes over time.
#[derive(Debug)]
pub struct Series<G: ?Sized> {
    /// One word for command lines: "energy".
    pub id: &'static str,
    /// What is counted, as the title of a chart: "energy of all cells".
    pub title: &'static str,
    /// Its value for each player, pushed in order of player number.
    pub sample: fn(&G, &mut Vec<i64>),
}
