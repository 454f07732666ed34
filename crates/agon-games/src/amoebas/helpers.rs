//! Helper functions for the built-in bots in Rust. Clojure species find the same ones in
//! `amoebas.lib`, with the same orders and ties.

pub use super::torus::section;

use super::torus::{Dir, Dirs, Offset};
use super::{Rules, View, board::Content};

/// All positions in view, the own one included; x is the outer loop.
pub fn environment(view_distance: i32) -> impl Iterator<Item = Offset> {
    let range = -view_distance..=view_distance;
    range.clone().flat_map(move |x| range.clone().map(move |y| (x, y)))
}

/// An amount of energy between what a division needs (0 %) and what an amoeba can hold (100 %).
pub fn above_division_energy_level(rules: &Rules, percent: u32) -> u32 {
    rules.min_divide_energy
        + rules.max_amoeba_energy.saturating_sub(rules.min_divide_energy) * percent / 100
}

/// Whether a position is in view and empty.
pub fn is_empty(view: &View<'_>, (dx, dy): Offset) -> bool {
    view.cell(dx, dy).is_some_and(|cell| cell.is_empty())
}

/// Whether a position holds an amoeba of the own species (the own position does).
pub fn contains_friendly(view: &View<'_>, (dx, dy): Offset) -> bool {
    let occupant = view.cell(dx, dy).and_then(|cell| cell.occupant());
    occupant.is_some_and(|other| other.species() == view.species())
}

/// The directions of empty neighbours.
#[inline]
pub fn empty_neighbors(view: &View<'_>) -> Dirs {
    Dirs::which(view.around().map(|content| content.is_empty()))
}

/// The directions of neighbours of other species.
#[inline]
pub fn hostile_neighbors(view: &View<'_>) -> Dirs {
    let own = view.species().0 + 1;
    let is_hostile = |content: Content| !content.is_empty() && u16::from(content.occupant()) != own;
    Dirs::which(view.around().map(is_hostile))
}

/// The direction with the most fuel in its section, the last of equal ones.
pub fn richest(view: &View<'_>, dirs: Dirs) -> Option<Dir> {
    if dirs.is_empty() {
        return None;
    }
    let fuel = view.fuel_by_section();
    dirs.iter().max_by_key(|dir| fuel[usize::from(dir.number())])
}
