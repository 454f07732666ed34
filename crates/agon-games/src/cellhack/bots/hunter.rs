//! The built-in bot `hunter`: marches in lines, bites what it meets, and feeds its front from
//! behind.

use agon_core::{Builtin, Param, Policy, Rng};

use super::directions::{enemies, free};
use crate::cellhack::{Action, Answer, Cellhack, Direction, EMPTY, Env, ROCK, View};

pub(super) const BUILTIN: Builtin<Cellhack> = Builtin {
    name: "hunter",
    version: 1,
    summary: "Grows in lines that remember their heading, bites what it meets, feeds its front \
        from behind.",
    params: &[
        Param {
            name: "rich",
            default: "50",
            summary: "energy from which on a cell splits, 0 to 255",
        },
        Param {
            name: "full",
            default: "120",
            summary: "energy from which on a cell without a way out feeds the one ahead, 0 to 255",
        },
    ],
    make: |params| {
        Ok(Box::new(Hunter {
            rich: params.number("rich", 0..=255)?,
            full: params.number("full", 0..=255)?,
        }))
    },
};

struct Hunter {
    rich: u8,
    full: u8,
}

impl Policy<Cellhack> for Hunter {
    /// The memory holds the heading: the number of a direction, or anything else for none yet. Both
    /// halves of a split inherit it, so a line of cells shares one heading.
    fn decide(&mut self, view: &View<'_>, rng: &mut Rng) -> Answer {
        let env = view.env();
        let heading = Direction::ALL.into_iter().find(|&d| d as u64 == view.memory());
        if let Some(&enemy) = rng.pick(&enemies(&env)) {
            return Answer { action: Action::Eat(enemy), memory: Some(enemy as u64) };
        }
        if let Some(step) = ambush(&env) {
            return Answer::new(Action::Move(step));
        }
        let action = match way(&env, heading, rng) {
            Some(way) if view.energy() >= self.rich => {
                return Answer { action: Action::Split(way), memory: Some(way as u64) };
            }
            Some(_) => Action::Rest,
            None => self.locked_in(&env, view.energy(), heading),
        };
        Answer::new(action)
    }
}

impl Hunter {
    /// Without a way out, a full cell feeds the one ahead, in its heading.
    fn locked_in(&self, env: &Env, energy: u8, heading: Option<Direction>) -> Action {
        match heading {
            Some(ahead) if env.is_family(ahead) && energy >= self.full => Action::Feed(ahead),
            _ => Action::Rest,
        }
    }
}

/// The heading if the place there is free, else another free direction.
fn way(env: &Env, heading: Option<Direction>, rng: &mut Rng) -> Option<Direction> {
    let free = free(env);
    heading.filter(|heading| free.contains(heading)).or_else(|| rng.pick(&free).copied())
}

/// A free step towards an enemy at a corner, which brings it within reach.
fn ambush(env: &Env) -> Option<Direction> {
    let enemy = |place: usize| ![EMPTY, ROCK, env.own()].contains(&env.0[place]);
    let corners = |d| match d {
        Direction::Up => [0, 2],
        Direction::Left => [0, 6],
        Direction::Right => [2, 8],
        Direction::Down => [6, 8],
    };
    free(env).into_iter().find(|&d| corners(d).into_iter().any(enemy))
}
