//! [`View`]: what one cell may know, its energy, its memory and the nine places around it. Built-in
//! bots decide by it, and hosts make their questions of it.

use super::{Cellhack, Direction, EMPTY, ROCK, Rules};

/// The nine places around a cell, row by row from the top left one to the bottom right one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Env(pub [u8; 9]);

impl Env {
    /// The mark of the place there: [`EMPTY`], [`ROCK`], or a player's number plus one.
    pub fn at(&self, direction: Direction) -> u8 {
        self.0[direction as usize]
    }

    /// The mark of the cell itself: its player's number plus one.
    pub fn own(&self) -> u8 {
        self.0[4]
    }

    /// Whether the place is free.
    pub fn is_empty(&self, direction: Direction) -> bool {
        self.at(direction) == EMPTY
    }

    /// Whether a cell of the same player is there.
    pub fn is_family(&self, direction: Direction) -> bool {
        self.at(direction) == self.own()
    }

    /// Whether another player's cell is there.
    pub fn is_enemy(&self, direction: Direction) -> bool {
        ![EMPTY, ROCK, self.own()].contains(&self.at(direction))
    }

    /// How many of the eight neighbours are occupied, by cells or rocks.
    pub fn occupied(&self) -> usize {
        self.0.iter().filter(|&&mark| mark != EMPTY).count() - 1
    }
}

/// What one cell may know.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    game: &'a Cellhack,
    index: usize,
}

impl<'a> View<'a> {
    #[inline]
    pub(super) fn new(game: &'a Cellhack, index: usize) -> View<'a> {
        View { game, index }
    }

    /// The places around the cell.
    #[inline]
    pub fn env(&self) -> Env {
        self.game.board.env(self.index)
    }

    /// The cell's energy; 255 stands for all that does not fit a byte.
    #[inline]
    pub fn energy(&self) -> u8 {
        u8::try_from(self.game.board.energy[self.index]).unwrap_or(u8::MAX)
    }

    /// The cell's memory.
    #[inline]
    pub fn memory(&self) -> u64 {
        self.game.board.memory[self.index]
    }

    /// The settings of the match, known to everybody.
    pub fn rules(&self) -> &'a Rules {
        &self.game.rules
    }
}
