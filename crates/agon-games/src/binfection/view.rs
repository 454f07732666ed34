//! What a bot sees.

use agon_core::Player;

use super::{Binfection, Cell, Direction, Rules};

/// What a bot sees: its own cells and all around them.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    game: &'a Binfection,
    me: Player,
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
    pub fn owns(&self, x: u32, y: u32) -> bool {
        self.game.own_slot(self.me, x, y).is_some()
    }

    /// The cell next to an own cell; `None` outside of the field.
    ///
    /// # Panics
    /// If the cell at `(x, y)` is not an own one: what lies beside it may not be seen.
    pub fn next_to(&self, x: u32, y: u32, direction: Direction) -> Option<Cell> {
        let slot = self.game.own_slot(self.me, x, y).expect("a bot sees what is around its own cells only");
        let field = &self.game.field;
        field.next(field.index(slot), direction).map(|index| field.cell_at(index))
    }

    /// All own cells and their eight neighbours within the field, each once, in order of rows, then columns.
    pub fn seen(&self) -> Vec<Cell> {
        let field = &self.game.field;
        let slots = self.game.holdings.slots(self.me);
        let mut indices = Vec::with_capacity(9 * slots.len());
        // Nine sorted runs, one for each way: the sort only has to merge them.
        for way in (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (dx, dy))) {
            indices.extend(slots.iter().filter_map(|&slot| field.neighbour(field.index(slot as usize), way)));
        }
        indices.sort();
        indices.dedup();
        indices.into_iter().map(|index| field.cell_at(index)).collect()
    }
}
