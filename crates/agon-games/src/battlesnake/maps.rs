//! The maps: where hazards are at the start, and where new ones appear.
//!
//! Positions are as observed in games of the official program.

use agon_core::Rng;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Direction, Point, Rules};

/// Where hazards and food appear.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Map {
    /// Food and no hazards.
    Standard,
    /// Neither food nor hazards.
    Empty,
    /// Hazards grow from the edges.
    Royale,
    /// Single hazards on every second column and row.
    HzColumns,
    /// A wall of hazards next to the edge.
    HzInnerWall,
    /// Rings of hazards, one within the other.
    HzRings,
    /// A castle wall, on a board of 11 by 11.
    HzCastleWall,
    /// A castle wall, on a board of 19 by 19.
    HzCastleWallLg,
    /// Four islands and their bridges, on a board of 11 by 11.
    HzIslandsBridges,
    /// Four islands and their bridges, on a board of 19 by 19.
    HzIslandsBridgesLg,
    /// Two rivers and their bridges, on a board of 11 by 11.
    HzRiversBridges,
    /// Two rivers and their bridges, on a board of 19 by 19.
    HzRiversBridgesLg,
    /// A hazard anywhere, every 2 turns.
    HzScatter,
    /// As `hz_scatter`, but from one square outwards.
    HzExpandScatter,
    /// A box that grows in all directions every 20 turns.
    HzExpandBox,
    /// A box that grows in any direction every 12 turns.
    HzGrowBox,
    /// A spiral that grows every 3 turns.
    HzSpiral,
}

/// The lower left quarter of a symmetric board, with the middle column and row. `8` is a double
/// hazard.
type Quarter = &'static [&'static str];

const CASTLE: Quarter = &["......", "..8...", "..#...", "..##8.", "......", "......"];

const CASTLE_LG: Quarter = &[
    "..88......",
    "..........",
    "..88......",
    "..##......",
    "..##......",
    "..##......",
    "..#####8.8",
    "..#####8.8",
    "..........",
    "..........",
];

const ISLANDS: Quarter = &["##.###", "#....#", ".....#", "......", "#....#", "##..##"];

const ISLANDS_LG: Quarter = &[
    "####.#####",
    "##......##",
    "#........#",
    "#........#",
    ".........#",
    "..........",
    "#........#",
    "#........#",
    "##......##",
    "####..####",
];

const RIVERS: Quarter = &["##.###", ".....#", ".....#", "......", ".....#", ".....#"];

const RIVERS_LG: Quarter = &[
    "####.#####",
    "........##",
    ".........#",
    ".........#",
    ".........#",
    ".........#",
    "..........",
    ".........#",
    ".........#",
    ".........#",
];

impl Map {
    fn quarter(self) -> Option<Quarter> {
        match self {
            Map::HzCastleWall => Some(CASTLE),
            Map::HzCastleWallLg => Some(CASTLE_LG),
            Map::HzIslandsBridges => Some(ISLANDS),
            Map::HzIslandsBridgesLg => Some(ISLANDS_LG),
            Map::HzRiversBridges => Some(RIVERS),
            Map::HzRiversBridgesLg => Some(RIVERS_LG),
            _ => None,
        }
    }

    /// Returns width and height of the board, if the map has only one size. On such a map, no food
    /// appears on hazards.
    pub fn size(self) -> Option<u32> {
        self.quarter().map(|rows| 2 * rows.len() as u32 - 1)
    }

    /// Returns whether food comes late, and neither by chance nor by the minimum.
    pub(super) fn is_castle(self) -> bool {
        matches!(self, Map::HzCastleWall | Map::HzCastleWallLg)
    }
}

impl Rules {
    /// Returns how many hazards are on a square at the start. The size of the board fits the map.
    pub(super) fn hazards_at(&self, square: Point) -> usize {
        let (x, y) = self.edge_distances(square);
        let edge = x.min(y);
        if let Some(rows) = self.map.quarter() {
            let row = rows[rows.len() - 1 - y as usize].as_bytes();
            return match row[x as usize] {
                b'#' => 1,
                b'8' => 2,
                _ => 0,
            };
        }
        let is_hazard = match self.map {
            Map::HzColumns => square.x % 2 == 1 && square.y % 2 == 1,
            Map::HzInnerWall => edge == 1,
            Map::HzRings => edge % 2 == 1 && 2 * edge + 1 < self.width.min(self.height) as i16,
            _ => false,
        };
        is_hazard.into()
    }

    /// Returns how far a square is from the nearest column and row of the edge.
    fn edge_distances(&self, Point { x, y }: Point) -> (i16, i16) {
        (x.min(self.width as i16 - 1 - x), y.min(self.height as i16 - 1 - y))
    }

    /// Adds the hazards that appear at the end of a turn.
    pub(super) fn add_hazards(&self, turn: u64, hazards: &mut Vec<Point>, rng: &mut Rng) {
        if self.shrinks() && turn.is_multiple_of(self.shrink_every_n_turns.into()) {
            self.shrink(hazards, rng);
        }
        let first = hazards.first().copied();
        match self.map {
            Map::HzScatter if turn.is_multiple_of(2) => {
                hazards.extend(rng.pick(&self.free_of(hazards)));
            }
            Map::HzExpandScatter if turn % 2 == 1 => {
                let distance = |square: &Point| first.map(|first| first.distance(*square));
                let mut free = self.free_of(hazards);
                let nearest = free.iter().map(distance).min();
                free.retain(|square| Some(distance(square)) == nearest);
                hazards.extend(rng.pick(&free));
            }
            Map::HzExpandBox if turn % 20 == 1 => {
                let mut next = self.free_of(hazards);
                match first {
                    None => next = rng.pick(&next).copied().into_iter().collect(),
                    Some(_) => {
                        next.retain(|next| hazards.iter().any(|old| old.distance(*next) == 1))
                    }
                }
                hazards.extend(next);
            }
            Map::HzGrowBox if turn % 12 == 1 => self.grow_box(hazards, rng),
            Map::HzSpiral if turn.is_multiple_of(3) => {
                let free = self.free_of(hazards);
                let next = match first {
                    None => rng.pick(&free).copied(),
                    Some(first) => spiral(first)
                        .take(4 * 51 * 51)
                        .find(|next| self.index(*next).is_some() && !hazards.contains(next)),
                };
                hazards.extend(next);
            }
            _ => {}
        }
    }

    /// Turns a row or a column at the edge of the safe squares into hazards.
    fn shrink(&self, hazards: &mut Vec<Point>, rng: &mut Rng) {
        let safe = self.free_of(hazards);
        let Some((low, high)) = bounds(&safe) else { return };
        let side = rng.below(4);
        hazards.extend(safe.into_iter().filter(|&Point { x, y }| match side {
            0 => x == low.x,
            1 => x == high.x,
            2 => y == low.y,
            _ => y == high.y,
        }));
    }

    /// Makes the box of hazards larger by a row or a column, on any side that has room.
    fn grow_box(&self, hazards: &mut Vec<Point>, rng: &mut Rng) {
        let free = self.free_of(hazards);
        let Some((low, high)) = bounds(hazards) else {
            hazards.extend(rng.pick(&free));
            return;
        };
        let (width, height) = (self.width as i16, self.height as i16);
        let room = [low.x > 0, high.x + 1 < width, low.y > 0, high.y + 1 < height];
        let sides: Vec<usize> = (0..4).filter(|&side| room[side]).collect();
        let Some(&side) = rng.pick(&sides) else { return };

        let (mut low, mut high) = (low, high);
        match side {
            0 => low.x -= 1,
            1 => high.x += 1,
            2 => low.y -= 1,
            _ => high.y += 1,
        }
        let is_inside =
            |at: &Point| (low.x..=high.x).contains(&at.x) && (low.y..=high.y).contains(&at.y);
        hazards.extend(free.into_iter().filter(is_inside));
    }

    /// Returns the squares that are not among these.
    pub(super) fn free_of(&self, taken: &[Point]) -> Vec<Point> {
        let mut is_free = vec![true; self.area()];
        for at in taken.iter().filter_map(|square| self.index(*square)) {
            is_free[at] = false;
        }
        self.squares().zip(is_free).filter(|(_, is_free)| *is_free).map(|(at, _)| at).collect()
    }
}

/// Returns the lower left and the upper right corner of squares.
fn bounds(squares: &[Point]) -> Option<(Point, Point)> {
    let x = || squares.iter().map(|square| square.x);
    let y = || squares.iter().map(|square| square.y);
    let low = Point { x: x().min()?, y: y().min()? };
    Some((low, Point { x: x().max()?, y: y().max()? }))
}

/// Returns the squares of a spiral: one up, one right, two down, two left, three up and so on.
fn spiral(from: Point) -> impl Iterator<Item = Point> {
    const WAYS: [Direction; 4] =
        [Direction::Up, Direction::Right, Direction::Down, Direction::Left];
    let legs = (0..).flat_map(|leg| std::iter::repeat_n(WAYS[leg % 4], leg / 2 + 1));
    legs.scan(from, |at, way| {
        *at = at.next(way);
        Some(*at)
    })
}
