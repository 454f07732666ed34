//! What `feeder` and `hoarder` have in common: how a cell grows where no enemy is in sight, how it
//! fights, and whom it feeds.

use super::directions::{enemies_on, room, side};
use crate::cellhack::{Action, Direction, Env};

/// A cell as its bot sees it.
pub(super) struct Cell {
    pub(super) env: Env,
    pub(super) energy: u8,
    /// Where it was going, or where it last saw an enemy. Both halves of a split inherit it.
    pub(super) heading: Option<Direction>,
}

/// Energy from which on a cell right behind the front feeds it: a little more than life needs.
const RESERVE: u8 = 25;

/// What a cell does, and its heading from now on.
pub(super) type Step = (Action, Option<Direction>);

/// The heading in the low bits of a memory: the number of a direction, or anything else for none.
pub(super) fn heading(memory: u64) -> Option<Direction> {
    Direction::ALL.into_iter().find(|&d| d as u64 == memory & 7)
}

impl Cell {
    /// Grows: splits from `rich` energy on, and otherwise rests where that pays. `way` is the free
    /// direction with most room; `roomy` if it has all of it.
    ///
    /// A cell without neighbours rests best. So of the two halves of a split the child takes a
    /// step away from its parent.
    pub(super) fn grow(&self, rich: u8, way: Direction, roomy: bool) -> Step {
        if self.energy >= rich {
            return (Action::Split(way), Some(way));
        }
        let neighbours = self.env.occupied();
        if roomy && neighbours >= 2 {
            return (Action::Move(way), self.heading);
        }
        let is_child = |ahead: Direction| neighbours == 1 && self.env.is_family(ahead.opposite());
        match self.heading {
            Some(ahead) if is_child(ahead) && room(&self.env, ahead) == 3 => {
                (Action::Move(ahead), self.heading)
            }
            _ => (Action::Rest, self.heading),
        }
    }

    /// Acts in sight of an enemy: splits towards it from `strong` energy on, else closes in,
    /// bites, or feeds kin that can bite.
    pub(super) fn fight(&self, strong: u8) -> Step {
        let env = &self.env;
        let free = Direction::ALL.into_iter().filter(|&d| env.is_empty(d));
        let closest = free.max_by_key(|&d| (enemies_on(env, d), room(env, d)));
        let target = self.target();
        if let Some(way) = closest {
            if self.energy >= strong {
                return (Action::Split(way), Some(way));
            }
            if target.is_none() && enemies_on(env, way) > 0 {
                return (Action::Move(way), Some(way));
            }
        }
        match target {
            // From three neighbours on, a bite gives as much as a rest, and the enemy pays for it.
            Some(enemy) if env.occupied() >= 3 => (Action::Eat(enemy), target),
            Some(_) => (Action::Rest, target),
            None if closest.is_none() => self.feed(RESERVE, self.biter().or(self.heading)),
            None => (Action::Rest, self.heading),
        }
    }

    /// Feeds the cell ahead if it is kin and this one has at least `least` energy; otherwise
    /// rests.
    pub(super) fn feed(&self, least: u8, heading: Option<Direction>) -> Step {
        match heading {
            Some(ahead) if self.env.is_family(ahead) && self.energy >= least => {
                (Action::Feed(ahead), heading)
            }
            _ => (Action::Rest, heading),
        }
    }

    /// The enemy to bite: the one that most kin in sight can bite as well. The one ahead wins
    /// among equals, so that a cell stays with its victim.
    ///
    /// A single bite takes no more than the victim regains, so only common victims die.
    fn target(&self) -> Option<Direction> {
        let env = &self.env;
        let is_biter = |place: &usize| place.is_multiple_of(2) && env.0[*place] == env.own();
        let biters = |d: Direction| side(d).iter().filter(|&place| is_biter(place)).count();
        let enemies = Direction::ALL.into_iter().filter(|&d| env.is_enemy(d));
        enemies.max_by_key(|&d| (biters(d), self.heading == Some(d)))
    }

    /// A neighbour of the family with an enemy beside it.
    fn biter(&self) -> Option<Direction> {
        let env = &self.env;
        Direction::ALL.into_iter().find(|&d| env.is_family(d) && enemies_on(env, d) > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: u8 = 0;
    const KIN: u8 = 1;
    const FOE: u8 = 2;

    fn cell(env: [u8; 9], energy: u8, heading: Option<Direction>) -> Cell {
        Cell { env: Env(env), energy, heading }
    }

    #[test]
    fn the_child_steps_away_and_the_parent_rests() {
        let heading = Some(Direction::Up);
        let child = cell([NONE, NONE, NONE, NONE, KIN, NONE, NONE, KIN, NONE], 20, heading);
        assert_eq!(child.grow(41, Direction::Left, true), (Action::Move(Direction::Up), heading));
        let parent = cell([NONE, KIN, NONE, NONE, KIN, NONE, NONE, NONE, NONE], 20, heading);
        assert_eq!(parent.grow(41, Direction::Down, true), (Action::Rest, heading));
        let rich = cell(parent.env.0, 41, heading);
        let split = (Action::Split(Direction::Down), Some(Direction::Down));
        assert_eq!(rich.grow(41, Direction::Down, true), split);
    }

    #[test]
    fn cells_bite_the_enemy_that_kin_can_bite_as_well() {
        let env = [NONE, FOE, NONE, FOE, KIN, KIN, KIN, KIN, KIN];
        let left = (Action::Eat(Direction::Left), Some(Direction::Left));
        assert_eq!(cell(env, 50, Some(Direction::Up)).fight(60), left);
        // Among equals it stays with the enemy ahead.
        let env = [NONE, FOE, NONE, FOE, KIN, KIN, NONE, KIN, KIN];
        let up = (Action::Eat(Direction::Up), Some(Direction::Up));
        assert_eq!(cell(env, 50, Some(Direction::Up)).fight(60), up);
    }

    #[test]
    fn the_row_behind_the_front_feeds_it() {
        let env = [FOE, KIN, KIN, KIN, KIN, KIN, KIN, KIN, KIN];
        let feed = (Action::Feed(Direction::Up), Some(Direction::Up));
        assert_eq!(cell(env, 25, None).fight(60), feed);
        assert_eq!(cell(env, 24, None).fight(60).0, Action::Rest);
    }

    #[test]
    fn any_memory_is_understood() {
        for memory in [0, 1, 2, 7, 8, 9, u64::MAX] {
            let found = heading(memory).map_or(0, |d| d as u64);
            assert_eq!(found, if memory & 1 == 1 { memory & 7 } else { 0 });
        }
    }
}
