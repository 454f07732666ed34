//! [`View`]: what a player may know, its own cells and all around them. Built-in bots decide by it,
//! and hosts make their questions of it.

use agon_core::Player;

use super::{
    Binfection, Cell, Direction, Rules,
    field::Beside,
    survey::survey,
    visible_cells::{Run, visit_visible},
};

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

    /// The cell next to an own cell; `None` outside of the field.
    ///
    /// # Panics
    /// If the cell at `(x, y)` is not an own one: the bot may not see its neighbours.
    pub fn next_to(&self, x: u32, y: u32, direction: Direction) -> Option<Cell> {
        let slot = self
            .game
            .own_slot(self.me, x, y)
            .expect("a bot sees what is around its own cells only");
        let field = &self.game.field;
        field.next(field.index(slot), direction).map(|index| field.cell_at(index))
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
