//! The built-in bot `swarm`: spreads thinly over the whole board, and fills it when there is no
//! more to take.

use agon_core::{Builtin, Param, Policy, Rng};

use super::directions::{enemies, roomiest};
use crate::cellhack::{Action, Answer, Cellhack, View};

pub(super) const BUILTIN: Builtin<Cellhack> = Builtin {
    name: "swarm",
    version: 1,
    summary: "Spreads thinly over the board, where resting pays, then fills it; bites where it is \
        crowded.",
    params: &[
        Param {
            name: "rich",
            default: "42",
            summary: "energy from which on a cell splits, 0 to 255",
        },
        Param {
            name: "crowd",
            default: "2",
            summary: "neighbours that make a cell walk on, 1 to 9 (never)",
        },
    ],
    make: |params| {
        Ok(Box::new(Swarm {
            rich: params.number("rich", 0..=255)?,
            crowd: params.number("crowd", 1..=9)?,
        }))
    },
};

struct Swarm {
    rich: u8,
    crowd: usize,
}

impl Policy<Cellhack> for Swarm {
    fn decide(&mut self, view: &View<'_>, rng: &mut Rng) -> Answer {
        let env = view.env();
        let roomy = roomiest(&env, rng);
        if let Some((direction, room)) = roomy {
            if view.energy() >= self.rich {
                return Answer::new(Action::Split(direction));
            }
            if room == 3 && env.occupied() >= self.crowd {
                return Answer::new(Action::Move(direction));
            }
        }
        match rng.pick(&enemies(&env)) {
            // From three neighbours on, a bite gives as much as a rest, and the enemy pays for it.
            Some(&enemy) if env.occupied() >= 3 => Answer::new(Action::Eat(enemy)),
            _ => Answer::new(Action::Rest),
        }
    }
}
