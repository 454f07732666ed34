//! Finds the cells that a player sees: its own and all their neighbours. Visits them as runs of
//! cells side by side; all questions to bots are made of these runs.

use agon_core::Player;

use super::{
    Cell,
    field::{Field, Place},
};

/// Visible cells that lie side by side, all occupied or all empty; at most 64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Run<'a> {
    /// Columns `x` to `x + length - 1` of row `y`.
    Empty { x: u16, y: u16, length: u16 },
    /// Each with its owner and its units.
    Occupied { places: &'a [Place], owners: &'a [Player], units: &'a [u64] },
}

impl Run<'_> {
    /// The number of cells.
    pub(super) fn len(&self) -> usize {
        match self {
            Run::Empty { length, .. } => (*length).into(),
            Run::Occupied { places, .. } => places.len(),
        }
    }

    /// Column and row of the first cell.
    pub(super) fn start(&self) -> (u16, u16) {
        match *self {
            Run::Empty { x, y, .. } => (x, y),
            Run::Occupied { places, .. } => (places[0].x, places[0].y),
        }
    }

    /// The cells of the run.
    pub(super) fn cells(&self) -> impl Iterator<Item = Cell> + '_ {
        let (x, y) = self.start();
        (0..self.len()).map(move |i| {
            let (owner, units) = match self {
                Run::Empty { .. } => (None, 0),
                Run::Occupied { owners, units, .. } => (Some(owners[i]), units[i]),
            };
            Cell { x: u32::from(x) + i as u32, y: y.into(), owner, units }
        })
    }
}

/// Visits the cells of a player, which are in `slots`, and their eight neighbours within the field,
/// each once, in order of rows, then columns.
///
/// It works on words of 64 columns. The index of the field and the owners give a bit for each cell
/// of the player; shifts add the left and right neighbours, and three rows together add the others.
/// So a cell in a block costs next to nothing besides the visitor's own work, and memory is read
/// once, in order.
pub(super) fn visit_visible<'a>(
    field: &'a Field,
    own: Player,
    slots: &[u32],
    mut visit: impl FnMut(Run<'a>),
) {
    let y = |slot: Option<&u32>| slot.map(|&slot| field.places()[slot as usize].y);
    let (Some(first), Some(last)) = (y(slots.first()), y(slots.last())) else { return };
    let words = field.width.div_ceil(64) as usize;
    let mut rows = [(); 3].map(|()| vec![0; words]);
    let bottom = (u32::from(last) + 1).min(field.height - 1) as u16;
    for y in first.saturating_sub(1)..=bottom {
        // The first round computes two rows, each later round one.
        let new = if y == first.saturating_sub(1) { y } else { y + 1 };
        for y in new..=y + 1 {
            let row = &mut rows[usize::from(y % 3)];
            if (first..=last).contains(&y) { near(field, own, y, row) } else { row.fill(0) }
        }
        let [first, second, third] = &rows;
        for (word, ((first, second), third)) in first.iter().zip(second).zip(third).enumerate() {
            runs(field, y, word, first | second | third, &mut visit);
        }
    }
}

/// Sets the bits of the columns of a row that are the player's or beside one of these.
fn near(field: &Field, own: Player, y: u16, row: &mut [u64]) {
    for (word, bits) in row.iter_mut().enumerate() {
        *bits = owned(field, own, y, word);
    }
    let mut left = 0;
    let words = row.len();
    for word in 0..words {
        let bits = row[word];
        let right = row.get(word + 1).map_or(0, |next| next << 63);
        row[word] = bits | bits << 1 | bits >> 1 | left | right;
        left = bits >> 63;
    }
    // Clears the bits beyond the last column.
    row[words - 1] &= u64::MAX >> (words as u32 * 64 - field.width);
}

/// The columns of a row that are the player's, of the 64 from `64 * word` on.
fn owned(field: &Field, own: Player, y: u16, word: usize) -> u64 {
    let (bits, slot) = field.columns(y, word);
    if bits == 0 {
        return 0;
    }
    let owners = &field.owners()[slot..slot + bits.count_ones() as usize];
    let others = owners.iter().fold(0, |others, owner| others | (owner.0 ^ own.0));
    if others == 0 {
        return bits;
    }
    let mut rest = bits;
    let mut owned = 0;
    for &owner in owners {
        let bit = rest & rest.wrapping_neg();
        owned |= if owner == own { bit } else { 0 };
        rest ^= bit;
    }
    owned
}

/// Visits the columns whose bits are set in `seen`, run by run.
#[inline]
fn runs<'a>(field: &'a Field, y: u16, word: usize, mut seen: u64, visit: &mut impl FnMut(Run<'a>)) {
    let (bits, slot) = field.columns(y, word);
    while seen != 0 {
        let start = seen.trailing_zeros();
        let is_occupied = bits >> start & 1 == 1;
        let alike = if is_occupied { seen & bits } else { seen & !bits };
        let length = (!(alike >> start)).trailing_zeros();
        visit(if is_occupied {
            let first = slot + (bits & ((1 << start) - 1)).count_ones() as usize;
            let slots = first..first + length as usize;
            Run::Occupied {
                places: &field.places()[slots.clone()],
                owners: &field.owners()[slots.clone()],
                units: &field.all_units()[slots],
            }
        } else {
            Run::Empty { x: (word * 64) as u16 + start as u16, y, length: length as u16 }
        });
        // In two steps, because a shift by 64 is not allowed.
        seen &= u64::MAX << (start + length - 1) << 1;
    }
}

#[cfg(test)]
mod tests {
    use agon_core::{Purpose, Seed};

    use super::*;

    /// The same, cell by cell.
    fn plainly(field: &Field, own: Player) -> Vec<Cell> {
        let is_near = |&index: &u32| {
            let (x, y) = (index % field.width, index / field.width);
            let near = |at: u32, side: u32| at.saturating_sub(1)..=(at + 1).min(side - 1);
            near(y, field.height).any(|y| {
                near(x, field.width).any(|x| field.at(x, y).owner.is_some_and(|owner| owner == own))
            })
        };
        (0..field.width * field.height).filter(is_near).map(|index| field.cell_at(index)).collect()
    }

    #[test]
    fn all_own_cells_and_their_neighbours_are_visited_once() {
        let mut rng = Seed(1).stream(Purpose::Script, 0);
        for (width, height) in
            [(1, 1), (1, 9), (9, 1), (3, 2), (64, 5), (65, 6), (128, 2), (130, 20)]
        {
            for (part, players) in [(1, 1), (1, 2), (2, 3), (5, 2), (60, 3)] {
                let field = Field::scattered((width, height), part, players, &mut rng);
                for own in Player::all(3) {
                    let slots: Vec<u32> = (0..field.len() as u32)
                        .filter(|&slot| field.owner(slot as usize) == own)
                        .collect();
                    let mut found = Vec::new();
                    visit_visible(&field, own, &slots, |run| {
                        assert!((1..=64).contains(&run.len()));
                        found.extend(run.cells());
                    });
                    assert_eq!(found, plainly(&field, own), "{width}x{height}");
                }
            }
        }
    }
}
