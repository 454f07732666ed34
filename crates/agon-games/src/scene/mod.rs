//! The look of a game: its state as a small [`Scene`] of inks, marks and pieces, without a single
//! pixel. Viewers, films and screenshots show it.
//!
//! A game's `scene.rs` implements [`Render`]. The painter (`agon-view`) decides the colours of
//! inks, the size of cells, and movements between two scenes, so all outputs look alike.

pub mod drawing;
mod ink;

pub use ink::{Hue, Ink};

use std::{borrow::Cow, sync::Arc};

use agon_core::{Blob, Decision, Game, GameExt, Player};
use serde::{Deserialize, Deserializer, Serialize};

/// Boards with more numbers than this show none: nobody could read them, and they would take most
/// of the time.
const MAX_NUMBERS: usize = 1 << 16;

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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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

/// A place of a board: on a grid `y * width + x` with y downwards, on hexagons the number of the
/// cell.
pub type Place = u32;

/// The shape of a scene.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Board {
    /// Squares.
    Grid {
        /// Columns.
        width: u32,
        /// Rows.
        height: u32,
        /// Whether the right edge meets the left one and the lower the upper one.
        wraps: bool,
    },
    /// A hexagon of hexagons with flat tops.
    Hexagon {
        /// Cells along each edge.
        side: u32,
        /// Where each cell lies: columns of constant q, r growing downwards, (0, 0) in the centre.
        cells: Arc<[(i16, i16)]>,
        /// The direction that is down: 0 South, then clockwise in sixths of a turn. Outputs turn
        /// the board so that pieces fall downwards.
        down: u8,
    },
}

impl Board {
    /// Number of places.
    pub fn places(&self) -> usize {
        match self {
            Board::Grid { width, height, .. } => (width * height) as usize,
            Board::Hexagon { cells, .. } => cells.len(),
        }
    }
}

/// A player's first and second colour, each as red, green and blue.
pub type ColorPair = ([u8; 3], [u8; 3]);

/// The colours of a game that differ from the usual ones. Players beyond the end of a list get the
/// usual colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Colors {
    /// The players in the theme `classic`: the colours of the original game.
    #[serde(deserialize_with = "leaked")]
    pub classic: &'static [ColorPair],
    /// The ground in the theme `classic`; `None` for black.
    pub classic_ground: Option<[u8; 3]>,
    /// The players in the theme `dark`.
    #[serde(deserialize_with = "leaked")]
    pub dark: &'static [ColorPair],
    /// The players in the theme `light`.
    #[serde(deserialize_with = "leaked")]
    pub light: &'static [ColorPair],
    /// Whether people look at single cells, so that empty ones should stand out from the
    /// background.
    pub are_cells_single: bool,
}

/// Reads a list that stays in memory for ever, like those of games that are compiled in.
pub(crate) fn leaked<'de, D, T>(from: D) -> Result<&'static [T], D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + 'static,
{
    Vec::<T>::deserialize(from).map(|list| &*list.leak())
}

impl Colors {
    /// The usual colours.
    pub const USUAL: Colors = Colors {
        classic: &[],
        classic_ground: None,
        dark: &[],
        light: &[],
        are_cells_single: false,
    };
}

impl Scene {
    /// The scene for a player who sees only `places`. Other places are hidden with everything on
    /// them, and so are the scores of the other players.
    pub(crate) fn seen_by(
        mut self,
        player: Player,
        places: impl IntoIterator<Item = Place>,
    ) -> Scene {
        let mut seen = vec![false; self.cells.len()];
        places.into_iter().for_each(|place| seen[place as usize] = true);
        for (cell, _) in self.cells.iter_mut().zip(&seen).filter(|(_, seen)| !**seen) {
            *cell = Ink::new(Hue::Hidden);
        }
        self.marks.retain(|mark| seen[mark.place as usize]);
        self.pieces.retain(|piece| seen[piece.place as usize]);
        for (_, line) in self.players.iter_mut().enumerate().filter(|(i, _)| *i != player.index()) {
            line.score.clear();
            line.hand.clear();
        }
        self
    }

    /// Returns the scene for nobody: the board and what players hold are hidden. A screen shows it
    /// while one person hands it over to another.
    #[must_use]
    pub fn covered(mut self) -> Scene {
        self.cells.fill(Ink::new(Hue::Hidden));
        self.marks.clear();
        self.pieces.clear();
        for line in &mut self.players {
            line.score.clear();
            line.hand.clear();
        }
        self
    }
}

/// A sample of something on the board, and what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LegendEntry {
    /// The ink of the sample's place.
    pub cell: Ink,
    /// The mark on the place, in an ink that is readable there.
    pub mark: Option<Shape>,
    /// The piece on the place.
    pub piece: Option<(Shape, Ink)>,
    /// What it is, in one or a few words.
    pub label: &'static str,
}

impl LegendEntry {
    /// A place in this ink.
    pub const fn cell(cell: Ink, label: &'static str) -> LegendEntry {
        LegendEntry { cell, mark: None, piece: None, label }
    }

    /// A place in this ink with a mark, whose ink stands out from it. For ground use a piece.
    pub const fn marked(cell: Ink, mark: Shape, label: &'static str) -> LegendEntry {
        LegendEntry { cell, mark: Some(mark), piece: None, label }
    }

    /// A piece on empty ground.
    pub const fn piece(shape: Shape, ink: Ink, label: &'static str) -> LegendEntry {
        LegendEntry { cell: Ink::GROUND, mark: None, piece: Some((shape, ink)), label }
    }
}

/// A helpful extra on a place. Small pictures leave it out.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Mark {
    /// Its place.
    pub place: Place,
    /// Its shape.
    pub shape: Shape,
    /// Its colour.
    pub ink: Ink,
}

/// A thing on a place with an identity: in the next scene the piece with the same id may be
/// elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    /// Its identity; unique in a scene.
    pub id: u32,
    /// Its place.
    pub place: Place,
    /// What it looks like; drawn at any size.
    pub shape: Shape,
    /// Its colour.
    pub ink: Ink,
}

/// A shape on a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Shape {
    /// A disc, with its diameter in percent of the place.
    Disc(u8),
    /// A ring along the edge of the place.
    Ring,
    /// A square that fills the place.
    Square,
    /// A pointer that fills the place.
    Pointer(Arrow),
    /// A flag.
    Flag,
    /// A cross over the place.
    Cross,
    /// A number; from a million on it is shortened: "1.2M".
    Number(u64),
}

/// A direction on the picture: on a grid in eighths of a turn, on hexagons in sixths, clockwise; 0
/// is up on a grid and South, as the game counts, on hexagons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Arrow(pub u8);

/// Something that goes from one place to another between two scenes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Travel {
    /// The place where it starts.
    pub from: Place,
    /// The place where it arrives: a neighbour, across the edge where the board wraps.
    pub to: Place,
    /// Its colour.
    pub ink: Ink,
}

/// What a caption says of a player.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayerLine {
    /// The ink that its things have.
    pub ink: Ink,
    /// Its score and what else matters, short: "312 cells".
    pub score: String,
    /// The things in its hand, an ink for each; empty in games without hands.
    pub hand: Vec<Ink>,
    /// Whether it is its turn, where players take turns.
    pub to_move: bool,
    /// Whether it is out of the game.
    pub out: bool,
}

impl Scene {
    /// Returns a board of one place that shows a sample.
    pub fn of_sample(entry: &LegendEntry) -> Scene {
        let ink = entry.cell.contrast();
        let mark = entry.mark.map(|shape| Mark { place: 0, shape, ink });
        let piece = entry.piece.map(|(shape, ink)| Piece { id: 0, place: 0, shape, ink });
        Scene {
            board: Board::Grid { width: 1, height: 1, wraps: false },
            cells: vec![entry.cell],
            marks: mark.into_iter().collect(),
            pieces: piece.into_iter().collect(),
            title: String::new(),
            players: Vec::new(),
        }
    }
}

/// Marks with `count` numbers, each readable on the ink of its place; none if they are too many to
/// be read.
pub(crate) fn number_marks(
    cells: &[Ink],
    count: usize,
    numbers: impl Iterator<Item = (Place, u64)>,
) -> Vec<Mark> {
    if count > MAX_NUMBERS {
        return Vec::new();
    }
    let mut marks = Vec::with_capacity(count);
    marks.extend(numbers.map(|(place, number)| {
        let ink = cells[place as usize].contrast();
        Mark { place, shape: Shape::Number(number), ink }
    }));
    marks
}

/// "turn 12 of 500", with the game's own name of a turn; once the game is over, why it ended.
pub(crate) fn title<G: Game>(game: &G) -> String {
    // A standing may look at the whole board, which is too slow for every frame.
    if game.is_over()
        && let Some(outcome) = game.standing().outcome
    {
        return format!("over: {}", outcome.reason);
    }
    let name = game.meta().turn_name;
    let progress = game.progress();
    match progress.limit {
        Some(limit) => format!("{name} {} of {limit}", progress.turn),
        None => format!("{name} {}", progress.turn),
    }
}

/// A line for each player, with the text of `score`; no player is marked as to move.
pub(crate) fn player_lines<G: Game>(game: &G, score: impl Fn(Player) -> String) -> Vec<PlayerLine> {
    let line = |player| PlayerLine {
        ink: Ink::player(player),
        score: score(player),
        hand: Vec::new(),
        to_move: false,
        out: game.is_out(player),
    };
    Player::all(game.players()).map(line).collect()
}

/// A number with its thousands apart: "40 210".
pub(crate) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (i, digit) in digits.char_indices() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// A number with its noun: "1 cell", "40 210 cells".
pub(crate) fn counted(number: u64, noun: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{} {noun}{ending}", thousands(number))
}

/// A place of a grid as "3, 4": column and row.
pub(crate) fn grid_place(place: Place, width: u32) -> String {
    format!("{}, {}", place % width, place / width)
}

/// Bytes of a bot, short enough for a line: as text if they are text, otherwise in hexadecimal
/// digits.
pub(crate) fn blob(blob: &Blob) -> String {
    const MAX_SHOWN: usize = 40;
    let printable = |text: &&str| !text.contains(agon_core::text::is_hidden);
    let shown = match blob.text().filter(printable) {
        Some(text) => format!("\"{text}\""),
        None => blob.bytes().iter().take(MAX_SHOWN).map(|byte| format!("{byte:02x}")).collect(),
    };
    match shown.char_indices().nth(MAX_SHOWN) {
        Some((end, _)) => format!("{}... ({} bytes)", &shown[..end], blob.bytes().len()),
        None => shown,
    }
}

#[cfg(test)]
mod tests {
    use agon_core::Player;

    use super::*;
    use crate::scene::drawing::draw;

    #[test]
    fn every_sample_can_be_seen() {
        fn check<G: Render>() {
            for entry in G::LEGEND {
                assert!(entry.mark.is_none() || entry.cell != Ink::GROUND, "{entry:?}");
                assert!(entry.piece.is_none_or(|(_, ink)| ink != Ink::GROUND), "{entry:?}");
                assert!(!entry.label.is_empty() && entry.label.len() < 30, "{entry:?}");
            }
        }
        crate::GameId::OWN.into_iter().for_each(|id| crate::with_game!(id, G => check::<G>()));
    }

    #[test]
    fn a_sample_is_a_board_of_one_place() {
        let own = Ink::player(Player(0));
        let flag = Scene::of_sample(&LegendEntry::marked(own, Shape::Flag, "flag"));
        assert_eq!((draw(&flag), flag.marks.len()), (vec!["a".to_owned()], 1));
        assert_ne!(flag.marks[0].ink, own);
        let agent = Scene::of_sample(&LegendEntry::piece(Shape::Disc(80), own, "agent"));
        assert_eq!((agent.cells[0], agent.pieces.len()), (Ink::GROUND, 1));
    }

    #[test]
    fn thousands_are_told_apart() {
        let texts = [0, 999, 1_000, 40_210, 1_234_567].map(thousands);
        assert_eq!(texts, ["0", "999", "1 000", "40 210", "1 234 567"]);
    }

    #[test]
    fn one_thing_is_singular() {
        let texts = [0, 1, 2, 1_001].map(|number| counted(number, "cell"));
        assert_eq!(texts, ["0 cells", "1 cell", "2 cells", "1 001 cells"]);
    }

    #[test]
    fn bytes_are_shown_in_one_line() {
        let long = "x".repeat(50);
        let shown = ["home", long.as_str(), "a\nb", ""].map(|text| blob(&Blob::from(text)));
        let cut = format!("\"{}... (50 bytes)", "x".repeat(39));
        assert_eq!(shown, ["\"home\"", cut.as_str(), "610a62", "\"\""]);
        assert_eq!(blob(&Blob::from(vec![0xFF; 30])), format!("{}... (30 bytes)", "ff".repeat(20)));
    }
}
