//! [`Wishes`]: the answers of a turn as one byte per place of the board. `transfer.rs` reads them
//! in vectors, so rows have copies of their neighbours across the edges.

use agon_core::Decision;

use super::{Answer, ROCK, board::Board};

/// Stands for a rock; no action has this byte. An empty place has 0.
pub(super) const WALL: u8 = 0xFF;

/// Number of places of a row that are worked on together.
pub(super) const PART: usize = 64;

/// A part of a row, with one more place on either side.
pub(super) type Padded = [u8; PART + 2];

/// The action that the cell on each place wants, as a byte.
#[derive(Debug, Default)]
pub(super) struct Wishes {
    /// One per place.
    bytes: Vec<u8>,
    /// The same with copies from across the edges: one more place on each side of a row, and one
    /// more row above and below. Each row ends with zeros, so that its last part is whole.
    padded: Vec<u8>,
    /// Bytes of a row of `padded`.
    stride: usize,
}

impl Wishes {
    /// Notes the answers of the cells of `batch`, and changes their memories.
    pub(super) fn note(&mut self, board: &mut Board, batch: &[Decision], answers: &[Answer]) {
        let places = board.owner.len();
        self.bytes.resize(places, 0);
        for (byte, &owner) in self.bytes.iter_mut().zip(&board.owner) {
            *byte = if owner == ROCK { WALL } else { 0 };
        }
        let bytes = &mut self.bytes[..places];
        let memories = &mut board.memory[..places];
        for (decision, answer) in batch.iter().zip(answers) {
            let index = decision.unit as usize;
            bytes[index] = answer.action.byte();
            if let Some(memory) = answer.memory {
                memories[index] = memory;
            }
        }
        self.pad(board.width as usize, board.height as usize);
    }

    fn pad(&mut self, width: usize, height: usize) {
        self.stride = width.next_multiple_of(PART) + 2;
        self.padded.resize(self.stride * (height + 2), 0);
        for (i, row) in self.padded.chunks_exact_mut(self.stride).enumerate() {
            let from = &self.bytes[(i + height - 1) % height * width..][..width];
            row[0] = from[width - 1];
            row[1..=width].copy_from_slice(from);
            row[width + 1] = from[0];
        }
    }

    /// Returns the part that starts at column `x`, of row `y` and of the rows above and below it.
    #[inline(always)]
    pub(super) fn around(&self, x: usize, y: usize) -> [&Padded; 3] {
        std::array::from_fn(|i| {
            let part = self.padded[(y + i) * self.stride + x..].first_chunk();
            part.expect("rows consist of whole parts")
        })
    }
}

#[cfg(test)]
mod tests {
    use agon_core::{Game, Player, Seed};

    use super::*;
    use crate::cellhack::{Action, Cell, Cellhack, Place, Position, Rules};

    #[test]
    fn rows_wrap_around() {
        let rules = Rules { width: 4, height: 3, ..Rules::default() };
        let cell = |x, y, player| Cell { x, y, player, energy: 50, memory: 3 };
        let cells = vec![cell(1, 0, 0), cell(2, 2, 1)];
        let rocks = vec![Place { x: 3, y: 2 }];
        let position = Position { players: 2, turn: 0, cells, rocks };
        let mut board = Cellhack::from_position(&rules, Seed(1), position).unwrap().board;
        let batch = [Decision::new(Player(0), 1), Decision::new(Player(1), 10)];
        let answers = [Answer { action: Action::Rest, memory: Some(5) }, Answer::new(Action::Die)];
        let mut wishes = Wishes::default();
        wishes.note(&mut board, &batch, &answers);
        let expected = [[WALL, 0, 0, 3, WALL, 0], [0, 0, 1, 0, 0, 0], [0; 6]];
        assert_eq!(wishes.around(0, 0).map(|row| &row[..6]), expected.each_ref());
        let expected = [[0; 6], [WALL, 0, 0, 3, WALL, 0], [0, 0, 1, 0, 0, 0]];
        assert_eq!(wishes.around(0, 2).map(|row| &row[..6]), expected.each_ref());
        assert_eq!((board.memory[1], board.memory[10]), (5, 3));
    }
}
