//! [`KnownMap`]: what a bot has seen of the world so far, in its own coordinates. Bots do not
//! know where they are, so it counts its own steps and turns.

use super::spot_map::{Spot, SpotMap};
use crate::rezzo::{Ack, Action, Cell, Kind, View};

/// The four headings, clockwise; 0 is the one at the start.
const HEADINGS: [Spot; 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];

/// A map of what was seen, and where the agent is on it.
#[derive(Debug, Default)]
pub(super) struct KnownMap {
    cells: SpotMap<Cell>,
    /// The tick in which a signal was last seen at a place.
    signals: SpotMap<u64>,
    /// The fewest ticks seen between two signals at a place.
    periods: SpotMap<u32>,
    /// The place of the agent.
    pub(super) here: Spot,
    heading: usize,
    last: Option<Action>,
    /// The agent's number on cells.
    pub(super) me: u8,
    /// The tick of the last message.
    pub(super) tick: u64,
}

impl KnownMap {
    /// Reads a message: first the result of the last action, then the visible cells.
    pub(super) fn look(&mut self, view: &View<'_>) {
        self.me = view.me();
        self.tick = view.tick();
        if view.ack() == Ack::Ok {
            match self.last {
                Some(Action::Advance | Action::Build) => self.here = self.ahead(),
                Some(Action::TurnLeft) => self.heading = (self.heading + 3) % 4,
                Some(Action::TurnRight) => self.heading = (self.heading + 1) % 4,
                _ => {}
            }
        }
        for (f, r) in View::places() {
            let cell = view.cell(f, r);
            let spot = self.seen(f, r);
            self.cells.insert(spot, cell);
            if cell.kind == Kind::Electron {
                self.note_signal(spot);
            }
        }
    }

    fn note_signal(&mut self, spot: Spot) {
        if let Some(last) = self.signals.get(spot) {
            let period = (self.tick - last).try_into().unwrap_or(u32::MAX);
            let fewest = self.periods.get(spot).map_or(period, |known| known.min(period));
            self.periods.insert(spot, fewest);
        }
        self.signals.insert(spot, self.tick);
    }

    /// The place `forward` steps ahead and `right` steps to the right of the agent.
    pub(super) fn seen(&self, forward: i64, right: i64) -> Spot {
        let ahead = HEADINGS[self.heading];
        let aside = HEADINGS[(self.heading + 1) % 4];
        let forward = forward as i32;
        let right = right as i32;
        (
            self.here.0 + forward * ahead.0 + right * aside.0,
            self.here.1 + forward * ahead.1 + right * aside.1,
        )
    }

    /// Notes the action that is sent, and returns it.
    pub(super) fn sent(&mut self, action: Action) -> Action {
        self.last = Some(action);
        action
    }

    /// Whether the agent sees a place now.
    pub(super) fn sees(&self, spot: Spot) -> bool {
        View::places().any(|(forward, right)| self.seen(forward, right) == spot)
    }

    /// The cell that was last seen at a place, if any.
    pub(super) fn at(&self, spot: Spot) -> Option<Cell> {
        self.cells.get(spot)
    }

    pub(super) fn ahead(&self) -> Spot {
        let (dx, dy) = HEADINGS[self.heading];
        (self.here.0 + dx, self.here.1 + dy)
    }

    /// The turn that leads towards a neighbouring place, or `None` if the agent looks there.
    pub(super) fn turn_to(&self, spot: Spot) -> Option<Action> {
        let wanted =
            HEADINGS.iter().position(|h| (self.here.0 + h.0, self.here.1 + h.1) == spot)?;
        match (wanted + 4 - self.heading) % 4 {
            0 => None,
            3 => Some(Action::TurnLeft),
            _ => Some(Action::TurnRight),
        }
    }

    /// Whether a signal ran through the place in the last `age` ticks.
    pub(super) fn is_live(&self, spot: Spot, age: u64) -> bool {
        self.signals.get(spot).is_some_and(|seen| seen + age >= self.tick)
    }

    /// All known places, with the cells last seen there.
    pub(super) fn cells(&self) -> impl Iterator<Item = (Spot, Cell)> {
        self.cells.iter()
    }

    /// The places where signals were seen.
    pub(super) fn signals(&self) -> impl Iterator<Item = Spot> {
        self.signals.iter().map(|(spot, _)| spot)
    }

    /// The ticks between two signals at a place, if it has seen two.
    pub(super) fn period(&self, spot: Spot) -> Option<u32> {
        self.periods.get(spot)
    }

    /// The places where a cell was last seen that `wanted` accepts.
    pub(super) fn all(&self, wanted: impl Fn(Cell) -> bool) -> Vec<Spot> {
        self.cells.iter().filter(|&(_, cell)| wanted(cell)).map(|(spot, _)| spot).collect()
    }

    /// Whether one of the eight places around is known to hold a cell that `wanted` accepts.
    pub(super) fn near(&self, spot: Spot, wanted: impl Fn(Cell) -> bool) -> bool {
        around(spot).any(|spot| self.at(spot).is_some_and(&wanted))
    }
}

/// The four places beside a place.
pub(super) fn beside(spot: Spot) -> impl Iterator<Item = Spot> {
    HEADINGS.iter().map(move |(dx, dy)| (spot.0 + dx, spot.1 + dy))
}

/// The eight places around a place.
pub(super) fn around(spot: Spot) -> impl Iterator<Item = Spot> {
    (-1..=1)
        .flat_map(|dy| (-1..=1).map(move |dx| (dx, dy)))
        .filter(|&offset| offset != (0, 0))
        .map(move |(dx, dy)| (spot.0 + dx, spot.1 + dy))
}
