//! What the neighbourhood of flags, geysers and photons adds to a generation of Wireworld.
//!
//! Few cells are near one of these, so they are looked at first and line by line, on the old world; then the whole
//! board goes on as Wireworld; then what was found is put right. A generation never makes wire of anything else nor
//! anything else of wire, so the board's wires, which include flags and photons, stay.

use agon_simd::Kernel;

use super::{
    rules::{BaseOf, FlagDissolves, Rules},
    wireworld::{Bits, LINE, each_bit, line, line_mut, shifted},
    world::{Losers, World},
};

/// The changes of a generation that Wireworld does not know. Kept for its memory from one generation to the next;
/// all are equal.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    /// Row and number of the lines in which something may change.
    stirring: Vec<(usize, usize)>,
    lines: Vec<Line>,
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

/// What becomes of 512 cells of a row.
#[derive(Debug)]
struct Line {
    y: usize,
    number: usize,
    /// Photons and flags before the generation.
    before: [u64; LINE],
    /// Electrons that become photons: all photons after the generation.
    lit: [u64; LINE],
    /// Flags after the generation.
    flags: [u64; LINE],
}

impl Changes {
    /// Puts right what a generation of Wireworld made of the world.
    pub(crate) fn apply(&mut self, world: &mut World) {
        let layout = world.layout();
        for Line { y, number, before, lit, flags } in self.lines.drain(..) {
            let (at, mask) = (layout.row(y) + number * LINE, layout.mask(number));
            let board = &mut world.board;
            let electrons = line_mut::<LINE>(&mut board.electrons.words, at);
            let tails = line_mut::<LINE>(&mut board.tails.words, at);
            let photons = line_mut::<LINE>(&mut world.photons.words, at);
            let sources = line_mut::<LINE>(&mut world.sources.words, at);
            for i in 0..LINE {
                electrons[i] &= !before[i];
                tails[i] &= !lit[i];
                photons[i] = photons[i] & !mask[i] | lit[i];
                sources[i] = sources[i] & !before[i] | flags[i];
            }
            let touched = either(&before, &either(&lit, &flags));
            if layout.has_edge(number, &touched) {
                for bits in [&mut world.photons, &mut world.sources, &mut board.electrons, &mut board.tails] {
                    bits.haunt(y);
                }
            }
            world.note_busy(y, number);
        }
        for (index, owner) in self.owners.drain(..) {
            world.owners.set(index, owner);
        }
    }
}

/// Finds the changes, and who loses.
pub(crate) struct Look<'a> {
    pub(crate) world: &'a World,
    pub(crate) rules: &'a Rules,
    pub(crate) changes: &'a mut Changes,
}

impl Kernel for Look<'_> {
    type Output = Losers;

    #[inline(always)]
    fn run(mut self) -> Losers {
        let height = self.world.height();
        let busy = &self.world.busy[..height];
        let mut losers = Losers::default();
        for y in 0..height {
            let [above, below] = around(y, height);
            let near = busy[above] | busy[y] | busy[below];
            for number in each_bit(near) {
                if stirs(self.world, y, number) {
                    self.changes.stirring.push((y, number));
                }
            }
        }
        // In a loop of its own, so that the one above stays one of vectors.
        while let Some((y, number)) = self.changes.stirring.pop() {
            self.look(y, number, &mut losers);
        }
        losers
    }
}

impl Look<'_> {
    #[inline(always)]
    fn look(&mut self, y: usize, number: usize, losers: &mut Losers) {
        let world = self.world;
        let at = world.layout().row(y) + number * LINE;
        let rows = rows(world, y, number);
        let mask = world.layout().mask(number);
        let cells = |bits: &Bits| both(line(&bits.words, at), &mask);
        let (photons, electrons) = (cells(&world.photons), cells(&world.board.electrons));
        let mut flags = both(&cells(&world.sources), line(&world.board.wires.words, at));
        let before = either(&photons, &flags);
        let mut lit = both(&electrons, &near(rows, &world.sources));
        if lit != [0; LINE] {
            lit = both(&lit, &near(rows, &world.board.tails));
        }
        if flags != [0; LINE] {
            flags = self.look_at_flags(y, number, &flags, losers);
        }
        for i in 0..LINE {
            for bit in each_bit(photons[i]) {
                let x = (number * LINE + i) * 64 + bit;
                if let Some(owner) = only_source(world, x, y) {
                    flags[i] |= 1 << bit;
                    self.changes.owners.push((y * world.width() + x, owner));
                }
            }
        }
        self.changes.lines.push(Line { y, number, before, lit, flags });
    }

    /// Returns the flags that stay.
    #[inline(always)]
    fn look_at_flags(
        &mut self,
        y: usize,
        number: usize,
        flags: &[u64; LINE],
        losers: &mut Losers,
    ) -> [u64; LINE] {
        let (world, rows) = (self.world, rows(self.world, y, number));
        let dissolver = match self.rules.flag_dissolves {
            FlagDissolves::Photon => &world.photons,
            FlagDissolves::Electron => &world.board.electrons,
        };
        let dissolved = both(flags, &near(rows, dissolver));
        let by_base = both(flags, &near(rows, &world.bases));
        for i in 0..LINE {
            let index = |bit| y * world.width() + (number * LINE + i) * 64 + bit;
            for bit in each_bit(by_base[i]) {
                let owner = world.owners.get(index(bit));
                if touches_base(world, (number * LINE + i) * 64 + bit, y, owner, self.rules.base_of) {
                    losers.add(owner);
                }
            }
            self.changes.owners.extend(each_bit(dissolved[i]).map(|bit| (index(bit), 0)));
        }
        std::array::from_fn(|i| flags[i] & !dissolved[i])
    }
}

/// Whether a line has photons, flags, or electrons beside flags or geysers.
#[inline(always)]
fn stirs(world: &World, y: usize, number: usize) -> bool {
    let rows = rows(world, y, number);
    let by_source = near(rows, &world.sources);
    let electrons = line::<LINE>(&world.board.electrons.words, rows[1]);
    let wires = line::<LINE>(&world.board.wires.words, rows[1]);
    let sources = line::<LINE>(&world.sources.words, rows[1]);
    let photons = line::<LINE>(&world.photons.words, rows[1]);
    let mut stirs = 0;
    for i in 0..LINE {
        stirs |= electrons[i] & by_source[i] | wires[i] & sources[i] | photons[i];
    }
    stirs != 0
}

/// The numbers before and after one on a ring.
#[inline(always)]
fn around(n: usize, ring: usize) -> [usize; 2] {
    [if n == 0 { ring - 1 } else { n - 1 }, if n + 1 == ring { 0 } else { n + 1 }]
}

/// Where a line is, and those above and below it.
#[inline(always)]
fn rows(world: &World, y: usize, number: usize) -> [usize; 3] {
    let (layout, [above, below]) = (world.layout(), around(y, world.height()));
    [above, y, below].map(|y| layout.row(y) + number * LINE)
}

/// The cells of a line, the middle one of the `rows`, that have a neighbour in a plane, or are in it themselves.
#[inline(always)]
fn near(rows: [usize; 3], bits: &Bits) -> [u64; LINE] {
    let above = shifted::<LINE>(&bits.words, rows[0]);
    let here = shifted::<LINE>(&bits.words, rows[1]);
    let below = shifted::<LINE>(&bits.words, rows[2]);
    std::array::from_fn(|i| {
        let [above, here, below] = [&above, &here, &below].map(|row| row[0][i] | row[1][i] | row[2][i]);
        above | here | below
    })
}

#[inline(always)]
fn both(a: &[u64; LINE], b: &[u64; LINE]) -> [u64; LINE] {
    std::array::from_fn(|i| a[i] & b[i])
}

#[inline(always)]
fn either(a: &[u64; LINE], b: &[u64; LINE]) -> [u64; LINE] {
    std::array::from_fn(|i| a[i] | b[i])
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
