//! A bot for amoebas that makes random moves: each amoeba rests, or does what it can in a random
//! direction.
#![deny(unsafe_code)]

mod agon;
mod window;

use agon::{records::*, Behind, Decision, Player, Random, Start};

/// What the species knows; what an amoeba remembers is in its data.
pub struct Bot {
    random: Random,
    move_energy: u64,
    hit_energy: u64,
    min_divide_energy: u64,
}

impl Player for Bot {
    fn new(start: &Start<'_>) -> Bot {
        let setting = |name| start.number(name).expect("the rules have this setting");
        Bot {
            random: start.random(),
            move_energy: setting("move_energy"),
            hit_energy: setting("hit_energy"),
            min_divide_energy: setting("min_divide_energy"),
        }
    }

    /// What one amoeba does. Change this. An amoeba that is to remember something must say so in
    /// each answer: `data: behind.bytes(b"...")`; `me.bytes(me.data)` is what it has remembered.
    fn decide(&mut self, me: &Decision<'_>, _behind: &mut Behind<'_>) -> Answer {
        let dir = self.random.below(8) as u8;
        let energy = u64::from(me.energy);
        let there = me.cell_towards(dir);
        let action = match there.occupant {
            0 if energy >= self.min_divide_energy && self.random.percent(20) => DIVIDE,
            0 if energy >= self.move_energy && self.random.percent(30) => MOVE,
            0 => REST,
            own if own == me.species + 1 => REST,
            _enemy if energy >= self.hit_energy => HIT,
            _enemy => REST,
        };
        Answer {
            action,
            dir,
            ..Answer::default()
        }
    }
}
