//! [`Holdings`]: which cells each player owns, and how many units it has. The state updates it
//! after every turn; views and the standing read it.

use std::ops::Range;

use agon_core::Player;

use super::{field::Field, state::MAX_PLAYERS};

/// The slots of the field grouped by owner, and each owner's units.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Holdings {
    /// Slots of player 0 in order, then of player 1, and so on.
    slots: Vec<u32>,
    /// For each slot, its number among its owner's slots, from 0.
    numbers: Vec<u32>,
    /// Where each player's slots start in `slots`; one entry more than players.
    starts: Vec<u32>,
    /// Sum of units of each player.
    units: Vec<u64>,
}

impl Holdings {
    /// Makes the holdings of `players` players on a field.
    pub(super) fn of(field: &Field, players: usize) -> Holdings {
        let mut holdings = Holdings {
            slots: Vec::new(),
            numbers: Vec::new(),
            starts: vec![0; players + 1],
            units: vec![0; players],
        };
        holdings.update(field);
        holdings
    }

    /// Updates everything for a field: counts the slots of each player, then groups them.
    /// Neighbours in the list mostly have the same owner, so both steps go run by run.
    pub(super) fn update(&mut self, field: &Field) {
        let Holdings { slots, numbers, starts, units } = self;
        starts.fill(0);
        units.fill(0);
        let runs = || field.owners().chunk_by(|a, b| a == b);
        let mut slot = 0;
        for run in runs() {
            let player = run[0].index();
            starts[player + 1] += run.len() as u32;
            units[player] += field.all_units()[slot..slot + run.len()].iter().sum::<u64>();
            slot += run.len();
        }
        for player in 1..starts.len() {
            starts[player] += starts[player - 1];
        }
        slots.resize(field.len(), 0);
        numbers.resize(field.len(), 0);
        let mut slot = 0;
        let mut counts = [0; MAX_PLAYERS];
        for run in runs() {
            let player = run[0].index();
            let first = (starts[player] + counts[player]) as usize;
            slots[first..first + run.len()]
                .iter_mut()
                .zip(slot as u32..)
                .for_each(|(to, slot)| *to = slot);
            let numbers = &mut numbers[slot..slot + run.len()];
            numbers.iter_mut().zip(counts[player]..).for_each(|(to, number)| *to = number);
            counts[player] += run.len() as u32;
            slot += run.len();
        }
    }

    /// The player's slots, in order.
    pub(super) fn slots(&self, player: Player) -> &[u32] {
        &self.slots[self.range(player)]
    }

    /// The number of a slot among its owner's slots.
    #[inline]
    pub(super) fn number(&self, slot: usize) -> u32 {
        self.numbers[slot]
    }

    /// Number of cells the player holds.
    pub(super) fn cells(&self, player: Player) -> usize {
        self.range(player).len()
    }

    /// Number of units the player has.
    pub(super) fn units(&self, player: Player) -> u64 {
        self.units[player.index()]
    }

    fn range(&self, player: Player) -> Range<usize> {
        self.starts[player.index()] as usize..self.starts[player.index() + 1] as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::binfection::Cell;

    #[test]
    fn each_player_has_its_slots_and_units() {
        let cells = [(0, 2, 5), (1, 0, 1), (2, 2, 7), (4, 0, 2)];
        let cell = |(x, owner, units)| Cell { x, y: 0, owner: Some(Player(owner)), units };
        let field = Field::with_cells(5, 1, cells.map(cell));
        let mut holdings = Holdings::of(&field, 4);
        for _ in 0..2 {
            let held: Vec<_> =
                Player::all(4).map(|p| (holdings.slots(p), holdings.units(p))).collect();
            assert_eq!([0, 1, 2, 3].map(|slot| holdings.number(slot)), [0, 0, 1, 1]);
            assert_eq!(held, [(&[1, 3][..], 3), (&[][..], 0), (&[0, 2][..], 12), (&[][..], 0)]);
            holdings.update(&field);
        }
    }
}
