//! A bot for cellhack that makes random moves: each cell rests, or acts in a random direction.
#![deny(unsafe_code)]

mod agon;

use agon::{records::*, Behind, Decision, Player, Random, Start};

const DIRECTIONS: [u8; 4] = [UP, LEFT, RIGHT, DOWN];

/// What the bot knows beside what the cells remember.
pub struct Bot {
    random: Random,
}

impl Player for Bot {
    fn new(start: &Start<'_>) -> Bot {
        Bot {
            random: start.random(),
        }
    }

    /// What one cell does. Change this.
    fn decide(&mut self, cell: &Decision<'_>, _: &mut Behind<'_>) -> Answer {
        let direction = DIRECTIONS[self.random.below(4)];
        let action = match cell.env[usize::from(direction)] {
            EMPTY if self.random.percent(25) => SPLIT + direction,
            EMPTY if self.random.percent(33) => MOVE + direction,
            EMPTY | ROCK => REST,
            own if own == cell.env[usize::from(CENTER)] => REST,
            _enemy => EAT + direction,
        };
        // The memory is what the cell remembers next turn.
        Answer {
            action,
            memory: cell.memory,
            ..Answer::default()
        }
    }
}
