//! A bot that thinks of all its cells at once.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, VecDeque},
};

use agon_core::{ParamError, Params, Policy, Rng};

use super::scout::Scout;
use crate::binfection::{Answer, Binfection, Direction, View};

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
        expand(&mut scout, cap);
        supply(&mut scout, cap);
        press(&mut scout);
        fall_back(&mut scout);
        scout.answer()
    }
}

impl General {
    /// Attacks cells, the weakest first, that one or more stacks together can take or at least empty, unless
    /// they are reinforced.
    fn strike(&self, scout: &mut Scout) {
        let mut targets: BTreeMap<_, Vec<(usize, Direction)>> = BTreeMap::new();
        for i in scout.idle() {
            for (direction, next) in scout.around(i).filter(|(_, next)| scout.is_enemy(next)) {
                targets.entry((next.units, next.y, next.x)).or_default().push((i, direction));
            }
        }
        for ((units, ..), mut attackers) in targets {
            let needed = (units * self.caution / 100).max(1);
            attackers.retain(|&(i, _)| scout.is_idle(i));
            attackers.sort_by_key(|&(i, _)| Reverse(scout.own[i].units));
            let (mut force, mut strikers) = (0, Vec::new());
            for (i, direction) in attackers {
                if force < needed {
                    force += scout.own[i].units / 2;
                    strikers.push((i, direction));
                }
            }
            if force >= needed {
                strikers.into_iter().for_each(|(i, direction)| scout.order(i, direction));
            }
        }
    }
}

/// Takes as many empty cells as possible: those with the fewest ways choose first. Stacks too large to double
/// follow others where they find no cell of their own; somebody else may be on the way there.
fn expand(scout: &mut Scout, cap: u64) {
    let ways = |scout: &Scout, i| -> Vec<_> {
        scout
            .around(i)
            .filter(|(_, next)| next.owner.is_none())
            .map(|(way, next)| (way, (next.x, next.y)))
            .collect()
    };
    let mut idle: Vec<_> = scout.idle().map(|i| (i, ways(scout, i))).collect();
    idle.sort_by_key(|(_, ways)| ways.len());
    let mut taken = BTreeSet::new();
    for (i, ways) in idle {
        let free = ways.iter().find(|(_, place)| !taken.contains(place));
        let shared = ways.first().filter(|_| 2 * scout.own[i].units > cap);
        if let Some(&(direction, place)) = free.or(shared) {
            taken.insert(place);
            scout.order(i, direction);
        }
    }
}

/// Moves what is behind the front towards it, unless that would waste growth.
fn supply(scout: &mut Scout, cap: u64) {
    let distance = distances(scout);
    for i in scout.idle().filter(|&i| distance[i] > 0) {
        let units = scout.own[i].units;
        let ahead = |(direction, j): &(Direction, usize)| {
            let full = scout.supply[*j] + scout.own[*j].units + units / 2;
            (distance[*j] < distance[i] && (2 * units > cap || 2 * full <= cap)).then_some((full, *direction))
        };
        let friends =
            scout.around(i).filter_map(|(direction, next)| Some((direction, scout.find(next.x, next.y)?)));
        let best = friends.filter_map(|friend| ahead(&friend)).min();
        if let Some((_, direction)) = best {
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
        for (_, next) in scout.around(i) {
            if let Some(j) = scout.find(next.x, next.y)
                && distance[j] == u32::MAX
            {
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
        let holds = scout.own[i].units.div_ceil(2) + scout.supply[i] > scout.threat(i);
        let enemies = scout.around(i).filter(|(_, next)| scout.is_enemy(next));
        let weakest = enemies.min_by_key(|(_, next)| next.units);
        if let (true, Some((direction, _))) = (holds, weakest) {
            scout.order(i, direction);
        }
    }
}

/// Saves half of a stack that is about to be overrun.
fn fall_back(scout: &mut Scout) {
    for i in scout.idle() {
        let units = scout.own[i].units + scout.supply[i];
        let safe = scout.around(i).find(|(_, next)| {
            scout.find(next.x, next.y).is_some_and(|j| scout.threat(j) < scout.own[j].units)
        });
        if let (true, Some((direction, _))) = (scout.threat(i) > units, safe) {
            scout.order(i, direction);
        }
    }
}
