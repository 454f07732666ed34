//! The built-in bot `smuggler`: explores in a spiral until it has seen an enemy's geyser. Then it
//! lays a wire from there past its own base to a loop, and guards its geysers until the flag comes.
//!
//! It lays the wire on its way home, because no signal runs before the wire reaches the loop. The
//! flag moves one cell a signal, so what counts is a wire with few cells (`area.rs`), without
//! any foreign wire beside it that leads signals away.

mod area;

use std::collections::{BTreeSet, VecDeque};

use agon_core::{Builtin, Policy, Rng};
use area::WirePlan;

use super::known_map::{KnownMap, Spot, around, beside, route};
use crate::rezzo::{Action, Answer, Kind, Rezzo, View};

pub(super) const BOT: Builtin<Rezzo> = Builtin {
    name: "smuggler",
    version: 2,
    summary: "explores in a spiral, lays a short wire home from the first geyser it finds, then \
        guards its own geysers",
    params: &[],
    make: |_| Ok(Box::new(Smuggler::default())),
};

/// What a smuggler knows and does.
#[derive(Default)]
pub(in crate::rezzo::bots) struct Smuggler {
    known: KnownMap,
    task: Task,
    /// Where it explores next.
    spiral: Spiral,
    /// The way that it walks.
    way: VecDeque<Spot>,
    /// Turns that it still makes to look around.
    looks: VecDeque<Action>,
    /// Geysers of enemies.
    geysers: BTreeSet<Spot>,
    /// Signals that it has watched.
    watched: BTreeSet<Spot>,
    /// The wire that it lays, or has laid last.
    plan: WirePlan,
    /// Whether it lays one wire after the other instead of guarding.
    weaves: bool,
    /// Whether it has tried a wire that does not pass its own base, and whether it lays one.
    has_tried_straight: bool,
    lays_straight: bool,
    /// The cells of wires that are laid, and of their loops.
    kept: BTreeSet<Spot>,
    /// When it may plan a wire again, and how long it rests after the next failure.
    next_plan: u64,
    rest: u64,
    /// When it may search for a way again while it guards.
    next_way: u64,
    /// Where it was last, and since when.
    last: (Spot, u64),
}

impl Smuggler {
    /// A smuggler that lays one wire after the other instead of guarding.
    pub(in crate::rezzo::bots) fn weaving() -> Smuggler {
        Smuggler { weaves: true, ..Smuggler::default() }
    }
}

/// What a smuggler does now.
#[derive(Default)]
enum Task {
    /// Look for geysers and loops.
    #[default]
    Explore,
    /// Find out whether a signal comes again: its place, and until when.
    Watch(Spot, u64),
    /// Walk to the start of the planned wire.
    Approach,
    /// Lay the wire; the number of places already visited.
    Lay(usize),
    /// Wait for the flag until a tick, and cut what others lay to the own geysers.
    Guard(u64),
}

/// The ticks until it plans again if a wire was not possible.
const REST: u64 = 100;
/// It gives a task up if it stays in the same place for so many ticks.
const PATIENCE: u64 = 60;
/// Where it starts; all places are relative to it.
const HOME: Spot = (0, 0);

/// The steps between two places.
fn distance(a: Spot, b: Spot) -> u32 {
    a.0.abs_diff(b.0) + a.1.abs_diff(b.1)
}

impl Policy<Rezzo> for Smuggler {
    fn decide(&mut self, view: &View<'_>, rng: &mut Rng) -> Answer {
        self.known.look(view);
        if view.tick() == 0 {
            self.looks.extend([Action::TurnRight; 4]);
        }
        self.note_geysers(view);
        let action = self.act(rng);
        self.known.sent(action).into()
    }
}

impl Smuggler {
    fn note_geysers(&mut self, view: &View<'_>) {
        let known = &self.known;
        self.geysers.retain(|&spot| known.at(spot).is_some_and(|cell| cell.kind == Kind::Geyser));
        for (forward, right) in View::places() {
            let cell = view.cell(forward, right);
            let foreign = cell.kind == Kind::Geyser && cell.owner != known.me;
            if foreign && self.geysers.insert(known.seen(forward, right)) {
                self.next_plan = known.tick;
                self.rest = REST;
            }
        }
    }

    fn act(&mut self, rng: &mut Rng) -> Action {
        if let Some(turn) = self.looks.pop_front() {
            return turn;
        }
        if self.known.here != self.last.0 {
            self.last = (self.known.here, self.known.tick);
        }
        let waits = matches!(self.task, Task::Guard(_) | Task::Watch(..));
        if !waits && self.known.tick - self.last.1 > PATIENCE {
            self.last.1 = self.known.tick;
            self.way.clear();
            self.spiral.advance();
            self.task = Task::Explore;
            self.next_plan = self.known.tick + REST;
        }
        for _ in 0..4 {
            let action = match self.task {
                Task::Explore => self.explore(),
                Task::Watch(signal, until) => self.watch(signal, until),
                Task::Approach => self.approach(),
                Task::Lay(visited) => self.lay(visited),
                Task::Guard(until) => self.guard(until),
            };
            if let Some(action) = action {
                return action;
            }
        }
        rng.pick(&[Action::Advance, Action::TurnLeft, Action::TurnRight])
            .copied()
            .unwrap_or(Action::Nop)
    }

    fn explore(&mut self) -> Option<Action> {
        if self.known.tick >= self.next_plan && !self.geysers.is_empty() {
            self.way.clear();
            if self.make_plan() {
                self.task = Task::Approach;
                return None;
            }
            if let Some(signal) = self.unknown_signal() {
                self.task = Task::Watch(signal, self.known.tick + WATCH_AT_MOST);
                return None;
            }
        }
        if let Some(action) = self.walk() {
            return Some(action);
        }
        let goal = self.spiral.spot();
        let here = self.known.here;
        if distance(here, goal) <= 2 {
            self.spiral.advance();
            self.look_aside();
            return self.looks.pop_front();
        }
        match self.route_near(goal, 2) {
            Some(way) => self.way = way,
            None => self.spiral.advance(),
        }
        None
    }

    /// Looks to the sides that are not known yet.
    fn look_aside(&mut self) {
        let here = self.known.here;
        let ahead = self.known.ahead();
        let right = (ahead.1 - here.1, here.0 - ahead.0);
        let unknown = |side: i32| {
            let spot = |far: i32| (here.0 + side * far * right.0, here.1 + side * far * right.1);
            [8, 12].iter().any(|&far| self.known.at(spot(far)).is_none())
        };
        let sides = [unknown(-1), unknown(1)];
        if sides[0] {
            self.looks.extend([Action::TurnLeft, Action::TurnRight]);
        }
        if sides[1] {
            self.looks.extend([Action::TurnRight, Action::TurnLeft]);
        }
    }

    /// Plans a wire to one of the known geysers, the nearest to home first.
    fn make_plan(&mut self) -> bool {
        self.next_plan = self.known.tick + self.rest;
        self.rest *= 2;
        let mut geysers: Vec<Spot> = self.geysers.iter().copied().collect();
        geysers.sort_by_key(|&spot| distance(spot, HOME));
        let nearest = || geysers.iter().take(3);
        let straight = if self.has_tried_straight {
            None
        } else {
            nearest()
                .filter_map(|&geyser| WirePlan::straight(&self.known, geyser, &self.kept))
                .min_by_key(|plan| plan.way.len())
        };
        let past_base = nearest().find_map(|&geyser| WirePlan::to(&self.known, geyser, &self.kept));
        let plan = match (straight, past_base) {
            (Some(straight), Some(other)) if 2 * straight.way.len() > other.way.len() => {
                Some(other)
            }
            (Some(straight), _) => {
                self.has_tried_straight = true;
                self.lays_straight = true;
                Some(straight)
            }
            (None, other) => other,
        };
        let Some(plan) = plan else { return false };
        self.plan = plan;
        true
    }

    fn approach(&mut self) -> Option<Action> {
        let start = self.plan.way[0];
        if self.known.here == start {
            self.way.clear();
            self.task = Task::Lay(1);
            return None;
        }
        if let Some(action) = self.walk() {
            return Some(action);
        }
        match self.route_near(start, 0) {
            Some(way) => self.way = way,
            None => self.task = Task::Explore,
        }
        None
    }
}

impl Smuggler {
    /// Lays the wire: steps along the planned way, and cuts foreign wires beside it, so that
    /// signals and flags keep to it.
    fn lay(&mut self, visited: usize) -> Option<Action> {
        let here = self.known.here;
        let Some(&next) = self.plan.way.get(visited) else {
            self.task = Task::Guard(self.known.tick + self.plan.ticks * 5 / 4 + 300);
            if self.weaves || self.lays_straight {
                self.lays_straight = false;
                let plan = std::mem::take(&mut self.plan);
                self.kept.extend(plan.wire.into_iter().chain(plan.source));
                self.task = Task::Explore;
                self.next_plan = self.known.tick;
                self.rest = REST;
            }
            return None;
        };
        if here == next {
            self.task = Task::Lay(visited + 1);
            return None;
        }
        if let Some(spot) = beside(here).find(|&spot| self.is_foreign(spot)) {
            return Some(self.known.turn_to(spot).unwrap_or(Action::Hit));
        }
        let builds = self.plan.wire.contains(&here) && !self.plan.way[visited..].contains(&here);
        if builds && let Some(aside) = self.side_step(visited) {
            // There it cuts what is beside it, and comes back.
            self.plan.way.splice(visited..visited, [aside, here]);
            return None;
        }
        let last = visited + 1 == self.plan.way.len();
        if last && self.known.near(here, |cell| cell.kind == Kind::Electron) {
            // Connected now, the wire would send a signal back into the loop, against its own one,
            // and both would end.
            return Some(Action::Nop);
        }
        let step = if builds { Action::Build } else { Action::Advance };
        let action = self.known.step_onto(next, step);
        if action.is_none() {
            self.task = Task::Explore;
            self.next_plan = self.known.tick + REST;
        }
        action
    }

    /// Whether a wire is there that would lead signals away from the own one.
    fn is_foreign(&self, spot: Spot) -> bool {
        !self.keeps(spot) && self.known.at(spot).is_some_and(|cell| cell.kind.is_wire())
    }

    /// A place from which it can cut a wire that touches the place where it is diagonally, unless
    /// it will come by anyway.
    fn side_step(&self, visited: usize) -> Option<Spot> {
        let here = self.known.here;
        let soon = self.plan.way[visited..].iter().take(4);
        let covered = |spot: Spot| soon.clone().any(|&place| distance(place, spot) == 1);
        let corner = around(here)
            .find(|&spot| distance(spot, here) == 2 && self.is_foreign(spot) && !covered(spot))?;
        let usable = |spot: &Spot| !self.keeps(*spot) && self.walk_cost(*spot).is_some();
        beside(here).filter(|&spot| distance(spot, corner) == 1).find(usable)
    }

    /// Whether a place belongs to a wire of its own, or to the loop of the one that it lays.
    fn keeps(&self, spot: Spot) -> bool {
        let lays = matches!(self.task, Task::Lay(_) | Task::Guard(_));
        let planned = self.plan.wire.contains(&spot) || self.plan.loops.contains(&spot);
        self.kept.contains(&spot) || (lays && planned)
    }
}

/// The longest part of a way that it searches for at once.
const PART: u32 = 24;

impl Smuggler {
    /// The next action along the way; `None` at its end, or if it is blocked.
    fn walk(&mut self) -> Option<Action> {
        let action = self.known.follow(&mut self.way, Action::Advance);
        if action.is_none() {
            self.way.clear();
        }
        action
    }

    /// A way to a place, or to within so many steps of it. If it is far, the first part of it,
    /// because a search for a long way takes long.
    fn route_near(&self, place: Spot, within: u32) -> Option<VecDeque<Spot>> {
        let here = self.known.here;
        let enough = within.max(distance(here, place).saturating_sub(PART));
        let goal = |spot: Spot| distance(spot, place) <= enough;
        route(here, goal, |spot| self.walk_cost(spot)).map(VecDeque::from)
    }

    /// The cost of walking onto a place; `None` if it is impossible or on its own wire.
    fn walk_cost(&self, spot: Spot) -> Option<u32> {
        match self.known.at(spot).map(|cell| cell.kind) {
            _ if self.keeps(spot) => None,
            None | Some(Kind::Blank) => Some(1),
            Some(Kind::Agent) => Some(3),
            Some(Kind::Geyser | Kind::Base) => None,
            Some(_) => Some(5),
        }
    }
}

/// How long it watches a signal, with and without the way to it.
const WATCH: u64 = 32;
const WATCH_AT_MOST: u64 = 300;
/// How far from home it watches signals.
const NEAR_HOME: u32 = 50;
/// Its geysers stand diagonally behind the start.
const OWN_GEYSERS: [Spot; 2] = [(-1, -1), (1, -1)];
/// The ticks between two searches for a way while it guards.
const REROUTE: u64 = 8;
/// The distance to its start at which it guards its geysers.
const POST: u32 = 3;

impl Smuggler {
    /// A signal near home of which it does not know whether it comes again.
    fn unknown_signal(&self) -> Option<Spot> {
        let is_new = |spot: &Spot| {
            distance(*spot, HOME) <= NEAR_HOME
                && self.known.period(*spot).is_none()
                && !self.watched.iter().any(|&other| distance(*spot, other) <= 6)
        };
        self.known.signals().filter(is_new).min_by_key(|&spot| (distance(spot, HOME), spot))
    }

    /// Walks to a signal and watches it for a while.
    fn watch(&mut self, signal: Spot, until: u64) -> Option<Action> {
        if self.known.tick >= until {
            self.watched.insert(signal);
            self.task = Task::Explore;
            self.next_plan = self.known.tick;
            return None;
        }
        if let Some(action) = self.walk() {
            return Some(action);
        }
        if distance(self.known.here, signal) > 4 {
            match self.route_near(signal, 4) {
                Some(way) => self.way = way,
                None => self.task = Task::Watch(signal, self.known.tick),
            }
            return None;
        }
        let stay = Task::Watch(signal, until.min(self.known.tick + WATCH));
        self.task = stay;
        Some(if self.known.sees(signal) { Action::Nop } else { Action::TurnRight })
    }

    /// Waits for the flag near its own geysers, and cuts what touches them.
    fn guard(&mut self, until: u64) -> Option<Action> {
        if self.known.tick >= until {
            self.task = Task::Explore;
            self.plan = WirePlan::default();
            self.next_plan = self.known.tick;
            self.rest = REST;
            return None;
        }
        let (goal, within) = self.threat().map_or((HOME, POST), |threat| (threat, 0));
        if let Some(action) = self.walk() {
            return Some(action);
        }
        if distance(self.known.here, goal) > within && self.known.tick >= self.next_way {
            self.next_way = self.known.tick + REROUTE;
            self.way = self.route_near(goal, within).unwrap_or_default();
            if let Some(action) = self.walk() {
                return Some(action);
            }
        }
        Some(if self.known.tick.is_multiple_of(4) { Action::TurnRight } else { Action::Nop })
    }

    /// A foreign wire or a flag that touches an own geyser.
    fn threat(&self) -> Option<Spot> {
        let dangerous = |spot: &Spot| {
            !self.keeps(*spot)
                && self
                    .known
                    .at(*spot)
                    .is_some_and(|cell| cell.kind.is_wire() || cell.kind == Kind::Flag)
        };
        OWN_GEYSERS.into_iter().flat_map(around).find(dangerous)
    }
}

/// The distance of two rounds. At each place of the spiral the agent looks to both sides, 12 cells
/// far.
const WIDTH: i32 = 25;

/// After so many rounds it begins anew: only larger worlds than usual have more to show, and what
/// it remembers stays limited.
const ROUNDS: i32 = 12;

/// A place on the spiral.
#[derive(Clone, Copy, Debug)]
struct Spiral {
    /// The round, from 1.
    round: i32,
    /// The number of the place in the round.
    number: i32,
}

impl Default for Spiral {
    fn default() -> Spiral {
        Spiral { round: 1, number: 0 }
    }
}

impl Spiral {
    /// The place to walk to.
    fn spot(self) -> Spot {
        let radius = self.round * WIDTH;
        let side = self.number / self.places();
        let along = (self.number % self.places() + 1) * WIDTH / 2 - radius;
        match side {
            0 => (radius, along),
            1 => (-along, radius),
            2 => (-radius, -along),
            _ => (along, -radius),
        }
    }

    /// Goes on to the next place.
    fn advance(&mut self) {
        self.number += 1;
        if self.number == 4 * self.places() {
            *self = Spiral { round: self.round % ROUNDS + 1, number: 0 };
        }
    }

    /// Number of places on a side.
    fn places(self) -> i32 {
        4 * self.round
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Neighbouring places are close, and every place within three rounds is within sight of one.
    #[test]
    fn the_spiral_leaves_no_gap() {
        let mut spiral = Spiral::default();
        let mut spots = vec![(0, 0)];
        while spiral.round <= 3 {
            spots.push(spiral.spot());
            spiral.advance();
        }
        for pair in spots.windows(2).skip(1) {
            let far = pair[0].0.abs_diff(pair[1].0).max(pair[0].1.abs_diff(pair[1].1));
            assert!(far <= 25, "{pair:?}");
        }
        for (x, y) in (-75..=75).flat_map(|x| (-75..=75).map(move |y| (x, y))) {
            let near = |spot: &Spot| spot.0.abs_diff(x).max(spot.1.abs_diff(y)) <= 13;
            assert!(spots.iter().any(near), "({x}, {y})");
        }
    }
}
