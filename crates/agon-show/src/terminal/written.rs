//! Writes characters over a board: numbers, letters of players, the selection, and arrows.
//!
//! `draw` calls it after the board has been drawn as blocks or letters.

use agon_games::scene::{Arrow, Board, Ink, Place, PlayerLine, Shape};
use agon_paint::{Rgb, Theme};
use agon_view::text_layout;
use ratatui_core::{
    buffer::Buffer,
    style::{Modifier, Style},
};

use crate::terminal::{
    capabilities::{Capabilities, distance},
    letters::{cell, character, inks, letter},
};

/// Writes everything that fits.
pub(crate) fn draw(
    board: &text_layout::Board<'_>,
    theme: &Theme,
    look: Capabilities,
    buffer: &mut Buffer,
) {
    if look.has_blocks() {
        letters_of_players(board, theme, look, buffer);
    }
    let scene = &board.scene;
    let marks = scene.marks.iter().map(|mark| (mark.place, mark.shape, mark.ink, false));
    let pieces = scene.pieces.iter().map(|piece| (piece.place, piece.shape, piece.ink, true));
    for (place, shape, ink, is_piece) in marks.chain(pieces) {
        if let Some(text) = text(board, shape, look, is_piece) {
            write(board, place, &text, theme, ink, look, buffer);
        }
    }
    if let Some(place) = board.selected {
        select(board, place, look, buffer);
    }
}

/// Writes the letters of players whose things have a pattern in pictures.
fn letters_of_players(
    board: &text_layout::Board<'_>,
    theme: &Theme,
    look: Capabilities,
    buffer: &mut Buffer,
) {
    let has_pattern = |line: &PlayerLine| theme.has_pattern(line.ink);
    if board.camera.zoom < 2.0 || !board.scene.players.iter().any(has_pattern) {
        return;
    }
    for (place, ink) in (0..).zip(inks(board)) {
        if !theme.has_pattern(ink) {
            continue;
        }
        let (column, row) = corner(board, place);
        if let Some(cell) = cell(board, column, row, buffer) {
            let ground = theme.color(ink);
            cell.set_char(letter(ink));
            let style = Style::new().fg(look.color(ground.contrasting()));
            cell.set_style(style.bg(look.color(ground)));
        }
    }
}

/// Returns the lower left character of a place of a grid, which has no number, or else the middle.
fn corner(board: &text_layout::Board<'_>, place: Place) -> (i32, i32) {
    let zoom = board.camera.zoom;
    if zoom < 4.0 || !matches!(board.scene.board, Board::Grid { .. }) {
        return character(board, place);
    }
    let (x, y) = board.camera.pixel_of(&board.scene.board, place, board.pixels());
    let (left, below) = (x - zoom / 2.0, y + zoom / 2.0);
    (left.round() as i32, (below.round() as i32 - 1).div_euclid(2))
}

/// Returns a shape as characters, if it should be written and fits.
fn text(
    board: &text_layout::Board<'_>,
    shape: Shape,
    look: Capabilities,
    is_piece: bool,
) -> Option<String> {
    let zoom = board.camera.zoom;
    if zoom < 2.0 {
        return None;
    }
    let painted = look.has_blocks();
    let text = match shape {
        Shape::Number(number) => short(number),
        Shape::Flag if !painted => "P".to_owned(),
        Shape::Cross if !painted => "x".to_owned(),
        // Smaller ones on a grid are painted as a square.
        Shape::Pointer(arrow) if !painted || zoom < 6.0 => {
            sign(&board.scene.board, arrow, look).to_string()
        }
        Shape::Disc(_)
        | Shape::Ring
        | Shape::Square
        | Shape::Flag
        | Shape::Cross
        | Shape::Pointer(_) => {
            return None;
        }
    };
    let room = if is_piece { zoom.max(1.0) } else { zoom - 1.0 };
    (text.len() as f32 <= room || text.chars().count() == 1).then_some(text)
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

fn write(
    board: &text_layout::Board<'_>,
    place: Place,
    text: &str,
    theme: &Theme,
    ink: Ink,
    look: Capabilities,
    buffer: &mut Buffer,
) {
    let (column, row) = character(board, place);
    let first = column - (text.chars().count() as i32 - 1) / 2;
    for (index, letter) in text.chars().enumerate() {
        let Some(cell) = cell(board, first + index as i32, row, buffer) else { continue };
        cell.set_char(letter);
        if look.has_blocks() {
            // The painted colour becomes the background.
            let ground = theme.color(board.scene.cells[place as usize]);
            let color = readable(theme.color(ink), ground, theme);
            cell.set_style(Style::new().fg(look.color(color)).bg(look.color(ground)));
        }
    }
}

/// Returns a colour that is readable on another.
fn readable(color: Rgb, ground: Rgb, theme: &Theme) -> Rgb {
    if distance(color, ground) > 60 * 60 {
        return color;
    }
    let by_difference = |a: &Rgb, b: &Rgb| distance(*a, ground).cmp(&distance(*b, ground));
    [theme.text, theme.paper].into_iter().max_by(by_difference).expect("there are two")
}

/// Writes brackets around a place.
fn select(board: &text_layout::Board<'_>, place: Place, look: Capabilities, buffer: &mut Buffer) {
    if place as usize >= board.scene.board.places() {
        return;
    }
    let (x, y) = board.camera.pixel_of(&board.scene.board, place, board.pixels());
    let half = board.camera.zoom.max(1.0) / 2.0;
    let row = ((y - 0.01) / 2.0).floor() as i32;
    let (left, right) = ((x - half).round() as i32 - 1, (x + half).round() as i32);
    let style = if look.has_blocks() {
        Style::new().fg(look.color(Rgb(255, 255, 255))).bg(look.color(Rgb(0, 0, 0)))
    } else {
        Style::new().add_modifier(Modifier::REVERSED)
    };
    for (column, bracket) in [(left, '['), (right, ']')] {
        if let Some(cell) = cell(board, column, row, buffer) {
            cell.set_char(bracket);
            cell.set_style(style.add_modifier(Modifier::BOLD));
        }
    }
}
