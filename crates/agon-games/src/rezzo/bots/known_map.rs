//! [`KnownMap`]: what a bot has seen of the world so far, in its own coordinates. Bots do not
//! know where they are, so it counts its own steps and turns.

use std::collections::{BTreeMap, BinaryHeap, VecDeque};
use std::{cmp::Reverse, iter::successors};

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

    /// Turns to a place beside the agent, breaks what is there, or takes the step onto it; `None`
    /// if that is impossible.
    pub(super) fn step_onto(&self, next: Spot, step: Action) -> Option<Action> {
        beside(self.here).find(|&spot| spot == next)?;
        if let Some(turn) = self.turn_to(next) {
            return Some(turn);
        }
        match self.at(next)?.kind {
            Kind::Blank => Some(step),
            Kind::Agent => Some(Action::Nop),
            Kind::Geyser | Kind::Base => None,
            _ => Some(Action::Hit),
        }
    }

    /// The next action along a way; `None` at its end, or if it is blocked.
    pub(super) fn follow(&self, way: &mut VecDeque<Spot>, step: Action) -> Option<Action> {
        while way.front() == Some(&self.here) {
            way.pop_front();
        }
        self.step_onto(*way.front()?, step)
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

/// The number of places after which a search gives up.
const PATIENCE: usize = 6_000;

/// The cheapest way from `start` (exclusive) to the nearest place that `is_goal` accepts
/// (inclusive).
///
/// `cost` returns the cost of entering a place, or `None` if that is impossible.
pub(super) fn route(
    start: Spot,
    is_goal: impl Fn(Spot) -> bool,
    cost: impl Fn(Spot) -> Option<u32>,
) -> Option<Vec<Spot>> {
    let mut open = BinaryHeap::from([(Reverse(0), start)]);
    // The cost of reaching a place, and the place before it.
    let mut best = SpotMap::default();
    best.insert(start, (0, start));
    let mut looked_at = 0;
    while let Some((Reverse(spent), spot)) = open.pop() {
        if best.get(spot).is_some_and(|(known, _)| spent > known) {
            continue;
        }
        if is_goal(spot) {
            return Some(way_back(&best, start, spot));
        }
        looked_at += 1;
        if looked_at > PATIENCE {
            return None;
        }
        for next in beside(spot) {
            let Some(step) = cost(next) else { continue };
            let total = spent + step;
            if best.get(next).is_none_or(|(known, _)| total < known) {
                best.insert(next, (total, spot));
                open.push((Reverse(total), next));
            }
        }
    }
    None
}

fn way_back(best: &SpotMap<(u32, Spot)>, start: Spot, goal: Spot) -> Vec<Spot> {
    let before = |spot: &Spot| best.get(*spot).map(|(_, before)| before);
    let mut way: Vec<_> =
        successors(Some(goal), before).take_while(|&spot| spot != start).collect();
    way.reverse();
    way
}

/// A place relative to the agent's start: columns to the right and rows ahead, as it looked then.
pub(super) type Spot = (i32, i32);

/// A map from places to values. Places lie close together, so most are in a few squares.
#[derive(Debug)]
pub(super) struct SpotMap<T>(BTreeMap<Spot, Box<[Option<T>; SQUARE]>>);

/// Places in a square of 16 × 16.
const SQUARE: usize = 256;

/// The square of a place, and its index in there.
fn split((x, y): Spot) -> (Spot, usize) {
    ((x >> 4, y >> 4), ((y & 15) << 4 | (x & 15)) as usize)
}

impl<T> Default for SpotMap<T> {
    fn default() -> SpotMap<T> {
        SpotMap(BTreeMap::new())
    }
}

impl<T: Copy> SpotMap<T> {
    pub(super) fn get(&self, spot: Spot) -> Option<T> {
        let (square, index) = split(spot);
        self.0.get(&square)?[index]
    }

    pub(super) fn insert(&mut self, spot: Spot, value: T) {
        let (square, index) = split(spot);
        self.0.entry(square).or_insert_with(|| Box::new([None; SQUARE]))[index] = Some(value);
    }

    /// All places with their values, square by square.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Spot, T)> {
        self.0.iter().flat_map(|(&(x, y), values)| {
            let spot = move |index: i32| (x << 4 | (index & 15), y << 4 | index >> 4);
            (0..).map(spot).zip(values.iter()).filter_map(|(spot, value)| Some((spot, (*value)?)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_go_round_what_is_dear() {
        let wall = |(x, y): Spot| if x == 1 && y != 2 { None } else { Some(1) };
        let way = route((0, 0), |spot| spot == (2, 0), wall).unwrap();
        assert_eq!((way.len(), way.last()), (6, Some(&(2, 0))));
        assert!(way.contains(&(1, 2)));
        let dear = |(x, _): Spot| Some(if x == 1 { 9 } else { 1 });
        assert_eq!(route((0, 0), |spot| spot == (2, 0), dear).unwrap().len(), 2);
    }

    #[test]
    fn no_way_is_none() {
        assert_eq!(route((0, 0), |spot| spot == (9, 9), |_| None), None);
        assert_eq!(route((0, 0), |_| false, |_| Some(1)), None, "patience ends");
    }

    #[test]
    fn values_are_found_at_their_places() {
        let spots = [(-17, 31), (-1, -1), (0, 0), (15, 16), (16, 15), (300, -300)];
        let mut map = SpotMap::default();
        spots.iter().zip(0..).for_each(|(&spot, n)| map.insert(spot, n));
        map.insert((0, 0), 7);
        assert_eq!((map.get((15, 16)), map.get((0, 0)), map.get((0, 1))), (Some(3), Some(7), None));
        let mut all: Vec<_> = map.iter().collect();
        all.sort_unstable();
        assert_eq!(
            all,
            [
                ((-17, 31), 0),
                ((-1, -1), 1),
                ((0, 0), 7),
                ((15, 16), 3),
                ((16, 15), 4),
                ((300, -300), 5)
            ]
        );
    }
}
