//! The built-in bot `general`: plans the moves of all its cells together. It strikes, spreads,
//! supplies the front and falls back.

use std::{cmp::Reverse, collections::VecDeque};

use agon_core::{ParamError, Params, Policy, Rng};

use super::turn_plan::{TurnPlan, place};
use crate::binfection::{Answer, Binfection, Direction, Rules, View, cell_set::CellSet};

struct General {
    /// Percent of an enemy's units that a strike has to reach.
    caution: u64,
}

pub(super) fn make(params: &Params) -> Result<Box<dyn Policy<Binfection>>, ParamError> {
    Ok(Box::new(General { caution: params.number("caution", 50..=300)? }))
}

/// Each step gives orders to cells that have none yet. The most urgent step comes first.
impl Policy<Binfection> for General {
    fn decide(&mut self, view: &View<'_>, _: &mut Rng) -> Answer {
        let mut plan = TurnPlan::new(view);
        let cap = view.rules().cap();
        self.strike(&mut plan);
        expand(&mut plan, view.rules());
        supply(&mut plan, cap);
        press(&mut plan);
        fall_back(&mut plan);
        plan.answer()
    }
}

/// A possible attack: the enemy's cell (units, row, column), the own cell beside it, and the
/// direction.
type Attack = ((u64, u32, u32), usize, Direction);

impl General {
    /// Attacks cells that one or more stacks together can take or at least empty, unless they are
    /// reinforced. The weakest cell comes first.
    fn strike(&self, plan: &mut TurnPlan) {
        let mut attacks: Vec<Attack> = Vec::new();
        for i in plan.idle() {
            for (direction, units) in plan.enemies(i) {
                let (x, y) = place(&plan.own[i], direction);
                attacks.push(((units, y, x), i, direction));
            }
        }
        attacks.sort_unstable();
        let mut strikers = Vec::new();
        for attackers in attacks.chunk_by_mut(|a, b| a.0 == b.0) {
            let needed = (attackers[0].0.0 * self.caution / 100).max(1);
            attackers.sort_by_key(|&(_, i, _)| Reverse(plan.own[i].units));
            let mut force = 0;
            strikers.clear();
            for &(_, i, direction) in attackers.iter().filter(|&&(_, i, _)| plan.is_idle(i)) {
                if force < needed {
                    force += plan.own[i].units / 2;
                    strikers.push((i, direction));
                }
            }
            if force >= needed {
                strikers.iter().for_each(|&(i, direction)| plan.order(i, direction));
            }
        }
    }
}

/// Takes as many empty cells as possible. Stacks with the fewest empty neighbours choose first. A
/// stack too large to double may follow another stack if it finds no cell of its own.
fn expand(plan: &mut TurnPlan, rules: &Rules) {
    let mut by_ways: [Vec<usize>; 5] = Default::default();
    for i in plan.idle() {
        by_ways[plan.ways(i).count()].push(i);
    }
    let mut taken = CellSet::new(rules.field_width, rules.field_height);
    for i in by_ways.into_iter().skip(1).flatten() {
        let place = |direction| place(&plan.own[i], direction);
        let free = plan.ways(i).find(|&direction| !taken.contains(place(direction)));
        let shared = plan.ways(i).next().filter(|_| 2 * plan.own[i].units > rules.cap());
        if let Some(direction) = free.or(shared) {
            taken.add(place(direction));
            plan.order(i, direction);
        }
    }
}

/// Moves stacks behind the front towards it, unless that would waste growth.
fn supply(plan: &mut TurnPlan, cap: u64) {
    let distance = distances(plan);
    for i in plan.idle().filter(|&i| distance[i] > 0) {
        let units = plan.own[i].units;
        let ahead = |(direction, j): (Direction, usize)| {
            let full = plan.supply[j] + plan.own[j].units + units / 2;
            (distance[j] < distance[i] && (2 * units > cap || 2 * full <= cap))
                .then_some((full, direction))
        };
        if let Some((_, direction)) = plan.friends(i).filter_map(ahead).min() {
            plan.order(i, direction);
        }
    }
}

/// The number of steps from each own cell through own cells to the front.
fn distances(plan: &TurnPlan) -> Vec<u32> {
    let mut distance = vec![u32::MAX; plan.own.len()];
    let mut queue: VecDeque<usize> = (0..plan.own.len()).filter(|&i| plan.is_front(i)).collect();
    queue.iter().for_each(|&i| distance[i] = 0);
    while let Some(i) = queue.pop_front() {
        for (_, j) in plan.friends(i) {
            if distance[j] == u32::MAX {
                distance[j] = distance[i] + 1;
                queue.push_back(j);
            }
        }
    }
    distance
}

/// Attacks the weakest enemy from cells that stay safe even if they send half of their units.
fn press(plan: &mut TurnPlan) {
    for i in plan.idle() {
        let weakest = plan.enemies(i).min_by_key(|&(_, units)| units);
        let holds = || plan.own[i].units.div_ceil(2) + plan.supply[i] > plan.threat(i);
        if let Some((direction, _)) = weakest
            && holds()
        {
            plan.order(i, direction);
        }
    }
}

/// Saves half of a stack that is about to be overrun.
fn fall_back(plan: &mut TurnPlan) {
    for i in plan.idle() {
        if plan.threat(i) <= plan.own[i].units + plan.supply[i] {
            continue;
        }
        if let Some((direction, _)) =
            plan.friends(i).find(|&(_, j)| plan.threat(j) < plan.own[j].units)
        {
            plan.order(i, direction);
        }
    }
}
