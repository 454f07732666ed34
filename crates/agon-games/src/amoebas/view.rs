//! What an amoeba sees: itself and the cells around it.

use agon_core::{Blob, Player};

use super::{
    Rules,
    board::Board,
    dir::{Dir, Offset},
    torus::Torus,
};

/// The view of one amoeba. It does not know where in the world it is.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    pub(super) rules: &'a Rules,
    pub(super) torus: &'a Torus,
    pub(super) board: &'a Board,
    pub(super) place: (u32, u32),
}

/// A cell within view.
#[derive(Clone, Copy, Debug)]
pub struct CellView<'a> {
    board: &'a Board,
    cell: usize,
}

/// An amoeba within view: nothing about it is hidden, whatever its species.
#[derive(Clone, Copy, Debug)]
pub struct Occupant<'a> {
    board: &'a Board,
    cell: usize,
}

impl<'a> View<'a> {
    /// The settings of the match.
    pub fn rules(&self) -> &'a Rules {
        self.rules
    }

    /// How many cells it sees in each direction.
    pub fn view_distance(&self) -> i32 {
        self.torus.view_distance()
    }

    /// The amoeba itself.
    #[inline]
    pub fn me(&self) -> Occupant<'a> {
        Occupant { board: self.board, cell: self.torus.cell(self.place, (0, 0)) }
    }

    /// Its energy.
    #[inline]
    pub fn energy(&self) -> u32 {
        self.me().energy()
    }

    /// Its health.
    pub fn health(&self) -> u32 {
        self.me().health()
    }

    /// Its species.
    #[inline]
    pub fn species(&self) -> Player {
        self.me().species()
    }

    /// Its data.
    pub fn data(&self) -> Option<&'a Blob> {
        self.me().data()
    }

    /// Its amoeba function; `None`: the original one of its species.
    pub fn function(&self) -> Option<&'a Blob> {
        self.me().function()
    }

    /// The cell at an offset; `None` beyond the view distance.
    #[inline]
    pub fn cell(&self, dx: i32, dy: i32) -> Option<CellView<'a>> {
        let reach = self.torus.view_distance();
        let seen = dx.abs().max(dy.abs()) <= reach;
        seen.then(|| CellView { board: self.board, cell: self.torus.cell(self.place, (dx, dy)) })
    }

    /// The neighbouring cell in a direction.
    #[inline]
    pub fn neighbor(&self, dir: Dir) -> CellView<'a> {
        CellView { board: self.board, cell: self.torus.cell(self.place, dir.offset()) }
    }

    /// The positions of the section in a direction, see [`super::helpers::section`].
    pub fn section(&self, dir: Dir) -> &'a [Offset] {
        &self.torus.sections[usize::from(dir.number())]
    }
}

impl<'a> CellView<'a> {
    /// Its number in the world, which no bot may know.
    pub(super) fn number(self) -> usize {
        self.cell
    }

    /// Its fuel.
    #[inline]
    pub fn fuel(self) -> u32 {
        self.board.fuel[self.cell].into()
    }

    /// Whether no amoeba is on it.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.board.is_empty(self.cell)
    }

    /// The amoeba on it.
    #[inline]
    pub fn occupant(self) -> Option<Occupant<'a>> {
        (!self.is_empty()).then_some(Occupant { board: self.board, cell: self.cell })
    }
}

impl<'a> Occupant<'a> {
    /// Its species.
    #[inline]
    pub fn species(self) -> Player {
        Player(u16::from(self.board.occupant[self.cell]) - 1)
    }

    /// Its energy.
    #[inline]
    pub fn energy(self) -> u32 {
        self.board.energy[self.cell].into()
    }

    /// Its health.
    #[inline]
    pub fn health(self) -> u32 {
        self.board.health[self.cell].into()
    }

    /// Its data.
    pub fn data(self) -> Option<&'a Blob> {
        self.board.data.get(self.cell)
    }

    /// Its amoeba function; `None`: the original one of its species.
    pub fn function(self) -> Option<&'a Blob> {
        self.board.function.get(self.cell)
    }
}
