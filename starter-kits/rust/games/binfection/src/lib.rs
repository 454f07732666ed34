//! A bot for binfection that makes random moves: half of its cells send units somewhere.
#![deny(unsafe_code)]

mod agon;

use agon::{records::*, Behind, Decision, Player, Random, Start};

/// What the bot knows from turn to turn.
pub struct Bot {
    random: Random,
}

impl Bot {
    /// The moves of a turn. Change this. The cells are in order, row by row.
    fn moves(&mut self, player: u32, cells: &[Cell]) -> Vec<Move> {
        let mut moves = Vec::new();
        for cell in cells {
            // 0 is nobody, else it is the player plus one. A single unit cannot move.
            let own = u32::from(cell.owner) == player + 1;
            if own && cell.units >= 2 && self.random.percent(50) {
                let direction = self.random.below(4) as u8;
                moves.push(Move {
                    x: cell.x,
                    y: cell.y,
                    direction,
                    ..Move::default()
                });
            }
        }
        moves
    }
}

impl Player for Bot {
    fn new(start: &Start<'_>) -> Bot {
        Bot {
            random: start.random(),
        }
    }

    fn decide(&mut self, seen: &Decision<'_>, behind: &mut Behind<'_>) -> Answer {
        let cells = seen.array(seen.cells_offset, seen.cells as usize);
        let moves = self.moves(seen.player(), cells);
        let moves_offset = behind.append(&moves);
        Answer {
            answered: 1,
            moves: moves.len() as u32,
            moves_offset,
            ..Answer::default()
        }
    }
}
