//! [`Cell`] and [`Kind`]: what a cell of the world can be, and its character in maps and messages.

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

    /// The kind that a bit stands for; 0 is blank.
    pub fn from_bit(bit: u8) -> Kind {
        match bit {
            0 => Kind::Blank,
            _ => Kind::ALL[1 + bit.trailing_zeros() as usize],
        }
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
            assert_eq!(Kind::from_bit(kind.bit()), kind);
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

    #[test]
    fn other_characters_are_no_cells() {
        let wrong = "K`kmx#-\t\nä";
        assert!(wrong.chars().all(|c| Cell::from_char(c).is_none()));
    }
}
