//! How `chaser` and `brawler` live where nobody bothers them: when they divide, and where they
//! graze.

use agon_core::{Builtin, Param, Policy, Rng};

use crate::amoebas::{Amoebas, Answer, Dir, Offset, Rules, View, helpers};

/// The energy from which on they divide.
///
/// With the default rules, 34 is the least with which both halves are back at it after three full
/// meals. A larger value costs a meal more for each generation: a world that is still full of fuel
/// then belongs to others first.
pub(super) const DIVIDE: Param = Param {
    name: "divide",
    default: "34",
    summary: "energy from which it divides while there is fuel to live on (0 to 10000)",
};

/// What one amoeba knows about its surroundings.
pub(super) struct Surroundings<'a> {
    view: &'a View<'a>,
    /// The fuel of the section in each direction.
    fuel: [u32; 8],
}

impl<'a> Surroundings<'a> {
    pub(super) fn new(view: &'a View<'a>) -> Surroundings<'a> {
        Surroundings { view, fuel: view.fuel_by_section() }
    }

    /// Divides if it has this much energy and there is fuel for a child.
    pub(super) fn divide(&self, energy: u32) -> Option<Answer> {
        if self.view.energy() < energy { None } else { self.nursery().map(Answer::divide) }
    }

    /// An empty neighbouring cell for a child: in the section with the most fuel for each amoeba,
    /// if that pays for the division twice.
    fn nursery(&self) -> Option<Dir> {
        let view = self.view;
        let per_mouth = |dir: Dir| {
            let section = view.section(dir);
            let mouths = section.iter().filter(|&&at| !helpers::is_empty(view, at)).count();
            self.fuel[usize::from(dir.number())] / (mouths as u32 + 1)
        };
        let empty = helpers::empty_neighbors(view);
        let (fuel, dir) = empty.iter().map(|dir| (per_mouth(dir), dir)).max()?;
        (fuel >= view.rules().divide_energy_loss * 2).then_some(dir)
    }

    /// Eats while there is a full meal or hardly any room for one. Otherwise moves to the best
    /// empty cell, if that promises much more than this one.
    pub(super) fn graze(&self) -> Answer {
        let view = self.view;
        let rules = view.rules();
        let room = rules.max_amoeba_energy.saturating_sub(view.energy());
        let here = view.cell(0, 0).map_or(0, |cell| cell.fuel());
        let meal = rules.max_fueling_energy;
        if room < meal || here >= meal {
            return Answer::REST;
        }
        let least = 2 * (here + rules.move_energy) + rules.rest_energy;
        let empty = helpers::empty_neighbors(view);
        let Some(most) = empty.iter().map(|dir| self.promise(dir)).max() else {
            return Answer::REST;
        };
        if most <= least {
            return Answer::REST;
        }
        let best = empty.iter().filter(|&dir| self.promise(dir) == most);
        best.max_by_key(|dir| (Self::strangers(view, dir.offset()), *dir))
            .map_or(Answer::REST, Answer::step)
    }

    /// The fuel of the cell in a direction, and the average of what lies there.
    fn promise(&self, dir: Dir) -> u32 {
        let cells = self.view.section(dir).len() as u32;
        self.view.neighbor(dir).fuel() + self.fuel[usize::from(dir.number())] / cells
    }

    /// How many of the cells around a place hold no amoeba of its own species.
    fn strangers(view: &View<'_>, at: Offset) -> usize {
        8 - kin_around(view, at)
    }
}

/// How many amoebas of its own species are around a place in view, itself included.
pub(super) fn kin_around(view: &View<'_>, (x, y): Offset) -> usize {
    let around = Dir::ALL.map(|dir| (x + dir.offset().0, y + dir.offset().1));
    around.iter().filter(|&&at| helpers::contains_friendly(view, at)).count()
}

/// How many hits kill an amoeba with this health.
pub(super) fn hits_to_kill(rules: &Rules, health: u32) -> u32 {
    health.div_ceil(rules.hit_loss.max(1))
}

/// The neighbour to hit among those of other species for which `wanted(dir, hits)` is true: the
/// one that dies of the fewest hits, the richest of equal ones.
pub(super) fn prey(view: &View<'_>, wanted: impl Fn(Dir, u32) -> bool) -> Option<Dir> {
    if view.energy() < view.rules().hit_energy {
        return None;
    }
    let worth = |dir: Dir| {
        let other = view.neighbor(dir).occupant()?;
        let hits = hits_to_kill(view.rules(), other.health());
        wanted(dir, hits).then_some((hits, u32::MAX - other.energy(), dir))
    };
    helpers::hostile_neighbors(view).iter().filter_map(worth).min().map(|(_, _, dir)| dir)
}

pub(super) const BROOD: Builtin<Amoebas> = Builtin {
    name: "brood",
    version: 1,
    summary: "grazes without waste, settles rich ground and hits together with its kin",
    params: &[Param { default: "60", ..DIVIDE }],
    make: |params| Ok(Box::new(Brood { divide: params.number("divide", 0..=10_000)? })),
};

/// Grazes without waste, settles rich ground, and hits what it kills with one hit, or alone with
/// energy to spare.
struct Brood {
    divide: u32,
}

impl Policy<Amoebas> for Brood {
    fn decide(&mut self, view: &View<'_>, _: &mut Rng) -> Answer {
        let cost = view.rules().hit_energy;
        let is_affordable = |hits: u32| view.energy().saturating_sub(cost) >= hits * cost;
        if let Some(dir) = prey(view, |_, hits| hits == 1 || is_affordable(hits)) {
            return Answer::hit(dir);
        }
        let surroundings = Surroundings::new(view);
        surroundings.divide(self.divide).unwrap_or_else(|| surroundings.graze())
    }
}

pub(super) const BRAWLER: Builtin<Amoebas> = Builtin {
    name: "brawler",
    version: 1,
    summary: "divides early, stays at home and hits every neighbour of another species",
    params: &[DIVIDE],
    make: |params| Ok(Box::new(Brawler { divide: params.number("divide", 0..=10_000)? })),
};

struct Brawler {
    divide: u32,
}

impl Policy<Amoebas> for Brawler {
    fn decide(&mut self, view: &View<'_>, _: &mut Rng) -> Answer {
        if let Some(dir) = prey(view, |_, _| true) {
            return Answer::hit(dir);
        }
        let surroundings = Surroundings::new(view);
        surroundings.divide(self.divide).unwrap_or_else(|| surroundings.graze())
    }
}

pub(super) const CHASER: Builtin<Amoebas> = Builtin {
    name: "chaser",
    version: 1,
    summary: "divides early, goes after other species in view and kills them with its kin",
    params: &[
        DIVIDE,
        Param {
            name: "brave",
            default: "40",
            summary: "energy from which it goes after others (0 to 10000)",
        },
    ],
    make: |params| {
        let divide = params.number("divide", 0..=10_000)?;
        Ok(Box::new(Chaser { divide, brave: params.number("brave", 0..=10_000)? }))
    },
};

struct Chaser {
    divide: u32,
    brave: u32,
}

impl Policy<Amoebas> for Chaser {
    fn decide(&mut self, view: &View<'_>, _: &mut Rng) -> Answer {
        if let Some(dir) = prey(view, |dir, hits| can_kill(view, dir, hits)) {
            return Answer::hit(dir);
        }
        let surroundings = Surroundings::new(view);
        if let Some(answer) = surroundings.divide(self.divide) {
            return answer;
        }
        let chase = (view.energy() >= self.brave).then(|| chase(view)).flatten();
        chase.map_or_else(|| surroundings.graze(), Answer::step)
    }
}

/// Whether it can kill its neighbour: alone, or if everybody beside the neighbour hits once.
fn can_kill(view: &View<'_>, dir: Dir, hits: u32) -> bool {
    let alone = view.energy() >= hits.saturating_mul(view.rules().hit_energy);
    hits == 1 || alone || kin_around(view, dir.offset()) >= hits as usize
}

/// The step towards the nearest amoeba of another species, the weakest of equally near ones.
fn chase(view: &View<'_>) -> Option<Dir> {
    let distance = |(x, y): Offset| x.abs().max(y.abs());
    let hostile = |at: Offset| {
        let other = view.cell(at.0, at.1)?.occupant()?;
        (other.species() != view.species()).then_some((distance(at), other.health(), at))
    };
    let all = helpers::environment(view.view_distance());
    let (near, _, (x, y)) = all.filter_map(hostile).min()?;
    if near == 1 {
        // It is beside one already, and cannot kill it yet.
        return None;
    }
    let left = |dir: &Dir| {
        let (dx, dy) = dir.offset();
        (distance((x - dx, y - dy)), (x - dx).abs() + (y - dy).abs())
    };
    helpers::empty_neighbors(view).iter().min_by_key(left)
}
