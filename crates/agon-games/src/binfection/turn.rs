//! The rules of a turn: all moves at once, then fights, then growth. `state.rs` plays each step
//! with it.

use agon_core::Player;

use super::Direction;
use super::field::{Field, Place};

/// How units multiply once the fights are over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Growth {
    pub(super) coefficient: u64,
    /// Most units of a cell, before growth and after it.
    pub(super) cap: u64,
}

impl Growth {
    fn of(self, units: u64) -> u64 {
        units.min(self.cap).saturating_mul(self.coefficient).min(self.cap)
    }
}

/// Collects the units that meet on each cell. It keeps three rows, because units go at most one row
/// up or down.
///
/// One pass goes through the list of cells and adds all units to the cell where they arrive. As
/// soon as nothing can reach a row any more, its fights are decided and the row is written to the
/// new field. No cell sees another's result, so the order does not matter. The pass touches little
/// memory: rows that stay in the cache, and 14 bytes a cell, in and out.
#[derive(Debug, Default)]
pub(super) struct Melee {
    rows: [Row; 3],
}

impl Melee {
    /// Writes the field after the turn to `after`, which is empty. `orders` has one entry per slot:
    /// the direction in which half of its units go, if any.
    pub(super) fn play(
        &mut self,
        before: &Field,
        orders: &[Option<Direction>],
        growth: Growth,
        after: &mut Field,
    ) {
        self.rows.iter_mut().for_each(|row| row.fit(before.width));
        let mut slot = 0;
        for run in before.places().chunk_by(|a, b| a.y == b.y) {
            let y = run[0].y;
            // Rows before the one above `y` are complete: nothing can reach them any more.
            let previous = before.places()[slot.max(1) - 1].y;
            (previous.saturating_sub(1)..y.saturating_sub(1).min(previous + 2))
                .for_each(|row| self.row(row).settle(row, growth, after));
            for &place in run {
                let owner = before.owner(slot);
                let units = before.units(slot);
                let leaving = if orders[slot].is_some() { units / 2 } else { 0 };
                self.row(y).join(place.x, owner, units - leaving);
                if let Some(to) = orders[slot].and_then(|way| next(before, place, way))
                    && leaving > 0
                {
                    self.row(to.y).join(to.x, owner, leaving);
                }
                slot += 1;
            }
        }
        if let Some(last) = before.places().last() {
            (last.y.saturating_sub(1)..=last.y + 1)
                .for_each(|row| self.row(row).settle(row, growth, after));
        }
    }

    #[inline]
    fn row(&mut self, y: u16) -> &mut Row {
        &mut self.rows[usize::from(y % 3)]
    }
}

/// The next place in a direction; `None` outside of the field, where units are lost.
#[inline]
fn next(field: &Field, Place { x, y }: Place, way: Direction) -> Option<Place> {
    let (width, height) = (field.width, field.height);
    match way {
        Direction::Up => Some(Place { x, y: y.checked_sub(1)? }),
        Direction::Right => (u32::from(x) + 1 < width).then(|| Place { x: x + 1, y }),
        Direction::Down => (u32::from(y) + 1 < height).then(|| Place { x, y: y + 1 }),
        Direction::Left => Some(Place { x: x.checked_sub(1)?, y }),
    }
}

/// The units that meet on each cell of a row: at most one group that stays and four that arrive, of
/// up to five owners.
#[derive(Debug, Default)]
struct Row {
    /// A bit for each column with units.
    touched: Vec<u64>,
    /// How many owners there are on each cell.
    owners: Vec<u8>,
    /// The first owner's units on each cell; most cells have no other owner.
    first: Vec<Side>,
    /// The other owners' units on each cell.
    others: Vec<[Side; 4]>,
}

/// The units of an owner.
#[derive(Clone, Copy, Debug, Default)]
struct Side {
    units: u64,
    owner: Player,
}

impl Row {
    fn fit(&mut self, width: u32) {
        let width = width as usize;
        if self.owners.len() != width {
            self.touched.resize(width.div_ceil(64), 0);
            self.owners.resize(width, 0);
            self.first.resize(width, Side::default());
            self.others.resize(width, [Side::default(); 4]);
        }
    }

    #[inline]
    fn join(&mut self, x: u16, owner: Player, units: u64) {
        let x = usize::from(x);
        if self.owners[x] == 0 {
            self.owners[x] = 1;
            self.first[x] = Side { units, owner };
            self.touched[x / 64] |= 1 << (x % 64);
        } else if self.first[x].owner == owner {
            self.first[x].units += units;
        } else {
            self.join_others(x, owner, units);
        }
    }

    fn join_others(&mut self, x: usize, owner: Player, units: u64) {
        let count = usize::from(self.owners[x]) - 1;
        match self.others[x][..count].iter_mut().find(|side| side.owner == owner) {
            Some(side) => side.units += units,
            None => {
                self.others[x][count] = Side { units, owner };
                self.owners[x] += 1;
            }
        }
    }

    /// Decides the fights, appends the survivors to the field, and empties the row.
    fn settle(&mut self, y: u16, growth: Growth, after: &mut Field) {
        for word in 0..self.touched.len() {
            let touched = std::mem::take(&mut self.touched[word]);
            if touched == 0 {
                continue;
            }
            let first = after.len();
            let mut left = touched;
            for x in columns(touched, word) {
                let owners = usize::from(std::mem::take(&mut self.owners[x]));
                let mut side = self.first[x];
                if owners > 1 {
                    side = winner(side, &self.others[x][..owners - 1]);
                    if side.units == 0 {
                        left ^= 1 << (x % 64);
                        continue;
                    }
                }
                after.append(Place { y, x: x as u16 }, side.owner, growth.of(side.units));
            }
            after.note(y, word, left, first);
        }
    }
}

/// The columns of the bits in a word.
#[inline]
fn columns(mut bits: u64, word: usize) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (bits != 0).then(|| bits.trailing_zeros() as usize);
        bits &= bits.wrapping_sub(1);
        bit.map(|bit| word * 64 + bit)
    })
}

/// The owner that keeps the cell, and its units: the largest side's lead over the second largest.
fn winner(first: Side, others: &[Side]) -> Side {
    let mut best = first;
    let mut second = 0;
    for &side in others {
        if side.units > best.units {
            second = best.units;
            best = side;
        } else {
            second = second.max(side.units);
        }
    }
    Side { units: best.units - second, ..best }
}
