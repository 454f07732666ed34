//! [`Content`]: what is on a cell, fuel and amoeba, packed into one number. The board is a list of
//! these, so that turns and hashes are fast.

/// Fuel and amoeba of a cell. From the lowest bit on: 16 bits of fuel, of energy and of health; 8
/// bits of species plus 1 (0: nobody); a bit for having acted, and one for carrying blobs.
///
/// So an action reads and writes one word per cell, and a row of a window is one piece of memory.
/// On an empty cell, all but the fuel is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Content(u64);

/// The bit of an amoeba that has data or a function of its own, in
/// [`View::append_words`](super::View::append_words).
pub const CARRIES: u64 = 1 << 57;

const FUEL: u64 = 0xFFFF;
const ACTED: u64 = 1 << 56;

impl Content {
    /// An empty cell.
    #[inline]
    pub(super) fn of_fuel(fuel: u32) -> Content {
        Content(u64::from(fuel))
    }

    /// An amoeba that carries no blobs, on a cell without fuel.
    pub(super) fn of_amoeba(species: u32, energy: u32, health: u32, acted: bool) -> Content {
        let acted = if acted { ACTED } else { 0 };
        let species = u64::from(species);
        let energy = u64::from(energy);
        let health = u64::from(health);
        Content(energy << 16 | health << 32 | (species + 1) << 48 | acted)
    }

    /// Everything except whether the amoeba has acted: what a bot may see.
    #[inline]
    pub(super) fn seen(self) -> u64 {
        self.0 & !ACTED
    }

    #[inline]
    pub(super) fn fuel(self) -> u32 {
        (self.0 & FUEL) as u32
    }

    #[inline]
    pub(super) fn energy(self) -> u32 {
        (self.0 >> 16 & 0xFFFF) as u32
    }

    #[inline]
    pub(super) fn health(self) -> u32 {
        (self.0 >> 32 & 0xFFFF) as u32
    }

    /// 0 on an empty cell, otherwise the species plus 1.
    #[inline]
    pub(super) fn occupant(self) -> u8 {
        (self.0 >> 48) as u8
    }

    /// The species of the amoeba.
    #[inline]
    pub(super) fn species(self) -> Option<usize> {
        usize::from(self.occupant()).checked_sub(1)
    }

    #[inline]
    pub(super) fn is_empty(self) -> bool {
        self.0 <= FUEL
    }

    /// Whether the amoeba acted or was born in this round.
    #[inline]
    pub(super) fn acted(self) -> bool {
        self.0 & ACTED != 0
    }

    /// Whether there is an amoeba that has not acted.
    #[inline]
    pub(super) fn waits(self) -> bool {
        !self.acted() && !self.is_empty()
    }

    /// Whether the amoeba has data or a function of its own.
    #[inline]
    pub(super) fn has_blobs(self) -> bool {
        self.0 & CARRIES != 0
    }

    #[inline]
    pub(super) fn with_fuel(self, fuel: u32) -> Content {
        Content(self.0 & !FUEL | u64::from(fuel))
    }

    #[inline]
    pub(super) fn with_energy(self, energy: u32) -> Content {
        Content(self.0 & !(0xFFFF << 16) | u64::from(energy) << 16)
    }

    #[inline]
    pub(super) fn with_health(self, health: u32) -> Content {
        Content(self.0 & !(0xFFFF << 32) | u64::from(health) << 32)
    }

    #[inline]
    pub(super) fn with_blobs(self, has_blobs: bool) -> Content {
        Content(if has_blobs { self.0 | CARRIES } else { self.0 & !CARRIES })
    }

    /// The content after the amoeba has acted and has this energy left.
    #[inline]
    pub(super) fn after_acting(self, energy: u32) -> Content {
        Content(self.with_energy(energy).0 | ACTED)
    }

    /// The cell without its amoeba.
    #[inline]
    pub(super) fn vacated(self) -> Content {
        Content(self.0 & FUEL)
    }

    /// This empty cell with the amoeba of another one.
    #[inline]
    pub(super) fn taken_by(self, amoeba: Content) -> Content {
        Content(self.0 | amoeba.0 & !FUEL)
    }

    /// The cell after the end of a round: an empty cell has gained fuel, and an amoeba has not
    /// acted.
    #[inline(always)]
    pub(super) fn after_round(self, sun: u64, max_fuel: u64) -> Content {
        Content(if self.0 <= FUEL { (self.0 + sun).min(max_fuel) } else { self.0 & !ACTED })
    }

    /// The part that enters the hash of the state; blobs enter it separately.
    #[inline(always)]
    pub(super) fn hashed(self) -> u64 {
        self.0 & !CARRIES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_do_not_touch_each_other() {
        let most = Content::of_amoeba(63, 10_000, 10_000, false);
        let full = Content::of_fuel(10_000).taken_by(most).with_blobs(true);
        for content in [full, full.after_acting(10_000)] {
            assert_eq!(
                (content.fuel(), content.energy(), content.health()),
                (10_000, 10_000, 10_000)
            );
            assert_eq!(
                (content.occupant(), content.species(), content.has_blobs()),
                (64, Some(63), true)
            );
            assert_ne!(content.acted(), content.waits());
            assert_eq!(content.vacated(), Content::of_fuel(10_000));
            assert_eq!(content.with_energy(0).energy(), 0);
            assert_eq!(content.with_energy(0).with_energy(10_000), content);
            assert_eq!(content.with_health(1).with_health(10_000), content);
            assert_eq!(content.with_fuel(1).with_fuel(10_000), content);
            assert_eq!(content.after_round(1, 100).with_blobs(false), full.with_blobs(false));
        }
        assert!(!Content::of_fuel(FUEL as u32).waits());
        assert_eq!(Content::of_fuel(7).after_round(5, 10), Content::of_fuel(10));
    }
}
