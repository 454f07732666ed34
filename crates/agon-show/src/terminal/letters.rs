//! Writes the board as letters, for terminals without colours or Unicode.
//!
//! It also finds the character of a place, which `written` needs on any terminal.

use agon_core::Player;
use agon_games::scene::{Arrow, Board, Hue, Ink, Piece, Place, Shape};
use agon_view::text_layout;
use ratatui_core::{buffer::Buffer, layout::Rect, style::Style};

use crate::terminal::capabilities::Capabilities;

/// The size from which each place has its own letter, in pixels of half a character.
///
/// Smaller places share a letter, which shows the most remarkable of them.
const OWN_LETTER: f32 = 2.0;

/// Writes the board.
pub(crate) fn draw(
    board: &text_layout::Board<'_>,
    theme: &agon_paint::Theme,
    look: Capabilities,
    buffer: &mut Buffer,
) {
    let inks = inks(board);
    let mut put = |column: i32, row: i32, ink: Ink, letter: char| {
        if let Some(cell) = cell(board, column, row, buffer) {
            cell.set_char(letter);
            cell.set_style(Style::new().fg(look.color(theme.color(ink))));
        }
    };
    let mut write = |column: i32, row: i32, ink: Ink| put(column, row, ink, letter(ink));
    if board.camera.zoom >= OWN_LETTER {
        for place in 0..board.scene.board.places() as Place {
            let (column, row) = character(board, place);
            write(column, row, inks[place as usize]);
        }
        for piece in &board.scene.pieces {
            if let Some(letter) = hint_letter(&board.scene.board, piece) {
                let (column, row) = character(board, piece.place);
                put(column, row, piece.ink, letter);
            }
        }
        return;
    }
    let area = board.area;
    for row in area.y..area.y + area.height as i32 {
        for column in area.x..area.x + area.width as i32 {
            let shown = places(board, column, row).into_iter().map(|place| inks[place as usize]);
            if let Some(ink) = shown.max_by_key(|&ink| worth(ink)) {
                write(column, row, ink);
            }
        }
    }
}

/// Returns the places that a character covers, from a grid of four by four points.
fn places(board: &text_layout::Board<'_>, column: i32, row: i32) -> Vec<Place> {
    let Board::Grid { .. } = board.scene.board else {
        let middle = (column as f32 + 0.5, 2.0 * row as f32 + 1.0);
        return board
            .camera
            .place_at(&board.scene.board, board.pixels(), middle)
            .into_iter()
            .collect();
    };
    let points = (0..16).map(|point| {
        let (x, y) = ((point % 4) as f32 + 0.5, (point / 4) as f32 + 0.5);
        (column as f32 + x / 4.0, 2.0 * row as f32 + y / 2.0)
    });
    points
        .filter_map(|point| board.camera.place_at(&board.scene.board, board.pixels(), point))
        .collect()
}

/// Returns the inks of all places, or of the pieces there.
pub(crate) fn inks(board: &text_layout::Board<'_>) -> Vec<Ink> {
    let mut inks = board.scene.cells.clone();
    for piece in &board.scene.pieces {
        inks[piece.place as usize] = piece.ink;
    }
    inks
}

/// Returns the character in the middle of a place.
pub(crate) fn character(board: &text_layout::Board<'_>, place: Place) -> (i32, i32) {
    let (x, y) = board.camera.pixel_of(&board.scene.board, place, board.pixels());
    // The left or upper one, if two are in the middle.
    ((x - 0.01).floor() as i32, ((y - 0.01) / 2.0).floor() as i32)
}

/// Returns a character of the board.
pub(crate) fn cell<'b>(
    board: &text_layout::Board<'_>,
    column: i32,
    row: i32,
    buffer: &'b mut Buffer,
) -> Option<&'b mut ratatui_core::buffer::Cell> {
    let area = rect(board.area);
    let (column, row) = (u16::try_from(column).ok()?, u16::try_from(row).ok()?);
    if area.contains((column, row).into()) { buffer.cell_mut((column, row)) } else { None }
}

/// Converts an area of characters to ratatui's form.
pub(crate) fn rect(area: agon_paint::Area) -> Rect {
    let short = |length: u32| u16::try_from(length).unwrap_or(u16::MAX);
    Rect {
        x: short(area.x.max(0) as u32),
        y: short(area.y.max(0) as u32),
        width: short(area.width),
        height: short(area.height),
    }
}

/// Returns the letter of an ink: players are letters, with capitals for strong inks.
pub(crate) fn letter(ink: Ink) -> char {
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
