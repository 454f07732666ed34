//! [`Agent`]: where a player's agent stands and looks, and the rules of its actions on the world.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    answer::Action,
    cell::{Cell, Kind},
    world::World,
};

/// Where an agent looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum Facing {
    /// Towards row 0.
    #[default]
    N,
    /// Towards the last column.
    E,
    /// Towards the last row.
    S,
    /// Towards column 0.
    W,
}

impl Facing {
    /// All four, clockwise.
    pub const ALL: [Facing; 4] = [Facing::N, Facing::E, Facing::S, Facing::W];

    /// The facing after a turn to the right.
    pub const fn right(self) -> Facing {
        Facing::ALL[(self as usize + 1) % 4]
    }

    /// The facing after a turn to the left.
    pub const fn left(self) -> Facing {
        Facing::ALL[(self as usize + 3) % 4]
    }

    /// The change of column and row of one step ahead.
    pub const fn step(self) -> (i64, i64) {
        match self {
            Facing::N => (0, -1),
            Facing::E => (1, 0),
            Facing::S => (0, 1),
            Facing::W => (-1, 0),
        }
    }
}

/// A living agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Agent {
    /// The index of its cell.
    pub place: usize,
    /// Where it looks.
    pub facing: Facing,
}

impl Agent {
    /// The cell `forward` steps ahead and `right` steps to the right of the agent.
    pub fn seen(&self, world: &World, forward: i64, right: i64) -> usize {
        let (x, y) = self.spot(world, forward, right);
        y * world.width() + x
    }

    /// Column and row of that cell.
    pub(crate) fn spot(&self, world: &World, forward: i64, right: i64) -> (usize, usize) {
        let (x, y) = world.place(self.place);
        let ahead = self.facing.step();
        let aside = self.facing.right().step();
        world.wrap(
            x as i64 + forward * ahead.0 + right * aside.0,
            y as i64 + forward * ahead.1 + right * aside.1,
        )
    }

    /// Carries out an action. Returns `false`, and changes nothing, if it is impossible here.
    pub(crate) fn act(&mut self, world: &mut World, action: Action, damage_limit: u8) -> bool {
        match action {
            Action::Nop => true,
            Action::TurnLeft => self.turn(self.facing.left()),
            Action::TurnRight => self.turn(self.facing.right()),
            Action::Advance => self.advance(world, Cell::BLANK),
            Action::Build => self.advance(world, Cell::CONDUCTOR),
            Action::Hit => hit(world, self.spot(world, 1, 0), damage_limit),
        }
    }

    fn turn(&mut self, facing: Facing) -> bool {
        self.facing = facing;
        true
    }

    /// Steps ahead onto a blank cell; `left_behind` takes the agent's place.
    fn advance(&mut self, world: &mut World, left_behind: Cell) -> bool {
        let (x, y) = world.place(self.place);
        let (to_x, to_y) = self.spot(world, 1, 0);
        if world.cell_at(to_x, to_y).kind != Kind::Blank {
            return false;
        }
        world.set_at(to_x, to_y, world.cell_at(x, y));
        world.set_at(x, y, left_behind);
        world.set_damage_at(to_x, to_y, 0);
        world.set_damage_at(x, y, 0);
        self.place = to_y * world.width() + to_x;
        true
    }
}

fn hit(world: &mut World, (x, y): (usize, usize), damage_limit: u8) -> bool {
    let kind = world.cell_at(x, y).kind;
    if !kind.is_wire() && kind != Kind::Flag {
        return false;
    }
    let damage = world.damage(y * world.width() + x) + 1;
    if damage >= damage_limit {
        world.set_at(x, y, Cell::BLANK);
        world.set_damage_at(x, y, 0);
    } else {
        world.set_damage_at(x, y, damage);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(world: &World, facing: Facing) -> Agent {
        Agent { place: world.agents()[1][0], facing }
    }

    #[test]
    fn advancing_and_building_need_a_blank_cell_ahead() {
        let mut world = World::from_rows(["0 .", "   "]).unwrap();
        let mut agent = at(&world, Facing::E);
        world.set_damage(0, 2);
        world.set_damage(1, 3);
        assert!(agent.act(&mut world, Action::Build, 4));
        assert_eq!((world.to_rows(), agent.place), (vec![".0.".to_owned(), "   ".to_owned()], 1));
        assert_eq!(world.all_damage(), [0; 6]);
        assert!(!agent.act(&mut world, Action::Advance, 4));
        assert!(!agent.act(&mut world, Action::Build, 4));
        assert!(agent.act(&mut world, Action::TurnRight, 4));
        assert!(agent.act(&mut world, Action::Advance, 4));
        assert_eq!(world.to_rows(), [". .", " 0 "]);
    }

    #[test]
    fn the_fourth_hit_makes_blank() {
        let mut world = World::from_rows(["0B"]).unwrap();
        let mut agent = at(&world, Facing::W);
        for damage in [1, 2, 3] {
            assert!(agent.act(&mut world, Action::Hit, 4));
            assert_eq!(world.damage(1), damage);
        }
        assert!(agent.act(&mut world, Action::Hit, 4));
        assert_eq!(
            (world.to_rows(), world.owners(), world.damage(1)),
            (vec!["0 ".to_owned()], &[1, 0][..], 0)
        );
        assert!(!agent.act(&mut world, Action::Hit, 4), "blank cells cannot be hit");
    }

    #[test]
    fn only_wire_and_flags_can_be_hit() {
        for (c, possible) in
            [('.', true), ('*', true), (',', true), ('~', true), ('A', true), ('B', true)]
                .into_iter()
                .chain([(' ', false), ('1', false), ('a', false), ('n', false), ('o', false)])
        {
            let mut world = World::from_rows([format!("0{c} ")]).unwrap();
            let mut agent = at(&world, Facing::E);
            assert_eq!(agent.act(&mut world, Action::Hit, 4), possible, "{c:?}");
        }
    }

    #[test]
    fn turns_go_round() {
        for facing in Facing::ALL {
            assert_eq!(facing.left().right(), facing);
            let step = facing.step();
            let right = facing.right().step();
            assert_eq!(right, (-step.1, step.0), "clockwise, rows counting southwards");
        }
    }
}
