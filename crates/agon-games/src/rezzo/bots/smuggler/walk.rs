//! How the smuggler walks.

use std::collections::VecDeque;

use super::super::known_map::beside;
use super::super::route::route;
use super::super::spot_map::Spot;
use super::state::{Smuggler, distance};
use crate::rezzo::{Action, Kind};

/// The longest part of a way that it searches for at once.
const PART: u32 = 24;

impl Smuggler {
    /// The next action along the way; `None` at its end, or if it is blocked.
    pub(super) fn walk(&mut self) -> Option<Action> {
        while self.way.front() == Some(&self.known.here) {
            self.way.pop_front();
        }
        let action = self.way.front().and_then(|&next| self.step_onto(next, Action::Advance));
        if action.is_none() {
            self.way.clear();
        }
        action
    }

    /// Turns to a place beside the agent, breaks what is there, or steps onto it.
    pub(super) fn step_onto(&self, next: Spot, step: Action) -> Option<Action> {
        beside(self.known.here).find(|&spot| spot == next)?;
        if let Some(turn) = self.known.turn_to(next) {
            return Some(turn);
        }
        match self.known.at(next)?.kind {
            Kind::Blank => Some(step),
            Kind::Agent => Some(Action::Nop),
            Kind::Geyser | Kind::Base => None,
            _ => Some(Action::Hit),
        }
    }

    /// A way to a place, or to within so many steps of it. If it is far, the first part of it,
    /// because a search for a long way takes long.
    pub(super) fn route_near(&self, place: Spot, within: u32) -> Option<VecDeque<Spot>> {
        let here = self.known.here;
        let enough = within.max(distance(here, place).saturating_sub(PART));
        let goal = |spot: Spot| distance(spot, place) <= enough;
        route(here, goal, |spot| self.walk_cost(spot)).map(VecDeque::from)
    }

    /// The cost of walking onto a place; `None` if it is impossible or on its own wire.
    pub(super) fn walk_cost(&self, spot: Spot) -> Option<u32> {
        match self.known.at(spot).map(|cell| cell.kind) {
            _ if self.keeps(spot) => None,
            None | Some(Kind::Blank) => Some(1),
            Some(Kind::Agent) => Some(3),
            Some(Kind::Geyser | Kind::Base) => None,
            Some(_) => Some(5),
        }
    }
}
