//! The settings of Battlesnake, with the names and defaults of the official game.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Map, Point};

/// The settings of a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Rules {
    /// The game mode: `standard`, `solo`, `royale`, `constrictor`, `wrapped` or
    /// `wrapped_constrictor`.
    pub ruleset: Ruleset,
    /// The map, which decides about hazards: `standard`, `empty`, `royale`, or one of those on
    /// the page that begin with `hz_`.
    pub map: Map,
    /// Columns of the board, from 5 to 50. Official boards have 7, 11 or 19.
    pub width: u32,
    /// Rows of the board, from 5 to 50.
    pub height: u32,
    /// The chance of a new food in each turn, in percent.
    pub food_spawn_chance: u32,
    /// If there is less food than this on the board, the missing food appears.
    pub minimum_food: u32,
    /// Health that a move into a hazard costs, besides the 1 of every move; from -100 to 100. A
    /// negative number heals.
    pub hazard_damage_per_turn: i32,
    /// Royale: turns from one new row or column of hazards to the next.
    pub shrink_every_n_turns: u32,
    /// The match ends after this many turns, from 1 to 100000. Snakes that are left tie.
    pub turns: u32,
}

impl Default for Rules {
    fn default() -> Rules {
        Rules {
            ruleset: Ruleset::Standard,
            map: Map::Standard,
            width: 11,
            height: 11,
            food_spawn_chance: 15,
            minimum_food: 1,
            hazard_damage_per_turn: 14,
            shrink_every_n_turns: 25,
            turns: 1_000,
        }
    }
}

/// A game mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ruleset {
    /// The last snake wins.
    Standard,
    /// As `standard`, but the match continues until the last snake is out.
    Solo,
    /// Hazards grow from the edges.
    Royale,
    /// Tails stay where they are, and nobody eats or starves.
    Constrictor,
    /// Opposite edges meet.
    Wrapped,
    /// Constrictor on a board whose opposite edges meet.
    WrappedConstrictor,
}

impl Rules {
    /// Returns whether opposite edges meet.
    pub fn wraps(&self) -> bool {
        matches!(self.ruleset, Ruleset::Wrapped | Ruleset::WrappedConstrictor)
    }

    /// Returns whether all snakes grow in each turn.
    pub fn constricts(&self) -> bool {
        matches!(self.ruleset, Ruleset::Constrictor | Ruleset::WrappedConstrictor)
    }

    /// Returns whether food appears.
    pub fn has_food(&self) -> bool {
        !self.constricts() && self.map != Map::Empty
    }

    /// Returns whether hazards grow from the edges.
    pub fn shrinks(&self) -> bool {
        self.ruleset == Ruleset::Royale || self.map == Map::Royale
    }

    /// Returns the number of squares.
    pub fn area(&self) -> usize {
        self.width as usize * self.height as usize
    }

    /// Returns all squares, row by row from the bottom.
    pub fn squares(&self) -> impl Iterator<Item = Point> + use<> {
        let (width, height) = (self.width as i16, self.height as i16);
        (0..height).flat_map(move |y| (0..width).map(move |x| Point { x, y }))
    }

    /// Returns the number of a square in [`Rules::squares`]; `None` outside of the board.
    #[inline]
    pub fn index(&self, Point { x, y }: Point) -> Option<usize> {
        let inside = (0..self.width as i16).contains(&x) && (0..self.height as i16).contains(&y);
        inside.then(|| y as usize * self.width as usize + x as usize)
    }
}
