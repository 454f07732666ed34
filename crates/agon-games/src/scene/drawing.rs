//! Draws a scene as text, for the tests of the games' `scene.rs`.

use super::{Board, Hue, Ink, Piece, Scene, Shape};

/// A scene as lines of text: pieces, and the inks of places without one.
///
/// Players' inks are letters from `a`, their second ones from `A`; pointers are `^>v<`. On
/// hexagons, columns lie side by side, and every second line belongs to every second column.
pub(crate) fn draw(scene: &Scene) -> Vec<String> {
    let at: Vec<(usize, usize)> = match &scene.board {
        Board::Grid { width, height, .. } => {
            (0..*height as usize).flat_map(|y| (0..*width as usize).map(move |x| (x, y))).collect()
        }
        Board::Hexagon { side, cells, .. } => {
            let radius = *side as i16 - 1;
            cells
                .iter()
                .map(|&(q, r)| ((q + radius) as usize, (2 * r + q + 2 * radius) as usize))
                .collect()
        }
    };
    let height = at.iter().map(|&(_, y)| y + 1).max().unwrap_or(0);
    let mut lines = vec![Vec::new(); height];
    for (place, (x, y)) in at.into_iter().enumerate() {
        let line: &mut Vec<char> = &mut lines[y];
        line.resize(line.len().max(x + 1), ' ');
        let piece = scene.pieces.iter().find(|piece| piece.place as usize == place);
        line[x] = piece.map_or_else(|| letter(scene.cells[place]), sign);
    }
    lines.into_iter().map(String::from_iter).collect()
}

/// The facts as "name: value".
pub(crate) fn facts(facts: &[super::Fact]) -> Vec<String> {
    facts.iter().map(|fact| format!("{}: {}", fact.name, fact.value)).collect()
}

fn sign(piece: &Piece) -> char {
    match piece.shape {
        Shape::Pointer(arrow) => ['^', '>', 'v', '<'][usize::from(arrow.0 / 2)],
        _ => letter(piece.ink),
    }
}

fn letter(ink: Ink) -> char {
    match ink.hue() {
        Hue::Ground => '.',
        Hue::Wall => '#',
        Hue::Food => ':',
        Hue::Wire => '-',
        Hue::Head => '*',
        Hue::Tail => ',',
        Hue::Light => '~',
        Hue::Hidden => '?',
        Hue::Accent => '!',
        Hue::Player(player) => char::from(b'a' + player.0 as u8),
        Hue::PlayerSecondary(player) => char::from(b'A' + player.0 as u8),
    }
}
