//! The built-in bot `random`: moves some of its cells in any direction.

use agon_core::{ParamError, Params, Policy, Rng};

use crate::binfection::{Answer, Binfection, Direction, Move, View};

struct Random {
    /// Chance in percent that a cell moves.
    restless: u64,
}

pub(super) fn make(params: &Params) -> Result<Box<dyn Policy<Binfection>>, ParamError> {
    Ok(Box::new(Random { restless: params.number("restless", 0..=100)? }))
}

impl Policy<Binfection> for Random {
    fn decide(&mut self, view: &View<'_>, rng: &mut Rng) -> Answer {
        let mut moves = Vec::new();
        for cell in view.own() {
            if rng.chance(self.restless, 100) {
                moves.push(Move { x: cell.x, y: cell.y, direction: Direction::ALL[rng.index(4)] });
            }
        }
        Answer { moves }
    }
}
