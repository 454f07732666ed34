//! Writes characters: whole boards, on terminals without colours or Unicode, and numbers, letters
//! of players, the selection, and arrows over boards on any terminal.
//!
//! `draw` calls it.

use agon_core::Player;
use agon_games::scene::{Arrow, Board, Hue, Ink, Piece, Place, PlayerLine, Shape};
use agon_view::paint::{Rgb, Theme};
use ratatui_core::buffer::Cell;
use ratatui_core::layout::Rect;
use ratatui_core::style::{Modifier, Style};

use super::draw::{Capabilities, Drawing, distance};

/// The size from which each place has its own letter, in pixels of half a character.
///
/// Smaller places share a letter, which shows the most remarkable of them.
const OWN_LETTER: f32 = 2.0;

impl Drawing<'_, '_> {
    /// Writes the whole board as letters.
    pub(super) fn write_letters(&mut self) {
        let sheet = self.sheet;
        let inks = self.inks();
        if sheet.camera.zoom >= OWN_LETTER {
            for place in 0..sheet.scene.board.places() as Place {
                let ink = inks[place as usize];
                self.put(self.character(place), ink, letter(ink));
            }
            for piece in &sheet.scene.pieces {
                if let Some(letter) = hint_letter(&sheet.scene.board, piece) {
                    self.put(self.character(piece.place), piece.ink, letter);
                }
            }
            return;
        }
        for position in rect(sheet.layout.board).positions() {
            let (column, row) = (i32::from(position.x), i32::from(position.y));
            let shown = self.places(column, row).into_iter().map(|place| inks[place as usize]);
            if let Some(ink) = shown.max_by_key(|&ink| worth(ink)) {
                self.put((column, row), ink, letter(ink));
            }
        }
    }

    fn put(&mut self, at: (i32, i32), ink: Ink, letter: char) {
        let color = self.look.color(self.sheet.theme.color(ink));
        if let Some(cell) = self.cell(at) {
            cell.set_char(letter);
            cell.set_style(Style::new().fg(color));
        }
    }

    /// Returns the places that a character covers, from a grid of four by four points.
    fn places(&self, column: i32, row: i32) -> Vec<Place> {
        let sheet = self.sheet;
        let place_at = |at| sheet.camera.place_at(&sheet.scene.board, sheet.layout.board, at);
        let Board::Grid { .. } = sheet.scene.board else {
            let middle = (column as f32 + 0.5, 2.0 * row as f32 + 1.0);
            return place_at(middle).into_iter().collect();
        };
        let points = (0..16).map(|point| {
            let (x, y) = ((point % 4) as f32 + 0.5, (point / 4) as f32 + 0.5);
            (column as f32 + x / 4.0, 2.0 * row as f32 + y / 2.0)
        });
        points.filter_map(place_at).collect()
    }

    /// Returns the inks of all places, or of the pieces there.
    fn inks(&self) -> Vec<Ink> {
        let mut inks = self.sheet.scene.cells.clone();
        for piece in &self.sheet.scene.pieces {
            inks[piece.place as usize] = piece.ink;
        }
        inks
    }

    /// Returns the middle of a place in pixels.
    fn pixel(&self, place: Place) -> (f32, f32) {
        let sheet = self.sheet;
        sheet.camera.pixel_of(&sheet.scene.board, place, sheet.layout.board)
    }

    /// Returns the character in the middle of a place.
    fn character(&self, place: Place) -> (i32, i32) {
        let (x, y) = self.pixel(place);
        // The left or upper one, if two are in the middle.
        ((x - 0.01).floor() as i32, ((y - 0.01) / 2.0).floor() as i32)
    }

    /// Returns a character of the board.
    fn cell(&mut self, (column, row): (i32, i32)) -> Option<&mut Cell> {
        let at = (u16::try_from(column).ok()?, u16::try_from(row).ok()?);
        if rect(self.sheet.layout.board).contains(at.into()) {
            self.buffer.cell_mut(at)
        } else {
            None
        }
    }

    /// Writes numbers, letters of players, the selection and arrows over the board, if they fit.
    pub(super) fn write_over(&mut self) {
        let sheet = self.sheet;
        if self.look.has_blocks() {
            self.letters_of_players();
        }
        let scene = &sheet.scene;
        let marks = scene.marks.iter().map(|mark| (mark.place, mark.shape, mark.ink, false));
        let pieces = scene.pieces.iter().map(|piece| (piece.place, piece.shape, piece.ink, true));
        for (place, shape, ink, is_piece) in marks.chain(pieces) {
            if let Some(text) = self.shape_text(shape, is_piece) {
                self.write_at(place, &text, ink);
            }
        }
        if let Some(place) = sheet.selected {
            self.select(place);
        }
    }

    /// Writes the letters of players whose things have a pattern in pictures.
    fn letters_of_players(&mut self) {
        let theme = self.sheet.theme;
        let has_pattern = |line: &PlayerLine| theme.has_pattern(line.ink);
        let sheet = self.sheet;
        if sheet.camera.zoom < 2.0 || !sheet.scene.players.iter().any(has_pattern) {
            return;
        }
        let look = self.look;
        for (place, ink) in (0..).zip(self.inks()) {
            if !theme.has_pattern(ink) {
                continue;
            }
            if let Some(cell) = self.cell(self.corner(place)) {
                let ground = theme.color(ink);
                cell.set_char(letter(ink));
                let style = Style::new().fg(look.color(ground.contrasting()));
                cell.set_style(style.bg(look.color(ground)));
            }
        }
    }

    /// Returns the lower left character of a place of a grid, which has no number, or else the
    /// middle.
    fn corner(&self, place: Place) -> (i32, i32) {
        let zoom = self.sheet.camera.zoom;
        if zoom < 4.0 || !matches!(self.sheet.scene.board, Board::Grid { .. }) {
            return self.character(place);
        }
        let (x, y) = self.pixel(place);
        let (left, below) = (x - zoom / 2.0, y + zoom / 2.0);
        (left.round() as i32, (below.round() as i32 - 1).div_euclid(2))
    }

    /// Returns a shape as characters, if it should be written and fits.
    fn shape_text(&self, shape: Shape, is_piece: bool) -> Option<String> {
        let zoom = self.sheet.camera.zoom;
        if zoom < 2.0 {
            return None;
        }
        let painted = self.look.has_blocks();
        let text = match shape {
            Shape::Number(number) => short(number),
            Shape::Flag if !painted => "P".to_owned(),
            Shape::Cross if !painted => "x".to_owned(),
            // Smaller ones on a grid are painted as a square.
            Shape::Pointer(arrow) if !painted || zoom < 6.0 => {
                sign(&self.sheet.scene.board, arrow, self.look).to_string()
            }
            _ => return None,
        };
        let room = if is_piece { zoom.max(1.0) } else { zoom - 1.0 };
        (text.len() as f32 <= room || text.chars().count() == 1).then_some(text)
    }

    fn write_at(&mut self, place: Place, text: &str, ink: Ink) {
        let (column, row) = self.character(place);
        let first = column - (text.chars().count() as i32 - 1) / 2;
        // The painted colour becomes the background.
        let ground = self.sheet.theme.color(self.sheet.scene.cells[place as usize]);
        let color = readable(self.sheet.theme.color(ink), ground, self.sheet.theme);
        let look = self.look;
        for (index, letter) in (0..).zip(text.chars()) {
            let Some(cell) = self.cell((first + index, row)) else { continue };
            cell.set_char(letter);
            if look.has_blocks() {
                cell.set_style(Style::new().fg(look.color(color)).bg(look.color(ground)));
            }
        }
    }

    /// Writes brackets around a place.
    fn select(&mut self, place: Place) {
        if place as usize >= self.sheet.scene.board.places() {
            return;
        }
        let (x, y) = self.pixel(place);
        let half = self.sheet.camera.zoom.max(1.0) / 2.0;
        let row = ((y - 0.01) / 2.0).floor() as i32;
        let (left, right) = ((x - half).round() as i32 - 1, (x + half).round() as i32);
        let style = if self.look.has_blocks() {
            let [white, black] = [Rgb::WHITE, Rgb::BLACK].map(|color| self.look.color(color));
            Style::new().fg(white).bg(black)
        } else {
            Style::new().add_modifier(Modifier::REVERSED)
        };
        for (column, bracket) in [(left, '['), (right, ']')] {
            if let Some(cell) = self.cell((column, row)) {
                cell.set_char(bracket);
                cell.set_style(style.add_modifier(Modifier::BOLD));
            }
        }
    }
}

/// Returns the characters of an area, which is in pixels of half a character.
pub(super) fn rect(area: agon_view::paint::Area) -> Rect {
    let short = |length: u32| u16::try_from(length).unwrap_or(u16::MAX);
    Rect {
        x: short(area.x.max(0) as u32),
        y: short(area.y.max(0) as u32 / 2),
        width: short(area.width),
        height: short(area.height / 2),
    }
}

/// Returns the letter of an ink: players are letters, with capitals for strong inks.
pub(super) fn letter(ink: Ink) -> char {
    let is_strong = ink.strength() > Ink::FULL / 2;
    match ink.hue() {
        Hue::Ground => '.',
        Hue::Wall => '#',
        Hue::Food if is_strong => '*',
        Hue::Food => ',',
        Hue::Wire => '-',
        Hue::Head => '@',
        Hue::Tail => '~',
        Hue::Light => '%',
        Hue::Hidden => '?',
        Hue::Accent => '!',
        Hue::Player(Player(number)) => {
            let letter = char::from(b'A' + (number % 26) as u8);
            if is_strong { letter } else { letter.to_ascii_lowercase() }
        }
        Hue::PlayerSecondary(Player(number)) => char::from(b'1' + (number % 9) as u8),
    }
}

/// Returns the letter of a pointer for the person who plays; `None` for all other pieces.
fn hint_letter(board: &Board, piece: &Piece) -> Option<char> {
    let (Shape::Pointer(Arrow(way)), Hue::Accent) = (piece.shape, piece.ink.hue()) else {
        return None;
    };
    Some(match board {
        Board::Grid { .. } => ['^', '^', '>', 'v', 'v', 'v', '<', '^'][usize::from(way % 8)],
        Board::Hexagon { .. } => ['v', '<', '<', '^', '>', '>'][usize::from(way % 6)],
    })
}

/// Returns how remarkable an ink is.
fn worth(ink: Ink) -> (u8, u8) {
    let kind = match ink.hue() {
        Hue::Ground => 0,
        Hue::Hidden => 1,
        Hue::Food | Hue::Wire => 2,
        Hue::Wall => 3,
        Hue::Player(_) | Hue::PlayerSecondary(_) => 4,
        Hue::Tail | Hue::Head | Hue::Light => 5,
        Hue::Accent => 6,
    };
    (kind, ink.strength())
}

/// Returns a number in few digits.
fn short(number: u64) -> String {
    match number {
        0..10_000 => number.to_string(),
        10_000..1_000_000 => format!("{}k", number / 1_000),
        _ => format!("{}M", number / 1_000_000),
    }
}

/// Returns an arrow in its direction on the screen.
fn sign(board: &Board, arrow: Arrow, look: Capabilities) -> char {
    let eighth = match board {
        Board::Grid { .. } => arrow.0 % 8,
        // Sixths from South; the sides are nearer to the diagonals.
        Board::Hexagon { down, .. } => {
            [4, 5, 7, 0, 1, 3][usize::from((arrow.0 + 6 - down % 6) % 6)]
        }
    };
    let signs = if look.unicode { "↑↗→↘↓↙←↖" } else { "^/>\\v/<\\" };
    signs.chars().nth(usize::from(eighth)).expect("there are eight")
}

/// Returns a colour that is readable on another.
fn readable(color: Rgb, ground: Rgb, theme: &Theme) -> Rgb {
    if distance(color, ground) > 60 * 60 {
        return color;
    }
    let by_difference = |a: &Rgb, b: &Rgb| distance(*a, ground).cmp(&distance(*b, ground));
    [theme.text, theme.paper].into_iter().max_by(by_difference).expect("there are two")
}
