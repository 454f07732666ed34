//! What a bot sees.

use agon_core::Player;

use super::{Binfection, Cell, Direction, Rules, area::Area, field::Place};

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
    #[inline]
    pub fn owns(&self, x: u32, y: u32) -> bool {
        self.game.own_slot(self.me, x, y).is_some()
    }

    /// The number of an own cell, from 0 in the order of [`View::own`]; `None` for others.
    #[inline]
    pub fn own_number(&self, x: u32, y: u32) -> Option<u32> {
        self.game.own_slot(self.me, x, y).map(|slot| self.game.holdings.number(slot))
    }

    /// The cell next to an own cell; `None` outside of the field.
    ///
    /// # Panics
    /// If the cell at `(x, y)` is not an own one: what lies beside it may not be seen.
    pub fn next_to(&self, x: u32, y: u32, direction: Direction) -> Option<Cell> {
        self.beside(x, y)[usize::from(u8::from(direction))]
    }

    /// The cells beside an own one, by direction; `None` outside of the field.
    ///
    /// # Panics
    /// As [`View::next_to`].
    #[inline]
    pub fn beside(&self, x: u32, y: u32) -> [Option<Cell>; 4] {
        assert!(self.owns(x, y), "a bot sees what is around its own cells only");
        self.game.field.beside(x, y)
    }

    /// All own cells and their eight neighbours within the field, each once, in order of rows, then columns.
    pub fn seen(&self) -> Vec<Cell> {
        let field = &self.game.field;
        let mut around = Area::new(field.width, field.height);
        for &slot in self.game.holdings.slots(self.me) {
            let Place { x, y } = field.places()[slot as usize];
            around.add((x.into(), y.into()));
        }
        around.widen();
        around.places().map(|(x, y)| field.at(x, y)).collect()
    }
}
