//! [`Board`]: the geometry of the hexagon, its cells, neighbours, columns and lines. It depends on
//! the side alone and never changes, so all matches with the same side share one.

use std::sync::{Arc, OnceLock};

/// A cell's index: 0 in the centre, then ring by ring.
pub type Cell = u16;

/// The six directions, also those of gravity, by number, as steps (q, r) on a hexagonal grid with
/// columns of constant q and r growing downwards: South, SouthWest, NorthWest, North, NorthEast,
/// SouthEast.
pub const DIRECTIONS: [(i16, i16); 6] = [(0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1), (1, 0)];

const NONE: Cell = Cell::MAX;

/// A hexagon of hexagons.
#[derive(Debug)]
pub struct Board {
    side: usize,
    /// Shared with the scenes of all states.
    coordinates: Arc<[(i16, i16)]>,
    neighbors: Vec<[Cell; 6]>,
    /// The top cell of each column for each gravity.
    tops: Vec<[Cell; 6]>,
    /// All lines along directions 0, 1 and 2, each in that direction.
    axes: [Lines; 3],
    /// The spot of each cell.
    spots: Vec<u16>,
}

#[derive(Debug)]
struct Lines {
    cells: Vec<Cell>,
    /// Where each line begins in `cells`, and the end of the last.
    starts: Vec<usize>,
    /// The line of each cell, and its place in that line.
    places: Vec<(u8, u8)>,
}

/// The largest side.
const MAX_SIDE: usize = 64;

/// The most lines along an axis, and the most cells of a line.
pub(super) const MAX_LINES: usize = 2 * MAX_SIDE - 1;

/// Everything follows from the side.
impl PartialEq for Board {
    fn eq(&self, other: &Board) -> bool {
        self.side == other.side
    }
}

impl Eq for Board {}

impl Board {
    /// Makes the board with `side` cells along each edge.
    ///
    /// # Panics
    /// If `side` is 0 or above 64.
    pub fn new(side: u32) -> Board {
        assert!((1..=64).contains(&side), "a board's side is from 1 to 64, not {side}");
        let side = side as usize;
        let numbering = Numbering::new(side);
        let neighbors: Vec<_> = numbering
            .coordinates
            .iter()
            .map(|&at| DIRECTIONS.map(|step| numbering.get(add(at, step, 1))))
            .collect();
        let tops: Vec<_> = (0..2 * side - 1)
            .map(|column| std::array::from_fn(|gravity| numbering.get(top(side, column, gravity))))
            .collect();
        let axes = std::array::from_fn(|axis| Lines::new(&tops, &neighbors, axis));
        let spot =
            |&(q, r): &(i16, i16)| ((r + side as i16) * 2 * side as i16 + q + side as i16) as u16;
        let spots = numbering.coordinates.iter().map(spot).collect();
        Board { side, coordinates: numbering.coordinates.into(), neighbors, tops, axes, spots }
    }

    /// Returns the board with `side` cells along each edge, which all games share.
    ///
    /// # Panics
    /// If `side` is 0 or above 64.
    pub fn shared(side: u32) -> Arc<Board> {
        static BOARDS: [OnceLock<Arc<Board>>; MAX_SIDE] = [const { OnceLock::new() }; MAX_SIDE];
        let board = (side as usize).checked_sub(1).and_then(|i| BOARDS.get(i));
        // For a wrong side, `new` panics with the reason.
        board.map_or_else(
            || Arc::new(Board::new(side)),
            |b| b.get_or_init(|| Arc::new(Board::new(side))).clone(),
        )
    }

    /// Cells along each edge.
    pub fn side(&self) -> usize {
        self.side
    }

    /// Number of cells.
    pub fn cells(&self) -> usize {
        self.neighbors.len()
    }

    /// Number of columns, whatever the gravity.
    pub fn columns(&self) -> usize {
        self.tops.len()
    }

    /// The position of a cell: (q, r) as in [`DIRECTIONS`], (0, 0) in the centre.
    ///
    /// # Panics
    /// If there is no such cell. The same holds for the methods below.
    pub fn coordinates(&self, cell: Cell) -> (i16, i16) {
        self.coordinates[usize::from(cell)]
    }

    /// The positions of all cells, by index.
    pub fn all_coordinates(&self) -> &Arc<[(i16, i16)]> {
        &self.coordinates
    }

    /// The spot of a cell: its index in a layout where rows of equal r follow one another, so that
    /// a step in a direction is always the same number of spots. Around the cells is a margin of
    /// spots without one.
    #[inline(always)]
    pub(super) fn spot(&self, cell: Cell) -> usize {
        self.spots[usize::from(cell)].into()
    }

    /// Number of spots.
    #[inline(always)]
    pub(super) fn spots(&self) -> usize {
        (2 * self.side + 1) * self.stride()
    }

    /// Spots of a row. It needs no margin at its end, because the margin of the next row follows.
    #[inline(always)]
    pub(super) fn stride(&self) -> usize {
        2 * self.side
    }

    /// The difference from the spot of a cell to the next one in a direction from 0 to 5.
    #[inline(always)]
    pub(super) fn step(&self, direction: u8) -> isize {
        let (q, r) = DIRECTIONS[usize::from(direction)];
        isize::from(r) * self.stride() as isize + isize::from(q)
    }

    /// The next cell in a direction from 0 to 5.
    pub fn neighbor(&self, cell: Cell, direction: u8) -> Option<Cell> {
        let next = self.neighbors[usize::from(cell)][usize::from(direction)];
        (next != NONE).then_some(next)
    }

    /// The cell where a pellet enters a column under a gravity.
    pub fn top(&self, column: usize, gravity: u8) -> Cell {
        self.tops[column][usize::from(gravity)]
    }

    /// The column that a cell is in under a gravity.
    pub fn column(&self, cell: Cell, gravity: u8) -> usize {
        let mut top = cell;
        while let Some(above) = self.neighbor(top, (gravity + 3) % 6) {
            top = above;
        }
        let column = (0..self.columns()).find(|&column| self.top(column, gravity) == top);
        column.expect("every line along gravity begins at the top of a column")
    }

    /// The cell where a pellet comes to rest in a column; `None` if the top cell is taken.
    pub fn landing(&self, column: usize, gravity: u8, free: impl Fn(Cell) -> bool) -> Option<Cell> {
        let mut at = Some(self.top(column, gravity)).filter(|&top| free(top))?;
        while let Some(below) = self.neighbor(at, gravity).filter(|&below| free(below)) {
            at = below;
        }
        Some(at)
    }

    /// Lets everything on `grid` (one entry per cell) fall.
    pub fn settle<T: Copy + PartialEq>(&self, gravity: u8, grid: &mut [T], empty: T) {
        for line in self.lines(gravity % 3) {
            let from_floor =
                |i: usize| if gravity < 3 { line[line.len() - 1 - i] } else { line[i] };
            let mut height = 0;
            for i in 0..line.len() {
                let (from, to) = (from_floor(i), from_floor(height));
                let content = grid[usize::from(from)];
                if content == empty {
                    continue;
                }
                height += 1;
                grid[usize::from(from)] = empty;
                grid[usize::from(to)] = content;
            }
        }
    }

    /// Lets the things on `cells`, all different, fall: replaces each cell by the one where its
    /// thing comes to rest.
    ///
    /// Each line of the board is a number with a bit for each taken cell. The bits on one side of a
    /// cell's own bit are the things below it. Their number is the height at which it comes to
    /// rest.
    #[inline(always)]
    pub(super) fn fall(&self, gravity: u8, cells: &mut [Cell]) {
        let Lines { cells: line_cells, starts, places } = &self.axes[usize::from(gravity % 3)];
        let mut taken = [0u128; MAX_LINES];
        for &mut cell in &mut *cells {
            let (line, at) = places[usize::from(cell)];
            taken[usize::from(line)] |= 1 << at;
        }
        for cell in cells {
            let (line, at) = places[usize::from(*cell)];
            let taken = taken[usize::from(line)];
            let line = usize::from(line);
            let index = if gravity < 3 {
                // The floor is at the end of the line.
                starts[line + 1] - (taken >> at).count_ones() as usize
            } else {
                starts[line] + (taken & ((1 << at) - 1)).count_ones() as usize
            };
            *cell = line_cells[index];
        }
    }

    /// The line along a direction that a cell is in.
    #[inline(always)]
    pub(super) fn line(&self, cell: Cell, direction: u8) -> usize {
        self.axes[usize::from(direction % 3)].places[usize::from(cell)].0.into()
    }

    /// The cell of a line along gravity with `below` cells under it, if there is one.
    #[inline]
    pub(super) fn above_floor(&self, line: usize, gravity: u8, below: usize) -> Option<Cell> {
        let Lines { cells, starts, .. } = &self.axes[usize::from(gravity % 3)];
        let line = &cells[starts[line]..starts[line + 1]];
        let index = if gravity < 3 { line.len().checked_sub(below + 1)? } else { below };
        line.get(index).copied()
    }

    /// The length of the run of `alike` cells from `cell` in a direction. `cell` itself always
    /// counts.
    pub fn run(&self, cell: Cell, direction: u8, alike: impl Fn(Cell) -> bool) -> u32 {
        let mut length = 1;
        let mut at = cell;
        while let Some(next) = self.neighbor(at, direction).filter(|&next| alike(next)) {
            at = next;
            length += 1;
        }
        length
    }

    /// The longest run of `alike` cells through `cell`, over the three axes.
    pub fn run_through(&self, cell: Cell, alike: impl Fn(Cell) -> bool + Copy) -> u32 {
        let both = |axis| self.run(cell, axis, alike) + self.run(cell, axis + 3, alike) - 1;
        both(0).max(both(1)).max(both(2))
    }

    /// All lines along direction 0, 1 or 2.
    pub(crate) fn lines(&self, axis: u8) -> impl Iterator<Item = &[Cell]> {
        let lines = &self.axes[usize::from(axis)];
        lines.starts.windows(2).map(|ends| &lines.cells[ends[0]..ends[1]])
    }
}

/// Converts indices to coordinates and back.
struct Numbering {
    side: i16,
    coordinates: Vec<(i16, i16)>,
    index: Vec<Cell>,
}

impl Numbering {
    /// Numbers the cells breadth first from the centre, neighbours in order of their direction.
    fn new(side: usize) -> Numbering {
        let width = 2 * side - 1;
        let mut numbering =
            Numbering { side: side as i16, coordinates: vec![], index: vec![NONE; width * width] };
        numbering.number((0, 0));
        let mut looked_at = 0;
        while looked_at < numbering.coordinates.len() {
            let at = numbering.coordinates[looked_at];
            looked_at += 1;
            DIRECTIONS.iter().for_each(|&step| numbering.number(add(at, step, 1)));
        }
        numbering
    }

    fn number(&mut self, at: (i16, i16)) {
        if self.contains(at) && self.get(at) == NONE {
            let slot = self.slot(at);
            self.index[slot] = self.coordinates.len() as Cell;
            self.coordinates.push(at);
        }
    }

    fn contains(&self, (q, r): (i16, i16)) -> bool {
        q.abs().max(r.abs()).max((q + r).abs()) < self.side
    }

    fn get(&self, at: (i16, i16)) -> Cell {
        if self.contains(at) { self.index[self.slot(at)] } else { NONE }
    }

    fn slot(&self, (q, r): (i16, i16)) -> usize {
        let shift = |x: i16| (x + self.side - 1) as usize;
        shift(r) * (2 * self.side as usize - 1) + shift(q)
    }
}

impl Lines {
    /// A direction below 3 is also a gravity. The columns of that gravity are all lines along it.
    fn new(tops: &[[Cell; 6]], neighbors: &[[Cell; 6]], axis: usize) -> Lines {
        let cells = Vec::with_capacity(neighbors.len());
        let places = vec![(0, 0); neighbors.len()];
        let mut lines = Lines { cells, starts: vec![0], places };
        for (line, top) in tops.iter().enumerate() {
            let mut cell = top[axis];
            for at in 0.. {
                if cell == NONE {
                    break;
                }
                lines.places[usize::from(cell)] = (line as u8, at);
                lines.cells.push(cell);
                cell = neighbors[usize::from(cell)][axis];
            }
            lines.starts.push(lines.cells.len());
        }
        lines
    }
}

/// The top cell of a column. Column `side - 1` starts at the corner opposite to gravity, the others
/// on the two edges that meet there.
fn top(side: usize, column: usize, gravity: usize) -> (i16, i16) {
    let radius = side as i16 - 1;
    let from_middle = column as i16 - radius;
    let opposite = gravity + 3;
    // The edge from the corner in direction d to the corner in direction d ± 1 runs in direction d
    // ± 2.
    let along = if from_middle < 0 { opposite + 4 } else { opposite + 2 };
    add(add((0, 0), DIRECTIONS[opposite % 6], radius), DIRECTIONS[along % 6], from_middle.abs())
}

fn add((q, r): (i16, i16), (dq, dr): (i16, i16), times: i16) -> (i16, i16) {
    (q + dq * times, r + dr * times)
}

#[cfg(test)]
mod tests {
    use agon_core::{Purpose, Seed};

    use super::*;

    #[test]
    fn what_falls_comes_to_rest_where_it_settles() {
        let mut rng = Seed(1).stream(Purpose::Script, 0);
        for side in [2, 3, 12, 64] {
            let board = Board::shared(side);
            for gravity in (0..6).cycle().take(60) {
                let all = 0..board.cells() as Cell;
                let cells: Vec<Cell> = all.filter(|_| rng.chance(1, 3)).collect();
                let mut grid = vec![usize::MAX; board.cells()];
                cells.iter().enumerate().for_each(|(i, &cell)| grid[usize::from(cell)] = i);
                board.settle(gravity, &mut grid, usize::MAX);
                let mut fallen = cells;
                let mut found = vec![usize::MAX; board.cells()];
                board.fall(gravity, &mut fallen);
                fallen.iter().enumerate().for_each(|(i, &cell)| found[usize::from(cell)] = i);
                assert_eq!(found, grid, "side {side}, gravity {gravity}");
            }
        }
    }

    #[test]
    fn steps_lead_to_the_spots_of_neighbors() {
        for side in [1, 2, 5, 64] {
            let board = Board::new(side);
            let spots: Vec<usize> =
                (0..board.cells() as Cell).map(|cell| board.spot(cell)).collect();
            assert!(spots.iter().all(|&spot| spot < board.spots()));
            for cell in 0..board.cells() as Cell {
                for direction in 0..6 {
                    let next = board.spot(cell).wrapping_add_signed(board.step(direction));
                    match board.neighbor(cell, direction) {
                        Some(neighbor) => assert_eq!(next, board.spot(neighbor)),
                        None => {
                            assert!(next < board.spots() && !spots.contains(&next), "side {side}")
                        }
                    }
                }
            }
        }
    }
}
