//! A bot for cluster that makes random moves: it drops a pellet into any column, and rotates now
//! and then.
#![deny(unsafe_code)]

mod agon;
mod board;

use agon::{records::*, Behind, Decision, Player, Random, Start};

/// What the bot knows from turn to turn.
pub struct Bot {
    random: Random,
}

impl Player for Bot {
    fn new(start: &Start<'_>) -> Bot {
        Bot {
            random: start.random(),
        }
    }

    /// What the player to move does. Change this.
    fn decide(&mut self, seen: &Decision<'_>, _: &mut Behind<'_>) -> Answer {
        let columns = 0..seen.columns as u16;
        let open: Vec<u16> = columns
            .filter(|&column| seen.landing(column).is_some())
            .collect();
        let hand = &seen.hand[..usize::from(seen.hand_size)];
        match (self.random.pick(&open), self.random.pick(hand)) {
            (Some(column), Some(color)) if self.random.percent(90) => place(column, color),
            _ => rotate(1 + self.random.below(5) as u8),
        }
    }
}

fn place(column: u16, color: u8) -> Answer {
    Answer {
        action: PLACE,
        column,
        color,
        ..Answer::default()
    }
}

fn rotate(cycles: u8) -> Answer {
    Answer {
        action: ROTATE,
        cycles,
        ..Answer::default()
    }
}
