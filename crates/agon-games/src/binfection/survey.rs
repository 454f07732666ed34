//! Visits a player's cells and says for each direction how many units a move there would have to
//! beat. The built-in bot `spreader` decides by it.

use std::ops::Range;

use agon_core::Player;

use super::{Cell, field::Field};

/// Stands for "nothing to gain": more units than anybody has.
const NOTHING: u64 = u64::MAX;

/// Visits the cells in these slots, which are the player's. For each it gives the units to beat in
/// each direction: an enemy's units, 0 on an empty cell, [`NOTHING`] on own cells and outside of
/// the field.
///
/// The list of cells is copied into rows with a margin, three at a time. Then the neighbours of a
/// cell are four loads, without unpredictable branches. To copy a cell and to erase it are two
/// writes of 8 bytes; the rows stay in the first cache.
#[inline(always)]
pub(super) fn survey(
    field: &Field,
    own: Player,
    slots: &[u32],
    mut visit: impl FnMut(Cell, [u64; 4]),
) {
    let mut rows = Rows::new(field, own);
    let y = |slot: &u32| field.places()[*slot as usize].y;
    for run in slots.chunk_by(|a, b| y(a) == y(b)) {
        let [above, here, below] = rows.around(y(&run[0]));
        for &slot in run {
            let cell = field.cell(slot as usize);
            let x = cell.x as usize;
            visit(cell, [above[x + 1], here[x + 2], below[x + 1], here[x]]);
        }
    }
}

/// The three rows in use.
struct Rows<'a> {
    field: &'a Field,
    own: Player,
    /// Row `y` is at `y % 3`.
    rows: [Row; 3],
    /// The row above and below the field.
    margin: Vec<u64>,
    /// The slot after the last copied cell.
    next: usize,
}

/// A row of the field.
#[derive(Clone)]
struct Row {
    /// The units to beat, from the left margin to the right one.
    against: Vec<u64>,
    /// The number of the row; `None` before the first.
    y: Option<u16>,
    /// The slots of the cells in it.
    slots: Range<usize>,
}

impl<'a> Rows<'a> {
    fn new(field: &'a Field, own: Player) -> Rows<'a> {
        let width = field.width as usize;
        let mut against = vec![0; width + 2];
        against[0] = NOTHING;
        against[width + 1] = NOTHING;
        let row = Row { against, y: None, slots: 0..0 };
        Rows {
            field,
            own,
            rows: [row.clone(), row.clone(), row],
            margin: vec![NOTHING; width + 2],
            next: 0,
        }
    }

    /// The rows above `y`, at `y` and below it. `y` grows from call to call.
    fn around(&mut self, y: u16) -> [&[u64]; 3] {
        let last = (self.field.height - 1) as u16;
        for y in y.saturating_sub(1)..=last.min(y + 1) {
            self.lay_out(y);
        }
        let row = |y: u16| self.rows[usize::from(y % 3)].against.as_slice();
        [
            if y > 0 { row(y - 1) } else { &self.margin },
            row(y),
            if y < last { row(y + 1) } else { &self.margin },
        ]
    }

    /// Copies the cells of row `y` into its buffer, unless they are there.
    fn lay_out(&mut self, y: u16) {
        let places = self.field.places();
        let row = &mut self.rows[usize::from(y % 3)];
        if row.y.replace(y) == Some(y) {
            return;
        }
        for place in &places[row.slots.clone()] {
            row.against[usize::from(place.x) + 1] = 0;
        }
        let mut slot = self.next;
        if places.get(slot).is_some_and(|place| place.y < y) {
            // Skips rows that are not beside an own cell.
            slot += places[slot..].partition_point(|place| place.y < y);
        }
        let owners = &self.field.owners()[slot..];
        let units = &self.field.all_units()[slot..];
        let cells = places[slot..].iter().zip(owners.iter().zip(units));
        let mut next = slot;
        for (place, (&owner, &units)) in cells.take_while(|(place, _)| place.y == y) {
            // `NOTHING` for an own cell, without a branch.
            let nothing = u64::from(owner == self.own).wrapping_neg() & NOTHING;
            row.against[usize::from(place.x) + 1] = units | nothing;
            next += 1;
        }
        row.slots = slot..next;
        self.next = next;
    }
}

#[cfg(test)]
mod tests {
    use agon_core::{Purpose, Seed};

    use super::*;

    /// The same, cell by cell.
    fn beside(field: &Field, own: Player, Cell { x, y, .. }: Cell) -> [u64; 4] {
        [(0, -1), (1, 0), (0, 1), (-1, 0)].map(|(dx, dy)| {
            let (x, y) = (x.wrapping_add_signed(dx), y.wrapping_add_signed(dy));
            if x >= field.width || y >= field.height {
                return NOTHING;
            }
            let Cell { owner, units, .. } = field.at(x, y);
            if owner == Some(own) { NOTHING } else { units }
        })
    }

    #[test]
    fn all_own_cells_are_visited_with_what_lies_beside_them() {
        let mut rng = Seed(1).stream(Purpose::Script, 0);
        for (width, height, part) in
            [(1, 1, 1), (1, 9, 2), (9, 1, 2), (2, 2, 1), (7, 7, 1), (7, 40, 30), (130, 60, 50)]
        {
            for _ in 0..20 {
                let field = Field::scattered((width, height), part, 3, &mut rng);
                for own in Player::all(3) {
                    let slots: Vec<u32> = (0..field.len() as u32)
                        .filter(|&slot| field.owner(slot as usize) == own)
                        .collect();
                    let mut found = Vec::new();
                    survey(&field, own, &slots, |cell, against| found.push((cell, against)));
                    let cells = slots.iter().map(|&slot| field.cell(slot as usize));
                    assert_eq!(
                        found,
                        cells.map(|cell| (cell, beside(&field, own, cell))).collect::<Vec<_>>()
                    );
                }
            }
        }
    }
}
