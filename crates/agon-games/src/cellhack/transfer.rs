//! The first part of a turn: REST, EAT and FEED, and the death of cells without energy. All places
//! act at the same time, row by row, without branches.
//!
//! A row takes two loops that become vector code. The first one reads and writes bytes: from the
//! wishes of a place and its neighbours it computes the number of neighbours, the sum of EAT and
//! FEED, and which action waits for its turn. The second one does sums on energies, of four bytes.
//! So a place costs some 60 operations on bytes and 15 on energies, and with vectors of 64 bytes
//! two cycles.

#![warn(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_possible_wrap,
    clippy::cast_lossless,
    reason = "wishes of bots become energies here, which must not change unnoticed"
)]

use super::answer::{DIE, EAT_BASE, FEED_BASE, MOVE_BASE, REST, SPLIT_BASE};
use super::board::{Board, is_cell};
use super::turn::{PART, Padded, WALL, Wishes};
use super::{Direction, EMPTY, Rules};
use crate::simd::Kernel;

/// Carries out REST: the fewer neighbours, the more energy, up to the limit. Then EAT and FEED, all
/// at the same time: gains and losses of a cell are summed, and only the sum is limited, so the
/// order does not matter. Then cells below the least energy die.
pub(super) struct Transfer<'a> {
    pub(super) rules: &'a Rules,
    pub(super) wishes: &'a Wishes,
    pub(super) board: &'a mut Board,
    /// Output: the actions that remain, MOVE, SPLIT and DIE of cells that are still alive; else 0.
    pub(super) acts: &'a mut Vec<u8>,
}

impl Kernel for Transfer<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Transfer { rules, wishes, board, acts } = self;
        let width = board.width as usize;
        acts.resize(board.owner.len(), 0);
        for y in 0..board.height as usize {
            for from in (0..width).step_by(PART) {
                let to = width.min(from + PART);
                let row = y * width + from..y * width + to;
                let seen = look(wishes.around(from, y));
                let acts = &mut acts[row.clone()];
                let part = Part {
                    owner: &mut board.owner[row.clone()],
                    energy: &mut board.energy[row.clone()],
                    memory: &mut board.memory[row],
                };
                part.transfer(rules, &seen, acts);
            }
        }
    }
}

/// Lets cells below the least energy die.
pub(super) struct Starve<'a> {
    pub(super) rules: &'a Rules,
    pub(super) board: &'a mut Board,
}

impl Kernel for Starve<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let least = i32::from(self.rules.energy_min);
        let Board { owner, energy, memory, .. } = self.board;
        let parts =
            owner.chunks_mut(PART).zip(energy.chunks_mut(PART)).zip(memory.chunks_mut(PART));
        for ((owner, energy), memory) in parts {
            let mut died = 0;
            for (owner, low) in owner.iter_mut().zip(&below(energy, least)) {
                let stays = (low & u8::from(is_cell(*owner))).wrapping_sub(1);
                died |= !stays;
                *owner &= stays;
            }
            if died != 0 {
                forget(owner, energy, memory);
            }
        }
    }
}

// Places are emptied with a mask.
const _: () = assert!(EMPTY == 0);

/// Returns 1 for each energy of a part below the least one.
///
/// Comparisons of four bytes and selections of one byte become vector code only in loops of their
/// own.
#[inline(always)]
fn below(energy: &[i32], least: i32) -> [u8; PART] {
    let mut wide = [0; PART];
    for (wide, energy) in wide.iter_mut().zip(energy) {
        *wide = i32::from(*energy < least);
    }
    let mut low = [0; PART];
    for (low, wide) in low.iter_mut().zip(&wide) {
        *low = wide.to_le_bytes()[0];
    }
    low
}

/// What `look` finds out about the places of a part of a row.
struct SeenPart {
    /// The sum of EAT and FEED, in units of `eat_amount`: from -5 to 5.
    units: [i8; PART],
    /// 1 for a cell that rests.
    rest: [u8; PART],
    /// Occupied places around it.
    neighbours: [u8; PART],
    /// The action if it belongs to the random order, else 0.
    acts: [u8; PART],
}

/// Looks at a whole part, even if the row ends earlier: with a fixed length the compiler makes
/// vector code.
#[inline(always)]
fn look([above, row, below]: [&Padded; 3]) -> SeenPart {
    let mut seen =
        SeenPart { units: [0; PART], rest: [0; PART], neighbours: [0; PART], acts: [0; PART] };
    let taken = |wish: u8| u8::from(wish != 0);
    for x in 0..PART {
        let own = row[x + 1];
        let column = |x: usize| taken(above[x]) + taken(row[x]) + taken(below[x]);
        seen.neighbours[x] = column(x) + column(x + 1) + column(x + 2) - taken(own);
        seen.units[x] = exchange(own, above[x + 1], Direction::Up)
            + exchange(own, row[x], Direction::Left)
            + exchange(own, row[x + 2], Direction::Right)
            + exchange(own, below[x + 1], Direction::Down);
        seen.rest[x] = u8::from(own == REST);
        let waits = (own & 0xF0 == MOVE_BASE) | (own & 0xF0 == SPLIT_BASE) | (own == DIE);
        seen.acts[x] = if waits { own } else { 0 };
    }
    seen
}

/// The gain of a place from its neighbour in `direction`. The wishes of both count, if both are
/// cells.
#[inline(always)]
fn exchange(own: u8, other: u8, direction: Direction) -> i8 {
    let there = direction as u8;
    let back = direction.opposite() as u8;
    let gains = i8::from(own == EAT_BASE + there) + i8::from(other == FEED_BASE + back);
    let loses = i8::from(own == FEED_BASE + there) + i8::from(other == EAT_BASE + back);
    let cells = (own != 0) & (own != WALL) & (other != 0) & (other != WALL);
    if cells { gains - loses } else { 0 }
}

/// The places of a part of a row.
struct Part<'a> {
    owner: &'a mut [u8],
    energy: &'a mut [i32],
    memory: &'a mut [u64],
}

impl Part<'_> {
    /// Places without a cell keep energy 0, because nothing in `seen` changes them.
    #[inline(always)]
    fn transfer(self, rules: &Rules, seen: &SeenPart, acts: &mut [u8]) {
        let most = i32::from(rules.energy_max);
        let least = i32::from(rules.energy_min);
        let amount = i32::from(rules.eat_amount);
        // A copy, so that the compiler knows that writing energies does not change the rules.
        let rules = rules.clone();
        let seen_of_energy = seen.units.iter().zip(&seen.rest).zip(&seen.neighbours);
        for (energy, ((&units, &rest), &neighbours)) in self.energy.iter_mut().zip(seen_of_energy) {
            let rested = (*energy + rules.rest(neighbours.into())).min(most);
            let before = if rest != 0 { rested } else { *energy };
            *energy = (before + i32::from(units) * amount).clamp(0, most);
        }
        let mut died = 0;
        let places = self.owner.iter_mut().zip(acts);
        let low = below(self.energy, least);
        for ((owner, act), (low, &waiting)) in places.zip(low.iter().zip(&seen.acts)) {
            let stays = (low & u8::from(is_cell(*owner))).wrapping_sub(1);
            died |= !stays;
            *owner &= stays;
            *act = waiting & stays;
        }
        if died != 0 {
            forget(self.owner, self.energy, self.memory);
        }
    }
}

/// Clears energy and memory of places without a cell.
#[inline(always)]
fn forget(owner: &[u8], energy: &mut [i32], memory: &mut [u64]) {
    for ((owner, energy), memory) in owner.iter().zip(energy).zip(memory) {
        let is_empty = *owner == EMPTY;
        *energy = if is_empty { 0 } else { *energy };
        *memory = if is_empty { 0 } else { *memory };
    }
}
