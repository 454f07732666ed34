//! A bot that thinks of all its cells at once.

use std::{cmp::Reverse, collections::VecDeque};

use agon_core::{ParamError, Params, Policy, Rng};

use super::scout::{Scout, place};
use crate::binfection::{Answer, Binfection, Direction, Rules, View, area::Area};

struct General {
    /// Percent of an enemy's units that a strike has to reach.
    caution: u64,
}

pub(super) fn make(params: &Params) -> Result<Box<dyn Policy<Binfection>>, ParamError> {
    Ok(Box::new(General { caution: params.number("caution", 50..=300)? }))
}

/// Each step gives orders to cells that have none yet; the most urgent goes first.
impl Policy<Binfection> for General {
    fn decide(&mut self, view: &View<'_>, _: &mut Rng) -> Answer {
        let mut scout = Scout::new(view);
        let cap = view.rules().cap();
        self.strike(&mut scout);
        expand(&mut scout, view.rules());
        supply(&mut scout, cap);
        press(&mut scout);
        fall_back(&mut scout);
        scout.answer()
    }
}

/// An own cell beside an enemy's, which is named by how urgent it is: its units, then its place.
type Attack = ((u64, u32, u32), usize, Direction);

impl General {
    /// Attacks cells, the weakest first, that one or more stacks together can take or at least
    /// empty, unless they are reinforced.
    fn strike(&self, scout: &mut Scout) {
        let mut attacks: Vec<Attack> = Vec::new();
        for i in scout.idle() {
            for (direction, units) in scout.enemies(i) {
                let (x, y) = place(&scout.own[i], direction);
                attacks.push(((units, y, x), i, direction));
            }
        }
        attacks.sort_unstable();
        let mut strikers = Vec::new();
        for attackers in attacks.chunk_by_mut(|a, b| a.0 == b.0) {
            let needed = (attackers[0].0.0 * self.caution / 100).max(1);
            attackers.sort_by_key(|&(_, i, _)| Reverse(scout.own[i].units));
            let mut force = 0;
            strikers.clear();
            for &(_, i, direction) in attackers.iter().filter(|&&(_, i, _)| scout.is_idle(i)) {
                if force < needed {
                    force += scout.own[i].units / 2;
                    strikers.push((i, direction));
                }
            }
            if force >= needed {
                strikers.iter().for_each(|&(i, direction)| scout.order(i, direction));
            }
        }
    }
}

/// Takes as many empty cells as possible: those with the fewest ways choose first. Stacks too large
/// to double follow others where they find no cell of their own; somebody else may be on the way
/// there.
fn expand(scout: &mut Scout, rules: &Rules) {
    let mut by_ways: [Vec<usize>; 5] = Default::default();
    for i in scout.idle() {
        by_ways[scout.ways(i).count()].push(i);
    }
    let mut taken = Area::new(rules.field_width, rules.field_height);
    for i in by_ways.into_iter().skip(1).flatten() {
        let place = |direction| place(&scout.own[i], direction);
        let free = scout.ways(i).find(|&direction| !taken.contains(place(direction)));
        let shared = scout.ways(i).next().filter(|_| 2 * scout.own[i].units > rules.cap());
        if let Some(direction) = free.or(shared) {
            taken.add(place(direction));
            scout.order(i, direction);
        }
    }
}

/// Moves what is behind the front towards it, unless that would waste growth.
fn supply(scout: &mut Scout, cap: u64) {
    let distance = distances(scout);
    for i in scout.idle().filter(|&i| distance[i] > 0) {
        let units = scout.own[i].units;
        let ahead = |(direction, j): (Direction, usize)| {
            let full = scout.supply[j] + scout.own[j].units + units / 2;
            (distance[j] < distance[i] && (2 * units > cap || 2 * full <= cap))
                .then_some((full, direction))
        };
        if let Some((_, direction)) = scout.friends(i).filter_map(ahead).min() {
            scout.order(i, direction);
        }
    }
}

/// Steps from each own cell through own cells to the front.
fn distances(scout: &Scout) -> Vec<u32> {
    let mut distance = vec![u32::MAX; scout.own.len()];
    let mut queue: VecDeque<usize> = (0..scout.own.len()).filter(|&i| scout.is_front(i)).collect();
    queue.iter().for_each(|&i| distance[i] = 0);
    while let Some(i) = queue.pop_front() {
        for (_, j) in scout.friends(i) {
            if distance[j] == u32::MAX {
                distance[j] = distance[i] + 1;
                queue.push_back(j);
            }
        }
    }
    distance
}

/// Wears enemies down from cells that hold out all the same.
fn press(scout: &mut Scout) {
    for i in scout.idle() {
        let weakest = scout.enemies(i).min_by_key(|&(_, units)| units);
        let holds = || scout.own[i].units.div_ceil(2) + scout.supply[i] > scout.threat(i);
        if let Some((direction, _)) = weakest
            && holds()
        {
            scout.order(i, direction);
        }
    }
}

/// Saves half of a stack that is about to be overrun.
fn fall_back(scout: &mut Scout) {
    for i in scout.idle() {
        if scout.threat(i) <= scout.own[i].units + scout.supply[i] {
            continue;
        }
        if let Some((direction, _)) =
            scout.friends(i).find(|&(_, j)| scout.threat(j) < scout.own[j].units)
        {
            scout.order(i, direction);
        }
    }
}
