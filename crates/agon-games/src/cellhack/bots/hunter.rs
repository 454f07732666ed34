//! `hunter`: roams for enemies, bites what it meets, and lets the strong feed the weak at its side.

use agon_core::{Builtin, Param, Policy, Rng};

use super::{enemies, free};
use crate::cellhack::{Action, Answer, Cellhack, Direction, Env, View};

pub(super) const BUILTIN: Builtin<Cellhack> = Builtin {
    name: "hunter",
    summary: "Roams in straight lines for enemies and bites them; splits on the way when it is rich.",
    params: &[
        Param {
            name: "rich", default: "70", summary: "energy from which on a cell splits, 0 to 255"
        },
        Param {
            name: "hungry", default: "30", summary: "energy below which a cell rests, 0 to 255"
        },
    ],
    make: |params| {
        let (rich, hungry) = (params.number("rich", 0..=255)?, params.number("hungry", 0..=255)?);
        Ok(Box::new(Hunter { rich, hungry }))
    },
};

struct Hunter {
    rich: u8,
    hungry: u8,
}

impl Policy<Cellhack> for Hunter {
    /// The memory holds the heading: the number of a direction, or anything else for none yet.
    fn decide(&mut self, view: &View<'_>, rng: &mut Rng) -> Answer {
        let (env, energy) = (view.env(), view.energy());
        if let Some(&enemy) = rng.pick(&enemies(&env)) {
            return Answer { action: Action::Eat(enemy), memory: Some(enemy as u64) };
        }
        if energy < self.hungry {
            return Answer::new(Action::Rest);
        }
        let Some(heading) = heading(&env, view.memory(), rng) else {
            return Answer::new(locked_in(&env, energy, view.memory()));
        };
        let action = if energy >= self.rich {
            Action::Split(heading)
        } else if energy % 2 == 0 {
            // Every gain by resting is odd unless the place is crowded: walks and rests alternate.
            Action::Move(heading)
        } else {
            Action::Rest
        };
        Answer { action, memory: Some(heading as u64) }
    }
}

/// The remembered direction if its way is free, else another free one.
fn heading(env: &Env, memory: u64, rng: &mut Rng) -> Option<Direction> {
    let free = free(env);
    let known = free.iter().find(|&&d| d as u64 == memory);
    known.or_else(|| rng.pick(&free)).copied()
}

/// Without a way out, the full pass on what they have towards where they were heading.
fn locked_in(env: &Env, energy: u8, memory: u64) -> Action {
    let ahead = Direction::ALL.into_iter().find(|&d| d as u64 == memory && env.is_family(d));
    match ahead {
        Some(direction) if energy == u8::MAX => Action::Feed(direction),
        _ => Action::Rest,
    }
}
