//! The built-in bot `nasty`: hits any hostile neighbour, and otherwise lives like
//! `mindless-divider`.

use agon_core::{Builtin, Param, Policy, Rng};

use super::{
    mindless::{Divider, PROBABILITY},
    target::{TARGET, Target},
};
use crate::amoebas::{Amoebas, Answer, View, helpers};

pub(super) const BUILTIN: Builtin<Amoebas> = Builtin {
    name: "nasty",
    version: 1,
    summary: "hits hostile neighbours, otherwise lives like mindless-divider",
    params: &[PROBABILITY, Param { default: "random", ..TARGET }],
    make: |params| {
        let divider = Divider { probability: params.number("probability", 0..=100)? };
        Ok(Box::new(Nasty { divider, target: Target::from_params(params)? }))
    },
};

struct Nasty {
    divider: Divider,
    target: Target,
}

impl Policy<Amoebas> for Nasty {
    /// It does not check its energy before it hits: without enough energy, a hit becomes a rest.
    fn decide(&mut self, view: &View<'_>, rng: &mut Rng) -> Answer {
        match self.target.select(view, helpers::hostile_neighbors(view), rng) {
            Some(dir) => Answer::hit(dir),
            None => self.divider.decide(view, rng),
        }
    }
}
