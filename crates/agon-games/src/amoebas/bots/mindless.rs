//! The built-in bots `mindless`, which wanders at random, and `mindless-divider`, which also
//! divides.

use agon_core::{Builtin, Param, Policy, Rng};

use crate::amoebas::{Amoebas, Answer, Dir, View, helpers};

pub(super) const MINDLESS: Builtin<Amoebas> = Builtin {
    name: "mindless",
    version: 1,
    summary: "wanders in random directions; it eats only when it is too weak to move",
    params: &[],
    make: |_| Ok(Box::new(Mindless)),
};

pub(super) const PROBABILITY: Param = Param {
    name: "probability",
    default: "30",
    summary: "chance in percent of dividing rather than moving, once there is energy (0 to 100)",
};

pub(super) const DIVIDER: Builtin<Amoebas> = Builtin {
    name: "mindless-divider",
    version: 1,
    summary: "eats until it has energy, then moves or divides in a random direction",
    params: &[PROBABILITY],
    make: |params| Ok(Box::new(Divider { probability: params.number("probability", 0..=100)? })),
};

struct Mindless;

impl Policy<Amoebas> for Mindless {
    fn decide(&mut self, _: &View<'_>, rng: &mut Rng) -> Answer {
        Answer::step(any_dir(rng))
    }
}

/// Divides with a chance of `probability` percent.
pub(super) struct Divider {
    pub(super) probability: u64,
}

impl Policy<Amoebas> for Divider {
    fn decide(&mut self, view: &View<'_>, rng: &mut Rng) -> Answer {
        if view.energy() < helpers::above_division_energy_level(view.rules(), 50) {
            Answer::REST
        } else if rng.chance(self.probability, 100) {
            Answer::divide(any_dir(rng))
        } else {
            Answer::step(any_dir(rng))
        }
    }
}

/// Any direction, whether something is there or not.
pub(super) fn any_dir(rng: &mut Rng) -> Dir {
    Dir::ALL[rng.index(8)]
}
