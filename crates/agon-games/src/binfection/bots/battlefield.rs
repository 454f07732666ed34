//! [`Battlefield`]: all cells that a player sees, linked with their neighbours, and the orders
//! given so far. The built-in bots `marshal` and `horde` plan their turns on it.

use std::cmp::Reverse;

use crate::binfection::{Answer, Cell, Direction, Move, Rules, View};

/// The content of a visible cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    Empty,
    Own,
    Enemy,
}

/// A visible cell.
#[derive(Clone, Debug)]
pub(super) struct Site {
    pub(super) x: u32,
    pub(super) y: u32,
    pub(super) content: Content,
    pub(super) units: u64,
    /// Its visible neighbours by direction, as numbers of sites.
    beside: [Option<u32>; 4],
    /// Where half of its units go.
    pub(super) order: Option<Direction>,
    /// Units that orders bring here.
    pub(super) arriving: u64,
}

/// All visible cells, and the orders of the own ones.
pub(super) struct Battlefield {
    /// In order of rows, then columns.
    pub(super) sites: Vec<Site>,
    /// The own cells among them.
    pub(super) own: Vec<usize>,
}

impl Battlefield {
    pub(super) fn new(view: &View<'_>) -> Battlefield {
        let me = Some(view.me());
        let site = |Cell { x, y, owner, units }: Cell| {
            let content = match owner {
                None => Content::Empty,
                owner if owner == me => Content::Own,
                Some(_) => Content::Enemy,
            };
            Site { x, y, content, units, beside: [None; 4], order: None, arriving: 0 }
        };
        let mut sites: Vec<Site> = view.seen().into_iter().map(site).collect();
        link(&mut sites);
        let own = (0..sites.len()).filter(|&i| sites[i].content == Content::Own).collect();
        Battlefield { sites, own }
    }

    /// The neighbour of a site in a direction; `None` if it is outside of the field or out of
    /// sight.
    #[inline]
    pub(super) fn beside(&self, site: usize, direction: Direction) -> Option<usize> {
        self.sites[site].beside[usize::from(u8::from(direction))].map(|number| number as usize)
    }

    /// The neighbours of a site with this content, with their directions.
    #[inline]
    pub(super) fn around(
        &self,
        site: usize,
        content: Content,
    ) -> impl Iterator<Item = (Direction, usize)> + '_ {
        let beside = move |direction| Some((direction, self.beside(site, direction)?));
        let all = Direction::ALL.into_iter().filter_map(beside);
        all.filter(move |&(_, next)| self.sites[next].content == content)
    }

    /// Whether a neighbour of a site has this content.
    #[inline]
    pub(super) fn is_beside(&self, site: usize, content: Content) -> bool {
        self.around(site, content).next().is_some()
    }

    /// Whether a cell is empty and an enemy may move there as well.
    #[inline]
    pub(super) fn is_contested(&self, site: usize) -> bool {
        self.sites[site].content == Content::Empty && self.is_beside(site, Content::Enemy)
    }

    /// Whether an own cell can move and has no order yet.
    #[inline]
    pub(super) fn is_idle(&self, site: usize) -> bool {
        self.sites[site].order.is_none() && self.sites[site].units > 1
    }

    /// The units that leave a cell if it moves.
    #[inline]
    pub(super) fn force(&self, site: usize) -> u64 {
        self.sites[site].units / 2
    }

    /// The units of an own cell that stay on it.
    pub(super) fn staying(&self, site: usize) -> u64 {
        let Site { units, order, .. } = self.sites[site];
        if order.is_some() { units.div_ceil(2) } else { units }
    }

    /// The own units on a cell after the orders so far, before a meeting.
    pub(super) fn strength(&self, site: usize) -> u64 {
        let here = &self.sites[site];
        here.arriving + if here.content == Content::Own { self.staying(site) } else { 0 }
    }

    /// The units that visible enemies can send to a site at once.
    pub(super) fn threat(&self, site: usize) -> u64 {
        self.around(site, Content::Enemy).map(|(_, enemy)| self.force(enemy)).sum()
    }

    /// Whether a cell withstands `percent` of the threat even if it sends half of its units.
    pub(super) fn is_safe(&self, site: usize, percent: u64) -> bool {
        let threat = self.threat(site);
        let held = self.sites[site].units.div_ceil(2) + self.sites[site].arriving;
        threat == 0 || 100 * u128::from(held) > u128::from(threat) * u128::from(percent)
    }

    /// Sends half of an own cell's units.
    pub(super) fn send(&mut self, site: usize, direction: Direction) {
        self.order(site, Some(direction));
    }

    /// Replaces the order of an own cell. Without a direction it stays.
    pub(super) fn order(&mut self, site: usize, direction: Option<Direction>) {
        let force = self.force(site);
        let old = std::mem::replace(&mut self.sites[site].order, direction);
        if let Some(target) = old.and_then(|old| self.beside(site, old)) {
            self.sites[target].arriving -= force;
        }
        if let Some(target) = direction.and_then(|new| self.beside(site, new)) {
            self.sites[target].arriving += force;
        }
    }

    /// Whether an enemy is in sight.
    pub(super) fn is_met(&self) -> bool {
        self.sites.iter().any(|site| site.content == Content::Enemy)
    }

    /// The same cells as an enemy sees them, without orders. All enemies count as one.
    pub(super) fn mirrored(&self) -> Battlefield {
        let mirrored = |site: &Site| {
            let content = match site.content {
                Content::Empty => Content::Empty,
                Content::Own => Content::Enemy,
                Content::Enemy => Content::Own,
            };
            Site { content, order: None, arriving: 0, ..site.clone() }
        };
        let sites: Vec<Site> = self.sites.iter().map(mirrored).collect();
        let own = (0..sites.len()).filter(|&i| sites[i].content == Content::Own).collect();
        Battlefield { sites, own }
    }

    pub(super) fn answer(&self) -> Answer {
        let all = self.own.iter().map(|&site| &self.sites[site]);
        let ordered =
            all.filter_map(|site| Some(Move { x: site.x, y: site.y, direction: site.order? }));
        let mut moves = Vec::with_capacity(self.own.len());
        moves.extend(ordered);
        Answer { moves }
    }
}

/// Links neighbours. In a row they follow each other; a second pass finds those below, for which
/// one more number runs through the list.
fn link(sites: &mut [Site]) {
    let mut below = 0;
    for here in 0..sites.len() {
        let Site { x, y, .. } = sites[here];
        if sites.get(here + 1).is_some_and(|next| (next.x, next.y) == (x + 1, y)) {
            sites[here].beside[usize::from(u8::from(Direction::Right))] = Some(here as u32 + 1);
            sites[here + 1].beside[usize::from(u8::from(Direction::Left))] = Some(here as u32);
        }
        while sites.get(below).is_some_and(|next| (next.y, next.x) < (y + 1, x)) {
            below += 1;
        }
        if sites.get(below).is_some_and(|next| (next.x, next.y) == (x, y + 1)) {
            sites[here].beside[usize::from(u8::from(Direction::Down))] = Some(below as u32);
            sites[below].beside[usize::from(u8::from(Direction::Up))] = Some(here as u32);
        }
    }
}

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

/// The longest chain of stacks that change their targets to make room for one more.
const CHAIN: u32 = 12;

/// Gives each stack beside empty cells one of its own, for as many stacks as possible: a matching
/// in a graph, enlarged along augmenting paths. Stacks with the fewest choices come first.
///
/// Returns the stacks that found none.
pub(super) fn claim(field: &mut Battlefield, rules: &Rules) -> Vec<usize> {
    let ways = |site: usize| field.around(site, Content::Empty).count();
    let mut stacks: Vec<(usize, usize)> = field
        .own
        .iter()
        .filter(|&&site| field.is_idle(site))
        .map(|&site| (ways(site), site))
        .filter(|&(ways, _)| ways > 0)
        .collect();
    stacks.sort_unstable();
    let mut claims = Claims::new(field, rules);
    let left = stacks.iter().map(|&(_, stack)| stack);
    let left: Vec<usize> = left.filter(|&stack| !claims.settle(stack)).collect();
    for (stack, direction) in claims.orders() {
        field.send(stack, direction);
    }
    left
}

/// Which stack gets which empty cell.
struct Claims<'a> {
    field: &'a Battlefield,
    /// The stack for each site.
    holder: Vec<Option<u32>>,
    /// The stack for whose sake each site was last looked at.
    asked: Vec<Option<u32>>,
    /// The rank of each empty cell: the least is claimed first.
    ranks: Vec<(u32, u32)>,
}

impl<'a> Claims<'a> {
    fn new(field: &'a Battlefield, rules: &Rules) -> Claims<'a> {
        let count = field.sites.len();
        let ranks = ranks(field, rules);
        Claims { field, holder: vec![None; count], asked: vec![None; count], ranks }
    }

    /// Finds an empty cell for a stack; others may have to change theirs.
    fn settle(&mut self, stack: usize) -> bool {
        self.find(stack, stack as u32, CHAIN)
    }

    fn find(&mut self, stack: usize, sake: u32, chain: u32) -> bool {
        let (targets, count) = self.targets(stack);
        let targets = &targets[..count];
        if let Some(&free) = targets.iter().find(|&&site| self.holder[site].is_none()) {
            self.holder[free] = Some(stack as u32);
            return true;
        }
        if chain == 0 {
            return false;
        }
        for &site in targets {
            if self.asked[site].replace(sake) == Some(sake) {
                continue;
            }
            let holder = self.holder[site].map(|holder| holder as usize);
            if holder.is_none_or(|holder| self.find(holder, sake, chain - 1)) {
                self.holder[site] = Some(stack as u32);
                return true;
            }
        }
        false
    }

    /// The empty cells beside a stack, the best first, and their number.
    fn targets(&self, stack: usize) -> ([usize; 4], usize) {
        let mut targets = [0; 4];
        let mut count = 0;
        for (_, site) in self.field.around(stack, Content::Empty) {
            targets[count] = site;
            count += 1;
        }
        targets[..count].sort_by_key(|&site| self.ranks[site]);
        (targets, count)
    }

    fn orders(&self) -> Vec<(usize, Direction)> {
        let order = |(site, holder): (usize, &Option<u32>)| {
            let stack = (*holder)? as usize;
            let mut ways = self.field.around(stack, Content::Empty);
            Some((stack, ways.find(|&(_, target)| target == site)?.0))
        };
        self.holder.iter().enumerate().filter_map(order).collect()
    }
}

/// Ranks the empty cells. Those farthest from the middle of the own cells come first, by the
/// larger of the distances in x and y: tips that run ahead leave most room for those behind them.
/// Among equals, cells near the centre of the field come first, because enemies come from there.
fn ranks(field: &Battlefield, rules: &Rules) -> Vec<(u32, u32)> {
    let count = field.own.len().max(1) as u64;
    let middle = |part: fn(&Site) -> u32| {
        let sum: u64 = field.own.iter().map(|&site| u64::from(part(&field.sites[site]))).sum();
        (sum / count) as u32
    };
    let (x, y) = (middle(|site| site.x), middle(|site| site.y));
    let off_centre = |at: u32, size: u32| (2 * at + 1).abs_diff(size);
    let rank = |site: &Site| {
        let ahead = site.x.abs_diff(x).max(site.y.abs_diff(y));
        let off = off_centre(site.x, rules.field_width) + off_centre(site.y, rules.field_height);
        (u32::MAX - ahead, off)
    };
    field.sites.iter().map(rank).collect()
}

/// Moves idle stacks behind the front a step towards it, to where most is needed, unless that
/// would waste growth. A cell at the limit of `cap` units does not grow: half of it is free.
pub(super) fn supply(field: &mut Battlefield, cap: u64) {
    let (distance, nearest_first) = distances(field);
    for site in nearest_first {
        if distance[site] == 0 || !field.is_idle(site) {
            continue;
        }
        let is_full = 2 * field.sites[site].units > cap;
        let worth = |(direction, next): (Direction, usize)| {
            let held = field.sites[next].arriving + field.staying(next) + field.force(site);
            let fits = distance[next] < distance[site] && (is_full || 2 * held <= cap);
            fits.then(|| (held as i64 - field.threat(next) as i64, direction))
        };
        if let Some((_, direction)) = field.around(site, Content::Own).filter_map(worth).min() {
            field.send(site, direction);
        }
    }
}

/// The number of steps from each site through own cells to the front, and the own cells by it.
fn distances(field: &Battlefield) -> (Vec<u32>, Vec<usize>) {
    let is_front = |&site: &usize| {
        field.is_beside(site, Content::Empty) || field.is_beside(site, Content::Enemy)
    };
    let mut queue: Vec<usize> = field.own.iter().copied().filter(is_front).collect();
    let mut distance = vec![u32::MAX; field.sites.len()];
    queue.iter().for_each(|&site| distance[site] = 0);
    let mut done = 0;
    while let Some(&site) = queue.get(done) {
        done += 1;
        for (_, next) in field.around(site, Content::Own) {
            if distance[next] == u32::MAX {
                distance[next] = distance[site] + 1;
                queue.push(next);
            }
        }
    }
    (distance, queue)
}

#[cfg(test)]
mod tests {
    use agon_core::{Game, GameExt, Seed};

    use super::*;
    use crate::binfection::{Binfection, Rules};

    #[test]
    fn neighbours_are_the_visible_cells_beside() {
        let rules = Rules { field_width: 9, field_height: 7, ..Rules::default() };
        let mut game = Binfection::new(&rules, 2, Seed(3)).unwrap();
        for _ in 0..12 {
            assert!(!game.is_over(), "the test needs cells of both");
            for &decision in game.decisions() {
                let field = Battlefield::new(&game.view(decision));
                for (site, cell) in field.sites.iter().enumerate() {
                    for direction in Direction::ALL {
                        let (dx, dy) = direction.offset();
                        let at = (cell.x.checked_add_signed(dx), cell.y.checked_add_signed(dy));
                        let found = field.sites.iter().position(|s| (Some(s.x), Some(s.y)) == at);
                        assert_eq!(field.beside(site, direction), found);
                    }
                }
            }
            game.step_with(|game, decision| {
                let view = game.view(decision);
                let to = |cell: Cell| Direction::ALL[(cell.x + cell.y) as usize % 4];
                let moves =
                    view.own().map(|cell| Move { x: cell.x, y: cell.y, direction: to(cell) });
                Answer { moves: moves.collect() }
            });
        }
    }
}
