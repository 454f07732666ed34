//! [`Listing`]: the list of all living cells, by player, then place. The state makes it after every
//! turn: it is the next batch of decisions.

use std::ops::Deref;

use crate::simd::{Kernel, Level};
use agon_core::{Decision, Player};

use super::board::is_cell;

/// With at most this many players, one pass over the board lists each player's cells.
const FEW: usize = 8;

/// All cells, by player, then place.
///
/// The code that fills it writes a few entries too many: that saves a branch for each cell.
#[derive(Debug, Default)]
pub(super) struct Listing {
    /// The list, and remains of earlier lists after it.
    room: Vec<Decision>,
    count: usize,
}

impl Listing {
    pub(super) fn clear(&mut self) {
        self.count = 0;
    }

    /// Counts the cells of each player and lists them. `owner` is the mark of each place.
    pub(super) fn list(&mut self, owner: &[u8], counts: &mut [u32]) {
        self.room.resize(owner.len() + AT_ONCE, Decision::new(Player(0), 0));
        if counts.len() > FEW {
            self.count = list_sorted(owner, counts, &mut self.room);
            return;
        }
        self.count = 0;
        for (player, count) in counts.iter_mut().enumerate() {
            let player = Player::from_index(player);
            let room = &mut self.room[self.count..];
            let listed = Level::best().run(ListPlayer { owner, player, room });
            *count = listed as u32;
            self.count += listed;
        }
    }
}

impl Deref for Listing {
    type Target = [Decision];

    fn deref(&self) -> &[Decision] {
        &self.room[..self.count]
    }
}

impl Clone for Listing {
    fn clone(&self) -> Listing {
        Listing { room: self.to_vec(), count: self.count }
    }
}

impl PartialEq for Listing {
    fn eq(&self, other: &Listing) -> bool {
        **self == **other
    }
}

impl Eq for Listing {}

/// Lists a player's cells. For 64 places at a time it makes a bit for each own cell, then lists the
/// bits that are set.
struct ListPlayer<'a> {
    owner: &'a [u8],
    player: Player,
    room: &'a mut [Decision],
}

/// This many cells are always listed together, even if there are fewer. If four players share the
/// board, one rarely has more among 64 places.
const AT_ONCE: usize = 12;

impl Kernel for ListPlayer<'_> {
    type Output = usize;

    #[inline(always)]
    fn run(self) -> usize {
        let ListPlayer { owner, player, room } = self;
        let mark = player.index() as u8 + 1;
        let (parts, rest) = owner.as_chunks::<64>();
        let mut first = 0;
        let mut count = 0;
        for part in parts {
            let mut eights = [0; 8];
            for (eight, bytes) in eights.iter_mut().zip(part.as_chunks::<8>().0) {
                *eight = equal(*bytes, mark) as u8;
            }
            let mut own = u64::from_le_bytes(eights);
            let mut at = count;
            count += own.count_ones() as usize;
            while own != 0 {
                let listed = room[at..]
                    .first_chunk_mut::<AT_ONCE>()
                    .expect("there is room for more than all");
                for decision in listed {
                    *decision = Decision::new(player, first + own.trailing_zeros());
                    own &= own.wrapping_sub(1);
                }
                at += AT_ONCE;
            }
            first += 64;
        }
        for (place, &owner) in (first..).zip(rest) {
            room[count] = Decision::new(player, place);
            count += usize::from(owner == mark);
        }
        count
    }
}

/// Returns a bit for each of eight bytes that equals `mark`. The lowest bit stands for the first
/// byte.
#[inline(always)]
fn equal(bytes: [u8; 8], mark: u8) -> u64 {
    const LOW: u64 = 0x7F7F_7F7F_7F7F_7F7F;
    const ONES: u64 = 0x0101_0101_0101_0101;
    let differing = u64::from_le_bytes(bytes) ^ (ONES * u64::from(mark));
    // Sets the highest bit of each byte that is 0; no addition carries into the next byte.
    let zero = !(((differing & LOW) + LOW) | differing | LOW);
    // Collects the eight bits into one byte; no two of them collide.
    ((zero >> 7).wrapping_mul(0x0102_0408_1020_4080)) >> 56
}

/// Lists all cells with a counting sort: each cell goes to the next place of its player's run.
fn list_sorted(owner: &[u8], counts: &mut [u32], room: &mut [Decision]) -> usize {
    let cells = || owner.iter().enumerate().filter(|&(_, &owner)| is_cell(owner));
    counts.fill(0);
    for (_, &owner) in cells() {
        counts[usize::from(owner) - 1] += 1;
    }
    // There are at most 254 players.
    let mut next = [0; 256];
    let mut total = 0;
    for (next, &count) in next.iter_mut().zip(&*counts) {
        *next = total;
        total += count as usize;
    }
    for (index, &owner) in cells() {
        let player = usize::from(owner) - 1;
        room[next[player]] = Decision::new(Player::from_index(player), index as u32);
        next[player] += 1;
    }
    total
}

#[cfg(test)]
mod tests {
    use agon_core::{Purpose, Seed};

    use super::*;
    use crate::cellhack::ROCK;

    #[test]
    fn both_ways_list_the_same() {
        let mut rng = Seed(1).stream(Purpose::Script, 0);
        for players in [2, 3, 8] {
            for places in [9, 64, 65, 127, 128, 1000] {
                let mut place = || match rng.below(5) {
                    0 => ROCK,
                    1 | 2 => 0,
                    _ => rng.below(players) as u8 + 1,
                };
                let owner: Vec<u8> = (0..places).map(|_| place()).collect();
                let mut counts = vec![7; players as usize];
                let mut listing = Listing::default();
                listing.list(&owner, &mut counts);
                let found = counts.clone();
                let listed = listing.to_vec();
                for level in Level::available() {
                    let mut room = vec![Decision::new(Player(0), 0); places + AT_ONCE];
                    let mut count = 0;
                    for player in Player::all(players as usize) {
                        let room = &mut room[count..];
                        count += level.run(ListPlayer { owner: &owner, player, room });
                    }
                    assert_eq!(room[..count], listed, "{level}");
                }
                listing.count = list_sorted(&owner, &mut counts, &mut listing.room);
                let list = listing.to_vec();
                assert_eq!((found, listed), (counts, list), "{players} players, {places} places");
            }
        }
    }

    #[test]
    fn bits_tell_which_bytes_are_equal() {
        assert_eq!(equal([1, 2, 1, 0, 255, 129, 1, 3], 1), 0b100_0101);
        assert_eq!(equal([255; 8], 255), 0xFF);
        assert_eq!(equal([0, 128, 127, 0, 0, 0, 0, 1], 128), 0b10);
    }
}
