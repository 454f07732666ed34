//! What a bot knows and has decided so far, cell by cell.

use crate::binfection::{Answer, Cell, Direction, Move, View};

/// The own cells with what lies beside them, and the orders given.
pub(super) struct Scout {
    /// The own cells, in order of rows, then columns.
    pub(super) own: Vec<Cell>,
    /// What lies in each direction; `None` outside of the field.
    pub(super) beside: Vec<[Option<Cell>; 4]>,
    /// Where half of the units go.
    pub(super) orders: Vec<Option<Direction>>,
    /// Units that the orders bring to the own cells.
    pub(super) supply: Vec<u64>,
}

impl Scout {
    pub(super) fn new(view: &View<'_>) -> Scout {
        let own: Vec<Cell> = view.own().collect();
        let look = |cell: &Cell| Direction::ALL.map(|direction| view.next_to(cell.x, cell.y, direction));
        let beside = own.iter().map(look).collect();
        Scout { beside, orders: vec![None; own.len()], supply: vec![0; own.len()], own }
    }

    /// The number of the own cell at this place.
    pub(super) fn find(&self, x: u32, y: u32) -> Option<usize> {
        self.own.binary_search_by_key(&(y, x), |cell| (cell.y, cell.x)).ok()
    }

    /// Cells that can move and have no order yet.
    pub(super) fn idle(&self) -> impl Iterator<Item = usize> + use<> {
        let idle: Vec<usize> = (0..self.own.len()).filter(|&i| self.is_idle(i)).collect();
        idle.into_iter()
    }

    pub(super) fn is_idle(&self, i: usize) -> bool {
        self.orders[i].is_none() && self.own[i].units > 1
    }

    /// What lies beside a cell, with the direction.
    pub(super) fn around(&self, i: usize) -> impl Iterator<Item = (Direction, Cell)> + '_ {
        Direction::ALL
            .into_iter()
            .zip(self.beside[i])
            .filter_map(|(direction, cell)| Some((direction, cell?)))
    }

    pub(super) fn is_enemy(&self, cell: &Cell) -> bool {
        cell.owner.is_some() && cell.owner != self.own[0].owner
    }

    /// Whether another's or nobody's cell is beside this one.
    pub(super) fn is_front(&self, i: usize) -> bool {
        self.around(i).any(|(_, next)| next.owner != self.own[i].owner)
    }

    /// The units that enemies beside a cell can send into it at once.
    pub(super) fn threat(&self, i: usize) -> u64 {
        self.around(i).filter(|(_, next)| self.is_enemy(next)).map(|(_, next)| next.units / 2).sum()
    }

    /// Sends half of a cell's units.
    pub(super) fn order(&mut self, i: usize, direction: Direction) {
        self.orders[i] = Some(direction);
        if let Some(next) = self.beside[i][usize::from(u8::from(direction))]
            && let Some(target) = self.find(next.x, next.y)
        {
            self.supply[target] += self.own[i].units / 2;
        }
    }

    pub(super) fn answer(&self) -> Answer {
        let moves = self.own.iter().zip(&self.orders);
        let moves =
            moves.filter_map(|(cell, order)| Some(Move { x: cell.x, y: cell.y, direction: (*order)? }));
        Answer { moves: moves.collect() }
    }
}
