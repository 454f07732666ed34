//! [`Position`]: the whole state as JSON that people can read and write. Scenarios start from one,
//! and replays store one at the start and in key frames.

use std::fmt::Arguments;

use agon_core::{Seed, SetupError, error::Problems};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Cellhack, Direction, EMPTY, ROCK, Rules, board::Board, rules::MAX_PLACES};
use crate::bounded_list::at_most;

/// The whole state of a match: what is on the board, and when.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Position {
    /// Number of players, 1 to 254, those without cells included.
    pub players: u16,
    /// Turns played so far.
    #[serde(default)]
    pub turn: u32,
    /// All living cells, at different places; written row by row, read in any order.
    #[serde(deserialize_with = "at_most::<_, _, { MAX_PLACES as usize }>")]
    pub cells: Vec<Cell>,
    /// Places with a rock: nothing can enter, eat or feed it.
    #[serde(default, deserialize_with = "at_most::<_, _, { MAX_PLACES as usize }>")]
    pub rocks: Vec<Place>,
}

/// A living cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cell {
    /// Column, from 0 at the left.
    pub x: u32,
    /// Row, from 0 at the top.
    pub y: u32,
    /// The player it belongs to, from 0. (Bots see this number plus one.)
    pub player: u16,
    /// Its energy, up to `energy_max`. Less than `energy_min` is possible: such a cell dies unless
    /// it gains enough in the first turn.
    pub energy: u16,
    /// Its memory.
    #[serde(default)]
    pub memory: u64,
}

/// A place on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// Column, from 0 at the left.
    pub x: u32,
    /// Row, from 0 at the top.
    pub y: u32,
}

/// Sets up a game, or names everything that is wrong.
pub(super) fn load(rules: &Rules, seed: Seed, position: &Position) -> Result<Cellhack, SetupError> {
    let mut problems = Problems::new();
    rules.check(position.players.into(), &mut problems);
    // Stop here: with wrong settings the places mean nothing, and the board may be too large for
    // memory.
    problems.finish()?;
    let mut problems = Problems::new();
    problems.range("turn", position.turn, 0..=rules.turns);
    let mut board = Board::new(rules);
    for (i, cell) in position.cells.iter().enumerate() {
        put_cell(
            rules,
            position.players,
            &mut board,
            format_args!("cells[{i}]"),
            cell,
            &mut problems,
        );
    }
    for (i, &Place { x, y }) in position.rocks.iter().enumerate() {
        if let Some(index) =
            free_place(&board, rules, format_args!("rocks[{i}]"), x, y, &mut problems)
        {
            board.put(index, ROCK, 0, 0);
        }
    }
    problems.finish()?;
    Ok(Cellhack::with_board(rules.clone(), seed, position.players.into(), position.turn, board))
}

fn put_cell(
    rules: &Rules,
    players: u16,
    board: &mut Board,
    what: Arguments<'_>,
    cell: &Cell,
    problems: &mut Problems,
) {
    problems.require(cell.player < players, format_args!("{what}.player"), || {
        format!("{} is none of the {players} players, who are numbered from 0", cell.player)
    });
    problems.range(format_args!("{what}.energy"), cell.energy, 0..=rules.energy_max);
    if let Some(index) = free_place(board, rules, what, cell.x, cell.y, problems) {
        // A wrong player is already reported; the mark only keeps the place taken.
        let owner = u8::try_from(cell.player).map_or(ROCK, |player| player.saturating_add(1));
        board.put(index, owner, cell.energy.into(), cell.memory);
    }
}

fn free_place(
    board: &Board,
    rules: &Rules,
    what: Arguments<'_>,
    x: u32,
    y: u32,
    problems: &mut Problems,
) -> Option<usize> {
    let Rules { width, height, .. } = rules;
    let inside = x < *width && y < *height;
    problems.require(inside, what, || {
        format!("({x}, {y}) is outside of the board of {width} × {height}")
    });
    let index = inside.then(|| board.index(x, y))?;
    let free = board.owner[index] == EMPTY;
    problems.require(free, what, || format!("the place ({x}, {y}) is already taken"));
    free.then_some(index)
}

/// The position of a game.
pub(super) fn save(game: &Cellhack) -> Position {
    let board = &game.board;
    let cell = |(index, owner): (usize, u8)| {
        let (x, y) = board.xy(index);
        let energy = u16::try_from(board.energy[index]).expect("energy stays within energy_max");
        Cell { x, y, player: u16::from(owner) - 1, energy, memory: board.memory[index] }
    };
    let rocks = (0..board.owner.len()).filter(|&index| board.owner[index] == ROCK);
    let place = |index| {
        let (x, y) = board.xy(index);
        Place { x, y }
    };
    Position {
        players: game.counts.len() as u16,
        turn: game.turns_played,
        cells: board.cells().map(cell).collect(),
        rocks: rocks.map(place).collect(),
    }
}

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

#[cfg(test)]
mod tests {
    use agon_core::Game;

    use super::*;

    fn load_json(json: &str) -> Result<Cellhack, SetupError> {
        let rules = Rules { width: 5, height: 4, ..Rules::default() };
        Cellhack::from_position(&rules, Seed(1), serde_json::from_str(json).unwrap())
    }

    #[test]
    fn a_short_position_is_enough() {
        let game = load_json(
            r#"{"players": 2, "cells": [
                {"x": 1, "y": 2, "player": 1, "energy": 30},
                {"x": 0, "y": 0, "player": 0, "energy": 100, "memory": 7}
            ], "rocks": [{"x": 4, "y": 3}]}"#,
        )
        .unwrap();
        assert_eq!(game.cell_counts(), [1, 1]);
        assert_eq!(game.place(11), (2, 30, 0));
        assert_eq!(game.place(19), (ROCK, 0, 0));
        assert_eq!(game.position().cells[0].memory, 7);
    }

    #[test]
    fn all_problems_are_told_with_their_place() {
        let error = load_json(
            r#"{"players": 2, "turn": 501, "cells": [
                {"x": 5, "y": 0, "player": 0, "energy": 100},
                {"x": 1, "y": 1, "player": 65535, "energy": 257}
            ], "rocks": [{"x": 1, "y": 1}]}"#,
        );
        assert_eq!(
            error.unwrap_err().to_string(),
            "turn: 501 is not between 0 and 500; cells[0]: (5, 0) is outside of the board of 5 × \
             4; cells[1].player: 65535 is none of the 2 players, who are numbered from 0; \
             cells[1].energy: 257 is not between 0 and 256; rocks[0]: the place (1, 1) is already \
             taken"
        );
    }

    #[test]
    fn players_without_cells_are_out() {
        let game =
            load_json(r#"{"players": 2, "cells": [{"x": 0, "y": 0, "player": 1, "energy": 20}]}"#);
        let standing = game.unwrap().standing();
        assert_eq!(
            standing.players.iter().map(|p| (p.place, p.out)).collect::<Vec<_>>(),
            [(2, true), (1, false)]
        );
        assert_eq!(standing.outcome.unwrap().reason, "alone on the board after 0 turns");
    }
}
