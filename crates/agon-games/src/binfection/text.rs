//! Draws the field as text. The classic command line prints it in the terminal.

use std::fmt::Write as _;

use agon_core::{Game, GameExt, Player};

use super::{Binfection, Cell, Rules};

/// One letter per player, `MAX_PLAYERS` of them.
const LETTERS: &[u8; 64] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+*";

/// The greatest width of a drawing in characters, and its greatest height in rows. Of a larger
/// field only a part is shown.
const MAX_WIDTH: usize = 200;
const MAX_ROWS: u32 = 60;

/// Draws the field as text, then a line per player, and how the game ended. [`render_cells`] draws
/// the cells.
///
/// # Panics
/// If a player has no name.
pub fn render_text(game: &Binfection, names: &[String]) -> String {
    let cells: Vec<Cell> = game.cells().collect();
    let mut text = format!("turn {}\n{}", game.progress().turn, render_cells(&game.rules, &cells));
    for (player, standing) in Player::all(game.players()).zip(game.standing().players) {
        let name = &names[player.index()];
        let units = standing.score;
        let cells = game.holdings.cells(player);
        let state =
            if standing.out { "out".to_owned() } else { format!("units {units}, cells {cells}") };
        let _ = writeln!(text, "{} {name}: {state}", letter(player));
    }
    if game.is_over()
        && let Some(outcome) = game.standing().outcome
    {
        let _ = writeln!(text, "{}", outcome.sentence(|player| &names[player.index()]));
    }
    text
}

/// Draws the occupied cells, sorted by rows, then columns: a letter and the units for each, `.` for
/// empty cells.
///
/// Of a field that is too large, only the part with units is drawn. If that is too large as well,
/// nothing is drawn.
pub fn render_cells(rules: &Rules, cells: &[Cell]) -> String {
    let mut text = String::new();
    let digits = cells.iter().map(|cell| cell.units.to_string().len()).max().unwrap_or(1);
    let whole =
        Frame { left: 0, top: 0, right: rules.field_width - 1, bottom: rules.field_height - 1 };
    match [whole, Frame::around(cells)].into_iter().find(|frame| frame.fits(digits + 2)) {
        Some(frame) => frame.draw(&mut text, cells, digits, frame != whole),
        None => text.push_str("(the field is too large to be drawn here)\n"),
    }
    text
}

fn letter(player: Player) -> char {
    char::from(LETTERS[player.index()])
}

/// A part of the field, borders included.
#[derive(Clone, Copy, PartialEq)]
struct Frame {
    left: u32,
    top: u32,
    right: u32,
    bottom: u32,
}

impl Frame {
    fn around(cells: &[Cell]) -> Frame {
        let mut frame = match cells.first() {
            Some(cell) => Frame { left: cell.x, top: cell.y, right: cell.x, bottom: cell.y },
            None => return Frame { left: 0, top: 0, right: 0, bottom: 0 },
        };
        for cell in cells {
            frame.left = frame.left.min(cell.x);
            frame.right = frame.right.max(cell.x);
            frame.bottom = frame.bottom.max(cell.y);
        }
        frame
    }

    fn fits(&self, column: usize) -> bool {
        let width = (self.right - self.left + 1) as usize * column;
        width <= MAX_WIDTH && self.bottom - self.top < MAX_ROWS
    }

    fn draw(&self, text: &mut String, cells: &[Cell], digits: usize, cut: bool) {
        if cut {
            let _ = writeln!(
                text,
                "columns {} to {}, rows {} to {}",
                self.left, self.right, self.top, self.bottom
            );
        }
        let mut cells = cells.iter().peekable();
        for y in self.top..=self.bottom {
            for x in self.left..=self.right {
                let gap = if x == self.left { "" } else { " " };
                let content = match cells.next_if(|cell| (cell.x, cell.y) == (x, y)) {
                    Some(Cell { owner: Some(owner), units, .. }) => {
                        format!("{}{units}", letter(*owner))
                    }
                    _ => ".".to_owned(),
                };
                let _ = write!(text, "{gap}{content:>width$}", width = digits + 1);
            }
            text.push('\n');
        }
    }
}

#[cfg(test)]
mod tests {
    use agon_core::Seed;

    use super::*;
    use crate::binfection::Position;

    fn draw(side: u32, turn: u64, cells: &[(u32, u32, u16, u64)]) -> String {
        let rules =
            Rules { field_width: side, field_height: side, turns_limit: 3, ..Rules::default() };
        let cell = |&(x, y, owner, units)| Cell { x, y, owner: Some(Player(owner)), units };
        let cells = cells.iter().map(cell).collect();
        let position = Position { turn, players: 3, cells, fallen: Vec::new() };
        let game = Binfection::from_position(&rules, Seed(0), position).unwrap();
        render_text(&game, &["alice", "bob", "carol"].map(str::to_owned))
    }

    #[test]
    fn a_small_field_is_drawn_whole() {
        let expect = "turn 3\n  .  a8   .\n  .   . b12\n  .   .   .\na alice: units 8, cells 1\n\
                      b bob: units 12, cells 1\nc carol: out\nbob wins: most units after 3 turns\n";
        assert_eq!(draw(3, 3, &[(1, 0, 0, 8), (2, 1, 1, 12)]), expect);
    }

    #[test]
    fn a_large_field_is_cut_or_left_out() {
        let near = draw(500, 0, &[(100, 200, 0, 5), (102, 201, 1, 5)]);
        assert!(
            near.starts_with("turn 0\ncolumns 100 to 102, rows 200 to 201\na5  .  .\n .  . b5\n"),
            "{near}"
        );
        let far = draw(500, 0, &[(0, 0, 0, 5), (499, 499, 1, 5)]);
        assert!(far.starts_with("turn 0\n(the field is too large"), "{far}");
        assert!(draw(500, 0, &[]).contains("tie: nobody is left"));
    }
}
