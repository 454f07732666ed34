//! The contents of all cells: fuel and amoebas. All changes go through it, and it keeps the hash
//! and the populations up to date.

use crate::simd::Level;
use agon_core::{Blob, cell_hash};

use super::{
    blobs::{Blobs, Carried},
    content::Content,
    occupancy::Occupancy,
    position::Amoeba,
    round_end,
    stats::Population,
};

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
            sum: round_end::hash_sum(Level::best(), &cells),
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
        blobs.fold(round_end::hash_sum(Level::best(), &self.cells), u64::wrapping_add)
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
        self.sum = round_end::end_round(Level::best(), &mut self.cells, sun, max);
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
