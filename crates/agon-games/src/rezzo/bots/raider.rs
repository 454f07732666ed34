//! The built-in bot `raider`: leads an enemy's flag home. It looks for an enemy's geyser and a wire
//! with signals, then lays a wire from the signals past one of its own bases to the geyser. Every
//! signal that arrives makes a flag or pulls it one cell nearer, against the stream, until it
//! touches the base.

use std::collections::{BTreeSet, VecDeque};

use agon_core::{Builtin, Param, Policy, Rng};

use super::known_map::{KnownMap, Spot, around, beside, route};
use crate::rezzo::{Action, Answer, Cell, Kind, Rezzo, View};

pub(super) const RAIDER: Builtin<Rezzo> = Builtin {
    name: "raider",
    version: 1,
    summary: "lays a wire from a source of signals past its base to an enemy's geyser and waits \
        for the flag",
    params: &[Param {
        name: "patience",
        default: "1200",
        summary: "ticks to wait for a flag before it tries anew, from 100 to 1000000",
    }],
    make: |params| {
        let patience = params.number("patience", 100..=1_000_000)?;
        Ok(Box::new(Raider { patience, ..Raider::default() }))
    },
};

/// The raider expects a signal seen within this many ticks to come again.
const SIGNAL_AGE: u64 = 600;

/// The fewest ticks between two searches for a plan.
const REST: u64 = 12;

#[derive(Default)]
struct Raider {
    patience: u64,
    known: KnownMap,
    plan: Plan,
    /// The cells of its own wire, planned or laid.
    wire: BTreeSet<Spot>,
    /// The first cell of the wire, beside foreign signals.
    source: Spot,
    /// When it may search for a plan again, because that takes long. Meanwhile it strolls.
    next_thought: u64,
    /// When it may look for a connection again.
    next_attempt: u64,
    /// Turns made to look around at the start.
    turns: u32,
}

#[derive(Default)]
enum Plan {
    /// No plan yet.
    #[default]
    Think,
    /// Walk along a way.
    Walk(VecDeque<Spot>),
    /// Walk to the start of the wire, then lay it.
    Connect(VecDeque<Spot>, VecDeque<Spot>),
    /// Lay the wire along a way.
    Lay(VecDeque<Spot>),
    /// Wait for the flag until a tick.
    Wait(u64),
}

impl Policy<Rezzo> for Raider {
    fn decide(&mut self, view: &View<'_>, rng: &mut Rng) -> Answer {
        self.known.look(view);
        // First it looks around, so that it knows its own geysers.
        let action = if self.turns < 4 {
            self.turns += 1;
            Action::TurnRight
        } else {
            self.act().unwrap_or_else(|| self.stroll(rng))
        };
        self.known.sent(action).into()
    }
}

impl Raider {
    fn stroll(&self, rng: &mut Rng) -> Action {
        let free = self.known.at(self.known.ahead()) == Some(Cell::BLANK);
        match rng.below(8) {
            0..=5 if free => Action::Advance,
            0..=3 => Action::TurnLeft,
            _ => Action::TurnRight,
        }
    }

    /// The next action, or `None` if nothing sensible can be done now.
    fn act(&mut self) -> Option<Action> {
        for _ in 0..2 {
            let mut plan = std::mem::take(&mut self.plan);
            let action = match &mut plan {
                Plan::Think => None,
                Plan::Walk(way) => self.known.follow(way, Action::Advance),
                Plan::Connect(way, wire) => match self.known.follow(way, Action::Advance) {
                    None if way.is_empty() => {
                        plan = Plan::Lay(std::mem::take(wire));
                        self.plan = plan;
                        continue;
                    }
                    action => action,
                },
                Plan::Lay(way) => match self.lay(way) {
                    None if way.is_empty() => {
                        plan = Plan::Wait(self.known.tick + self.patience);
                        Some(Action::Nop)
                    }
                    action => action,
                },
                Plan::Wait(until) if self.known.tick < *until => Some(Action::Nop),
                Plan::Wait(_) => None,
            };
            if action.is_some() {
                self.plan = plan;
                return action;
            }
            self.plan = self.think();
        }
        None
    }

    fn think(&mut self) -> Plan {
        if self.known.tick < self.next_thought {
            return Plan::Think;
        }
        self.next_thought = self.known.tick + REST;
        if self.known.tick >= self.next_attempt {
            if let Some(plan) = self.connection() {
                return plan;
            }
            self.next_attempt = self.known.tick + 8 * REST;
        }
        let unknown = |spot: Spot| self.known.at(spot).is_none();
        let way = route(self.known.here, unknown, |spot| self.walk_cost(spot));
        way.map_or(Plan::Think, |way| Plan::Walk(way.into()))
    }

    /// Like [`KnownMap::follow`], but leaves a wire behind and cuts foreign wires beside it, so
    /// that signals and flags keep to it.
    fn lay(&self, way: &mut VecDeque<Spot>) -> Option<Action> {
        while way.front() == Some(&self.known.here) {
            way.pop_front();
        }
        let here = self.known.here;
        let is_start = here.0.abs_diff(self.source.0).max(here.1.abs_diff(self.source.1)) < 3;
        let foreign = |&spot: &Spot| {
            !self.wire.contains(&spot)
                && self.known.at(spot).is_some_and(|cell| cell.kind.is_wire())
        };
        match beside(self.known.here).find(foreign).filter(|_| !is_start && !way.is_empty()) {
            Some(spot) => self.known.turn_to(spot).or(Some(Action::Hit)),
            None => self.known.follow(way, Action::Build),
        }
    }

    /// Whether signals of foreign wires pass near a place.
    fn near_signals(&self, spot: Spot) -> bool {
        around(spot).any(|spot| !self.wire.contains(&spot) && self.known.is_live(spot, SIGNAL_AGE))
    }

    /// Plans a whole wire from signals past a base to an enemy's geyser, if all three are known.
    fn connection(&mut self) -> Option<Plan> {
        let me = self.known.me;
        let mut geysers = self.known.all(|cell| cell.kind == Kind::Geyser && cell.owner != me);
        let here = self.known.here;
        geysers.sort_by_key(|spot| (spot.0.abs_diff(here.0) + spot.1.abs_diff(here.1), *spot));
        let wire = geysers.iter().take(3).find_map(|&geyser| self.wire_to(geyser))?;
        let start = *wire.first()?;
        let way = route(here, |spot| spot == start, |spot| self.walk_cost(spot))?;
        self.wire.extend(&wire[..wire.len() - 1]);
        self.source = start;
        Some(Plan::Connect(way.into(), wire.into()))
    }

    /// The cells of a wire from signals to `geyser`, and one more for the agent to stop on.
    fn wire_to(&self, geyser: Spot) -> Option<Vec<Spot>> {
        let me = self.known.me;
        let own = |kind| move |cell: Cell| cell == Cell::owned(kind, me);
        let last = beside(geyser).find(|&spot| self.lay_cost(spot).is_some())?;
        let stop = beside(last).find(|&spot| self.known.at(spot) == Some(Cell::BLANK))?;
        let at_base = |spot: Spot| self.known.near(spot, own(Kind::Base));
        let not_stop = |spot: Spot| if spot == stop { None } else { self.lay_cost(spot) };
        let to_base = route(last, at_base, not_stop)?;
        let bend = *to_base.last()?;
        // The rest must not come near the part already planned, except at the bend.
        let near = |a: Spot, b: Spot| a.0.abs_diff(b.0).max(a.1.abs_diff(b.1)) < 2;
        let taken = |spot: Spot| {
            let kept_clear = &to_base[..to_base.len().saturating_sub(2)];
            near(spot, last)
                || kept_clear.iter().any(|&other| near(spot, other))
                || to_base.contains(&spot)
        };
        let signals = |spot: Spot| spot != bend && self.near_signals(spot);
        let to_signals =
            route(bend, signals, |spot| if taken(spot) { None } else { self.lay_cost(spot) })?;
        let back = to_base.iter().rev().copied();
        Some(to_signals.iter().rev().copied().chain(back).chain([last, stop]).collect())
    }

    /// The cost of walking onto a place; `None` if it is impossible or on its own wire.
    fn walk_cost(&self, spot: Spot) -> Option<u32> {
        match self.known.at(spot).map(|cell| cell.kind) {
            _ if self.wire.contains(&spot) => None,
            None | Some(Kind::Blank) => Some(1),
            Some(Kind::Agent) => Some(3),
            Some(Kind::Geyser | Kind::Base) => None,
            Some(_) => Some(5),
        }
    }

    /// The cost of laying a wire through a place; `None` if impossible. The wire must not touch its
    /// own geysers or wires, and it takes time to cut foreign wires beside it.
    fn lay_cost(&self, spot: Spot) -> Option<u32> {
        let me = self.known.me;
        let own_wire = around(spot).any(|other| self.wire.contains(&other));
        if own_wire || self.known.near(spot, |cell| cell == Cell::owned(Kind::Geyser, me)) {
            return None;
        }
        let wires = around(spot)
            .filter(|&other| self.known.at(other).is_some_and(|cell| cell.kind.is_wire()));
        match self.known.at(spot).map(|cell| cell.kind) {
            None => Some(8),
            Some(Kind::Geyser | Kind::Base | Kind::Flag) => None,
            Some(kind) => Some(1 + 3 * wires.count() as u32 + if kind.is_wire() { 5 } else { 0 }),
        }
    }
}
