//! The built-in bot `slightly-brainy`: feeds below one threshold of energy, divides above another,
//! and hits in between.

use std::fmt;

use agon_core::{Blob, Builtin, Param, ParamError, Params, Policy, Rng};

use crate::amoebas::{Amoebas, Answer, Baggage, Command, Dir, Dirs, Rules, View, helpers};

/// The parameter that names a target.
pub(super) const TARGET: Param = Param {
    name: "target",
    default: "weakest",
    summary: "whom to hit: random, weakest, strongest, most-energy or most-energy-and-fuel",
};

/// A way to choose among the hostile neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Any of them.
    Random,
    /// The one with the lowest health, the first of equal ones.
    Weakest,
    /// The one with the highest health, the last of equal ones.
    Strongest,
    /// The one with the most energy, the last of equal ones.
    MostEnergy,
    /// The one whose energy and cell's fuel are most together, the last of equal ones.
    MostEnergyAndFuel,
}

impl Target {
    pub(super) fn from_params(params: &Params) -> Result<Target, ParamError> {
        params.choice(
            "target",
            &[
                ("random", Target::Random),
                ("weakest", Target::Weakest),
                ("strongest", Target::Strongest),
                ("most-energy", Target::MostEnergy),
                ("most-energy-and-fuel", Target::MostEnergyAndFuel),
            ],
        )
    }

    /// Chooses one of the directions, all of which hold an amoeba; `None` if there are none.
    pub fn select(self, view: &View<'_>, dirs: Dirs, rng: &mut Rng) -> Option<Dir> {
        let who = |dir: Dir| view.neighbor(dir).occupant();
        let health = |dir: &Dir| who(*dir).map(|other| other.health());
        let energy = |dir: &Dir| who(*dir).map(|other| other.energy());
        match self {
            Target::Random if dirs.is_empty() => None,
            Target::Random => dirs.iter().nth(rng.index(dirs.len())),
            // Among equals, `min_by_key` takes the first and `max_by_key` the last.
            Target::Weakest => dirs.iter().min_by_key(health),
            Target::Strongest => dirs.iter().max_by_key(health),
            Target::MostEnergy => dirs.iter().max_by_key(energy),
            Target::MostEnergyAndFuel => dirs
                .iter()
                .max_by_key(|dir| energy(dir).map(|energy| energy + view.neighbor(*dir).fuel())),
        }
    }
}

const LOW: Param =
    Param { name: "low", default: "10", summary: "energy below which it only feeds (0 to 10000)" };

const DIVIDE_ABOVE: Param =
    Param { name: "divide", default: "70", summary: "energy above which it divides (0 to 10000)" };

pub(super) const SLIGHTLY_BRAINY: Builtin<Amoebas> = Builtin {
    name: "slightly-brainy",
    version: 1,
    summary: "feeds when hungry, divides when full, hits its neighbours in between",
    params: &[LOW, DIVIDE_ABOVE, TARGET],
    make: |params| {
        let target = Target::from_params(params)?;
        Ok(Box::new(SlightlyBrainy { thresholds: Thresholds::from_params(params)?, target }))
    },
};

/// The energies at which a slightly brainy amoeba changes its behaviour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Thresholds {
    low: u32,
    divide: u32,
}

impl Thresholds {
    fn from_params(params: &Params) -> Result<Thresholds, ParamError> {
        let low = params.number("low", 0..=10_000)?;
        Ok(Thresholds { low, divide: params.number("divide", 0..=10_000)? })
    }
}

/// What a slightly brainy amoeba does.
fn answer(view: &View<'_>, at: Thresholds, target: Target, rng: &mut Rng) -> Answer {
    if view.energy() < at.low {
        return feed(view);
    }
    if view.energy() > at.divide {
        let empty = helpers::empty_neighbors(view);
        if !empty.is_empty()
            && let Some(dir) = empty.iter().nth(rng.index(empty.len()))
        {
            return Answer::divide(dir);
        }
    }
    let hostile = helpers::hostile_neighbors(view);
    target.select(view, hostile, rng).map_or_else(|| feed(view), Answer::hit)
}

/// Eats here while there is more than a full meal, else moves towards the richest section.
fn feed(view: &View<'_>) -> Answer {
    let here = view.cell(0, 0).map_or(0, |cell| cell.fuel());
    if here > view.rules().max_fueling_energy {
        return Answer::REST;
    }
    helpers::richest(view, helpers::empty_neighbors(view)).map_or(Answer::REST, Answer::step)
}

struct SlightlyBrainy {
    thresholds: Thresholds,
    target: Target,
}

impl Policy<Amoebas> for SlightlyBrainy {
    fn decide(&mut self, view: &View<'_>, rng: &mut Rng) -> Answer {
        answer(view, self.thresholds, self.target, rng)
    }
}

pub(super) const MUTATING: Builtin<Amoebas> = Builtin {
    name: "mutating",
    version: 1,
    summary: "slightly-brainy, with thresholds that mutate at divisions and so evolve",
    params: &[
        LOW,
        DIVIDE_ABOVE,
        TARGET,
        Param {
            name: "rate",
            default: "20",
            summary: "chance of a mutation in percent (0 to 100)",
        },
        Param {
            name: "range",
            default: "5",
            summary: "largest change of a threshold (0 to 10000)",
        },
    ],
    make: |params| {
        Ok(Box::new(Mutating {
            original: Thresholds::from_params(params)?,
            target: Target::from_params(params)?,
            rate: params.number("rate", 0..=100)?,
            range: params.number("range", 0..=10_000)?,
        }))
    },
};

struct Mutating {
    original: Thresholds,
    target: Target,
    rate: u64,
    range: i64,
}

impl Policy<Amoebas> for Mutating {
    fn decide(&mut self, view: &View<'_>, rng: &mut Rng) -> Answer {
        let thresholds = view.function().and_then(read).unwrap_or(self.original);
        let answer = answer(view, thresholds, self.target, rng);
        if !matches!(answer.command(), Command::Divide { .. }) {
            return answer;
        }
        let function = rng.chance(self.rate, 100).then(|| {
            let mutant = thresholds.mutant(self.range, view.rules(), rng);
            Blob::from(mutant.to_string().as_str())
        });
        Answer::new(answer.command(), Baggage { function, ..Baggage::default() })
    }
}

impl Thresholds {
    /// Shifts both thresholds by up to `range`, within sensible limits.
    fn mutant(self, range: i64, rules: &Rules, rng: &mut Rng) -> Thresholds {
        let mut shift = |threshold: u32, least: u32| {
            let most = i64::from(rules.max_amoeba_energy);
            let shifted = i64::from(threshold) + rng.between(-range, range);
            shifted.clamp(i64::from(least).min(most), most) as u32
        };
        let low = shift(self.low, rules.move_energy);
        Thresholds { low, divide: shift(self.divide, rules.min_divide_energy) }
    }
}

/// The form in which an amoeba's function carries them: `low=12 divide=66`.
impl fmt::Display for Thresholds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "low={} divide={}", self.low, self.divide)
    }
}

fn read(function: &Blob) -> Option<Thresholds> {
    let (low, divide) = function.text()?.strip_prefix("low=")?.split_once(" divide=")?;
    Some(Thresholds { low: low.parse().ok()?, divide: divide.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use agon_core::{Purpose, Seed};

    use super::*;

    #[test]
    fn thresholds_survive_in_a_function() {
        let thresholds = Thresholds { low: 12, divide: 66 };
        assert_eq!(thresholds.to_string(), "low=12 divide=66");
        assert_eq!(read(&Blob::from("low=12 divide=66")), Some(thresholds));
        assert_eq!(read(&Blob::from("low=x divide=66")), None);
    }

    #[test]
    fn mutants_stay_where_thresholds_make_sense() {
        let mut rng = Seed(1).stream(Purpose::Bot(0), 0);
        let mutants: Vec<Thresholds> = (0..200)
            .map(|_| Thresholds { low: 5, divide: 95 }.mutant(20, &Rules::default(), &mut rng))
            .collect();
        assert!(
            mutants.iter().all(|m| (3..=25).contains(&m.low) && (75..=100).contains(&m.divide))
        );
        assert!(mutants.iter().any(|m| m.low == 3) && mutants.iter().any(|m| m.divide == 100));
        let lowest = Thresholds { low: 5, divide: 31 }.mutant(0, &Rules::default(), &mut rng);
        assert_eq!(lowest, Thresholds { low: 5, divide: 31 });
    }
}
