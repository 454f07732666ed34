//! Who holds which cells.

use std::ops::Range;

use agon_core::Player;

use super::field::Field;

/// The slots of the field grouped by owner, and what each owner has on them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Holdings {
    /// Slots of player 0 in order, then of player 1, and so on.
    slots: Vec<u32>,
    /// Where each player's slots start in `slots`; one entry more than players.
    starts: Vec<u32>,
    /// Sum of units of each player.
    units: Vec<u64>,
}

impl Holdings {
    /// Counts, then places: linear in cells and players.
    pub(super) fn of(field: &Field, players: usize) -> Holdings {
        let mut starts = vec![0; players + 1];
        let mut units = vec![0; players];
        for slot in 0..field.len() {
            let player = field.owner(slot).index();
            starts[player + 1] += 1;
            units[player] += field.units(slot);
        }
        for player in 0..players {
            starts[player + 1] += starts[player];
        }
        let mut ends = starts.clone();
        let mut slots = vec![0; field.len()];
        for slot in 0..field.len() {
            let end: &mut u32 = &mut ends[field.owner(slot).index()];
            slots[*end as usize] = slot as u32;
            *end += 1;
        }
        Holdings { slots, starts, units }
    }

    /// The player's slots, in order.
    pub(super) fn slots(&self, player: Player) -> &[u32] {
        &self.slots[self.range(player)]
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
