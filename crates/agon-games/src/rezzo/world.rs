//! The torus of cells.

use super::{
    cell::{Cell, Kind},
    plane::Plane,
};

/// The cells of a world: kind, owner and damage in a plane each. A torus: left of column 0 is the last column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct World {
    width: usize,
    height: usize,
    pub(crate) kinds: Plane,
    pub(crate) owners: Plane,
    damage: Plane,
}

impl World {
    /// A blank world.
    ///
    /// # Panics
    /// If a side is 0.
    pub fn new(width: usize, height: usize) -> World {
        assert!(width > 0 && height > 0, "a world has cells");
        let plane = |salt| Plane::new(width, height, salt);
        World { width, height, kinds: plane(1), owners: plane(2), damage: plane(3) }
    }

    /// Cells in a row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Number of rows.
    pub fn height(&self) -> usize {
        self.height
    }

    /// The index of a cell; rows from the north, columns from the west, both wrapped around.
    pub fn index(&self, x: i64, y: i64) -> usize {
        let x = x.rem_euclid(self.width as i64) as usize;
        let y = y.rem_euclid(self.height as i64) as usize;
        y * self.width + x
    }

    /// Column and row of a cell.
    pub fn place(&self, index: usize) -> (usize, usize) {
        (index % self.width, index / self.width)
    }

    /// The cell at an index.
    pub fn cell(&self, index: usize) -> Cell {
        Cell { kind: Kind::from_bit(self.kinds.get(index)), owner: self.owners.get(index) }
    }

    /// Replaces a cell; its damage stays.
    ///
    /// # Panics
    /// If a kind that belongs to players has no owner, or another kind has one.
    pub fn set(&mut self, index: usize, cell: Cell) {
        assert_eq!(cell.kind.is_owned(), cell.owner != 0, "{cell:?} has an owner exactly if its kind has");
        self.kinds.set(index, cell.kind.bit());
        self.owners.set(index, cell.owner);
    }

    /// How often the cell was hit since it was last blank or walked on.
    pub fn damage(&self, index: usize) -> u8 {
        self.damage.get(index)
    }

    /// Sets the damage of a cell.
    pub fn set_damage(&mut self, index: usize, damage: u8) {
        self.damage.set(index, damage);
    }

    /// The kinds of all cells as bits of [`Kind`], row by row: for drawing.
    pub fn kinds(&self) -> &[u8] {
        self.kinds.bytes()
    }

    /// The owners of all cells, 0 for nobody, row by row: for drawing.
    pub fn owners(&self) -> &[u8] {
        self.owners.bytes()
    }

    /// The damage of all cells, row by row.
    pub fn all_damage(&self) -> &[u8] {
        self.damage.bytes()
    }

    /// What happens to the cells of players that lost: flags become conductors, the others blank.
    pub fn erase(&mut self, losers: Losers) {
        for index in 0..self.width * self.height {
            let cell = self.cell(index);
            if cell.owner != 0 && losers.contains(cell.owner) {
                let left = if cell.kind == Kind::Flag { Cell::CONDUCTOR } else { Cell::BLANK };
                self.set(index, left);
            }
        }
    }

    pub(crate) fn hash(&self) -> u64 {
        [&self.kinds, &self.owners, &self.damage].iter().fold(0, |sum, p| sum.wrapping_add(p.hash()))
    }

    /// The hash from scratch.
    #[cfg(test)]
    pub(crate) fn computed_hash(&self) -> u64 {
        let planes = [&self.kinds, &self.owners, &self.damage];
        planes.iter().fold(0, |sum, p| sum.wrapping_add(p.computed_hash()))
    }
}

/// A set of players, by owner number (index plus 1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Losers(u16);

impl Losers {
    /// Adds a player.
    pub fn add(&mut self, owner: u8) {
        self.0 |= 1 << owner;
    }

    /// Whether the player is one of them.
    pub fn contains(self, owner: u8) -> bool {
        self.0 >> owner & 1 == 1
    }

    /// Whether nobody is.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Their owner numbers, ascending.
    pub fn owners(self) -> impl Iterator<Item = u8> {
        (1..16).filter(move |&owner| self.contains(owner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loser_leaves_wire_where_flags_were() {
        let mut world = World::from_rows(["0Aan", "1Bbo"]).unwrap();
        world.set_damage(1, 2);
        let mut losers = Losers::default();
        losers.add(1);
        world.erase(losers);
        assert_eq!(world.to_rows(), [" .  ", "1Bbo"]);
        assert_eq!((world.owners()[1], world.damage(1)), (0, 2));
        assert_eq!(world.hash(), world.computed_hash());
    }

    #[test]
    fn losers_are_a_set() {
        let mut losers = Losers::default();
        assert!(losers.is_empty());
        losers.add(10);
        losers.add(2);
        losers.add(10);
        assert_eq!(losers.owners().collect::<Vec<_>>(), [2, 10]);
    }
}
