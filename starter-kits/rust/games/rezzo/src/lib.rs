//! A bot for rezzo that makes random moves: any that are possible.
#![deny(unsafe_code)]

mod agon;

use agon::{records::*, Behind, Decision, Player, Random, Start};

/// What the bot knows from tick to tick.
pub struct Bot {
    random: Random,
}

impl Player for Bot {
    fn new(start: &Start<'_>) -> Bot {
        Bot {
            random: start.random(),
        }
    }

    /// What the agent does in this tick. Change this.
    fn decide(&mut self, seen: &Decision<'_>, _: &mut Behind<'_>) -> Answer {
        let turn = if self.random.percent(50) { LEFT } else { RIGHT };
        let action = match seen.cells[11][6] {
            _ if self.random.percent(20) => turn,
            BLANK if self.random.percent(10) => BUILD,
            BLANK => ADVANCE,
            // Flags of ten players; one's own is better left alone.
            flag @ FLAG..=b'J' if flag != FLAG + seen.me => HIT,
            CONDUCTOR | ELECTRON | TAIL | PHOTON => HIT,
            _ => turn,
        };
        Answer { action }
    }
}
