//! [`View`]: what a player may know, its own cells and all around them. Built-in bots decide by it,
//! and hosts make their questions of it.

use std::ops::Range;

use agon_core::Player;

use super::field::{Beside, Field, Place};
use super::{Binfection, Cell, Rules};

/// What a bot sees: its own cells and all cells around them.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    game: &'a Binfection,
    me: Player,
}

/// A cell beside an own one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Neighbor {
    /// Its owner, as the bot sees it.
    pub kind: Kind,
    /// Units on it.
    pub units: u64,
}

/// The owner of a cell beside an own one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// No cell: outside of the field.
    Outside,
    /// An empty cell.
    Empty,
    /// Another player's.
    Enemy,
    /// The player's own, with its number in the order of [`View::own`].
    Own(u32),
}

impl<'a> View<'a> {
    pub(super) fn new(game: &'a Binfection, me: Player) -> View<'a> {
        View { game, me }
    }

    /// Whose view it is.
    pub fn me(&self) -> Player {
        self.me
    }

    /// The settings of the match.
    pub fn rules(&self) -> &'a Rules {
        &self.game.rules
    }

    /// Turns that are over.
    pub fn turn(&self) -> u64 {
        self.game.turn
    }

    /// The own cells, in order of rows, then columns; never empty.
    pub fn own(&self) -> impl ExactSizeIterator<Item = Cell> + use<'a> {
        let game = self.game;
        game.holdings.slots(self.me).iter().map(|&slot| game.field.cell(slot as usize))
    }

    /// Whether the cell is an own one.
    #[inline]
    pub fn owns(&self, x: u32, y: u32) -> bool {
        self.game.own_slot(self.me, x, y).is_some()
    }

    /// The neighbours of the own cell with this number in the order of [`View::own`], by direction.
    ///
    /// # Panics
    /// If the number is too large.
    #[inline(always)]
    pub fn beside(&self, number: usize) -> [Neighbor; 4] {
        let slot = self.game.holdings.slots(self.me)[number] as usize;
        let [up, right, down, left] = self.game.field.beside(slot);
        // Not written with `map`, because the compiler would not inline the calls.
        [self.neighbor(up), self.neighbor(right), self.neighbor(down), self.neighbor(left)]
    }

    #[inline(always)]
    fn neighbor(&self, beside: Beside) -> Neighbor {
        let Binfection { field, holdings, .. } = self.game;
        match beside {
            Beside::Outside => Neighbor { kind: Kind::Outside, units: 0 },
            Beside::Empty => Neighbor { kind: Kind::Empty, units: 0 },
            Beside::Slot(slot) => {
                let is_own = field.owner(slot) == self.me;
                let kind = if is_own { Kind::Own(holdings.number(slot)) } else { Kind::Enemy };
                Neighbor { kind, units: field.units(slot) }
            }
        }
    }

    /// Visits all own cells, in the order of [`View::own`], with the units that a move in each
    /// direction would have to beat: an enemy's units, 0 on an empty cell. For an own cell, and
    /// outside of the field, it is `u64::MAX`: nothing to gain.
    ///
    /// Several times as fast as [`View::beside`] for each cell.
    #[inline(always)]
    pub fn survey(&self, visit: impl FnMut(Cell, [u64; 4])) {
        let Binfection { field, holdings, .. } = self.game;
        survey(field, self.me, holdings.slots(self.me), visit);
    }

    /// All own cells and their eight neighbours within the field, each once, in order of rows, then
    /// columns.
    pub fn seen(&self) -> Vec<Cell> {
        let mut seen = Vec::with_capacity(2 * self.own().len());
        self.visit_visible(|run| seen.extend(run.cells()));
        seen
    }

    /// Visits the cells of [`View::seen`] without a copy.
    pub(super) fn visit_visible(&self, visit: impl FnMut(Run<'a>)) {
        let Binfection { field, holdings, .. } = self.game;
        visit_visible(field, self.me, holdings.slots(self.me), visit);
    }
}

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
