//! The changes that flags, geysers and photons add to a generation of Wireworld.
//!
//! Few cells are near one of these. So a generation has three steps: it finds these changes in the
//! old world, 64 cells at a time; it runs plain Wireworld on the whole board; then it corrects the
//! cells that it found. A generation never turns other cells into wire, or wire into other cells.
//! So the board's wires, which include flags and photons, stay.

use std::ops::Range;

use super::{
    rules::{BaseOf, FlagDissolves, Rules},
    wireworld::{Bits, each_bit},
    world::{Losers, World, around},
};

/// The changes of a generation that Wireworld does not know. The world keeps it for its buffers; it
/// is no part of the state, so all are equal.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    words: Vec<Word>,
    /// Column, row and new owner of cells. Applied last, so that the search sees old owners.
    owners: Vec<(usize, usize, u8)>,
}

impl Clone for Changes {
    fn clone(&self) -> Changes {
        Changes::default()
    }
}

impl PartialEq for Changes {
    fn eq(&self, _: &Changes) -> bool {
        true
    }
}

impl Eq for Changes {}

/// The changes in 64 cells of a row.
#[derive(Debug)]
struct Word {
    y: usize,
    /// The number of the word in its row.
    word: usize,
    /// Electrons that become photons: all photons after the generation.
    lit: u64,
    /// Photons before the generation.
    photons: u64,
    /// Flags before the generation.
    flags: u64,
    /// Flags that become conductors.
    dissolved: u64,
    /// Photons that become flags.
    raised: u64,
}

impl Changes {
    /// Finds the changes in some rows before the generation. Returns the players who lose.
    pub(crate) fn find(&mut self, world: &World, rules: &Rules, rows: Range<usize>) -> Losers {
        let mut losers = Losers::default();
        for (y, word) in world.busy.in_rows(rows) {
            if may_differ(world, y, word) {
                self.find_in_word(world, rules, y, word, &mut losers);
            }
        }
        losers
    }

    /// Finds the changes in a word of a row.
    fn find_in_word(
        &mut self,
        world: &World,
        rules: &Rules,
        y: usize,
        word: usize,
        losers: &mut Losers,
    ) {
        let cells = world.layout().cells(word);
        let rows = rows(world, y, word);
        let of = |bits: &Bits| bits.words[rows[1]] & cells;
        let near = |bits: &Bits| near(rows, bits);
        let column = |bit| word * 64 + bit;
        let photons = of(&world.photons);
        let flags = of(&world.sources) & world.board.wires.words[rows[1]];
        let mut lit = of(&world.board.electrons) & world.by_source.words[rows[1]];
        if lit != 0 {
            lit &= near(&world.board.tails);
        }
        let mut dissolved = 0;
        let mut raised = 0;
        if flags != 0 {
            dissolved = flags
                & match rules.flag_dissolves {
                    FlagDissolves::Photon => near(&world.photons),
                    FlagDissolves::Electron => near(&world.board.electrons),
                };
            self.owners.extend(each_bit(dissolved).map(|bit| (column(bit), y, 0)));
            for x in each_bit(flags & near(&world.bases)).map(column) {
                let owner = world.owners.get(y * world.width() + x);
                if touches_base(world, x, y, owner, rules.base_of) {
                    losers.add(owner);
                }
            }
        }
        for bit in each_bit(photons) {
            if let Some(owner) = only_source(world, column(bit), y) {
                raised |= 1 << bit;
                self.owners.push((column(bit), y, owner));
            }
        }
        if lit | photons | flags != 0 {
            self.words.push(Word { y, word, lit, photons, flags, dissolved, raised });
        }
    }

    /// Applies the found changes to some rows, after Wireworld has run on them. If these are not
    /// all rows with changes, the changes must have been found in ascending order of rows.
    pub(crate) fn apply(&mut self, world: &mut World, rows: Range<usize>) {
        let [start, end] =
            [rows.start, rows.end].map(|row| self.words.partition_point(|word| word.y < row));
        for word in &self.words[start..end] {
            word.apply(world);
        }
        for Word { y, word, lit, photons, dissolved, raised, .. } in self.words.drain(start..end) {
            if dissolved | raised != 0 {
                world.note_sources(y, word, dissolved | raised);
            } else if lit | photons != 0 {
                world.note_busy(y, word);
            }
        }
        let [start, end] =
            [rows.start, rows.end].map(|row| self.owners.partition_point(|&(_, y, _)| y < row));
        for (x, y, owner) in self.owners.drain(start..end) {
            world.owners.set(x, y, owner);
        }
    }
}

impl Word {
    #[inline(always)]
    fn apply(&self, world: &mut World) {
        let &Word { y, word, lit, photons, flags, dissolved, raised } = self;
        let layout = world.layout();
        let at = layout.row(y) + word;
        let board = &mut world.board;
        // For the board, flags and photons were conductors.
        board.electrons.words[at] &= !(photons | flags);
        // Most flags only stand and wait.
        if lit | photons | dissolved != 0 {
            board.tails.words[at] &= !lit;
            world.photons.words[at] = world.photons.words[at] & !photons | lit;
            world.sources.words[at] = world.sources.words[at] & !dissolved | raised;
        }
        let end = layout.words() - 1;
        let last = (layout.width - 1) % 64;
        let touched = photons | flags | lit;
        if (word == 0 && touched & 1 == 1) || (word == end && touched >> last & 1 == 1) {
            for bits in
                [&mut world.photons, &mut world.sources, &mut board.electrons, &mut board.tails]
            {
                bits.update_ghosts(y);
            }
        }
    }
}

/// Whether a word holds a photon, a flag, or an electron beside a flag or geyser.
#[inline(always)]
fn may_differ(world: &World, y: usize, word: usize) -> bool {
    let at = world.layout().row(y) + word;
    let board = &world.board;
    let of = |bits: &Bits| bits.words[at];
    let lit = of(&board.electrons) & of(&world.by_source);
    lit | of(&board.wires) & of(&world.sources) | of(&world.photons) != 0
}

/// The indices of a word of a row and of its neighbours: above, itself, below.
#[inline(always)]
fn rows(world: &World, y: usize, word: usize) -> [usize; 3] {
    let layout = world.layout();
    let [above, below] = around(y, world.height());
    [layout.row(above) + word, layout.row(y) + word, layout.row(below) + word]
}

/// The cells of a word, the middle one of the `rows`, that are set in `bits` or have a neighbour
/// that is.
#[inline(always)]
fn near([above, here, below]: [usize; 3], bits: &Bits) -> u64 {
    bits.beside(above) | bits.beside(here) | bits.beside(below)
}

/// The owner of all neighbouring flags and geysers, if there are any and all have the same owner.
fn only_source(world: &World, x: usize, y: usize) -> Option<u8> {
    let mut owners = owners(world, x, y, world.sources.around(x, y));
    let owner = owners.next()?;
    owners.all(|other| other == owner).then_some(owner)
}

/// Whether a base that makes the flag's owner lose is beside a flag.
fn touches_base(world: &World, x: usize, y: usize, owner: u8, base_of: BaseOf) -> bool {
    owners(world, x, y, world.bases.around(x, y))
        .any(|base| base_of == BaseOf::Any || base != owner)
}

/// The owners of the cells around a cell that are set in `around`, see [`Bits::around`].
fn owners(world: &World, x: usize, y: usize, around: u16) -> impl Iterator<Item = u8> + '_ {
    each_bit(around.into()).map(move |bit| {
        let (x, y) = (x as i64 + bit as i64 % 3 - 1, y as i64 + bit as i64 / 3 - 1);
        world.owners.get(world.index(x, y))
    })
}
