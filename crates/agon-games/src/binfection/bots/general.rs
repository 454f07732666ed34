//! The built-in bot `general`: plans the moves of all its cells together. It strikes, spreads,
//! supplies the front and falls back.

use std::{cmp::Reverse, collections::VecDeque};

use agon_core::{ParamError, Params, Policy, Rng};

use crate::binfection::field::CellSet;
use crate::binfection::{Answer, Binfection, Cell, Direction, Kind, Move, Neighbor, Rules, View};

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

/// The own cells with their neighbours, and the orders given so far.
struct TurnPlan {
    /// The own cells, in order of rows, then columns.
    own: Vec<Cell>,
    /// The neighbours of each cell by direction: 64 bytes, one line of the cache.
    beside: Vec<[Neighbor; 4]>,
    /// The direction in which each cell sends half of its units.
    orders: Vec<Option<Direction>>,
    /// Units that the orders bring to each own cell.
    supply: Vec<u64>,
}

impl TurnPlan {
    fn new(view: &View<'_>) -> TurnPlan {
        let own: Vec<Cell> = view.own().collect();
        let beside = (0..own.len()).map(|number| view.beside(number)).collect();
        TurnPlan { beside, orders: vec![None; own.len()], supply: vec![0; own.len()], own }
    }

    /// Cells that can move and have no order yet.
    fn idle(&self) -> impl Iterator<Item = usize> + use<> {
        let idle: Vec<usize> = (0..self.own.len()).filter(|&i| self.is_idle(i)).collect();
        idle.into_iter()
    }

    #[inline]
    fn is_idle(&self, i: usize) -> bool {
        self.orders[i].is_none() && self.own[i].units > 1
    }

    /// The neighbours of a cell, with their directions.
    #[inline]
    fn around(&self, i: usize) -> impl Iterator<Item = (Direction, Neighbor)> + use<> {
        Direction::ALL.into_iter().zip(self.beside[i])
    }

    /// The own cells beside a cell, with their directions.
    #[inline]
    fn friends(&self, i: usize) -> impl Iterator<Item = (Direction, usize)> + use<> {
        self.around(i).filter_map(|(direction, next)| match next.kind {
            Kind::Own(number) => Some((direction, number as usize)),
            _ => None,
        })
    }

    /// The enemies' cells beside a cell, with their directions and units.
    #[inline]
    fn enemies(&self, i: usize) -> impl Iterator<Item = (Direction, u64)> + use<> {
        self.around(i)
            .filter(|(_, next)| next.kind == Kind::Enemy)
            .map(|(direction, next)| (direction, next.units))
    }

    /// The directions of the empty cells beside a cell.
    #[inline]
    fn ways(&self, i: usize) -> impl Iterator<Item = Direction> + use<> {
        self.around(i).filter(|(_, next)| next.kind == Kind::Empty).map(|(direction, _)| direction)
    }

    /// Whether an enemy's or an empty cell is beside this one.
    fn is_front(&self, i: usize) -> bool {
        self.beside[i].iter().any(|next| matches!(next.kind, Kind::Empty | Kind::Enemy))
    }

    /// The units that enemies beside a cell can send into it at once.
    fn threat(&self, i: usize) -> u64 {
        self.enemies(i).map(|(_, units)| units / 2).sum()
    }

    /// Sends half of a cell's units.
    fn order(&mut self, i: usize, direction: Direction) {
        self.orders[i] = Some(direction);
        if let Kind::Own(target) = self.beside[i][usize::from(u8::from(direction))].kind {
            self.supply[target as usize] += self.own[i].units / 2;
        }
    }

    fn answer(&self) -> Answer {
        let mut moves = Vec::with_capacity(self.own.len());
        let all = self.own.iter().zip(&self.orders);
        moves.extend(
            all.filter_map(|(cell, order)| {
                Some(Move { x: cell.x, y: cell.y, direction: (*order)? })
            }),
        );
        Answer { moves }
    }
}

/// The place of a neighbouring cell, which must be on the field.
#[inline]
fn place(cell: &Cell, direction: Direction) -> (u32, u32) {
    let (dx, dy) = direction.offset();
    (cell.x.wrapping_add_signed(dx), cell.y.wrapping_add_signed(dy))
}
