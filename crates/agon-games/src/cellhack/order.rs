//! The last part of a turn: MOVE, SPLIT and DIE, in random order.
//!
//! Cells act in an order that jumps all over the board, and whether a place is free by then is
//! unpredictable. So the code that moves a cell has no branches: a wrong guess of the processor
//! would cost as much as all the rest. The random order costs little on a board that fits the
//! cache, because the processor works on several cells at the same time.

use std::hint::select_unpredictable as select;

use agon_core::{Decision, Rng};

use super::{
    Direction, EMPTY, Rules,
    action::{DIE, SPLIT_BASE},
    board::Board,
};

/// The cells that act, in their order. Each is the index of its place, then eight bits with the
/// action.
///
/// No cell can enter the place of a cell that has not acted yet, so the place identifies the cell.
#[derive(Debug, Default)]
pub(super) struct Order {
    acting: Vec<u32>,
    count: usize,
}

// The largest board has 2^22 places.
const _: () = assert!(super::rules::MAX_PLACES <= 1 << 24);

impl Order {
    /// Collects the cells that still have to act, in the order of the batch.
    pub(super) fn collect(&mut self, batch: &[Decision], acts: &[u8]) {
        // The list never gets longer than this.
        self.acting.resize(acts.len(), 0);
        let acting = &mut self.acting[..batch.len()];
        let mut count = 0;
        for decision in batch {
            let act = acts[decision.unit as usize];
            // An entry without an action is overwritten by the next one.
            acting[count] = (decision.unit << 8) | u32::from(act);
            count += usize::from(act != 0);
        }
        self.count = count;
    }

    pub(super) fn shuffle(&mut self, rng: &mut Rng) {
        rng.shuffle(&mut self.acting[..self.count]);
    }

    /// Carries out all actions in order; calls `arrived` with start and destination of each cell
    /// that goes somewhere.
    pub(super) fn act(
        &self,
        board: &mut Board,
        rules: &Rules,
        mut arrived: impl FnMut(usize, usize),
    ) {
        let compass = Compass::new(board);
        let to_split = i32::from(rules.energy_min_split);
        let places = board.owner.len();
        let owners = &mut board.owner[..places];
        let energies = &mut board.energy[..places];
        let memories = &mut board.memory[..places];
        for &wish in &self.acting[..self.count] {
            let from = wish >> 8;
            let action = wish as u8;
            let to = compass.target(from, action) as usize;
            let from = from as usize;
            let owner = owners[from];
            let energy = energies[from];
            let memory = memories[from];
            let dies = action == DIE;
            let splits = action & 0xF0 == SPLIT_BASE;
            // MOVE needs a free place; SPLIT also needs enough energy.
            let goes = (owners[to] == EMPTY) & !dies & (!splits | (energy > to_split));
            // Both halves get half of the energy, rounded down, and the memory.
            let energy = energy >> u32::from(goes & splits);
            let stays = !(goes | dies) | splits;
            let there = select(goes, to, from);
            owners[there] = owner;
            energies[there] = energy;
            memories[there] = memory;
            // An empty place has 0 of everything.
            let keep = u64::from(stays).wrapping_neg();
            owners[from] = owner & keep as u8;
            energies[from] = energy & keep as i32;
            memories[from] = memory & keep;
            if goes {
                arrived(from, to);
            }
        }
    }
}

/// Indices have 22 bits and widths at most 13. With this shift, multiplying by the inverse gives
/// the same result as dividing.
const SHIFT: u32 = 36;

/// Finds neighbours in the four directions, on a board that wraps around.
struct Compass {
    width: u32,
    /// 2^[`SHIFT`] / width, rounded up. A division would take longer than everything else.
    inverse: u64,
    /// By direction.
    steps: [Step; 8],
}

#[derive(Clone, Copy, Default)]
struct Step {
    /// The row or column from which the step crosses the edge.
    edge: u32,
    /// The change of index: without and with crossing the edge.
    by: [u32; 2],
}

impl Compass {
    fn new(board: &Board) -> Compass {
        let (width, height) = (board.width, board.height);
        let mut steps = [Step::default(); 8];
        let mut set = |direction, edge, step: i32, across: i32| {
            steps[direction as usize] = Step { edge, by: [step as u32, across as u32] };
        };
        let row = width as i32;
        let all = (width * height) as i32;
        set(Direction::Up, 0, -row, all - row);
        set(Direction::Down, height - 1, row, row - all);
        set(Direction::Left, 0, -1, row - 1);
        set(Direction::Right, width - 1, 1, 1 - row);
        Compass { width, inverse: (1u64 << SHIFT).div_ceil(width.into()), steps }
    }

    /// The target of an action with a direction; any place for DIE.
    #[inline(always)]
    fn target(&self, index: u32, action: u8) -> u32 {
        let row = ((u64::from(index) * self.inverse) >> SHIFT) as u32;
        let column = index - row * self.width;
        let sideways = matches!(action & 7, 3 | 5);
        let Step { edge, by } = self.steps[usize::from(action & 7)];
        let across = select(sideways, column, row) == edge;
        index.wrapping_add(by[usize::from(across)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multiplying_is_as_good_as_dividing() {
        let most = crate::cellhack::rules::MAX_PLACES as u32;
        for width in 3..=4096 {
            let inverse = (1u64 << SHIFT).div_ceil(width.into());
            let row = |index: u32| ((u64::from(index) * inverse) >> SHIFT) as u32;
            // Checks the first and last place of rows; the places between follow from these.
            for y in (0..most / width).step_by(97).chain([1, most / width - 1]) {
                assert_eq!(row(y * width), y);
                assert_eq!(row(y * width + width - 1), y);
            }
        }
    }

    #[test]
    fn the_compass_leads_to_the_neighbours() {
        for (width, height) in [(3, 3), (3, 7), (8, 5), (4, 4)] {
            let board = Board::new(&Rules { width, height, ..Rules::default() });
            let compass = Compass::new(&board);
            for index in 0..width * height {
                for direction in Direction::ALL {
                    let expected = board.neighbour(index as usize, direction as u8);
                    let target = compass.target(index, SPLIT_BASE + direction as u8);
                    assert_eq!(
                        target as usize, expected,
                        "{width}x{height}: {index} {direction:?}"
                    );
                }
            }
        }
    }
}
