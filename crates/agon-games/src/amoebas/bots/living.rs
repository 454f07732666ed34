//! How `chaser` and `brawler` live where nobody bothers them: when they divide, and where they
//! graze.

use agon_core::Param;

use crate::amoebas::{Answer, Dir, Offset, Rules, View, helpers};

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
