//! [`Field`]: the board, as a sorted list of its occupied cells. The state of a match holds one,
//! and a turn makes the next.

use std::ops::Range;

use agon_core::{Player, cell_hash};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The most players of a match.
pub(super) const MAX_PLAYERS: usize = 64;

/// The occupied cells of a field in order of rows, then columns; everything else is empty.
///
/// A cell's *index* is `y * width + x`; its *slot* is its place in the list. So the work of a turn
/// depends on the occupied cells and not on the size of the field.
#[derive(Clone, Debug)]
pub(super) struct Field {
    pub(super) width: u32,
    pub(super) height: u32,
    places: Vec<Place>,
    owner: Vec<Player>,
    units: Vec<u64>,
    /// Finds cells in the list.
    index: SlotIndex,
}

/// Column and row of a cell, in the order of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) y: u16,
    pub(super) x: u16,
}

/// The neighbour of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Beside {
    /// No cell: outside of the field.
    Outside,
    /// An empty cell.
    Empty,
    /// The occupied cell in this slot.
    Slot(usize),
}

impl PartialEq for Field {
    /// The index follows from the list.
    fn eq(&self, other: &Field) -> bool {
        (self.width, self.height) == (other.width, other.height)
            && self.places == other.places
            && self.owner == other.owner
            && self.units == other.units
    }
}

impl Eq for Field {}

impl Field {
    pub(super) fn empty(width: u32, height: u32) -> Field {
        let index = SlotIndex::new(width, height);
        Field { width, height, places: Vec::new(), owner: Vec::new(), units: Vec::new(), index }
    }

    /// Makes a field with these cells, in any order. All are within the field, and each comes at
    /// most once. Cells without units are empty.
    pub(super) fn with_cells(
        width: u32,
        height: u32,
        cells: impl IntoIterator<Item = Cell>,
    ) -> Field {
        let mut cells: Vec<Cell> = cells.into_iter().collect();
        cells.sort_unstable_by_key(|cell| (cell.y, cell.x));
        let mut field = Field::empty(width, height);
        for cell in cells {
            if let Some(owner) = cell.owner
                && cell.units > 0
            {
                field.push(Place { y: cell.y as u16, x: cell.x as u16 }, owner, cell.units);
            }
        }
        field
    }

    /// Removes all cells, but keeps the memory.
    pub(super) fn clear(&mut self) {
        self.index.clear(self.places.iter().map(|place| (place.x.into(), place.y.into())));
        self.places.clear();
        self.owner.clear();
        self.units.clear();
    }

    /// Number of cells, empty ones included.
    pub(super) fn area(&self) -> usize {
        self.width as usize * self.height as usize
    }

    /// Reserves memory for `cells` cells in all.
    pub(super) fn reserve(&mut self, cells: usize) {
        let more = cells.saturating_sub(self.len());
        self.places.reserve(more);
        self.owner.reserve(more);
        self.units.reserve(more);
    }

    /// A random field: one in `part` cells is occupied, by any of `players` players.
    #[cfg(test)]
    pub(super) fn scattered(
        (width, height): (u32, u32),
        part: u64,
        players: u64,
        rng: &mut agon_core::Rng,
    ) -> Field {
        let mut cells = Vec::new();
        for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
            if rng.chance(1, part) {
                let owner = Some(Player(rng.below(players) as u16));
                cells.push(Cell { x, y, owner, units: 1 + rng.below(100) });
            }
        }
        Field::with_cells(width, height, cells)
    }

    /// Appends a cell after all others.
    pub(super) fn push(&mut self, place: Place, owner: Player, units: u64) {
        self.append(place, owner, units);
        self.note(place.y, usize::from(place.x) / 64, 1 << (place.x % 64), self.len() - 1);
    }

    /// Updates the index after cells of one row were appended. `columns` has a bit for each of the
    /// 64 columns from `64 * word` on; the first of these cells has the slot `first`.
    #[inline]
    pub(super) fn note(&mut self, y: u16, word: usize, columns: u64, first: usize) {
        self.index.add(y.into(), word, columns, first as u32);
    }

    /// Appends a cell after all others, without the index.
    #[inline]
    pub(super) fn append(&mut self, place: Place, owner: Player, units: u64) {
        debug_assert!(units > 0 && self.places.last().is_none_or(|&last| last < place));
        self.places.push(place);
        self.owner.push(owner);
        self.units.push(units);
    }

    /// Number of occupied cells.
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// The places of all cells.
    pub(super) fn places(&self) -> &[Place] {
        &self.places
    }

    /// The owners of all cells.
    pub(super) fn owners(&self) -> &[Player] {
        &self.owner
    }

    /// The units of all cells.
    pub(super) fn all_units(&self) -> &[u64] {
        &self.units
    }

    pub(super) fn index(&self, slot: usize) -> u32 {
        let Place { x, y } = self.places[slot];
        u32::from(y) * self.width + u32::from(x)
    }

    #[inline]
    pub(super) fn owner(&self, slot: usize) -> Player {
        self.owner[slot]
    }

    #[inline]
    pub(super) fn units(&self, slot: usize) -> u64 {
        self.units[slot]
    }

    pub(super) fn cells(&self) -> impl ExactSizeIterator<Item = Cell> + '_ {
        (0..self.len()).map(|slot| self.cell(slot))
    }

    #[inline]
    pub(super) fn cell(&self, slot: usize) -> Cell {
        let Place { x, y } = self.places[slot];
        Cell { x: x.into(), y: y.into(), owner: Some(self.owner[slot]), units: self.units[slot] }
    }

    /// The cell at a place within the field, empty or not.
    #[inline]
    pub(super) fn at(&self, x: u32, y: u32) -> Cell {
        match self.index.slot(x, y) {
            Some(slot) => Cell { x, y, owner: Some(self.owner[slot]), units: self.units[slot] },
            None => Cell { x, y, owner: None, units: 0 },
        }
    }

    /// The cell with this index, empty or not.
    pub(super) fn cell_at(&self, index: u32) -> Cell {
        self.at(index % self.width, index / self.width)
    }

    /// The slot of the occupied cell at this place.
    #[inline]
    pub(super) fn slot_at(&self, x: u32, y: u32) -> Option<usize> {
        if x < self.width && y < self.height { self.index.slot(x, y) } else { None }
    }

    /// Returns which of the 64 columns of a row from `64 * word` on are occupied, and the slot of
    /// the first such cell (any number if there is none).
    #[inline]
    pub(super) fn columns(&self, y: u16, word: usize) -> (u64, usize) {
        self.index.columns(y.into(), word)
    }

    /// The neighbours of the cell in a slot, by direction.
    ///
    /// The left and right neighbours are next to it in the list. Only the upper and lower ones need
    /// the index.
    #[inline(always)]
    pub(super) fn beside(&self, slot: usize) -> [Beside; 4] {
        let place @ Place { x, y } = self.places[slot];
        let mapped =
            |y: u16| self.index.slot(x.into(), y.into()).map_or(Beside::Empty, Beside::Slot);
        let listed = |slot: usize, x: u16| {
            if self.places.get(slot) == Some(&Place { x, ..place }) {
                Beside::Slot(slot)
            } else {
                Beside::Empty
            }
        };
        let inside =
            |is_inside: bool, beside: Beside| if is_inside { beside } else { Beside::Outside };
        [
            if y > 0 { mapped(y - 1) } else { Beside::Outside },
            inside(u32::from(x) + 1 < self.width, listed(slot + 1, x.wrapping_add(1))),
            if u32::from(y) + 1 < self.height { mapped(y + 1) } else { Beside::Outside },
            inside(x > 0, listed(slot.wrapping_sub(1), x.wrapping_sub(1))),
        ]
    }

    /// The index of the next cell in a direction; `None` outside of the field.
    pub(super) fn next(&self, index: u32, direction: Direction) -> Option<u32> {
        let (dx, dy) = direction.offset();
        let x = (index % self.width).checked_add_signed(dx).filter(|&x| x < self.width)?;
        let y = (index / self.width).checked_add_signed(dy).filter(|&y| y < self.height)?;
        Some(y * self.width + x)
    }

    /// The hash of all cells. It is computed from scratch, because every cell changes in nearly
    /// every turn.
    pub(super) fn hash(&self) -> u64 {
        let share = |slot: usize| {
            cell_hash(
                u64::from(self.index(slot)),
                self.units[slot] << 16 | u64::from(self.owner[slot].0),
            )
        };
        (0..self.len()).map(share).fold(0, u64::wrapping_add)
    }
}

/// A cell of the field and what is on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cell {
    /// Column, from 0 at the left
    pub x: u32,
    /// Row, from 0 at the top
    pub y: u32,
    /// The player whose units they are; none on an empty cell
    pub owner: Option<Player>,
    /// Number of units, up to 10^12
    pub units: u64,
}

/// Where units go; 0 to 3 on every wire.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "u8", into = "u8")]
#[schemars(with = "u8", extend("minimum" = 0, "maximum" = 3))]
pub enum Direction {
    /// 0: to the row above, y − 1.
    Up,
    /// 1: to the column on the right, x + 1.
    Right,
    /// 2: to the row below, y + 1.
    Down,
    /// 3: to the column on the left, x − 1.
    Left,
}

impl Direction {
    /// All four, in order of their numbers.
    pub const ALL: [Direction; 4] =
        [Direction::Up, Direction::Right, Direction::Down, Direction::Left];

    /// The change of x and y.
    pub fn offset(self) -> (i32, i32) {
        match self {
            Direction::Up => (0, -1),
            Direction::Right => (1, 0),
            Direction::Down => (0, 1),
            Direction::Left => (-1, 0),
        }
    }
}

impl From<Direction> for u8 {
    fn from(direction: Direction) -> u8 {
        direction as u8
    }
}

impl TryFrom<u8> for Direction {
    type Error = String;

    fn try_from(number: u8) -> Result<Direction, String> {
        let direction = Direction::ALL.get(usize::from(number)).copied();
        direction.ok_or_else(|| {
            format!("direction {number} is not 0 (up), 1 (right), 2 (down) or 3 (left)")
        })
    }
}

/// One bit per cell; each row starts with a new word.
pub(super) struct CellSet {
    words_per_row: usize,
    words: Vec<u64>,
}

impl CellSet {
    /// An empty set for a field of this size.
    pub(super) fn new(width: u32, height: u32) -> CellSet {
        let words_per_row = width.div_ceil(64) as usize;
        CellSet { words_per_row, words: vec![0; words_per_row * height as usize] }
    }

    /// Adds a cell.
    #[inline]
    pub(super) fn add(&mut self, (x, y): (u32, u32)) {
        self.words[y as usize * self.words_per_row + x as usize / 64] |= 1 << (x % 64);
    }

    /// Returns whether a cell is in the set.
    #[inline]
    pub(super) fn contains(&self, (x, y): (u32, u32)) -> bool {
        self.words[y as usize * self.words_per_row + x as usize / 64] >> (x % 64) & 1 == 1
    }
}

/// One bit per cell, set if the cell is occupied; each row starts with a new word. For each word
/// with bits, also the number of bits before it.
///
/// To find a cell takes one word and a count of bits. A new field only touches words that had bits
/// or get some. So the work depends on the occupied cells, not on the size of the field.
#[derive(Clone, Debug, Default)]
pub(super) struct SlotIndex {
    words_per_row: usize,
    words: Vec<Word>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Word {
    bits: u64,
    /// Number of cells in the words before; meaningless if the word has no bits.
    before: u32,
}

impl SlotIndex {
    /// An empty index for a field of this size.
    pub(super) fn new(width: u32, height: u32) -> SlotIndex {
        let words_per_row = width.div_ceil(64) as usize;
        SlotIndex { words_per_row, words: vec![Word::default(); words_per_row * height as usize] }
    }

    /// Removes these cells, which must be all that are in the index.
    pub(super) fn clear(&mut self, places: impl Iterator<Item = (u32, u32)>) {
        for (x, y) in places {
            let word = self.word(x, y);
            self.words[word].bits = 0;
        }
    }

    /// Adds the cells of a row whose bits are set in `columns`, which stands for the 64 columns
    /// from `64 * word` on. The first of them has this slot. Calls come in order of rows, then
    /// columns.
    #[inline]
    pub(super) fn add(&mut self, y: u32, word: usize, columns: u64, slot: u32) {
        let word = &mut self.words[y as usize * self.words_per_row + word];
        if word.bits == 0 {
            word.before = slot;
        }
        word.bits |= columns;
    }

    /// Returns the slot of a cell of the field; `None` if it is empty.
    #[inline]
    pub(super) fn slot(&self, x: u32, y: u32) -> Option<usize> {
        let Word { bits, before } = self.words[self.word(x, y)];
        let below = bits & ((1 << (x % 64)) - 1);
        (bits >> (x % 64) & 1 == 1).then(|| before as usize + below.count_ones() as usize)
    }

    /// Returns which of the 64 columns of a row from `64 * word` on are occupied, and the slot of
    /// the first such cell (any number if there is none).
    #[inline]
    pub(super) fn columns(&self, y: u32, word: usize) -> (u64, usize) {
        let Word { bits, before } = self.words[y as usize * self.words_per_row + word];
        (bits, before as usize)
    }

    #[inline]
    fn word(&self, x: u32, y: u32) -> usize {
        y as usize * self.words_per_row + x as usize / 64
    }
}

/// The slots of the field grouped by owner, and each owner's units.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Holdings {
    /// Slots of player 0 in order, then of player 1, and so on.
    slots: Vec<u32>,
    /// For each slot, its number among its owner's slots, from 0.
    numbers: Vec<u32>,
    /// Where each player's slots start in `slots`; one entry more than players.
    starts: Vec<u32>,
    /// Sum of units of each player.
    units: Vec<u64>,
}

impl Holdings {
    /// Makes the holdings of `players` players on a field.
    pub(super) fn of(field: &Field, players: usize) -> Holdings {
        let mut holdings = Holdings {
            slots: Vec::new(),
            numbers: Vec::new(),
            starts: vec![0; players + 1],
            units: vec![0; players],
        };
        holdings.update(field);
        holdings
    }

    /// Updates everything for a field: counts the slots of each player, then groups them.
    /// Neighbours in the list mostly have the same owner, so both steps go run by run.
    pub(super) fn update(&mut self, field: &Field) {
        let Holdings { slots, numbers, starts, units } = self;
        starts.fill(0);
        units.fill(0);
        let runs = || field.owners().chunk_by(|a, b| a == b);
        let mut slot = 0;
        for run in runs() {
            let player = run[0].index();
            starts[player + 1] += run.len() as u32;
            units[player] += field.all_units()[slot..slot + run.len()].iter().sum::<u64>();
            slot += run.len();
        }
        for player in 1..starts.len() {
            starts[player] += starts[player - 1];
        }
        slots.resize(field.len(), 0);
        numbers.resize(field.len(), 0);
        let mut slot = 0;
        let mut counts = [0; MAX_PLAYERS];
        for run in runs() {
            let player = run[0].index();
            let first = (starts[player] + counts[player]) as usize;
            slots[first..first + run.len()]
                .iter_mut()
                .zip(slot as u32..)
                .for_each(|(to, slot)| *to = slot);
            let numbers = &mut numbers[slot..slot + run.len()];
            numbers.iter_mut().zip(counts[player]..).for_each(|(to, number)| *to = number);
            counts[player] += run.len() as u32;
            slot += run.len();
        }
    }

    /// The player's slots, in order.
    pub(super) fn slots(&self, player: Player) -> &[u32] {
        &self.slots[self.range(player)]
    }

    /// The number of a slot among its owner's slots.
    #[inline]
    pub(super) fn number(&self, slot: usize) -> u32 {
        self.numbers[slot]
    }

    /// Number of cells the player holds.
    pub(super) fn cells(&self, player: Player) -> usize {
        self.range(player).len()
    }

    /// Number of units the player has.
    pub(super) fn units(&self, player: Player) -> u64 {
        self.units[player.index()]
    }

    fn range(&self, player: Player) -> Range<usize> {
        self.starts[player.index()] as usize..self.starts[player.index() + 1] as usize
    }
}
