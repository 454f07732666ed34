//! [`Target`]: how a built-in bot chooses which hostile neighbour to hit. It is the parameter
//! `target` of several bots.

use agon_core::{Param, ParamError, Params, Rng};

use crate::amoebas::{Dir, Dirs, View};

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
