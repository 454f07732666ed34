//! What lies on the cells: fuel and amoebas, with their hash and their totals kept up to date.

use agon_core::{Blob, Fold, cell_hash};

use super::{blobs::Blobs, position::Amoeba, stats::Population};

/// The cells, row by row, one vector per field. Where no amoeba is, its fields are 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Board {
    pub(super) fuel: Vec<u16>,
    /// 0 where the cell is empty, otherwise the species plus 1.
    pub(super) occupant: Vec<u8>,
    pub(super) energy: Vec<u16>,
    pub(super) health: Vec<u16>,
    /// Whether the amoeba acted or was born in this round.
    pub(super) acted: Vec<bool>,
    pub(super) data: Blobs,
    pub(super) function: Blobs,
    pub(super) population: Population,
    /// Sum of the cells' hashes.
    sum: u64,
}

impl Board {
    pub(super) fn new(fuel: Vec<u16>, species: usize) -> Board {
        let cells = fuel.len();
        let mut board = Board {
            fuel,
            occupant: vec![0; cells],
            energy: vec![0; cells],
            health: vec![0; cells],
            acted: vec![false; cells],
            data: Blobs::default(),
            function: Blobs::default(),
            population: Population::new(species),
            sum: 0,
        };
        board.sum = board.computed_sum();
        board
    }

    #[inline]
    pub(super) fn is_empty(&self, cell: usize) -> bool {
        self.occupant[cell] == 0
    }

    #[inline]
    pub(super) fn species(&self, cell: usize) -> Option<usize> {
        usize::from(self.occupant[cell]).checked_sub(1)
    }

    /// The sum of the cells' hashes.
    pub(super) fn sum(&self) -> u64 {
        self.sum
    }

    /// The same sum, from scratch.
    pub(super) fn computed_sum(&self) -> u64 {
        (0..self.fuel.len()).fold(0, |sum, cell| sum.wrapping_add(self.share(cell)))
    }

    /// Changes a cell and accounts for it; all changes but the sunshine go through here.
    #[inline]
    pub(super) fn edit<R>(&mut self, cell: usize, change: impl FnOnce(&mut Board) -> R) -> R {
        self.sum = self.sum.wrapping_sub(self.share(cell));
        self.count(cell, false);
        let result = change(self);
        self.count(cell, true);
        self.sum = self.sum.wrapping_add(self.share(cell));
        result
    }

    /// Puts an amoeba on an empty cell (its own place is not looked at).
    pub(super) fn put(&mut self, cell: usize, amoeba: Amoeba) {
        self.edit(cell, |board| {
            board.occupant[cell] = amoeba.species as u8 + 1;
            board.energy[cell] = amoeba.energy as u16;
            board.health[cell] = amoeba.health as u16;
            board.acted[cell] = amoeba.acted;
            board.set_data(cell, amoeba.data);
            board.set_function(cell, amoeba.function);
        });
    }

    /// A copy of the amoeba on a cell, its place left open.
    pub(super) fn amoeba(&self, cell: usize) -> Amoeba {
        Amoeba {
            x: 0,
            y: 0,
            species: u32::from(self.occupant[cell]) - 1,
            energy: self.energy[cell].into(),
            health: self.health[cell].into(),
            data: self.data.get(cell).cloned(),
            function: self.function.get(cell).cloned(),
            acted: self.acted[cell],
        }
    }

    /// Takes the amoeba off a cell. Only within [`Board::edit`].
    pub(super) fn clear(&mut self, cell: usize) {
        self.occupant[cell] = 0;
        self.energy[cell] = 0;
        self.health[cell] = 0;
        self.acted[cell] = false;
        self.data.take(cell);
        self.function.take(cell);
    }

    /// Only within [`Board::edit`].
    #[inline]
    pub(super) fn set_data(&mut self, cell: usize, data: Option<Blob>) {
        self.data.set(cell, data, self.fuel.len());
    }

    /// Only within [`Board::edit`].
    #[inline]
    pub(super) fn set_function(&mut self, cell: usize, function: Option<Blob>) {
        self.function.set(cell, function, self.fuel.len());
    }

    /// The end of a round: fuel grows on empty cells, and nobody has acted yet.
    ///
    /// Nearly every cell changes, so the hash is computed anew instead of being followed.
    pub(super) fn shine(&mut self, sun: u16, max: u16) {
        for (fuel, &occupant) in self.fuel.iter_mut().zip(&self.occupant) {
            let more = (*fuel + sun).min(max);
            *fuel = if occupant == 0 { more } else { *fuel };
        }
        self.acted.fill(false);
        self.sum = self.computed_sum();
    }

    #[inline]
    fn share(&self, cell: usize) -> u64 {
        let content = u64::from(self.fuel[cell])
            | u64::from(self.energy[cell]) << 16
            | u64::from(self.health[cell]) << 32
            | u64::from(self.occupant[cell]) << 48
            | u64::from(self.acted[cell]) << 56;
        let share = cell_hash(cell as u64, content);
        match (self.data.get(cell), self.function.get(cell)) {
            (None, None) => share,
            (data, function) => share.wrapping_add(cell_hash(!(cell as u64), blobs_hash(data, function))),
        }
    }

    #[inline]
    fn count(&mut self, cell: usize, present: bool) {
        if let Some(species) = self.species(cell) {
            self.population.count(species, u64::from(self.energy[cell]), present);
        }
    }
}

fn blobs_hash(data: Option<&Blob>, function: Option<&Blob>) -> u64 {
    let mut fold = Fold::new();
    for blob in [data, function] {
        fold.add(u64::from(blob.is_some()));
        if let Some(blob) = blob {
            fold.add_bytes(blob.bytes());
        }
    }
    fold.finish()
}
