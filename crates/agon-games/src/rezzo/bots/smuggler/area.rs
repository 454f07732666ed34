//! [`Area`]: the part of the world that the smuggler knows between a geyser and its home, and a
//! search for wires in it.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use super::super::known_map::{KnownMap, Spot};
use crate::rezzo::{Cell, Kind};

/// The known part of the world around a geyser, the own bases and loops, as a grid.
pub(super) struct Area {
    left: i32,
    bottom: i32,
    width: usize,
    pub(super) cells: Vec<Option<Cell>>,
    /// The ticks to enter a cell and to cut wires beside it; `None` if it is impossible.
    pub(super) enter: Vec<Option<u32>>,
    /// Where a wire would do harm.
    banned: Vec<bool>,
    /// Where a wire touches an own base.
    pub(super) at_base: Vec<bool>,
    /// Where a wire touches a base of the geyser's owner.
    pub(super) at_target: Vec<bool>,
    /// Where a wire touches a loop: the ticks between two signals.
    pub(super) at_loop: Vec<Option<u32>>,
    /// The cells of loops.
    pub(super) is_loop: Vec<bool>,
    /// The cells of own wires.
    is_kept: Vec<bool>,
}

/// Places in order, and whether each becomes wire.
pub(super) type Found = Vec<(usize, bool)>;

/// The result of a search.
pub(super) struct Search {
    /// The wire cell before each cell, and the place between them.
    before: Vec<(usize, usize)>,
    /// The goals that it reached, with their costs.
    pub(super) goals: Vec<(u32, usize)>,
}

/// No cell.
const NONE: usize = usize::MAX;
/// How far around the bases and the geyser a wire may run.
const MARGIN: i32 = 24;
/// No plan is made for larger areas.
const MAX_CELLS: usize = 1 << 19;
/// The most cells of a loop.
const MAX_LOOP: usize = 64;
/// The ticks for a diagonal step's two turns.
const DIAGONAL: u32 = 2;

impl Search {
    /// The way to a cell.
    pub(super) fn to(&self, mut at: usize) -> Found {
        let mut found = vec![(at, true)];
        while self.before[at].0 != NONE {
            let (last, between) = self.before[at];
            if between != NONE {
                found.push((between, false));
            }
            found.push((last, true));
            at = last;
        }
        found.reverse();
        found
    }
}

impl Area {
    pub(super) fn new(known: &KnownMap, geyser: Spot, kept: &BTreeSet<Spot>) -> Option<Area> {
        let me = known.me;
        let mut corners = known.all(|cell| cell == Cell::owned(Kind::Base, me));
        corners.push(geyser);
        let range =
            |values: Vec<i32>| Some((values.iter().min()? - MARGIN, values.iter().max()? + MARGIN));
        let (left, right) = range(corners.iter().map(|spot| spot.0).collect())?;
        let (bottom, top) = range(corners.iter().map(|spot| spot.1).collect())?;
        let width = (right - left + 1) as usize;
        let size = width * (top - bottom + 1) as usize;
        if size > MAX_CELLS {
            return None;
        }
        let mut area = Area {
            left,
            bottom,
            width,
            cells: vec![None; size],
            enter: vec![None; size],
            banned: vec![false; size],
            at_base: vec![false; size],
            at_target: vec![false; size],
            at_loop: vec![None; size],
            is_loop: vec![false; size],
            is_kept: vec![false; size],
        };
        for (spot, cell) in known.cells() {
            if let Some(at) = area.index(spot) {
                area.cells[at] = Some(cell);
            }
        }
        for &spot in kept {
            if let Some(at) = area.index(spot) {
                area.is_kept[at] = true;
                area.around(at).for_each(|near| area.banned[near] = true);
            }
        }
        for spot in known.signals() {
            if let Some(at) = area.index(spot) {
                area.add_loop(known, at);
            }
        }
        let target = area.cells[area.index(geyser)?]?.owner;
        area.weigh(me, target);
        Some(area)
    }

    /// Notes the loop, or the live wire, that a cell with a signal belongs to.
    fn add_loop(&mut self, known: &KnownMap, signal: usize) {
        let is_wire = |cell: Option<Cell>| cell.is_some_and(|cell| cell.kind.is_wire());
        if self.is_loop[signal] || self.is_kept[signal] || !is_wire(self.cells[signal]) {
            return;
        }
        let mut found = vec![signal];
        let mut done = 0;
        while done < found.len() && found.len() < MAX_LOOP {
            let more: Vec<usize> = self
                .around(found[done])
                .filter(|&at| is_wire(self.cells[at]) && !self.is_kept[at] && !found.contains(&at))
                .collect();
            found.extend(more);
            done += 1;
        }
        let seen = found.iter().filter_map(|&at| known.period(self.spot(at))).min();
        let in_ring =
            |&at: &usize| self.around(at).filter(|near| found.contains(near)).count() >= 2;
        let is_ring = done == found.len() && found.iter().all(in_ring);
        // A signal that it has seen only once, on a wire that is no ring, may never come again.
        let Some(period) = seen.or(is_ring.then_some(found.len() as u32)) else { return };
        for at in found {
            self.is_loop[at] = true;
            let near: Vec<usize> = self.around(at).collect();
            for near in near {
                let best = self.at_loop[near].map_or(period, |known| known.min(period));
                self.at_loop[near] = Some(best);
            }
        }
    }

    /// The cells of the loop that a place touches.
    pub(super) fn loop_at(&self, at: usize) -> Vec<usize> {
        let mut found = vec![at];
        let mut done = 0;
        while done < found.len() {
            let more: Vec<usize> = self
                .around(found[done])
                .filter(|&near| self.is_loop[near] && !found.contains(&near))
                .collect();
            found.extend(more);
            done += 1;
        }
        found.split_off(1)
    }

    /// Fills in costs and what is banned.
    fn weigh(&mut self, me: u8, target: u8) {
        for at in 0..self.cells.len() {
            let Some(cell) = self.cells[at] else { continue };
            let near: Vec<usize> = self.around(at).collect();
            match cell.kind {
                Kind::Geyser if cell.owner != target => {
                    near.into_iter().for_each(|near| self.banned[near] = true);
                }
                Kind::Base if cell.owner == me => {
                    near.into_iter().for_each(|near| self.at_base[near] = true);
                }
                Kind::Base if cell.owner == target => {
                    near.into_iter().for_each(|near| self.at_target[near] = true);
                }
                _ => {}
            }
        }
        for at in 0..self.cells.len() {
            let foreign = |at: &usize| {
                self.cells[*at].is_some_and(|cell| cell.kind.is_wire()) && !self.is_loop[*at]
            };
            let cut = 6 * self.beside(at).filter(foreign).count() as u32
                + 2 * self.around(at).filter(foreign).count() as u32;
            let enter = match self.cells[at].map(|cell| cell.kind) {
                _ if self.is_loop[at] || self.is_kept[at] || !self.is_inside(at) => None,
                None => Some(4),
                Some(Kind::Blank) => Some(1),
                Some(Kind::Agent) => Some(3),
                Some(Kind::Geyser | Kind::Base) => None,
                Some(_) => Some(5),
            };
            self.enter[at] = enter.map(|enter| enter + cut);
        }
    }

    /// The cheapest wires from `starts`, with their costs, to places for which `goal` returns a
    /// further cost. It goes on until wires cost `detour` more than the best.
    pub(super) fn search(
        &self,
        starts: impl Iterator<Item = (usize, u32)>,
        per_cell: u32,
        may: impl Fn(usize) -> bool,
        goal: impl Fn(usize) -> Option<u32>,
        detour: u32,
    ) -> Search {
        let free = |at: usize| self.enter[at].filter(|_| may(at) && !self.banned[at]);
        let mut cost = vec![u32::MAX; self.cells.len()];
        let mut before = vec![(NONE, NONE); self.cells.len()];
        let mut open = BinaryHeap::new();
        for (at, first) in starts {
            if let Some(enter) = free(at) {
                cost[at] = first + enter;
                open.push((Reverse(cost[at]), at));
            }
        }
        let mut goals: Vec<(u32, usize)> = Vec::new();
        let mut limit = u32::MAX;
        while let Some((Reverse(spent), at)) = open.pop() {
            if spent >= limit {
                break;
            }
            if spent > cost[at] {
                continue;
            }
            if let Some(more) = goal(at) {
                goals.push((spent + more, at));
                limit = limit.min(spent + more + detour);
                continue;
            }
            let mut reach = |next: usize, between: usize, step: u32| {
                let total = spent + step;
                if total < cost[next] {
                    cost[next] = total;
                    before[next] = (at, between);
                    open.push((Reverse(total), next));
                }
            };
            for (dx, dy) in [(0, 1), (1, 0), (0, -1), (-1, 0)] {
                let side = self.moved(at, dx, dy);
                let Some(enter_side) = free(side) else { continue };
                reach(side, NONE, per_cell + enter_side);
                for turn in [-1, 1] {
                    let corner = self.moved(side, turn * dy, turn * dx);
                    if let Some(enter) = free(corner) {
                        reach(corner, side, per_cell + DIAGONAL + enter_side + enter);
                    }
                }
            }
        }
        Search { before, goals }
    }

    pub(super) fn index(&self, (x, y): Spot) -> Option<usize> {
        let column = usize::try_from(x - self.left).ok().filter(|&column| column < self.width)?;
        let row = usize::try_from(y - self.bottom).ok()?;
        Some(row * self.width + column).filter(|&at| at < self.cells.len())
    }

    pub(super) fn spot(&self, at: usize) -> Spot {
        (self.left + (at % self.width) as i32, self.bottom + (at / self.width) as i32)
    }

    /// Whether all neighbours of a cell are in the area.
    fn is_inside(&self, at: usize) -> bool {
        let column = at % self.width;
        let row = at / self.width;
        column > 0 && column + 1 < self.width && row > 0 && row + 1 < self.cells.len() / self.width
    }

    /// The cell at a distance from a cell inside.
    fn moved(&self, at: usize, dx: i32, dy: i32) -> usize {
        at.wrapping_add_signed(dy as isize * self.width as isize + dx as isize)
    }

    /// The cells around a cell; none if it is at the edge.
    pub(super) fn around(&self, at: usize) -> impl Iterator<Item = usize> + use<> {
        let width = self.width;
        let all = [-1, 0, 1].into_iter().flat_map(move |dy: isize| {
            [-1, 0, 1].into_iter().map(move |dx: isize| dy * width as isize + dx)
        });
        let inside = self.is_inside(at);
        all.filter(move |&step| inside && step != 0).map(move |step| at.wrapping_add_signed(step))
    }

    /// The four cells beside a cell; none if it is at the edge.
    pub(super) fn beside(&self, at: usize) -> impl Iterator<Item = usize> + use<> {
        let steps = [1, self.width as isize, -1, -(self.width as isize)];
        let inside = self.is_inside(at);
        steps.into_iter().filter(move |_| inside).map(move |step| at.wrapping_add_signed(step))
    }
}

/// A wire that is to be laid.
#[derive(Debug, Default)]
pub(super) struct WirePlan {
    /// The places to visit one after the other, from the geyser on. The last one is beside the
    /// wire.
    pub(super) way: Vec<Spot>,
    /// The places that become wire.
    pub(super) wire: BTreeSet<Spot>,
    /// Cells of loops that the wire may touch at its end.
    pub(super) loops: BTreeSet<Spot>,
    /// Cells of the loop that the wire gets its signals from.
    pub(super) source: Vec<Spot>,
    /// Ticks that the flag needs once the wire is laid.
    pub(super) ticks: u64,
}

/// How much dearer than the cheapest a way to a base may be, and how many such ways are tried.
const DETOUR: u32 = 100;
const MAX_BENDS: usize = 12;
/// The cost of a wire cell that flags have to pass: about the ticks between two signals.
const TRANSPORT: u32 = 12;
/// The cost of a wire that does not begin beside a base of the geyser's owner. Where flags lose
/// beside any base, a wire that does wins with the first signal; bots do not know which rule holds.
const ELSEWHERE: u32 = 120;
/// The cost of a wire cell that only signals pass.
const SUPPLY: u32 = 2;

impl WirePlan {
    /// The best wire to this geyser, if everything that it needs is known.
    pub(super) fn to(known: &KnownMap, geyser: Spot, kept: &BTreeSet<Spot>) -> Option<WirePlan> {
        let area = Area::new(known, geyser, kept)?;
        let starts = area.around(area.index(geyser)?).filter(|&at| area.enter[at].is_some());
        let starts = starts.map(|at| (at, if area.at_target[at] { 0 } else { ELSEWHERE }));
        let may = |at: usize| area.at_loop[at].is_none();
        let goal = |at: usize| area.at_base[at].then_some(0);
        let to_base = area.search(starts, TRANSPORT, may, goal, DETOUR);
        // Some places at a base are a dead end for the rest of the wire.
        to_base
            .goals
            .iter()
            .take(MAX_BENDS)
            .find_map(|&(_, bend)| WirePlan::complete(&area, &to_base.to(bend)))
    }

    /// The best wire from beside this geyser and a base of its owner straight to a loop. It wins
    /// with the first signal where flags lose beside any base.
    pub(super) fn straight(
        known: &KnownMap,
        geyser: Spot,
        kept: &BTreeSet<Spot>,
    ) -> Option<WirePlan> {
        let area = Area::new(known, geyser, kept)?;
        let starts = area.around(area.index(geyser)?).filter(|&at| area.at_target[at]);
        let starts = starts.filter(|&at| area.enter[at].is_some()).map(|at| (at, 0));
        let goal = |at: usize| area.at_loop[at];
        let search = area.search(starts, SUPPLY, |_| true, goal, 0);
        let last = search.goals.iter().min()?.1;
        WirePlan::of(&area, &search.to(last), 1)
    }

    /// Leads a wire that has come to a base on to a loop.
    fn complete(area: &Area, to_base: &Found) -> Option<WirePlan> {
        let cells: Vec<usize> = to_base.iter().filter(|step| step.1).map(|step| step.0).collect();
        let bend = *cells.last()?;
        // The rest must not touch what is already planned, except at the bend.
        let mut taken = vec![false; area.cells.len()];
        for &at in &cells[..cells.len() - 1] {
            taken[at] = true;
            area.around(at).for_each(|near| taken[near] = true);
        }
        taken[bend] = false;
        let flag_cells = cells.len() as u32;
        let goal = |at: usize| area.at_loop[at].map(|period| period * flag_cells);
        let search = area.search([(bend, 0)].into_iter(), SUPPLY, |at| !taken[at], goal, 0);
        let last = search.goals.iter().min()?.1;
        let whole: Found = to_base.iter().chain(&search.to(last)[1..]).copied().collect();
        WirePlan::of(area, &whole, flag_cells)
    }

    /// The plan of a wire from a geyser to a loop, of which flags have to pass `flag_cells`.
    fn of(area: &Area, whole: &Found, flag_cells: u32) -> Option<WirePlan> {
        let last = whole.last()?.0;
        let planned: BTreeSet<usize> =
            whole.iter().filter(|step| step.1).map(|step| step.0).collect();
        let stop = area
            .beside(last)
            .filter(|at| area.enter[*at].is_some() && !planned.contains(at))
            .min_by_key(|&at| area.enter[at])?;
        let way = whole.iter().map(|step| area.spot(step.0));
        let loops = (0..area.cells.len()).filter(|&at| area.is_loop[at]);
        Some(WirePlan {
            way: way.chain([area.spot(stop)]).collect(),
            wire: planned.iter().map(|&at| area.spot(at)).collect(),
            source: area.loop_at(last).into_iter().map(|at| area.spot(at)).collect(),
            loops: loops.map(|at| area.spot(at)).collect(),
            ticks: u64::from(area.at_loop[last]? * (flag_cells + 2)) + planned.len() as u64,
        })
    }
}
