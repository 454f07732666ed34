//! Helper functions for the built-in bots in Rust: regions of an amoeba's window, and questions
//! about them.
//!
//! They are the functions that Clojure species find in `amoebas.lib`, with the same orders and
//! ties. All sections have the same number of cells, so sorting them by fuel density and by fuel is
//! the same.

use agon_core::Player;

pub use super::section::section;
use super::{
    Rules, View,
    content::Content,
    dir::{Dir, Dirs, Offset},
};

/// All positions in view, the own one included; x is the outer loop.
pub fn environment(view_distance: i32) -> impl Iterator<Item = Offset> {
    let range = -view_distance..=view_distance;
    range.clone().flat_map(move |x| range.clone().map(move |y| (x, y)))
}

/// Distance of two positions: the larger of the two differences.
pub fn distance(a: Offset, b: Offset) -> i32 {
    (a.0 - b.0).abs().max((a.1 - b.1).abs())
}

/// An amount of energy, as a percentage of what an amoeba can hold.
pub fn energy_level(rules: &Rules, percent: u32) -> u32 {
    rules.max_amoeba_energy * percent / 100
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

/// Whether a position holds an amoeba of another species.
pub fn contains_hostile(view: &View<'_>, at: Offset) -> bool {
    species_at(view, at).is_some_and(|species| species != view.species())
}

/// Whether a position holds an amoeba of the own species (the own position does).
pub fn contains_friendly(view: &View<'_>, at: Offset) -> bool {
    species_at(view, at) == Some(view.species())
}

fn species_at(view: &View<'_>, (dx, dy): Offset) -> Option<Player> {
    Some(view.cell(dx, dy)?.occupant()?.species())
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

/// The positions of a region that hold amoebas of other species.
pub fn hostiles<'a>(view: &'a View<'_>, region: &'a [Offset]) -> impl Iterator<Item = Offset> + 'a {
    region.iter().copied().filter(|&at| contains_hostile(view, at))
}

/// The positions of a region that hold amoebas of the own species.
pub fn friendlies<'a>(
    view: &'a View<'_>,
    region: &'a [Offset],
) -> impl Iterator<Item = Offset> + 'a {
    region.iter().copied().filter(|&at| contains_friendly(view, at))
}

/// The empty positions of a region.
pub fn empty_subregion<'a>(
    view: &'a View<'_>,
    region: &'a [Offset],
) -> impl Iterator<Item = Offset> + 'a {
    region.iter().copied().filter(|&at| is_empty(view, at))
}

/// The positions of a region with at least `min_fuel`.
pub fn at_least_fuel_subregion<'a>(
    view: &'a View<'_>,
    region: &'a [Offset],
    min_fuel: u32,
) -> impl Iterator<Item = Offset> + 'a {
    region
        .iter()
        .copied()
        .filter(move |&(x, y)| view.cell(x, y).is_some_and(|cell| cell.fuel() >= min_fuel))
}

/// Whether no position of a region is occupied.
pub fn region_is_empty(view: &View<'_>, region: &[Offset]) -> bool {
    region.iter().all(|&at| is_empty(view, at))
}

/// The fuel of a region together.
pub fn total_fuel(view: &View<'_>, region: &[Offset]) -> u32 {
    region.iter().filter_map(|&(x, y)| view.cell(x, y)).map(|cell| cell.fuel()).sum()
}

/// Directions by the fuel of their sections, least first; the order of equal ones stays.
pub fn sections_by_fuel(view: &View<'_>, dirs: impl IntoIterator<Item = Dir>) -> Vec<Dir> {
    sorted(dirs, |dir| total_fuel(view, view.section(dir)) as usize)
}

/// Directions by the number of hostiles in their sections, fewest first; the order of equal ones
/// stays.
pub fn sections_by_hostiles(view: &View<'_>, dirs: impl IntoIterator<Item = Dir>) -> Vec<Dir> {
    sorted(dirs, |dir| hostiles(view, view.section(dir)).count())
}

/// Directions by the number of friendlies in their sections (oneself included), fewest first; the
/// order of equal ones stays.
pub fn sections_by_friendlies(view: &View<'_>, dirs: impl IntoIterator<Item = Dir>) -> Vec<Dir> {
    sorted(dirs, |dir| friendlies(view, view.section(dir)).count())
}

fn sorted(dirs: impl IntoIterator<Item = Dir>, key: impl Fn(Dir) -> usize) -> Vec<Dir> {
    let mut dirs: Vec<Dir> = dirs.into_iter().collect();
    dirs.sort_by_cached_key(|&dir| key(dir));
    dirs
}

/// The direction with the most fuel in its section, the last of equal ones.
pub fn richest(view: &View<'_>, dirs: Dirs) -> Option<Dir> {
    if dirs.is_empty() {
        return None;
    }
    let fuel = view.fuel_by_section();
    dirs.iter().max_by_key(|dir| fuel[usize::from(dir.number())])
}
