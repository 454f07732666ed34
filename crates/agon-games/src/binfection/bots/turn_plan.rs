//! [`TurnPlan`]: what the built-in bot `general` knows about its cells in a turn, and the orders it
//! has given them so far.

use crate::binfection::{Answer, Cell, Direction, Kind, Move, Neighbor, View};

/// The own cells with their neighbours, and the orders given so far.
pub(super) struct TurnPlan {
    /// The own cells, in order of rows, then columns.
    pub(super) own: Vec<Cell>,
    /// The neighbours of each cell by direction: 64 bytes, one line of the cache.
    beside: Vec<[Neighbor; 4]>,
    /// The direction in which each cell sends half of its units.
    orders: Vec<Option<Direction>>,
    /// Units that the orders bring to each own cell.
    pub(super) supply: Vec<u64>,
}

impl TurnPlan {
    pub(super) fn new(view: &View<'_>) -> TurnPlan {
        let own: Vec<Cell> = view.own().collect();
        let beside = (0..own.len()).map(|number| view.beside(number)).collect();
        TurnPlan { beside, orders: vec![None; own.len()], supply: vec![0; own.len()], own }
    }

    /// Cells that can move and have no order yet.
    pub(super) fn idle(&self) -> impl Iterator<Item = usize> + use<> {
        let idle: Vec<usize> = (0..self.own.len()).filter(|&i| self.is_idle(i)).collect();
        idle.into_iter()
    }

    #[inline]
    pub(super) fn is_idle(&self, i: usize) -> bool {
        self.orders[i].is_none() && self.own[i].units > 1
    }

    /// The neighbours of a cell, with their directions.
    #[inline]
    pub(super) fn around(&self, i: usize) -> impl Iterator<Item = (Direction, Neighbor)> + use<> {
        Direction::ALL.into_iter().zip(self.beside[i])
    }

    /// The own cells beside a cell, with their directions.
    #[inline]
    pub(super) fn friends(&self, i: usize) -> impl Iterator<Item = (Direction, usize)> + use<> {
        self.around(i).filter_map(|(direction, next)| match next.kind {
            Kind::Own(number) => Some((direction, number as usize)),
            _ => None,
        })
    }

    /// The enemies' cells beside a cell, with their directions and units.
    #[inline]
    pub(super) fn enemies(&self, i: usize) -> impl Iterator<Item = (Direction, u64)> + use<> {
        self.around(i)
            .filter(|(_, next)| next.kind == Kind::Enemy)
            .map(|(direction, next)| (direction, next.units))
    }

    /// The directions of the empty cells beside a cell.
    #[inline]
    pub(super) fn ways(&self, i: usize) -> impl Iterator<Item = Direction> + use<> {
        self.around(i).filter(|(_, next)| next.kind == Kind::Empty).map(|(direction, _)| direction)
    }

    /// Whether an enemy's or an empty cell is beside this one.
    pub(super) fn is_front(&self, i: usize) -> bool {
        self.beside[i].iter().any(|next| matches!(next.kind, Kind::Empty | Kind::Enemy))
    }

    /// The units that enemies beside a cell can send into it at once.
    pub(super) fn threat(&self, i: usize) -> u64 {
        self.enemies(i).map(|(_, units)| units / 2).sum()
    }

    /// Sends half of a cell's units.
    pub(super) fn order(&mut self, i: usize, direction: Direction) {
        self.orders[i] = Some(direction);
        if let Kind::Own(target) = self.beside[i][usize::from(u8::from(direction))].kind {
            self.supply[target as usize] += self.own[i].units / 2;
        }
    }

    pub(super) fn answer(&self) -> Answer {
        let mut moves = Vec::with_capacity(self.own.len());
        let all = self.own.iter().zip(&self.orders);
        moves.extend(
            all.filter_map(|(cell, order)| {
                Some(Move { x: cell.x, y: cell.y, direction: (*order)? })
            }),
        );
        Answer { moves }
    }
}

/// The place of a neighbouring cell, which must be on the field.
#[inline]
pub(super) fn place(cell: &Cell, direction: Direction) -> (u32, u32) {
    let (dx, dy) = direction.offset();
    (cell.x.wrapping_add_signed(dx), cell.y.wrapping_add_signed(dy))
}
