//! [`Pellets`]: all pellets on the board, in the order in which they were placed. The state of a
//! match holds one; views, bots and pictures read it.

use std::sync::Arc;

use agon_core::{Outcome, Player, cell_hash};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Board, COLORS, Cell, opponent, owner};
use crate::simd::{Kernel, Level};

/// A pellet on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pellet {
    /// The index of the cell it lies on.
    pub cell: Cell,
    /// Its colour, from 0 to 3; even colours are player 0's, odd ones player 1's.
    pub color: u8,
}

/// All pellets on the board, numbered in the order they were placed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pellets {
    cells: Vec<Cell>,
    colors: Vec<u8>,
    color_grid: ColorGrid,
    /// The direction in which they fall.
    gravity: u8,
    /// The number of pellets on each line along gravity.
    heights: Vec<u8>,
    counts: [u32; COLORS],
    hash: u64,
}

impl Pellets {
    /// No pellets, on this board, under this gravity.
    pub fn new(board: Arc<Board>, gravity: u8) -> Pellets {
        // There are never more pellets than cells.
        let cells = Vec::with_capacity(board.cells());
        let colors = Vec::with_capacity(board.cells());
        let heights = vec![0; board.columns()];
        let color_grid = ColorGrid::new(board);
        Pellets { cells, colors, color_grid, gravity, heights, counts: [0; COLORS], hash: 0 }
    }

    /// Puts the next pellet on a free cell.
    ///
    /// # Panics
    /// If there is no such cell or colour.
    pub fn put(&mut self, pellet: Pellet) {
        let index = self.len() as u16;
        self.cells.push(pellet.cell);
        self.colors.push(pellet.color);
        self.color_grid.put(pellet.cell, pellet.color);
        self.heights[self.color_grid.board().line(pellet.cell, self.gravity)] += 1;
        self.counts[usize::from(pellet.color)] += 1;
        self.hash = self.hash.wrapping_add(share(index, pellet));
    }

    /// Lets all of them fall.
    pub fn settle(&mut self, gravity: u8) {
        Level::best().run(Settle { pellets: self, gravity });
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// How many of a colour there are.
    ///
    /// # Panics
    /// If there is no such colour.
    pub fn count(&self, color: u8) -> u32 {
        self.counts[usize::from(color)]
    }

    /// A pellet by its number.
    ///
    /// # Panics
    /// If the number is too large.
    pub fn get(&self, index: usize) -> Pellet {
        Pellet { cell: self.cells[index], color: self.colors[index] }
    }

    /// All pellets, the oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = Pellet> + ExactSizeIterator {
        (0..self.len()).map(|index| self.get(index))
    }

    /// The colour on a cell.
    ///
    /// # Panics
    /// If there is no such cell.
    pub fn color_at(&self, cell: Cell) -> Option<u8> {
        self.color_grid.color_at(cell)
    }

    /// The number of the pellet on a cell.
    ///
    /// # Panics
    /// If there is no such cell.
    pub fn number_at(&self, cell: Cell) -> Option<usize> {
        if self.is_free(cell) { None } else { self.cells.iter().position(|&taken| taken == cell) }
    }

    /// Whether nothing lies on a cell.
    ///
    /// # Panics
    /// If there is no such cell.
    pub fn is_free(&self, cell: Cell) -> bool {
        self.color_grid.is_free(cell)
    }

    /// The cell where a pellet that enters at `top` comes to rest; `None` if `top` is taken. All
    /// pellets are at rest, so they fill each line from its floor.
    pub(super) fn landing(&self, top: Cell) -> Option<Cell> {
        let board = self.color_grid.board();
        let line = board.line(top, self.gravity);
        board.above_floor(line, self.gravity, self.heights[line].into())
    }

    /// The colours on the board.
    pub(super) fn color_grid(&self) -> &ColorGrid {
        &self.color_grid
    }

    /// A hash of all pellets with their numbers, kept up to date as they move.
    pub fn hash(&self) -> u64 {
        self.hash
    }
}

#[inline(always)]
fn share(index: u16, pellet: Pellet) -> u64 {
    cell_hash(u64::from(index), (u64::from(pellet.cell) << 8) | u64::from(pellet.color))
}

/// Lets all pellets fall. Almost all of them move, so everything is computed from scratch.
struct Settle<'a> {
    pellets: &'a mut Pellets,
    gravity: u8,
}

impl Kernel for Settle<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Settle { pellets, gravity } = self;
        pellets.gravity = gravity;
        let Pellets { cells, colors, color_grid, heights, hash, .. } = pellets;
        cells.iter().for_each(|&cell| color_grid.clear(cell));
        color_grid.board().fall(gravity, cells);
        heights.fill(0);
        cells.iter().for_each(|&cell| heights[color_grid.board().line(cell, gravity)] += 1);
        cells.iter().zip(&*colors).for_each(|(&cell, &color)| color_grid.put(cell, color));
        let pellets = cells.iter().zip(&*colors).map(|(&cell, &color)| Pellet { cell, color });
        *hash = (0..).zip(pellets).fold(0, |hash, (i, pellet)| hash.wrapping_add(share(i, pellet)));
    }
}

/// No pellet.
pub(super) const EMPTY: u8 = u8::MAX;

/// A spot of the margin.
pub(super) const MARGIN: u8 = EMPTY - 1;

/// The colour on each spot of a board (see [`Board::spot`]), a byte each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ColorGrid {
    board: Arc<Board>,
    colors: Vec<u8>,
}

/// Number of spots that are compared together.
pub(super) const PART: usize = 64;

/// The longest run that [`ColorGrid::may_have_run`] looks for.
const MAX_RUN: usize = 4;

impl ColorGrid {
    /// A grid without pellets.
    pub(super) fn new(board: Arc<Board>) -> ColorGrid {
        // Padded, so that the last part and the parts compared with it are whole.
        let spots = board.spots().next_multiple_of(PART) + (MAX_RUN - 1) * board.stride();
        let mut colors = vec![MARGIN; spots];
        (0..board.cells() as Cell).for_each(|cell| colors[board.spot(cell)] = EMPTY);
        ColorGrid { board, colors }
    }

    /// The geometry.
    #[inline(always)]
    pub(super) fn board(&self) -> &Board {
        &self.board
    }

    /// The colour on a cell.
    pub(super) fn color_at(&self, cell: Cell) -> Option<u8> {
        let color = self.colors[self.board.spot(cell)];
        (color != EMPTY).then_some(color)
    }

    /// Whether nothing lies on a cell.
    pub(super) fn is_free(&self, cell: Cell) -> bool {
        self.colors[self.board.spot(cell)] == EMPTY
    }

    /// Puts a colour on a cell.
    #[inline(always)]
    pub(super) fn put(&mut self, cell: Cell, color: u8) {
        self.colors[self.board.spot(cell)] = color;
    }

    /// Removes the colour from a cell.
    #[inline(always)]
    pub(super) fn clear(&mut self, cell: Cell) {
        self.put(cell, EMPTY);
    }

    /// The number of cells of a colour in a row after `cell` in a direction.
    fn count_behind(&self, cell: Cell, direction: u8, color: u8) -> usize {
        let step = self.board.step(direction);
        let mut spot = self.board.spot(cell);
        for length in 0.. {
            spot = spot.wrapping_add_signed(step);
            if self.colors[spot] != color {
                return length;
            }
        }
        unreachable!("every line ends at the margin")
    }

    /// The longest run of a colour through `cell`, over the three axes. `cell` itself always
    /// counts.
    pub(super) fn run_through(&self, cell: Cell, color: u8) -> u32 {
        let both = |axis| {
            self.count_behind(cell, axis, color) + self.count_behind(cell, axis + 3, color) + 1
        };
        both(0).max(both(1)).max(both(2)) as u32
    }

    /// Whether there may be a run of this length. `false` is certain, and `true` is certain for
    /// lengths up to four.
    pub(super) fn may_have_run(&self, length: u32) -> bool {
        let steps = [self.board.stride(), self.board.stride() - 1, 1];
        let spots = self.board.spots();
        let length = MAX_RUN.min(length as usize);
        Level::best().run(HasRun { colors: &self.colors, spots, steps, length })
    }
}

/// Finds out whether any spot has the colour of the next `length - 1` spots along an axis. It
/// compares the bytes of 64 spots at a time, once for each axis and each spot of the run.
pub(super) struct HasRun<'a> {
    /// The colour on each spot, and behind them a margin, so that all parts are whole.
    pub(super) colors: &'a [u8],
    /// Number of spots.
    pub(super) spots: usize,
    /// From a spot to the next along each axis.
    pub(super) steps: [usize; 3],
    pub(super) length: usize,
}

impl Kernel for HasRun<'_> {
    type Output = bool;

    #[inline(always)]
    fn run(self) -> bool {
        let HasRun { colors, spots, steps, length } = self;
        let mut found = [0; PART];
        for first in (0..spots).step_by(PART) {
            let part =
                |first: usize| colors[first..].first_chunk::<PART>().expect("parts are whole");
            let here = part(first);
            for step in steps {
                let mut run = here.map(|color| u8::from(color < MARGIN));
                for i in 1..length {
                    let there = part(first + i * step);
                    for x in 0..PART {
                        run[x] &= u8::from(here[x] == there[x]);
                    }
                }
                for x in 0..PART {
                    found[x] |= run[x];
                }
            }
        }
        found != [0; PART]
    }
}

/// A player's longest run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// Number of pellets; 0 if the player has none on the board.
    pub length: u32,
    /// Their colour.
    pub color: u8,
}

/// The longest run of each player.
///
/// If runs of both colours of a player are equally long, the first one found counts. The search
/// goes from the newest pellet to the oldest, and finds a run at its first pellet in direction 0, 1
/// or 2.
pub fn longest_runs(board: &Board, pellets: &Pellets) -> [Run; 2] {
    let mut best = [Run { length: 0, color: 0 }, Run { length: 0, color: 1 }];
    each_run(board, pellets, |run| {
        let best = &mut best[owner(run.color).index()];
        if run.length > best.length {
            *best = run;
        }
    });
    best
}

/// For each player, the length of its longest run and the number of its runs of that length, in
/// both colours. The greater pair is nearer to its goal.
pub(super) fn chances(board: &Board, pellets: &Pellets) -> [(u32, u32); 2] {
    let mut chances = [(0, 0); 2];
    each_run(board, pellets, |Run { length, color }| {
        let chance = &mut chances[owner(color).index()];
        if length > chance.0 {
            *chance = (length, 0);
        }
        chance.1 += u32::from(length == chance.0);
    });
    chances
}

/// Goes through all runs, from the newest first pellet to the oldest, in directions 0, 1 and 2.
fn each_run(board: &Board, pellets: &Pellets, mut see: impl FnMut(Run)) {
    for Pellet { cell, color } in pellets.iter().rev() {
        let alike = |cell| pellets.color_at(cell) == Some(color);
        for axis in 0..3 {
            // Skips pellets that are not the first of a run.
            if !board.neighbor(cell, axis + 3).is_some_and(alike) {
                see(Run { length: board.run(cell, axis, alike), color });
            }
        }
    }
}

/// Decides whether, and how, the game ends with these pellets at rest. The longest run of at least
/// `run_length` wins. Of equally long runs, the one with more pellets of its colour on the board
/// wins.
pub fn judge(board: &Board, pellets: &Pellets, run_length: u32) -> Option<End> {
    // Mostly there is no run at all.
    if !pellets.color_grid().may_have_run(run_length) {
        return None;
    }
    let [first, second] = longest_runs(board, pellets);
    let length = first.length.max(second.length);
    if length < run_length {
        return None;
    }
    if first.length != second.length {
        let longer = if first.length > second.length { first } else { second };
        return Some(End::Run { winner: owner(longer.color), length });
    }
    let ours = pellets.count(first.color);
    let theirs = pellets.count(second.color);
    if ours == theirs {
        return Some(End::EqualRuns { length });
    }
    let color = if ours > theirs { first.color } else { second.color };
    Some(End::EqualRunsMorePellets { winner: owner(color), length })
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// A run that is long enough and longer than the opponent's longest.
    Run {
        /// Whose run it is.
        winner: Player,
        /// Number of pellets in it.
        length: u32,
    },
    /// Both players have equally long runs; the winner has more pellets of its run's colour on the
    /// board.
    EqualRunsMorePellets {
        /// Who has more pellets.
        winner: Player,
        /// Number of pellets in each run.
        length: u32,
    },
    /// Equally long runs and equally many pellets of their colours: a tie.
    EqualRuns {
        /// Number of pellets in each run.
        length: u32,
    },
    /// A player had none left to draw at the start of its turn.
    OutOfPellets {
        /// Who had none left.
        loser: Player,
    },
    /// A player gave the game up, or its bot committed a fault.
    Forfeit {
        /// Who forfeited.
        loser: Player,
    },
    /// A player answered something that the rules do not allow.
    Illegal {
        /// Who broke the rules.
        loser: Player,
    },
    /// The last round is over: a tie.
    RoundLimit,
}

impl End {
    /// The winner, unless it is a tie.
    pub fn winner(self) -> Option<Player> {
        match self {
            End::Run { winner, .. } | End::EqualRunsMorePellets { winner, .. } => Some(winner),
            End::OutOfPellets { loser } | End::Forfeit { loser } | End::Illegal { loser } => {
                Some(opponent(loser))
            }
            End::EqualRuns { .. } | End::RoundLimit => None,
        }
    }

    /// The outcome in words.
    pub(crate) fn outcome(self) -> Outcome {
        let winners = self.winner().map_or_else(|| Player::all(2).collect(), |winner| vec![winner]);
        Outcome::new(winners, self.reason())
    }

    fn reason(self) -> String {
        match self {
            End::Run { length, .. } => format!("a run of {length}"),
            End::EqualRunsMorePellets { length, .. } => {
                format!("both have a run of {length}, the winner more pellets of its color")
            }
            End::EqualRuns { length } => {
                format!("both have a run of {length} and as many pellets of its color")
            }
            End::OutOfPellets { .. } => "the opponent is out of pellets".into(),
            End::Forfeit { .. } => "the opponent forfeited".into(),
            End::Illegal { .. } => "the opponent broke the rules".into(),
            End::RoundLimit => "no run before the last round was over".into(),
        }
    }

    /// A number for each value, from 1.
    pub(crate) fn code(self) -> u64 {
        let (kind, player, length) = match self {
            End::Run { winner, length } => (1, winner.0, length),
            End::EqualRunsMorePellets { winner, length } => (2, winner.0, length),
            End::EqualRuns { length } => (3, 0, length),
            End::OutOfPellets { loser } => (4, loser.0, 0),
            End::Forfeit { loser } => (5, loser.0, 0),
            End::Illegal { loser } => (6, loser.0, 0),
            End::RoundLimit => (7, 0, 0),
        };
        kind | u64::from(player) << 8 | u64::from(length) << 24
    }

    /// The player that it names, if any. In a position written by hand this player may not exist.
    pub(crate) fn named(self) -> Option<Player> {
        match self {
            End::Run { winner, .. } | End::EqualRunsMorePellets { winner, .. } => Some(winner),
            End::OutOfPellets { loser } | End::Forfeit { loser } | End::Illegal { loser } => {
                Some(loser)
            }
            End::EqualRuns { .. } | End::RoundLimit => None,
        }
    }
}
