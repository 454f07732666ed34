//! How the smuggler lays its wire.

use super::super::known_map::{around, beside};
use super::super::spot_map::Spot;
use super::state::{REST, Smuggler, Task, distance};
use crate::rezzo::{Action, Kind};

impl Smuggler {
    /// Lays the wire: steps along the planned way, and cuts foreign wires beside it, so that
    /// signals and flags keep to it.
    pub(super) fn lay(&mut self, visited: usize) -> Option<Action> {
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
        let action = self.step_onto(next, step);
        if action.is_none() {
            self.task = Task::Explore;
            self.next_plan = self.known.tick + REST;
        }
        action
    }

    /// Whether a wire is there that would lead signals away from the own one.
    pub(super) fn is_foreign(&self, spot: Spot) -> bool {
        !self.keeps(spot) && self.known.at(spot).is_some_and(|cell| cell.kind.is_wire())
    }

    /// A place from which it can cut a wire that touches the place where it is diagonally, unless
    /// it will come by anyway.
    pub(super) fn side_step(&self, visited: usize) -> Option<Spot> {
        let here = self.known.here;
        let soon = self.plan.way[visited..].iter().take(4);
        let covered = |spot: Spot| soon.clone().any(|&place| distance(place, spot) == 1);
        let corner = around(here)
            .find(|&spot| distance(spot, here) == 2 && self.is_foreign(spot) && !covered(spot))?;
        let usable = |spot: &Spot| !self.keeps(*spot) && self.walk_cost(*spot).is_some();
        beside(here).filter(|&spot| distance(spot, corner) == 1).find(usable)
    }

    /// Whether a place belongs to a wire of its own, or to the loop of the one that it lays.
    pub(super) fn keeps(&self, spot: Spot) -> bool {
        let lays = matches!(self.task, Task::Lay(_) | Task::Guard(_));
        let planned = self.plan.wire.contains(&spot) || self.plan.loops.contains(&spot);
        self.kept.contains(&spot) || (lays && planned)
    }
}
