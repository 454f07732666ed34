//! Plays a turn, once every living cell has decided: the steps of the rules in their order.
//!
//! Actions are bytes from here on, one per place of the board. So each step works on all places at
//! once, many of them in one vector, and does not follow a list of cells.

use std::hint::select_unpredictable as select;

use agon_core::{Decision, Purpose, Rng};

use super::answer::{DIE, SPLIT_BASE};
use super::{Answer, Cellhack, Direction, EMPTY, ROCK, Rules, board::Board, transfer::Transfer};
use crate::{scratch::Scratch, simd::Level};

impl Cellhack {
    /// Plays one turn. `batch` holds all living cells, `answers` their answers. Calls `arrived`
    /// with start and destination of each cell, or half of a cell, that moves.
    pub(super) fn turn(
        &mut self,
        batch: &[Decision],
        answers: &[Answer],
        arrived: impl FnMut(usize, usize),
    ) {
        let Cellhack { rules, board, scratch: Scratch(Buffers { wishes, acts, order }), .. } = self;
        // Memories change first, before any action.
        wishes.note(board, batch, answers);
        // REST, then EAT and FEED all at the same time, then cells without the energy to live die.
        Level::best().run(Transfer { rules, wishes, board, acts });
        // MOVE, SPLIT and DIE of the cells still alive, one after the other.
        order.collect(batch, acts);
        // All see the whole order at once, so it may come from a quick stream.
        order.shuffle(&mut self.seed.quick_stream(Purpose::Order, self.turns_played.into()));
        order.act(board, rules, arrived);
        // A half of a split cell may have too little energy.
        Level::best().run(super::transfer::Starve { rules, board });
    }
}

/// The buffers of a turn.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    wishes: Wishes,
    /// For each place, the action of its living cell if it belongs to the random order, else 0.
    acts: Vec<u8>,
    order: Order,
}

/// Stands for a rock; no action has this byte. An empty place has 0.
pub(super) const WALL: u8 = 0xFF;

/// Number of places of a row that are worked on together.
pub(super) const PART: usize = 64;

/// A part of a row, with one more place on either side.
pub(super) type Padded = [u8; PART + 2];

/// The action that the cell on each place wants, as a byte.
#[derive(Debug, Default)]
pub(super) struct Wishes {
    /// One per place.
    bytes: Vec<u8>,
    /// The same with copies from across the edges: one more place on each side of a row, and one
    /// more row above and below. Each row ends with zeros, so that its last part is whole.
    padded: Vec<u8>,
    /// Bytes of a row of `padded`.
    stride: usize,
}

impl Wishes {
    /// Notes the answers of the cells of `batch`, and changes their memories.
    pub(super) fn note(&mut self, board: &mut Board, batch: &[Decision], answers: &[Answer]) {
        let places = board.owner.len();
        self.bytes.resize(places, 0);
        for (byte, &owner) in self.bytes.iter_mut().zip(&board.owner) {
            *byte = if owner == ROCK { WALL } else { 0 };
        }
        let bytes = &mut self.bytes[..places];
        let memories = &mut board.memory[..places];
        for (decision, answer) in batch.iter().zip(answers) {
            let index = decision.unit as usize;
            bytes[index] = answer.action.byte();
            if let Some(memory) = answer.memory {
                memories[index] = memory;
            }
        }
        self.pad(board.width as usize, board.height as usize);
    }

    fn pad(&mut self, width: usize, height: usize) {
        self.stride = width.next_multiple_of(PART) + 2;
        self.padded.resize(self.stride * (height + 2), 0);
        for (i, row) in self.padded.chunks_exact_mut(self.stride).enumerate() {
            let from = &self.bytes[(i + height - 1) % height * width..][..width];
            row[0] = from[width - 1];
            row[1..=width].copy_from_slice(from);
            row[width + 1] = from[0];
        }
    }

    /// Returns the part that starts at column `x`, of row `y` and of the rows above and below it.
    #[inline(always)]
    pub(super) fn around(&self, x: usize, y: usize) -> [&Padded; 3] {
        std::array::from_fn(|i| {
            let part = self.padded[(y + i) * self.stride + x..].first_chunk();
            part.expect("rows consist of whole parts")
        })
    }
}

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
    use agon_core::{Game, Player, Seed};

    use super::*;
    use crate::cellhack::Direction::Up;
    use crate::cellhack::{Action, Cell, Cellhack, Direction, Position, Rules};

    /// A cell in short: x, y, player, energy.
    type Short = (u32, u32, u16, u16);

    fn position(cells: &[Short]) -> Position {
        let cell = |&(x, y, player, energy)| Cell { x, y, player, energy, memory: 0 };
        Position { players: 3, turn: 0, cells: cells.iter().map(cell).collect(), rocks: Vec::new() }
    }

    fn rules() -> Rules {
        Rules { width: 7, height: 6, ..Rules::default() }
    }

    /// Plays a turn in which the cells at the given places act, and all others do nothing.
    fn turn(game: &mut Cellhack, actions: &[(u32, u32, Action)]) {
        let place = |game: &Cellhack, d: Decision| game.board.xy(d.unit as usize);
        for &(x, y, _) in actions {
            assert!(
                game.decisions().iter().any(|&d| place(game, d) == (x, y)),
                "no cell at {x}, {y}"
            );
        }
        let wanted = |d| actions.iter().find(|&&(x, y, _)| place(game, d) == (x, y));
        let answers: Vec<Answer> = game
            .decisions()
            .iter()
            .map(|&d| Answer::new(wanted(d).map_or(Action::Nothing, |a| a.2)))
            .collect();
        game.step(&answers);
    }

    fn ending(
        rules: &Rules,
        before: &[Short],
        actions: &[(u32, u32, Action)],
    ) -> (Vec<Player>, String) {
        let mut game = Cellhack::from_position(rules, Seed(1), position(before)).unwrap();
        turn(&mut game, actions);
        let outcome = game.standing().outcome.expect("the game is over");
        (outcome.winners, outcome.reason)
    }

    #[test]
    fn endings() {
        let short = Rules { turns: 1, ..rules() };
        let first = Player(0);
        let second = Player(1);
        let third = Player(2);
        let two: [Short; 2] = [(1, 1, 0, 50), (4, 4, 1, 50)];
        assert_eq!(
            ending(&short, &two, &[(1, 1, Action::Split(Up))]),
            (vec![first], "most cells after 1 turn".into())
        );
        assert_eq!(
            ending(&short, &two, &[]),
            (vec![first, second], "equally many cells after 1 turn".into())
        );
        assert_eq!(
            ending(&rules(), &two, &[(1, 1, Action::Die)]),
            (vec![second], "alone on the board after 1 turn".into())
        );
        assert_eq!(
            ending(&rules(), &two, &[(1, 1, Action::Die), (4, 4, Action::Die)]),
            (vec![first, second, third], "no cell is left after 1 turn".into())
        );
    }

    #[test]
    fn one_player_alone_plays_all_turns_and_nobody_wins() {
        let three = Rules { turns: 3, ..rules() };
        let mut game = Cellhack::new(&three, 1, Seed(1)).unwrap();
        while !game.decisions().is_empty() {
            let answers = vec![Answer::new(Action::Split(Up)); game.decisions().len()];
            game.step(&answers);
        }
        let standing = game.standing();
        assert_eq!(
            (standing.players[0].place, standing.players.len(), game.turns_played),
            (1, 1, 3)
        );
        let outcome = standing.outcome.unwrap();
        assert_eq!(
            (outcome.winners, &*outcome.reason),
            (vec![], "one player alone, after 3 turns")
        );
        let mut game = Cellhack::new(&three, 1, Seed(1)).unwrap();
        game.step(&[Answer::new(Action::Die)]);
        let outcome = game.standing().outcome.expect("nobody is left");
        assert_eq!(outcome.reason, "one player alone, no cell is left after 1 turn");
        assert!(outcome.winners.is_empty());
    }

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
