//! The built-in bot `brood`, a species of our own: grazes without waste, settles rich ground, and
//! kills together.

use agon_core::{Builtin, Param, Policy, Rng};

use crate::amoebas::{Amoebas, Answer, Dir, Offset, View, helpers};

pub(super) const BUILTIN: Builtin<Amoebas> = Builtin {
    name: "brood",
    version: 1,
    summary: "grazes without waste, settles rich ground and hits together with its kin",
    params: &[Param {
        name: "divide",
        default: "60",
        summary: "energy from which it divides while there is fuel to live on (0 to 10000)",
    }],
    make: |params| Ok(Box::new(Brood { divide: params.number("divide", 0..=10_000)? })),
};

struct Brood {
    divide: u32,
}

impl Policy<Amoebas> for Brood {
    fn decide(&mut self, view: &View<'_>, _: &mut Rng) -> Answer {
        if let Some(dir) = prey(view) {
            return Answer::hit(dir);
        }
        if view.energy() >= self.divide
            && let Some(dir) = nursery(view)
        {
            return Answer::divide(dir);
        }
        graze(view)
    }
}

/// A neighbour that one hit kills, or that it can kill with several hits and energy to spare.
/// Prefers the fewest hits, then the richest.
fn prey(view: &View<'_>) -> Option<Dir> {
    let rules = view.rules();
    let spare = view.energy().checked_sub(rules.hit_energy)?;
    let worth = |dir: Dir| {
        let other = view.neighbor(dir).occupant()?;
        let hits = other.health().div_ceil(rules.hit_loss.max(1));
        (hits == 1 || spare >= hits * rules.hit_energy).then_some((
            hits,
            u32::MAX - other.energy(),
            dir,
        ))
    };
    helpers::hostile_neighbors(view).iter().filter_map(worth).min().map(|(_, _, dir)| dir)
}

/// An empty neighbouring cell for a child: in the section with the most fuel per amoeba, if that
/// feeds one more.
fn nursery(view: &View<'_>) -> Option<Dir> {
    let per_mouth = |dir: Dir| {
        let section = view.section(dir);
        let mouths =
            section.iter().filter(|&&(x, y)| !helpers::is_empty(view, (x, y))).count() as u32;
        helpers::total_fuel(view, section) / (mouths + 1)
    };
    let best = helpers::empty_neighbors(view).iter().map(|dir| (per_mouth(dir), dir)).max()?;
    (best.0 >= view.rules().divide_energy_loss * 2).then_some(best.1)
}

/// Rests and eats unless a move promises much more; then moves to the best empty cell.
fn graze(view: &View<'_>) -> Answer {
    let rules = view.rules();
    let room = rules.max_amoeba_energy - view.energy();
    let meal = |fuel: u32| fuel.min(rules.max_fueling_energy).min(room);
    let here = view.cell(0, 0).map_or(0, |cell| cell.fuel());
    if room < rules.max_fueling_energy || meal(here) == rules.max_fueling_energy {
        return Answer::REST;
    }
    let promise = |dir: Dir| {
        let fuel = view.neighbor(dir).fuel();
        let section = view.section(dir);
        let beyond = helpers::total_fuel(view, section) / section.len() as u32;
        (fuel + beyond, away_from_kin(view, dir.offset()), dir)
    };
    match helpers::empty_neighbors(view).iter().map(promise).max() {
        Some((promise, _, dir)) if promise > 2 * (here + rules.move_energy) + rules.rest_energy => {
            Answer::step(dir)
        }
        _ => Answer::REST,
    }
}

/// How many cells beside a place hold no amoeba of its own species.
fn away_from_kin(view: &View<'_>, (x, y): Offset) -> usize {
    let beside = Dir::ALL.map(|dir| (x + dir.offset().0, y + dir.offset().1));
    beside.iter().filter(|&&at| !helpers::contains_friendly(view, at)).count()
}
