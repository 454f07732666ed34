//! The built-in bot `swarm`: spreads thinly over the whole board, and fills it when there is no
//! more to take.

use agon_core::{Builtin, Param, Policy, Rng};

use super::directions::{enemies, free};
use crate::cellhack::{Action, Answer, Cellhack, Direction, EMPTY, Env, View};

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

/// The free direction with the most free places on its side, and their number, 1 to 3.
fn roomiest(env: &Env, rng: &mut Rng) -> Option<(Direction, usize)> {
    let room = |d: Direction| side(d).into_iter().filter(|&place| env.0[place] == EMPTY).count();
    let free = free(env);
    let most = free.iter().map(|&d| room(d)).max()?;
    let best: Vec<_> = free.into_iter().filter(|&d| room(d) == most).collect();
    rng.pick(&best).map(|&d| (d, most))
}

/// The three places of the neighbourhood on one side.
fn side(direction: Direction) -> [usize; 3] {
    match direction {
        Direction::Up => [0, 1, 2],
        Direction::Left => [0, 3, 6],
        Direction::Right => [2, 5, 8],
        Direction::Down => [6, 7, 8],
    }
}
