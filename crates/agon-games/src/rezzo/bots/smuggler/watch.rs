//! How the smuggler watches signals, and guards its geysers.

use super::super::known_map::around;
use super::super::spot_map::Spot;
use super::state::{HOME, REST, Smuggler, Task, distance};
use super::wire_plan::WirePlan;
use crate::rezzo::{Action, Kind};

/// How long it watches a signal, with and without the way to it.
const WATCH: u64 = 32;
pub(super) const WATCH_AT_MOST: u64 = 300;
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
    pub(super) fn unknown_signal(&self) -> Option<Spot> {
        let is_new = |spot: &Spot| {
            distance(*spot, HOME) <= NEAR_HOME
                && self.known.period(*spot).is_none()
                && !self.watched.iter().any(|&other| distance(*spot, other) <= 6)
        };
        self.known.signals().filter(is_new).min_by_key(|&spot| (distance(spot, HOME), spot))
    }

    /// Walks to a signal and watches it for a while.
    pub(super) fn watch(&mut self, signal: Spot, until: u64) -> Option<Action> {
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
    pub(super) fn guard(&mut self, until: u64) -> Option<Action> {
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
    pub(super) fn threat(&self) -> Option<Spot> {
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
