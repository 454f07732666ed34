//! What the smuggler does in each tick: it explores, plans, and walks to where the wire begins.

use agon_core::{Policy, Rng};

use super::super::spot_map::Spot;
use super::state::{HOME, PATIENCE, REST, Smuggler, Task, distance};
use super::watch::WATCH_AT_MOST;
use super::wire_plan::WirePlan;
use crate::rezzo::{Action, Answer, Kind, Rezzo, View};

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
