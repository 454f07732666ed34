//! [`View`]: what one amoeba may know, itself and the cells around it. Built-in bots decide by it,
//! and hosts make their questions of it.

use agon_core::{Blob, Player};

use super::Rules;
use super::board::{Board, Content};
use super::torus::{Dir, Offset, Torus};

/// The view of one amoeba. It does not show where in the world the amoeba is.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    pub(super) rules: &'a Rules,
    pub(super) torus: &'a Torus,
    pub(super) board: &'a Board,
    pub(super) cell: usize,
}

/// A cell within view.
#[derive(Clone, Copy, Debug)]
pub struct CellView<'a> {
    board: &'a Board,
    cell: usize,
}

/// An amoeba within view. Nothing about it is hidden, of any species.
#[derive(Clone, Copy, Debug)]
pub struct Occupant<'a> {
    board: &'a Board,
    cell: usize,
}

impl<'a> View<'a> {
    /// The settings of the match.
    pub fn rules(&self) -> &'a Rules {
        self.rules
    }

    /// How many cells it sees in each direction.
    pub fn view_distance(&self) -> i32 {
        self.torus.view_distance()
    }

    /// The amoeba itself.
    #[inline]
    pub fn me(&self) -> Occupant<'a> {
        Occupant { board: self.board, cell: self.cell }
    }

    /// Its energy.
    #[inline]
    pub fn energy(&self) -> u32 {
        self.me().energy()
    }

    /// Its health.
    #[inline]
    pub fn health(&self) -> u32 {
        self.me().health()
    }

    /// Its species.
    #[inline]
    pub fn species(&self) -> Player {
        self.me().species()
    }

    /// Its data.
    pub fn data(&self) -> Option<&'a Blob> {
        self.me().data()
    }

    /// Its amoeba function; `None`: the original one of its species.
    pub fn function(&self) -> Option<&'a Blob> {
        self.me().function()
    }

    /// The cell at an offset; `None` beyond the view distance.
    #[inline]
    pub fn cell(&self, dx: i32, dy: i32) -> Option<CellView<'a>> {
        let reach = self.torus.view_distance();
        let seen = dx.abs().max(dy.abs()) <= reach;
        seen.then(|| CellView { board: self.board, cell: self.torus.beside(self.cell, (dx, dy)) })
    }

    /// Appends the window, row by row from the north-west, a word for each cell: 16 bits of fuel,
    /// energy and health each, from the lowest on; then 8 bits of species plus 1 (0: nobody), and
    /// [`CARRIES`](super::CARRIES) where the amoeba has data or a function of its own. Returns all
    /// words, or-ed.
    pub fn append_words(&self, out: &mut Vec<u64>) -> u64 {
        let reach = self.torus.view_distance();
        let start = out.len();
        let cells = self.board.cells();
        for dy in -reach..=reach {
            if self.torus.is_inner(self.cell) {
                let row = self.torus.beside(self.cell, (-reach, dy));
                out.extend(
                    cells[row..=row + 2 * reach as usize].iter().map(|content| content.seen()),
                );
            } else {
                let row = (-reach..=reach).map(|dx| self.torus.beside(self.cell, (dx, dy)));
                out.extend(row.map(|cell| cells[cell].seen()));
            }
        }
        out[start..].iter().fold(0, |all, word| all | word)
    }

    /// The neighbouring cell in a direction.
    #[inline]
    pub fn neighbor(&self, dir: Dir) -> CellView<'a> {
        CellView { board: self.board, cell: self.torus.neighbor(self.cell, dir) }
    }

    /// The positions of the section in a direction, see [`super::helpers::section`].
    pub fn section(&self, dir: Dir) -> &'a [Offset] {
        &self.torus.sections[usize::from(dir.number())]
    }

    /// The fuel of the section in each direction.
    pub fn fuel_by_section(&self) -> [u32; 8] {
        if self.view_distance() as usize != REACH {
            return self.sum_any_sections();
        }
        let cells = self.board.cells();
        if self.torus.is_inner(self.cell) {
            let start = |dy| self.torus.beside(self.cell, (-(REACH as i32), dy));
            return sum_sections(|dy| {
                <&[Content; COLUMNS]>::try_from(&cells[start(dy)..][..COLUMNS])
                    .expect("a row is full")
                    .map(|content| content.fuel())
            });
        }
        let cell = |column, dy| self.torus.beside(self.cell, (column as i32 - REACH as i32, dy));
        sum_sections(|dy| std::array::from_fn(|column| cells[cell(column, dy)].fuel()))
    }

    /// The contents of the eight cells around, by direction.
    #[inline]
    pub(super) fn around(&self) -> [Content; 8] {
        let cells = self.board.cells();
        if self.torus.is_inner(self.cell) {
            return self.torus.steps().map(|step| cells[self.cell.wrapping_add_signed(step)]);
        }
        Dir::ALL.map(|dir| cells[self.torus.neighbor(self.cell, dir)])
    }

    /// Adds section by section: up to 8 additions a cell.
    fn sum_any_sections(&self) -> [u32; 8] {
        let fuel =
            |offset: &Offset| self.board.content(self.torus.beside(self.cell, *offset)).fuel();
        Dir::ALL.map(|dir| self.section(dir).iter().map(fuel).sum())
    }
}

/// The view distance of the usual rules, and a row of the window with it.
const REACH: usize = 3;
const COLUMNS: usize = 2 * REACH + 1;

/// The fuel of all sections for the usual view distance. `row` returns the fuel of row `dy` of the
/// window.
///
/// In each row, every section is a run of cells with a known length, so the compiler removes all
/// loops: some 3 additions a cell.
#[inline(always)]
fn sum_sections(row: impl Fn(i32) -> [u32; COLUMNS]) -> [u32; 8] {
    let ([nw3, n3, ne3], [w6, e6]) = runs::<3>(row(-3));
    let ([nw2, n2, ne2], [w5, e5]) = runs::<2>(row(-2));
    let ([nw1, n1, ne1], [w4, e4]) = runs::<1>(row(-1));
    let ([west, here, east], [w3, e3]) = runs::<0>(row(0));
    let ([sw1, s1, se1], [w2, e2]) = runs::<1>(row(1));
    let ([sw2, s2, se2], [w1, e1]) = runs::<2>(row(2));
    let ([sw3, s3, se3], [w0, e0]) = runs::<3>(row(3));
    [
        nw3 + nw2 + nw1 + west,
        n3 + n2 + n1 + here,
        ne3 + ne2 + ne1 + east,
        e0 + e1 + e2 + e3 + e4 + e5 + e6,
        se3 + se2 + se1 + east,
        s3 + s2 + s1 + here,
        sw3 + sw2 + sw1 + west,
        w0 + w1 + w2 + w3 + w4 + w5 + w6,
    ]
}

/// The fuel of the runs in a row that is `AWAY` rows from the amoeba: first of the three sections
/// on its side, then of the sections in the west and the east. Both corner sections start in the
/// amoeba's column; the section between them reaches `AWAY` cells to both sides.
#[inline(always)]
fn runs<const AWAY: usize>(fuel: [u32; COLUMNS]) -> ([u32; 3], [u32; 2]) {
    let sum = |run: &[u32]| run.iter().sum();
    let ahead = [&fuel[..=REACH], &fuel[REACH - AWAY..=REACH + AWAY], &fuel[REACH..]].map(sum);
    (ahead, [&fuel[..=REACH - AWAY], &fuel[REACH + AWAY..]].map(sum))
}

impl<'a> CellView<'a> {
    /// Its index in the world, which no bot may know.
    pub(super) fn number(self) -> usize {
        self.cell
    }

    /// Its fuel.
    #[inline]
    pub fn fuel(self) -> u32 {
        self.board.content(self.cell).fuel()
    }

    /// Whether no amoeba is on it.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.board.content(self.cell).is_empty()
    }

    /// The amoeba on it.
    #[inline]
    pub fn occupant(self) -> Option<Occupant<'a>> {
        (!self.is_empty()).then_some(Occupant { board: self.board, cell: self.cell })
    }
}

impl<'a> Occupant<'a> {
    /// Its species.
    #[inline]
    pub fn species(self) -> Player {
        Player(u16::from(self.board.content(self.cell).occupant()) - 1)
    }

    /// Its energy.
    #[inline]
    pub fn energy(self) -> u32 {
        self.board.content(self.cell).energy()
    }

    /// Its health.
    #[inline]
    pub fn health(self) -> u32 {
        self.board.content(self.cell).health()
    }

    /// Its data.
    pub fn data(self) -> Option<&'a Blob> {
        self.board.data(self.cell)
    }

    /// Its amoeba function; `None`: the original one of its species.
    pub fn function(self) -> Option<&'a Blob> {
        self.board.function(self.cell)
    }
}
