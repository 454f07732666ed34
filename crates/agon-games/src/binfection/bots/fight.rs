//! How `marshal` and `horde` attack: strikes of several stacks, and pressure on the front.

use std::cmp::Reverse;

use super::battlefield::{Battlefield, Content};
use crate::binfection::Direction;

/// Percent of an enemy's units that a strike has to reach. Less than all of them, because many
/// enemies send half of theirs away in the same turn.
const NEEDED: u64 = 80;

/// The same for an enemy with an empty cell beside it, which it will most likely enter with half
/// of its units.
const NEEDED_OF_SPREADING: u64 = 51;

/// How many of the stacks beside an enemy take part in a strike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Strikers {
    /// As few as can do it, the largest first.
    Enough,
    /// All that have no other order.
    All,
}

/// Attacks enemies that several stacks together can take or at least drive out, the weakest first.
pub(super) fn strike(field: &mut Battlefield, strikers: Strikers) {
    for (units, enemy) in reachable_enemies(field) {
        let is_spreading = field.is_beside(enemy, Content::Empty);
        let percent = if is_spreading { NEEDED_OF_SPREADING } else { NEEDED };
        let needed = (units * percent / 100).max(1);
        let mut attackers: Vec<(u64, usize, Direction)> = field
            .around(enemy, Content::Own)
            .filter(|&(_, site)| field.is_idle(site))
            .map(|(direction, site)| (field.force(site), site, back(direction)))
            .collect();
        if attackers.iter().map(|&(force, _, _)| force).sum::<u64>() < needed {
            continue;
        }
        attackers.sort_by_key(|&(force, _, _)| Reverse(force));
        let mut sent = 0;
        for (force, site, direction) in attackers {
            if strikers == Strikers::All || sent < needed {
                sent += force;
                field.send(site, direction);
            }
        }
    }
}

/// The enemies beside idle stacks, each once, with their units; the weakest first.
fn reachable_enemies(field: &Battlefield) -> Vec<(u64, usize)> {
    let idle = field.own.iter().filter(|&&site| field.is_idle(site));
    let beside = idle.flat_map(|&site| field.around(site, Content::Enemy));
    let mut enemies: Vec<_> = beside.map(|(_, enemy)| (field.sites[enemy].units, enemy)).collect();
    enemies.sort_unstable();
    enemies.dedup();
    enemies
}

/// The direction back.
fn back(direction: Direction) -> Direction {
    match direction {
        Direction::Up => Direction::Down,
        Direction::Right => Direction::Left,
        Direction::Down => Direction::Up,
        Direction::Left => Direction::Right,
    }
}

/// Keeps stacks busy that found no empty cell of their own: they join another stack where an enemy
/// may come as well, if they stay safe, or go anywhere if they are too large to double.
pub(super) fn join(field: &mut Battlefield, stacks: &[usize], cap: u64) {
    for &stack in stacks {
        let contested =
            field.around(stack, Content::Empty).filter(|&(_, site)| field.is_contested(site));
        let emptiest = contested.min_by_key(|&(_, site)| field.sites[site].arriving);
        let joined = emptiest.filter(|_| field.is_safe(stack, 100));
        let is_full = 2 * field.sites[stack].units > cap;
        let any = field.around(stack, Content::Empty).next().filter(|_| is_full);
        if let Some((direction, _)) = joined.or(any) {
            field.send(stack, direction);
        }
    }
}

/// Sends half of each idle front cell against the weakest enemy or into a contested cell, if it
/// withstands `percent` of the threat without that half. Growth makes up for the loss, on both
/// sides; but an enemy that sends its units elsewhere in the same turn loses its cell.
pub(super) fn press(field: &mut Battlefield, percent: u64) {
    for number in 0..field.own.len() {
        let site = field.own[number];
        if !field.is_idle(site) {
            continue;
        }
        let left = |(direction, target): (Direction, usize)| {
            let left = field.sites[target].units as i64 - field.sites[target].arriving as i64;
            (left, direction)
        };
        let contested =
            field.around(site, Content::Empty).filter(|&(_, target)| field.is_contested(target));
        let targets = field.around(site, Content::Enemy).chain(contested);
        if let Some((_, direction)) = targets.map(left).min()
            && field.is_safe(site, percent)
        {
            field.send(site, direction);
        }
    }
}

/// Saves half of each stack that is about to be overrun.
pub(super) fn fall_back(field: &mut Battlefield) {
    for number in 0..field.own.len() {
        let site = field.own[number];
        let held = field.sites[site].units + field.sites[site].arriving;
        if !field.is_idle(site) || field.threat(site) <= held {
            continue;
        }
        let is_shelter =
            |&(_, next): &(Direction, usize)| field.threat(next) < field.sites[next].units;
        let shelter = field.around(site, Content::Own).find(is_shelter);
        if let Some((direction, _)) = shelter {
            field.send(site, direction);
        }
    }
}
