//! The contents of all cells: fuel and amoebas. All changes go through it, and it keeps the hash
//! and the populations up to date.

use agon_core::{Blob, Fold, cell_hash};

use super::{position::Amoeba, stats::Population};
use crate::simd::{Kernel, Level};

/// The cells, row by row. Blobs are kept apart, so that matches without blobs do not pay for them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Board {
    cells: Vec<Content>,
    pub(super) occupancy: Occupancy,
    blobs: Blobs,
    pub(super) population: Population,
    /// Sum of the cells' hashes, and of those of their blobs.
    sum: u64,
    blob_sum: u64,
}

impl Board {
    /// Makes a board with sides of this length, without amoebas.
    pub(super) fn new(size: u32, fuel: impl IntoIterator<Item = u32>, species: usize) -> Board {
        let cells: Vec<Content> = fuel.into_iter().map(Content::of_fuel).collect();
        Board {
            sum: hash_sum(Level::best(), &cells),
            cells,
            occupancy: Occupancy::new(size),
            blobs: Blobs::default(),
            population: Population::new(species),
            blob_sum: 0,
        }
    }

    /// All cells, row by row.
    #[inline]
    pub(super) fn cells(&self) -> &[Content] {
        &self.cells
    }

    #[inline]
    pub(super) fn content(&self, cell: usize) -> Content {
        self.cells[cell]
    }

    #[inline]
    pub(super) fn data(&self, cell: usize) -> Option<&Blob> {
        if self.cells[cell].has_blobs() { self.blobs.get(cell).data.as_ref() } else { None }
    }

    #[inline]
    pub(super) fn function(&self, cell: usize) -> Option<&Blob> {
        if self.cells[cell].has_blobs() { self.blobs.get(cell).function.as_ref() } else { None }
    }

    /// The sum of the cells' hashes.
    pub(super) fn sum(&self) -> u64 {
        self.sum.wrapping_add(self.blob_sum)
    }

    /// The same sum, computed from scratch.
    #[cfg(test)]
    pub(super) fn computed_sum(&self) -> u64 {
        let blobs = (0..self.cells.len()).map(|cell| self.blob_share(cell));
        blobs.fold(hash_sum(Level::best(), &self.cells), u64::wrapping_add)
    }

    /// Changes a cell, and updates hash and populations. All changes but the sunlight go through
    /// here. The caller takes care of blobs.
    #[inline]
    pub(super) fn set(&mut self, cell: usize, new: Content) {
        let old = std::mem::replace(&mut self.cells[cell], new);
        let share = |content: Content| cell_hash(cell as u64, content.hashed());
        self.sum = self.sum.wrapping_sub(share(old)).wrapping_add(share(new));
        if old.occupant() != new.occupant() {
            if old.is_empty() != new.is_empty() {
                self.occupancy.toggle(cell);
            }
            for (content, present) in [(old, false), (new, true)] {
                if let Some(species) = content.species() {
                    self.population.count(species, content.energy().into(), present);
                }
            }
        } else if let Some(species) = new.species() {
            let energy = &mut self.population.energy[species];
            *energy = energy.wrapping_sub(old.energy().into()).wrapping_add(new.energy().into());
        }
    }

    /// Puts an amoeba on an empty cell. Ignores its `x` and `y`.
    pub(super) fn put(&mut self, cell: usize, amoeba: Amoeba) {
        let Amoeba { species, energy, health, acted, data, function, .. } = amoeba;
        let content = Content::of_amoeba(species, energy, health, acted);
        self.set(cell, self.cells[cell].taken_by(content));
        if data.is_some() || function.is_some() {
            self.set_blobs(cell, data, function);
        }
    }

    /// Returns a copy of the amoeba on a cell, without its place.
    pub(super) fn amoeba(&self, cell: usize) -> Amoeba {
        let content = self.cells[cell];
        Amoeba {
            x: 0,
            y: 0,
            species: u32::from(content.occupant()) - 1,
            energy: content.energy(),
            health: content.health(),
            data: self.data(cell).cloned(),
            function: self.function(cell).cloned(),
            acted: content.acted(),
        }
    }

    /// Moves an amoeba to an empty cell. `amoeba` is its content there.
    #[inline]
    pub(super) fn relocate(&mut self, from: usize, to: usize, amoeba: Content) {
        if amoeba.has_blobs() {
            let carried = self.blobs.take(from);
            self.blob_sum = self.blob_sum.wrapping_sub(blob_share(from, &carried));
            self.blob_sum = self.blob_sum.wrapping_add(blob_share(to, &carried));
            self.blobs.set(to, carried, self.cells.len());
        }
        self.set(from, self.cells[from].vacated());
        self.set(to, self.cells[to].taken_by(amoeba));
    }

    /// Removes the amoeba from a cell, and leaves `fuel` there.
    pub(super) fn clear(&mut self, cell: usize, fuel: u32) {
        if self.cells[cell].has_blobs() {
            self.set_blobs(cell, None, None);
        }
        self.set(cell, Content::of_fuel(fuel));
    }

    /// Gives the amoeba on a cell other data.
    #[inline]
    pub(super) fn set_data(&mut self, cell: usize, data: Option<&Blob>) {
        if self.data(cell) != data {
            let function = self.function(cell).cloned();
            self.set_blobs(cell, data.cloned(), function);
        }
    }

    /// Gives the amoeba on a cell other data and another function.
    pub(super) fn set_blobs(&mut self, cell: usize, data: Option<Blob>, function: Option<Blob>) {
        let carried = Carried::new(data, function);
        self.blob_sum = self.blob_sum.wrapping_sub(self.blob_share(cell));
        self.blob_sum = self.blob_sum.wrapping_add(blob_share(cell, &carried));
        self.cells[cell] = self.cells[cell].with_blobs(!carried.is_nothing());
        self.blobs.set(cell, carried, self.cells.len());
    }

    /// Ends a round: fuel grows on empty cells, and no amoeba counts as having acted.
    ///
    /// Nearly every cell changes, so the hash is computed from scratch.
    pub(super) fn add_sunlight(&mut self, sun: u32, max: u32) {
        self.sum = end_round(Level::best(), &mut self.cells, sun, max);
    }

    fn blob_share(&self, cell: usize) -> u64 {
        blob_share(cell, self.blobs.get(cell))
    }
}

/// The share in the hash of the blobs on a cell.
#[inline]
fn blob_share(cell: usize, carried: &Carried) -> u64 {
    if carried.is_nothing() { 0 } else { cell_hash(!(cell as u64), carried.digest()) }
}

/// The data and function of one amoeba.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Carried {
    pub(super) data: Option<Blob>,
    pub(super) function: Option<Blob>,
    /// The hash of both, for the hash of the state, so that a move does not read the blobs again; 0
    /// if there is nothing.
    digest: u64,
}

impl Carried {
    pub(super) fn new(data: Option<Blob>, function: Option<Blob>) -> Carried {
        let digest = digest(data.as_ref(), function.as_ref());
        Carried { data, function, digest }
    }

    #[inline]
    pub(super) fn is_nothing(&self) -> bool {
        self.data.is_none() && self.function.is_none()
    }

    #[inline]
    pub(super) fn digest(&self) -> u64 {
        self.digest
    }
}

fn digest(data: Option<&Blob>, function: Option<&Blob>) -> u64 {
    if data.is_none() && function.is_none() {
        return 0;
    }
    let mut fold = Fold::new();
    for blob in [data, function] {
        fold.add(u64::from(blob.is_some()));
        if let Some(blob) = blob {
            fold.add_bytes(blob.bytes());
        }
    }
    fold.finish()
}

/// What the amoeba on each cell carries. Takes no memory until one carries something.
#[derive(Clone, Debug, Default)]
pub(super) struct Blobs(Vec<Carried>);

const NOTHING: Carried = Carried { data: None, function: None, digest: 0 };

impl Blobs {
    #[inline]
    pub(super) fn get(&self, cell: usize) -> &Carried {
        self.0.get(cell).unwrap_or(&NOTHING)
    }

    #[inline]
    pub(super) fn set(&mut self, cell: usize, carried: Carried, cells: usize) {
        if let Some(slot) = self.0.get_mut(cell) {
            *slot = carried;
        } else if !carried.is_nothing() {
            self.0.resize(cells, NOTHING);
            self.0[cell] = carried;
        }
    }

    #[inline]
    pub(super) fn take(&mut self, cell: usize) -> Carried {
        self.0.get_mut(cell).map(std::mem::take).unwrap_or_default()
    }

    fn carriers(&self) -> impl Iterator<Item = (usize, &Carried)> {
        self.0.iter().enumerate().filter(|(_, carried)| !carried.is_nothing())
    }
}

impl PartialEq for Blobs {
    fn eq(&self, other: &Blobs) -> bool {
        self.carriers().eq(other.carriers())
    }
}

impl Eq for Blobs {}

/// Fuel and amoeba of a cell. From the lowest bit on: 16 bits of fuel, of energy and of health; 8
/// bits of species plus 1 (0: nobody); a bit for having acted, and one for carrying blobs.
///
/// So an action reads and writes one word per cell, and a row of a window is one piece of memory.
/// On an empty cell, all but the fuel is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Content(u64);

/// The bit of an amoeba that has data or a function of its own, in
/// [`View::append_words`](super::View::append_words).
pub const CARRIES: u64 = 1 << 57;

const FUEL: u64 = 0xFFFF;
const ACTED: u64 = 1 << 56;

impl Content {
    /// An empty cell.
    #[inline]
    pub(super) fn of_fuel(fuel: u32) -> Content {
        Content(u64::from(fuel))
    }

    /// An amoeba that carries no blobs, on a cell without fuel.
    pub(super) fn of_amoeba(species: u32, energy: u32, health: u32, acted: bool) -> Content {
        let acted = if acted { ACTED } else { 0 };
        let species = u64::from(species);
        let energy = u64::from(energy);
        let health = u64::from(health);
        Content(energy << 16 | health << 32 | (species + 1) << 48 | acted)
    }

    /// Everything except whether the amoeba has acted: what a bot may see.
    #[inline]
    pub(super) fn seen(self) -> u64 {
        self.0 & !ACTED
    }

    #[inline]
    pub(super) fn fuel(self) -> u32 {
        (self.0 & FUEL) as u32
    }

    #[inline]
    pub(super) fn energy(self) -> u32 {
        (self.0 >> 16 & 0xFFFF) as u32
    }

    #[inline]
    pub(super) fn health(self) -> u32 {
        (self.0 >> 32 & 0xFFFF) as u32
    }

    /// 0 on an empty cell, otherwise the species plus 1.
    #[inline]
    pub(super) fn occupant(self) -> u8 {
        (self.0 >> 48) as u8
    }

    /// The species of the amoeba.
    #[inline]
    pub(super) fn species(self) -> Option<usize> {
        usize::from(self.occupant()).checked_sub(1)
    }

    #[inline]
    pub(super) fn is_empty(self) -> bool {
        self.0 <= FUEL
    }

    /// Whether the amoeba acted or was born in this round.
    #[inline]
    pub(super) fn acted(self) -> bool {
        self.0 & ACTED != 0
    }

    /// Whether there is an amoeba that has not acted.
    #[inline]
    pub(super) fn waits(self) -> bool {
        !self.acted() && !self.is_empty()
    }

    /// Whether the amoeba has data or a function of its own.
    #[inline]
    pub(super) fn has_blobs(self) -> bool {
        self.0 & CARRIES != 0
    }

    #[inline]
    pub(super) fn with_fuel(self, fuel: u32) -> Content {
        Content(self.0 & !FUEL | u64::from(fuel))
    }

    #[inline]
    pub(super) fn with_energy(self, energy: u32) -> Content {
        Content(self.0 & !(0xFFFF << 16) | u64::from(energy) << 16)
    }

    #[inline]
    pub(super) fn with_health(self, health: u32) -> Content {
        Content(self.0 & !(0xFFFF << 32) | u64::from(health) << 32)
    }

    #[inline]
    pub(super) fn with_blobs(self, has_blobs: bool) -> Content {
        Content(if has_blobs { self.0 | CARRIES } else { self.0 & !CARRIES })
    }

    /// The content after the amoeba has acted and has this energy left.
    #[inline]
    pub(super) fn after_acting(self, energy: u32) -> Content {
        Content(self.with_energy(energy).0 | ACTED)
    }

    /// The cell without its amoeba.
    #[inline]
    pub(super) fn vacated(self) -> Content {
        Content(self.0 & FUEL)
    }

    /// This empty cell with the amoeba of another one.
    #[inline]
    pub(super) fn taken_by(self, amoeba: Content) -> Content {
        Content(self.0 | amoeba.0 & !FUEL)
    }

    /// The cell after the end of a round: an empty cell has gained fuel, and an amoeba has not
    /// acted.
    #[inline(always)]
    pub(super) fn after_round(self, sun: u64, max_fuel: u64) -> Content {
        Content(if self.0 <= FUEL { (self.0 + sun).min(max_fuel) } else { self.0 & !ACTED })
    }

    /// The part that enters the hash of the state; blobs enter it separately.
    #[inline(always)]
    pub(super) fn hashed(self) -> u64 {
        self.0 & !CARRIES
    }
}

/// A bit per cell; every row begins with a word of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Occupancy {
    size: u32,
    words: usize,
    rows: Vec<u64>,
}

impl Occupancy {
    /// An empty world with sides of this length.
    pub(super) fn new(size: u32) -> Occupancy {
        let words = size.div_ceil(64) as usize;
        Occupancy { size, words, rows: vec![0; words * size as usize] }
    }

    /// Notes that an amoeba has come to or left a cell.
    #[inline]
    pub(super) fn toggle(&mut self, cell: usize) {
        let (x, y) = (cell as u32 % self.size, cell as u32 / self.size);
        self.rows[y as usize * self.words + x as usize / 64] ^= 1 << (x % 64);
    }

    /// The occupied cells of a row within `columns`, in order.
    #[inline]
    pub(super) fn among(&self, row: u32, columns: &[u64]) -> impl Iterator<Item = u32> {
        let start = row as usize * self.words;
        let words = self.rows[start..start + self.words].iter().zip(columns);
        words.zip((row * self.size..).step_by(64)).flat_map(|((occupied, wanted), first)| {
            let mut bits = occupied & wanted;
            std::iter::from_fn(move || {
                let bit = (bits != 0).then(|| bits.trailing_zeros());
                bits &= bits.wrapping_sub(1);
                bit.map(|bit| first + bit)
            })
        })
    }
}

/// Lets fuel grow on empty cells, and marks all amoebas as not having acted. Returns the new sum of
/// the cells' hashes.
fn end_round(level: Level, cells: &mut [Content], sun: u32, max_fuel: u32) -> u64 {
    level.run(RoundEnd { cells, sun: sun.into(), max_fuel: max_fuel.into() })
}

/// The sum of the cells' hashes, without blobs.
fn hash_sum(level: Level, cells: &[Content]) -> u64 {
    level.run(HashSum(cells))
}

struct RoundEnd<'a> {
    cells: &'a mut [Content],
    sun: u64,
    max_fuel: u64,
}

impl Kernel for RoundEnd<'_> {
    type Output = u64;

    #[inline(always)]
    fn run(self) -> u64 {
        let mut sum = 0u64;
        for (content, index) in self.cells.iter_mut().zip(0u64..) {
            *content = content.after_round(self.sun, self.max_fuel);
            sum = sum.wrapping_add(cell_hash(index, content.hashed()));
        }
        sum
    }
}

struct HashSum<'a>(&'a [Content]);

impl Kernel for HashSum<'_> {
    type Output = u64;

    #[inline(always)]
    fn run(self) -> u64 {
        let share = |(content, index): (&Content, u64)| cell_hash(index, content.hashed());
        self.0.iter().zip(0u64..).map(share).fold(0, u64::wrapping_add)
    }
}
