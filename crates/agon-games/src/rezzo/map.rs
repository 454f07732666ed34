//! Reads and writes worlds as text, a line a row, in the characters of the viewport. The setting
//! `map`, positions and tests use it.

use agon_core::SetupError;
use agon_core::error::Problems;

use super::{
    cell::{Cell, MAX_PLAYERS},
    world::World,
};

impl World {
    /// Makes the world that rows of text show. Short rows are filled up with blanks. Nothing is
    /// damaged.
    ///
    /// # Errors
    /// Names every character that shows no cell, and a map without cells.
    pub fn from_rows<S: AsRef<str>>(rows: impl AsRef<[S]>) -> Result<World, SetupError> {
        let rows = rows.as_ref();
        let width = rows.iter().map(|row| row.as_ref().chars().count()).max().unwrap_or(0);
        if width == 0 {
            return Err(SetupError::new("map", "it has no cells"));
        }
        let mut problems = Problems::new();
        let mut world = World::new(width, rows.len());
        for (y, row) in rows.iter().enumerate() {
            for (x, c) in row.as_ref().chars().enumerate() {
                match Cell::from_char(c) {
                    Some(cell) => world.set(y * width + x, cell),
                    None => problems.require(false, format!("row {y}, column {x}"), || {
                        format!("{c:?} is no cell; see the table of cells in the game's page")
                    }),
                }
            }
        }
        problems.finish().map(|()| world)
    }

    /// Reads a map file: lines of text, with or without a line break at the end.
    ///
    /// # Errors
    /// Names every character that shows no cell, and a map without cells.
    ///
    /// ```
    /// use agon_games::rezzo::World;
    /// let world = World::from_text("  .*,.\n .   .\n  ...\n")?;
    /// assert_eq!((world.width(), world.height()), (6, 3));
    /// # Ok::<(), agon_core::SetupError>(())
    /// ```
    pub fn from_text(text: &str) -> Result<World, SetupError> {
        World::from_rows(text.lines().collect::<Vec<_>>())
    }

    /// The rows of the world as text; damage does not show.
    pub fn to_rows(&self) -> Vec<String> {
        let cell = |x: usize, y: usize| self.cell_at(x, y).to_char();
        (0..self.height()).map(|y| (0..self.width()).map(|x| cell(x, y)).collect()).collect()
    }

    /// The world as a map file.
    pub fn to_text(&self) -> String {
        self.to_rows().into_iter().map(|row| row + "\n").collect()
    }

    /// The cells of agents, by owner number (index plus 1): entry 0 stays empty.
    pub(crate) fn agents(&self) -> [Vec<usize>; MAX_PLAYERS as usize + 1] {
        let mut places: [Vec<usize>; MAX_PLAYERS as usize + 1] = Default::default();
        for index in self.agent_places() {
            places[usize::from(self.owners()[index])].push(index);
        }
        places
    }

    /// Notes the first cell of each owner above `players` as a problem. `prefix` names the source
    /// of the rows.
    pub(crate) fn require_owners(&self, players: usize, prefix: &str, problems: &mut Problems) {
        for owner in players + 1..=usize::from(MAX_PLAYERS) {
            if let Some(index) = self.owners().iter().position(|&o| usize::from(o) == owner) {
                let (x, y) = self.place(index);
                let c = self.cell(index).to_char();
                problems.require(false, format!("{prefix}row {y}, column {x}"), || {
                    format!("{c:?} belongs to player {}, but only {players} play", owner - 1)
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_read_back() {
        let text = "  .*,\n0A an\n9J~jw\n";
        let world = World::from_text(text).unwrap();
        assert_eq!(world.to_text(), text);
        assert_eq!(world.agents()[1], [5]);
        assert_eq!(world.agents()[10], [10]);
    }

    #[test]
    fn short_lines_are_filled_up() {
        let world = World::from_text("..\n\n....").unwrap();
        assert_eq!(world.to_rows(), ["..  ", "    ", "...."]);
    }

    #[test]
    fn all_wrong_characters_are_named_with_their_place() {
        let error = World::from_text(".#\n\t.").unwrap_err().to_string();
        assert!(error.contains("row 0, column 1: '#' is no cell"), "{error}");
        assert!(error.contains(r"row 1, column 0: '\t' is no cell"), "{error}");
        assert!(World::from_text("\n\n").is_err());
    }
}
