//! [`World`]: the torus of cells with kind, owner and damage. The state of a match holds one;
//! agents change it, and generations run on it.

use agon_core::{SetupError, error::Problems};

use super::agent::{Cell, Kind, MAX_PLAYERS};
use super::generation::{BusyWords, Changes};
use super::hash::HashedBytes;
use super::wireworld::{Bits, Board, Layout};
use crate::scratch::Scratch;

/// The cells of a world: kind, owner and damage. It is a torus: left of column 0 is the last
/// column.
///
/// Kinds are planes of bits, because the automaton works on these. All cells that can carry a
/// signal, flags and photons included, are wire of the board. No generation changes which cells
/// these are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct World {
    /// Wire in any state, flags and photons; electrons; tails.
    pub(crate) board: Board,
    pub(crate) photons: Bits,
    /// Flags, where the board has wire, and geysers, where it has none.
    pub(crate) sources: Bits,
    /// Set if a flag or geyser is in the 3×3 box around the cell.
    pub(crate) by_source: Bits,
    pub(crate) bases: Bits,
    pub(crate) agents: Bits,
    pub(crate) busy: BusyWords,
    pub(crate) owners: HashedBytes,
    damage: HashedBytes,
    pub(crate) changes: Scratch<Changes>,
}

impl World {
    /// A blank world.
    ///
    /// # Panics
    /// If a side is 0.
    pub fn new(width: usize, height: usize) -> World {
        let board = Board::new(width, height);
        let bits = || Bits::new(board.layout);
        let bytes = |salt| HashedBytes::new(width, height, salt);
        World {
            photons: bits(),
            sources: bits(),
            by_source: bits(),
            bases: bits(),
            agents: bits(),
            busy: BusyWords::new(board.layout),
            owners: bytes(2),
            damage: bytes(3),
            changes: Scratch::default(),
            board,
        }
    }

    pub(crate) fn layout(&self) -> Layout {
        self.board.layout
    }

    /// Cells in a row.
    pub fn width(&self) -> usize {
        self.board.layout.width
    }

    /// Number of rows.
    pub fn height(&self) -> usize {
        self.board.layout.height
    }

    /// The index of a cell; rows from the north, columns from the west, both wrapped around.
    pub fn index(&self, x: i64, y: i64) -> usize {
        let (x, y) = self.wrap(x, y);
        y * self.width() + x
    }

    /// Column and row, both wrapped around.
    pub(crate) fn wrap(&self, x: i64, y: i64) -> (usize, usize) {
        // Most places need no wrapping, and divisions are slow.
        let wrap = |n: i64, side: usize| {
            let on = usize::try_from(n).ok().filter(|&n| n < side);
            on.unwrap_or_else(|| n.rem_euclid(side as i64) as usize)
        };
        (wrap(x, self.width()), wrap(y, self.height()))
    }

    /// Column and row of a cell.
    pub fn place(&self, index: usize) -> (usize, usize) {
        (index % self.width(), index / self.width())
    }

    /// The cell at an index.
    pub fn cell(&self, index: usize) -> Cell {
        let (x, y) = self.place(index);
        self.cell_at(x, y)
    }

    /// The cell in a column and row.
    pub(crate) fn cell_at(&self, x: usize, y: usize) -> Cell {
        let owner = self.owners.get(y * self.width() + x);
        let of = |planes: &[(&Bits, Kind)], other| {
            planes.iter().find(|(bits, _)| bits.get(x, y)).map_or(other, |&(_, kind)| kind)
        };
        let kind = match (owner, self.board.wires.get(x, y)) {
            (0, false) => Kind::Blank,
            (0, true) => of(
                &[
                    (&self.board.electrons, Kind::Electron),
                    (&self.board.tails, Kind::Tail),
                    (&self.photons, Kind::Photon),
                ],
                Kind::Conductor,
            ),
            (_, true) => Kind::Flag,
            (_, false) => {
                of(&[(&self.agents, Kind::Agent), (&self.bases, Kind::Base)], Kind::Geyser)
            }
        };
        Cell { kind, owner }
    }

    /// Replaces a cell; its damage stays.
    ///
    /// # Panics
    /// If a kind that belongs to players has no owner, or another kind has one.
    pub fn set(&mut self, index: usize, cell: Cell) {
        let (x, y) = self.place(index);
        self.set_at(x, y, cell);
    }

    /// [`World::set`] by column and row.
    pub(crate) fn set_at(&mut self, x: usize, y: usize, cell: Cell) {
        assert_eq!(
            cell.kind.is_owned(),
            cell.owner != 0,
            "{cell:?} has an owner exactly if its kind has"
        );
        let before = self.cell_at(x, y);
        for (kind, value) in [(before.kind, false), (cell.kind, true)] {
            if let Some(bits) = self.plane(kind) {
                bits.set(x, y, value);
            }
        }
        let wire = |kind: Kind| kind.is_wire() || kind == Kind::Flag;
        if wire(before.kind) != wire(cell.kind) {
            self.board.wires.set(x, y, wire(cell.kind));
        }
        let source = |kind| matches!(kind, Kind::Flag | Kind::Geyser);
        if source(before.kind) != source(cell.kind) {
            self.note_sources(y, x / 64, 1 << (x % 64));
        }
        if before.kind == Kind::Photon || cell.kind == Kind::Photon {
            self.note_busy(y, x / 64);
        }
        self.owners.set(x, y, cell.owner);
    }

    /// The plane of this kind, besides the plane of wire.
    fn plane(&mut self, kind: Kind) -> Option<&mut Bits> {
        match kind {
            Kind::Blank | Kind::Conductor => None,
            Kind::Electron => Some(&mut self.board.electrons),
            Kind::Tail => Some(&mut self.board.tails),
            Kind::Photon => Some(&mut self.photons),
            Kind::Agent => Some(&mut self.agents),
            Kind::Flag | Kind::Geyser => Some(&mut self.sources),
            Kind::Base => Some(&mut self.bases),
        }
    }

    /// Updates whether a word of a row is busy.
    #[inline(always)]
    pub(crate) fn note_busy(&mut self, y: usize, word: usize) {
        let at = self.layout().row(y) + word;
        let photons = self.photons.words[at] & self.layout().cells(word);
        self.busy.note(y, word, photons | self.by_source.words[at] != 0);
    }

    /// Updates `by_source` around the `changed` cells of a word of a row, where sources came or
    /// went.
    pub(crate) fn note_sources(&mut self, y: usize, word: usize, changed: u64) {
        let words = self.layout().words();
        let last = (self.width() - 1) % 64;
        let end = if word + 1 == words { last } else { 63 };
        let [west, east] = around(word, words);
        self.look_for_sources(y, word);
        if changed & 1 == 1 {
            self.look_for_sources(y, west);
        }
        if changed >> end & 1 == 1 {
            self.look_for_sources(y, east);
        }
    }

    /// Updates `by_source` in a word of a row, and in the words above and below it.
    #[inline(always)]
    fn look_for_sources(&mut self, y: usize, word: usize) {
        let layout = self.layout();
        let height = self.height();
        let [above, below] = around(y, height);
        let beside = |y: usize| self.sources.beside(layout.row(y) + word);
        let first = beside(around(above, height)[0]);
        let last = beside(around(below, height)[1]);
        let north = beside(above);
        let here = beside(y);
        let south = beside(below);
        for (y, near) in
            [(above, first | north | here), (y, north | here | south), (below, here | south | last)]
        {
            self.by_source.words[layout.row(y) + word] = near & layout.cells(word);
            self.note_busy(y, word);
        }
    }

    /// The number of hits since the cell was last blank or an agent walked on it.
    pub fn damage(&self, index: usize) -> u8 {
        self.damage.get(index)
    }

    /// Sets the damage of a cell.
    pub fn set_damage(&mut self, index: usize, damage: u8) {
        let (x, y) = self.place(index);
        self.set_damage_at(x, y, damage);
    }

    /// [`World::set_damage`] by column and row.
    pub(crate) fn set_damage_at(&mut self, x: usize, y: usize, damage: u8) {
        self.damage.set(x, y, damage);
    }

    /// The kinds of all cells as bits of [`Kind`], row by row: for drawing.
    pub fn kinds(&self) -> Vec<u8> {
        let mut kinds = vec![Kind::Blank.bit(); self.width() * self.height()];
        let planes = [
            (&self.board.wires, Kind::Conductor),
            (&self.board.electrons, Kind::Electron),
            (&self.board.tails, Kind::Tail),
            (&self.photons, Kind::Photon),
            (&self.bases, Kind::Base),
            (&self.agents, Kind::Agent),
        ];
        for (bits, kind) in planes {
            for (x, y) in bits.ones() {
                kinds[y * self.width() + x] = kind.bit();
            }
        }
        for (x, y) in self.sources.ones() {
            let kind = if self.board.wires.get(x, y) { Kind::Flag } else { Kind::Geyser };
            kinds[y * self.width() + x] = kind.bit();
        }
        kinds
    }

    /// The indices of all agents, ascending.
    pub(crate) fn agent_places(&self) -> impl Iterator<Item = usize> + '_ {
        self.agents.ones().map(|(x, y)| y * self.width() + x)
    }

    /// The owners of all cells, 0 for nobody, row by row: for drawing.
    pub fn owners(&self) -> &[u8] {
        self.owners.bytes()
    }

    /// The damage of all cells, row by row.
    pub fn all_damage(&self) -> &[u8] {
        self.damage.bytes()
    }

    /// Removes the cells of players that lost: flags become conductors, other cells blank.
    pub fn erase(&mut self, losers: Losers) {
        for index in 0..self.width() * self.height() {
            let owner = self.owners.get(index);
            if owner != 0 && losers.contains(owner) {
                let left =
                    if self.cell(index).kind == Kind::Flag { Cell::CONDUCTOR } else { Cell::BLANK };
                self.set(index, left);
            }
        }
    }

    /// The hash of the world. Owners and damage change seldom and keep their hashes up to date; the
    /// hash of the kinds is computed here.
    pub(crate) fn hash(&self) -> u64 {
        let kinds = super::hash::kinds(self, crate::simd::Level::best());
        kinds.wrapping_add(self.owners.hash()).wrapping_add(self.damage.hash())
    }
}

/// The numbers before and after `n` on a ring.
#[inline(always)]
pub(crate) fn around(n: usize, ring: usize) -> [usize; 2] {
    [if n == 0 { ring - 1 } else { n - 1 }, if n + 1 == ring { 0 } else { n + 1 }]
}

/// A set of players, by owner number (index plus 1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Losers(u16);

impl Losers {
    /// Adds a player.
    pub fn add(&mut self, owner: u8) {
        self.0 |= 1 << owner;
    }

    /// Adds all players of another set.
    pub fn add_all(&mut self, others: Losers) {
        self.0 |= others.0;
    }

    /// Whether the player is one of them.
    pub fn contains(self, owner: u8) -> bool {
        self.0 >> owner & 1 == 1
    }

    /// Whether the set is empty.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Their owner numbers, ascending.
    pub fn owners(self) -> impl Iterator<Item = u8> {
        (1..16).filter(move |&owner| self.contains(owner))
    }
}

impl World {
    /// Makes the world that rows of text show. Short rows are filled up with blanks. Nothing is
    /// damaged.
    ///
    /// # Errors
    /// Names every character that shows no cell, and a map without cells.
    pub fn from_rows<S: AsRef<str>>(rows: impl AsRef<[S]>) -> Result<World, SetupError> {
        let rows = rows.as_ref();
        let width = rows.iter().map(|row| row.as_ref().chars().count()).max().unwrap_or(0);
        if width == 0 {
            return Err(SetupError::new("map", "it has no cells"));
        }
        let mut problems = Problems::new();
        let mut world = World::new(width, rows.len());
        for (y, row) in rows.iter().enumerate() {
            for (x, c) in row.as_ref().chars().enumerate() {
                match Cell::from_char(c) {
                    Some(cell) => world.set(y * width + x, cell),
                    None => problems.require(false, format!("row {y}, column {x}"), || {
                        format!("{c:?} is no cell; see the table of cells in the game's page")
                    }),
                }
            }
        }
        problems.finish().map(|()| world)
    }

    /// The rows of the world as text; damage does not show.
    pub fn to_rows(&self) -> Vec<String> {
        let cell = |x: usize, y: usize| self.cell_at(x, y).to_char();
        (0..self.height()).map(|y| (0..self.width()).map(|x| cell(x, y)).collect()).collect()
    }

    /// The cells of agents, by owner number (index plus 1): entry 0 stays empty.
    pub(crate) fn agents(&self) -> [Vec<usize>; MAX_PLAYERS as usize + 1] {
        let mut places: [Vec<usize>; MAX_PLAYERS as usize + 1] = Default::default();
        for index in self.agent_places() {
            places[usize::from(self.owners()[index])].push(index);
        }
        places
    }

    /// Notes the first cell of each owner above `players` as a problem. `prefix` names the source
    /// of the rows.
    pub(crate) fn require_owners(&self, players: usize, prefix: &str, problems: &mut Problems) {
        for owner in players + 1..=usize::from(MAX_PLAYERS) {
            if let Some(index) = self.owners().iter().position(|&o| usize::from(o) == owner) {
                let (x, y) = self.place(index);
                let c = self.cell(index).to_char();
                problems.require(false, format!("{prefix}row {y}, column {x}"), || {
                    format!("{c:?} belongs to player {}, but only {players} play", owner - 1)
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_read_back() {
        let rows = ["  .*,", "0A an", "9J~jw"];
        let world = World::from_rows(rows).unwrap();
        assert_eq!(world.to_rows(), rows);
        assert_eq!((&world.agents()[1], &world.agents()[10]), (&vec![5], &vec![10]));
    }

    #[test]
    fn short_lines_are_filled_up() {
        let world = World::from_rows(["..", "", "...."]).unwrap();
        assert_eq!(world.to_rows(), ["..  ", "    ", "...."]);
    }

    #[test]
    fn all_wrong_characters_are_named_with_their_place() {
        let error = World::from_rows([".#", "\t."]).unwrap_err().to_string();
        assert!(error.contains("row 0, column 1: '#' is no cell"), "{error}");
        assert!(error.contains(r"row 1, column 0: '\t' is no cell"), "{error}");
        assert!(World::from_rows(["", ""]).is_err());
    }
}
