//! [`Agent`]: where a player's agent stands and looks, and the rules of its actions on the world.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{answer::Action, world::World};

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

/// The state of a cell without its owner.
///
/// The values are one bit each, so that sets of kinds are sums of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Kind {
    /// Empty ground.
    #[default]
    Blank = 0,
    /// Wire at rest.
    Conductor = 1,
    /// Wire with the head of a signal.
    Electron = 2,
    /// Wire with the end of a signal.
    Tail = 4,
    /// An electron that reached a flag or geyser and is about to become a flag.
    Photon = 8,
    /// A player's agent.
    Agent = 16,
    /// A player's flag.
    Flag = 32,
    /// A source of a player's flags.
    Geyser = 64,
    /// A player's base.
    Base = 128,
}

impl Kind {
    /// All kinds, blank first.
    pub const ALL: [Kind; 9] = [
        Kind::Blank,
        Kind::Conductor,
        Kind::Electron,
        Kind::Tail,
        Kind::Photon,
        Kind::Agent,
        Kind::Flag,
        Kind::Geyser,
        Kind::Base,
    ];

    /// The kind as a bit.
    pub const fn bit(self) -> u8 {
        self as u8
    }

    /// Whether cells of this kind belong to a player.
    pub const fn is_owned(self) -> bool {
        self.bit() >= Kind::Agent.bit()
    }

    /// Whether it is a wire in any state of its signal. Hits do damage to these and to flags.
    pub const fn is_wire(self) -> bool {
        matches!(self, Kind::Conductor | Kind::Electron | Kind::Tail | Kind::Photon)
    }
}

/// Most players of a match: each has a digit.
pub const MAX_PLAYERS: u8 = 10;

/// A cell of the world: its kind and its owner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Cell {
    /// Its kind.
    pub kind: Kind,
    /// 0 for no owner, otherwise the player's index plus 1.
    pub owner: u8,
}

impl Cell {
    /// Empty ground.
    pub const BLANK: Cell = Cell { kind: Kind::Blank, owner: 0 };
    /// Wire at rest.
    pub const CONDUCTOR: Cell = Cell { kind: Kind::Conductor, owner: 0 };

    /// A cell of a player, by owner number (index plus 1).
    pub const fn owned(kind: Kind, owner: u8) -> Cell {
        Cell { kind, owner }
    }

    /// The cell's character in viewports and map files.
    pub fn to_char(self) -> char {
        let letter = |first: u8| char::from(first + self.owner.saturating_sub(1));
        match self.kind {
            Kind::Blank => ' ',
            Kind::Conductor => '.',
            Kind::Electron => '*',
            Kind::Tail => ',',
            Kind::Photon => '~',
            Kind::Agent => letter(b'0'),
            Kind::Flag => letter(b'A'),
            Kind::Geyser => letter(b'a'),
            Kind::Base => letter(b'n'),
        }
    }

    /// The cell a character shows, if any.
    pub fn from_char(c: char) -> Option<Cell> {
        let owned =
            |kind, first: char| Some(Cell { kind, owner: (c as u32 - first as u32 + 1) as u8 });
        match c {
            ' ' => Some(Cell::BLANK),
            '.' => Some(Cell::CONDUCTOR),
            '*' => Some(Cell { kind: Kind::Electron, owner: 0 }),
            ',' => Some(Cell { kind: Kind::Tail, owner: 0 }),
            '~' => Some(Cell { kind: Kind::Photon, owner: 0 }),
            '0'..='9' => owned(Kind::Agent, '0'),
            'A'..='J' => owned(Kind::Flag, 'A'),
            'a'..='j' => owned(Kind::Geyser, 'a'),
            'n'..='w' => owned(Kind::Base, 'n'),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_has_a_character_of_its_own() {
        let mut seen = Vec::new();
        for kind in Kind::ALL {
            let owners = if kind.is_owned() { 1..=MAX_PLAYERS } else { 0..=0 };
            for owner in owners {
                let cell = Cell { kind, owner };
                assert_eq!(Cell::from_char(cell.to_char()), Some(cell));
                seen.push(cell.to_char());
            }
        }
        assert_eq!(
            seen.iter().collect::<String>(),
            " .*,~0123456789ABCDEFGHIJabcdefghijnopqrstuvw"
        );
    }
}
