//! Draws a scene as text: for `agon replay ask`, and for the tests of the games' `scene.rs`.

use super::{Board, Hue, Ink, Piece, Scene, Shape};

/// A board of hexagons as lines of text, turned so that things fall downwards; `None` for a grid.
///
/// The letters are those of [`draw`].
pub fn draw_hexagons(scene: &Scene) -> Option<Vec<String>> {
    let Board::Hexagon { side, cells, down } = &scene.board else { return None };
    let turned = cells.iter().map(|&cell| (0..*down).fold(cell, |(q, r), _| (q + r, -q)));
    Some(lines(scene, &hexagons(*side, turned)))
}

/// A scene as lines of text: pieces, and the inks of places without one.
///
/// Players' inks are letters from `a`, their second ones from `A`; pointers are `^>v<`. On
/// hexagons, columns lie side by side, and every second line belongs to every second column.
pub fn draw(scene: &Scene) -> Vec<String> {
    let at = match &scene.board {
        Board::Grid { width, height, .. } => {
            (0..*height as usize).flat_map(|y| (0..*width as usize).map(move |x| (x, y))).collect()
        }
        Board::Hexagon { side, cells, .. } => hexagons(*side, cells.iter().copied()),
    };
    lines(scene, &at)
}

/// Returns column and line of each cell of a hexagon.
fn hexagons(side: u32, cells: impl Iterator<Item = (i16, i16)>) -> Vec<(usize, usize)> {
    let radius = side as i16 - 1;
    cells.map(|(q, r)| ((q + radius) as usize, (2 * r + q + 2 * radius) as usize)).collect()
}

/// Returns the lines of a scene whose places have these columns and lines.
fn lines(scene: &Scene, at: &[(usize, usize)]) -> Vec<String> {
    let height = at.iter().map(|&(_, y)| y + 1).max().unwrap_or(0);
    let mut lines = vec![Vec::new(); height];
    for (place, &(x, y)) in at.iter().enumerate() {
        let line: &mut Vec<char> = &mut lines[y];
        line.resize(line.len().max(x + 1), ' ');
        let piece = scene.pieces.iter().find(|piece| piece.place as usize == place);
        line[x] = piece.map_or_else(|| letter(scene.cells[place]), sign);
    }
    lines.into_iter().map(String::from_iter).collect()
}

/// The facts as "name: value".
#[cfg(test)]
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
        Hue::Player(player) => char::from(b'a' + (player.0 % 26) as u8),
        Hue::PlayerSecondary(player) => char::from(b'A' + (player.0 % 26) as u8),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hexagons_are_turned_until_down_is_below() {
        // A hexagon of seven cells; a stands in its middle, b in the South, the first direction.
        let cells = [(0, 0), (0, 1), (1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1)];
        let mut scene = Scene {
            board: Board::Hexagon { side: 2, cells: cells.into(), down: 0 },
            cells: vec![Ink::GROUND; 7],
            marks: Vec::new(),
            pieces: Vec::new(),
            title: String::new(),
            players: Vec::new(),
        };
        scene.cells[0] = Ink::player(agon_core::Player(0));
        scene.cells[1] = Ink::player(agon_core::Player(1));
        assert_eq!(draw_hexagons(&scene).unwrap(), [" .", ". .", " a", ". .", " b"]);
        assert_eq!(draw_hexagons(&scene).unwrap(), draw(&scene));
        let mut turn = |down| {
            let cells = cells.into();
            scene.board = Board::Hexagon { side: 2, cells, down };
            draw_hexagons(&scene).unwrap()
        };
        assert_eq!(turn(1), [" .", ". .", " a", ". b", " ."]);
        assert_eq!(turn(3), [" b", ". .", " a", ". .", " ."]);
        scene.board = Board::Grid { width: 7, height: 1, wraps: true };
        assert_eq!(draw_hexagons(&scene), None);
    }
}
