//! What the neighbourhood of flags, geysers and photons adds to a generation of Wireworld.
//!
//! Few cells are near one of these, so they are looked at first, on the old world, in words of 64; then the whole board
//! goes on as Wireworld; then what was found is put right. A generation never makes wire of anything else nor
//! anything else of wire, so the board's wires, which include flags and photons, stay.

use std::array::from_fn;

use agon_simd::Kernel;

use super::{
    rules::{BaseOf, FlagDissolves, Rules},
    wireworld::{Bits, LINE, each_bit, line, shifted},
    world::{Losers, World, around},
};

/// The changes of a generation that Wireworld does not know. Kept for its memory from one generation to the next;
/// all are equal.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    words: Vec<Word>,
    /// Index and new owner; applied at the end, so that everything is seen with its old owner.
    owners: Vec<(usize, u8)>,
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

/// What becomes of 64 cells of a row.
#[derive(Debug)]
struct Word {
    y: usize,
    /// The column of the first cell.
    x: usize,
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

/// Finds the changes, and who loses.
pub(crate) struct Look<'a> {
    pub(crate) world: &'a World,
    pub(crate) rules: &'a Rules,
    pub(crate) changes: &'a mut Changes,
}

impl Kernel for Look<'_> {
    type Output = Losers;

    /// Busy lines are looked at as vectors; of these only words in which something may change go on.
    #[inline(always)]
    fn run(self) -> Losers {
        let Look { world, rules, changes } = self;
        changes.words.clear();
        changes.owners.clear();
        let mut losers = Losers::default();
        for (y, &busy) in world.busy.iter().enumerate() {
            for number in each_bit(busy) {
                let stirs = stirs(world, y, number);
                if stirs == [0; LINE] {
                    continue;
                }
                for (i, _) in stirs.iter().enumerate().filter(|(_, stirs)| **stirs != 0) {
                    changes.look(world, rules, y, (number * LINE + i) * 64, &mut losers);
                }
            }
        }
        losers
    }
}

/// Photons, flags, and electrons beside flags or geysers of a line.
#[inline(always)]
fn stirs(world: &World, y: usize, number: usize) -> [u64; LINE] {
    let at = world.layout().row(y) + number * LINE;
    let [electrons, by_source, wires, sources, photons] =
        [&world.board.electrons, &world.by_source, &world.board.wires, &world.sources, &world.photons]
            .map(|bits| line::<LINE>(&bits.words, at));
    from_fn(|i| electrons[i] & by_source[i] | wires[i] & sources[i] | photons[i])
}

impl Changes {
    /// Looks at a word of a row; `x` is the column of its first cell.
    fn look(&mut self, world: &World, rules: &Rules, y: usize, x: usize, losers: &mut Losers) {
        let cells = world.layout().cells(x / 64);
        let rows = rows(world, y, x / 64);
        let word = |bits: &Bits| bits.words[rows[1]] & cells;
        let near = |bits: &Bits| near(rows, bits);
        let photons = word(&world.photons);
        let flags = word(&world.sources) & world.board.wires.words[rows[1]];
        let mut lit = word(&world.board.electrons) & world.by_source.words[rows[1]];
        if lit != 0 {
            lit &= near(&world.board.tails);
        }
        let (mut dissolved, mut raised) = (0, 0);
        let index = |bit| y * world.width() + x + bit;
        if flags != 0 {
            dissolved = flags
                & match rules.flag_dissolves {
                    FlagDissolves::Photon => near(&world.photons),
                    FlagDissolves::Electron => near(&world.board.electrons),
                };
            self.owners.extend(each_bit(dissolved).map(|bit| (index(bit), 0)));
            for bit in each_bit(flags & near(&world.bases)) {
                let owner = world.owners.get(index(bit));
                if touches_base(world, x + bit, y, owner, rules.base_of) {
                    losers.add(owner);
                }
            }
        }
        for bit in each_bit(photons) {
            if let Some(owner) = only_source(world, x + bit, y) {
                raised |= 1 << bit;
                self.owners.push((index(bit), owner));
            }
        }
        if lit | photons | flags != 0 {
            self.words.push(Word { y, x, lit, photons, flags, dissolved, raised });
        }
    }

    /// Puts right what a generation of Wireworld made of the world.
    pub(crate) fn apply(&self, world: &mut World) {
        let layout = world.layout();
        for &Word { y, x, lit, photons, flags, dissolved, raised } in &self.words {
            let at = layout.row(y) + x / 64;
            let board = &mut world.board;
            // To the board flags and photons were conductors.
            board.electrons.words[at] &= !(photons | flags);
            board.tails.words[at] &= !lit;
            world.photons.words[at] = world.photons.words[at] & !photons | lit;
            world.sources.words[at] = world.sources.words[at] & !dissolved | raised;
            let (touched, last) = (photons | flags | lit, layout.width - 1);
            if (x == 0 && touched & 1 == 1) || (x == last / 64 * 64 && touched >> (last % 64) & 1 == 1) {
                for bits in [&mut world.photons, &mut world.sources, &mut board.electrons, &mut board.tails] {
                    bits.haunt(y);
                }
            }
        }
        for &Word { y, x, lit, photons, dissolved, raised, .. } in &self.words {
            if dissolved | raised != 0 {
                world.note_sources(y, x / 64, dissolved | raised);
            }
            if lit | photons != 0 {
                world.note_busy(y, x / 64 / LINE);
            }
        }
        for &(index, owner) in &self.owners {
            world.owners.set(index, owner);
        }
    }
}

/// Where a word of a row is, and those above and below it: above, itself, below.
#[inline(always)]
fn rows(world: &World, y: usize, word: usize) -> [usize; 3] {
    let (layout, [above, below]) = (world.layout(), around(y, world.height()));
    [layout.row(above) + word, layout.row(y) + word, layout.row(below) + word]
}

/// The cells of a word, the middle one of the `rows`, that have a neighbour in a plane, or are in it themselves.
#[inline(always)]
fn near(rows: [usize; 3], bits: &Bits) -> u64 {
    let words = rows.map(|at| {
        let [west, here, east] = shifted::<1>(&bits.words, at);
        west[0] | here[0] | east[0]
    });
    words[0] | words[1] | words[2]
}

/// The owner of all neighbouring flags and geysers, if there are any and they have the same.
fn only_source(world: &World, x: usize, y: usize) -> Option<u8> {
    let mut owners = owners(world, x, y, world.sources.around(x, y));
    let owner = owners.next()?;
    owners.all(|other| other == owner).then_some(owner)
}

/// Whether a base that counts is beside a flag.
fn touches_base(world: &World, x: usize, y: usize, owner: u8, base_of: BaseOf) -> bool {
    owners(world, x, y, world.bases.around(x, y)).any(|base| base_of == BaseOf::Any || base != owner)
}

/// The owners of some of the cells around one, as [`Bits::around`] names them.
fn owners(world: &World, x: usize, y: usize, around: u16) -> impl Iterator<Item = u8> + '_ {
    each_bit(around.into()).map(move |bit| {
        let (x, y) = (x as i64 + bit as i64 % 3 - 1, y as i64 + bit as i64 / 3 - 1);
        world.owners.get(world.index(x, y))
    })
}
