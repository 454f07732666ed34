//! The built-in bot `slightly-brainy`: feeds below one threshold of energy, divides above another,
//! and hits in between.

use agon_core::{Builtin, Param, ParamError, Params, Policy, Rng};

use super::target::{TARGET, Target};
use crate::amoebas::{Amoebas, Answer, Dir, View, helpers};

pub(super) const LOW: Param =
    Param { name: "low", default: "10", summary: "energy below which it only feeds (0 to 10000)" };

pub(super) const DIVIDE: Param =
    Param { name: "divide", default: "70", summary: "energy above which it divides (0 to 10000)" };

pub(super) const BUILTIN: Builtin<Amoebas> = Builtin {
    name: "slightly-brainy",
    version: 1,
    summary: "feeds when hungry, divides when full, hits its neighbours in between",
    params: &[LOW, DIVIDE, TARGET],
    make: |params| {
        let target = Target::from_params(params)?;
        Ok(Box::new(SlightlyBrainy { thresholds: Thresholds::from_params(params)?, target }))
    },
};

/// The energies at which a slightly brainy amoeba changes its behaviour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Thresholds {
    pub(super) low: u32,
    pub(super) divide: u32,
}

impl Thresholds {
    pub(super) fn from_params(params: &Params) -> Result<Thresholds, ParamError> {
        let low = params.number("low", 0..=10_000)?;
        Ok(Thresholds { low, divide: params.number("divide", 0..=10_000)? })
    }
}

/// What a slightly brainy amoeba will do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Plan {
    Divide(Dir),
    Other(Plain),
}

/// The plans that need no further choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Plain {
    Rest,
    Move(Dir),
    Hit(Dir),
}

impl Plain {
    pub(super) fn answer(self) -> Answer {
        match self {
            Plain::Rest => Answer::REST,
            Plain::Move(dir) => Answer::step(dir),
            Plain::Hit(dir) => Answer::hit(dir),
        }
    }
}

pub(super) fn plan(view: &View<'_>, at: Thresholds, target: Target, rng: &mut Rng) -> Plan {
    if view.energy() < at.low {
        return Plan::Other(feed(view));
    }
    if view.energy() > at.divide {
        let empty = helpers::empty_neighbors(view);
        if !empty.is_empty()
            && let Some(dir) = empty.iter().nth(rng.index(empty.len()))
        {
            return Plan::Divide(dir);
        }
    }
    let hostile = helpers::hostile_neighbors(view);
    Plan::Other(target.select(view, hostile, rng).map_or_else(|| feed(view), Plain::Hit))
}

/// Eats here while there is more than a full meal, else moves towards the richest section.
fn feed(view: &View<'_>) -> Plain {
    let here = view.cell(0, 0).map_or(0, |cell| cell.fuel());
    if here > view.rules().max_fueling_energy {
        return Plain::Rest;
    }
    helpers::richest(view, helpers::empty_neighbors(view)).map_or(Plain::Rest, Plain::Move)
}

struct SlightlyBrainy {
    thresholds: Thresholds,
    target: Target,
}

impl Policy<Amoebas> for SlightlyBrainy {
    fn decide(&mut self, view: &View<'_>, rng: &mut Rng) -> Answer {
        match plan(view, self.thresholds, self.target, rng) {
            Plan::Divide(dir) => Answer::divide(dir),
            Plan::Other(plain) => plain.answer(),
        }
    }
}
