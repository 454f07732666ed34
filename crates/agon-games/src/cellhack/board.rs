//! [`Board`]: owner, energy and memory of every place on the torus. The state of a match holds one.

use std::ops::Deref;

use agon_core::{Decision, Player, cell_hash, mix};

use super::{EMPTY, Env, ROCK, Rules};
use crate::simd::{Kernel, Level};

/// Owner, energy and memory of every place, row by row.
///
/// Places without a cell have energy 0 and memory 0, so that equal boards compare equal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Board {
    pub(super) width: u32,
    pub(super) height: u32,
    /// [`EMPTY`], a player's number plus one, or [`ROCK`].
    pub(super) owner: Vec<u8>,
    /// From 0 to `energy_max`.
    pub(super) energy: Vec<i32>,
    pub(super) memory: Vec<u64>,
}

/// Returns whether this is the mark of a cell, not of a rock or an empty place.
#[inline(always)]
pub(super) fn is_cell(owner: u8) -> bool {
    owner != EMPTY && owner != ROCK
}

impl Board {
    /// An empty board.
    pub(super) fn new(rules: &Rules) -> Board {
        let places = rules.width as usize * rules.height as usize;
        Board {
            width: rules.width,
            height: rules.height,
            owner: vec![EMPTY; places],
            energy: vec![0; places],
            memory: vec![0; places],
        }
    }

    /// The index of a place.
    pub(super) fn index(&self, x: u32, y: u32) -> usize {
        y as usize * self.width as usize + x as usize
    }

    /// Column and row of a place.
    pub(super) fn xy(&self, index: usize) -> (u32, u32) {
        let index = index as u32;
        (index % self.width, index / self.width)
    }

    /// The place next to `index` with the number `offset` in an [`Env`], across the edges.
    pub(super) fn neighbour(&self, index: usize, offset: u8) -> usize {
        let (x, y) = self.xy(index);
        let step = |at: u32, by: u8, size: u32| match by {
            0 => at.checked_sub(1).unwrap_or(size - 1),
            1 => at,
            _ => (at + 1) % size,
        };
        self.index(step(x, offset % 3, self.width), step(y, offset / 3, self.height))
    }

    /// The place and its eight neighbours.
    pub(super) fn env(&self, index: usize) -> Env {
        let mut env = [0; 9];
        self.write_env(index, &mut env);
        Env(env)
    }

    /// Writes the place and its eight neighbours, row by row, straight to their destination. A copy
    /// right after single bytes were written would make the processor wait.
    #[inline]
    pub(super) fn write_env(&self, index: usize, out: &mut [u8; 9]) {
        let (x, y) = self.xy(index);
        let inside = |at: u32, size: u32| at.wrapping_sub(1) < size - 2;
        if !inside(x, self.width) || !inside(y, self.height) {
            *out = self.env_at_edge(x, y).0;
            return;
        }
        let width = self.width as usize;
        let rows = out.as_chunks_mut::<3>().0;
        for (row, from) in rows.iter_mut().zip([index - width - 1, index - 1, index + width - 1]) {
            row.copy_from_slice(&self.owner[from..from + 3]);
        }
    }

    #[cold]
    fn env_at_edge(&self, x: u32, y: u32) -> Env {
        let around = |at: u32, size: u32| {
            [if at == 0 { size - 1 } else { at - 1 }, at, if at + 1 == size { 0 } else { at + 1 }]
        };
        let columns = around(x, self.width);
        let rows = around(y, self.height);
        Env(std::array::from_fn(|i| self.owner[self.index(columns[i % 3], rows[i / 3])]))
    }

    /// Replaces the content of a place.
    pub(super) fn put(&mut self, index: usize, owner: u8, energy: i32, memory: u64) {
        self.owner[index] = owner;
        self.energy[index] = energy;
        self.memory[index] = memory;
    }

    /// All places with a cell, and its owner's mark.
    pub(super) fn cells(&self) -> impl Iterator<Item = (usize, u8)> + '_ {
        let marks = self.owner.iter().copied().enumerate();
        marks.filter(|&(_, owner)| is_cell(owner))
    }

    /// The sum of the hashes of all places that are not empty.
    pub(super) fn hash(&self) -> u64 {
        Level::best().run(Hash(self))
    }
}

struct Hash<'a>(&'a Board);

impl Kernel for Hash<'_> {
    type Output = u64;

    #[inline(always)]
    fn run(self) -> u64 {
        let Board { owner, energy, memory, .. } = self.0;
        let share = |((index, &owner), (&energy, &memory)): ((u64, &u8), (&i32, &u64))| {
            let body = u64::from(owner) << 32 | energy as u64;
            let share = cell_hash(index, mix(memory) ^ body);
            // Computed for empty places as well: a branch would take longer.
            if owner == EMPTY { 0 } else { share }
        };
        (0..).zip(owner).zip(energy.iter().zip(memory)).map(share).fold(0, u64::wrapping_add)
    }
}

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
    use super::*;

    #[test]
    fn neighbours_wrap_at_all_edges() {
        let board = Board::new(&Rules { width: 4, height: 3, ..Rules::default() });
        let around =
            |index| (0..9).map(|offset| board.neighbour(index, offset)).collect::<Vec<_>>();
        assert_eq!(around(0), [11, 8, 9, 3, 0, 1, 7, 4, 5]);
        assert_eq!(around(5), [0, 1, 2, 4, 5, 6, 8, 9, 10]);
        assert_eq!(around(11), [6, 7, 4, 10, 11, 8, 2, 3, 0]);
    }

    #[test]
    fn the_environment_lists_the_neighbours() {
        let mut board = Board::new(&Rules { width: 4, height: 3, ..Rules::default() });
        (0..12).for_each(|i| board.put(i, i as u8 + 1, 100, 0));
        for index in 0..12 {
            let expected: [u8; 9] =
                std::array::from_fn(|o| board.neighbour(index, o as u8) as u8 + 1);
            assert_eq!(board.env(index), Env(expected));
        }
    }

    #[test]
    fn bits_tell_which_bytes_are_equal() {
        assert_eq!(equal([1, 2, 1, 0, 255, 129, 1, 3], 1), 0b100_0101);
        assert_eq!(equal([255; 8], 255), 0xFF);
        assert_eq!(equal([0, 128, 127, 0, 0, 0, 0, 1], 128), 0b10);
    }
}
