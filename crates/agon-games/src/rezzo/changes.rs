//! What the neighbourhood of flags, geysers and photons adds to a generation of Wireworld.
//!
//! Few cells are near one of these, so they are looked at first and line by line, on the old world; then the whole
//! board goes on as Wireworld; then what was found is put right. A generation never makes wire of anything else nor
//! anything else of wire, so the board's wires, which include flags and photons, stay.

use std::array::from_fn;

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
    /// Electrons that become photons: all photons after the generation.
    lit: [u64; LINE],
    /// Photons before the generation.
    photons: [u64; LINE],
    /// Flags before the generation.
    flags: [u64; LINE],
    /// Flags that become conductors.
    dissolved: [u64; LINE],
    /// Flags by a base.
    by_base: [u64; LINE],
    /// Photons that become flags.
    raised: [u64; LINE],
}

/// Finds the changes, and who loses.
pub(crate) struct Look<'a> {
    pub(crate) world: &'a World,
    pub(crate) rules: &'a Rules,
    pub(crate) changes: &'a mut Changes,
}

impl Kernel for Look<'_> {
    type Output = Losers;

    /// In three loops, so that the first two are nothing but vectors.
    #[inline(always)]
    fn run(self) -> Losers {
        let Look { world, rules, changes } = self;
        let Changes { stirring, lines, owners } = changes;
        let busy = &world.busy[..world.height()];
        stirring.clear();
        for y in 0..busy.len() {
            let [above, below] = around(y, busy.len());
            for number in each_bit(busy[above] | busy[y] | busy[below]) {
                if stirs(world, y, number) {
                    stirring.push((y, number));
                }
            }
        }
        let dissolver = match rules.flag_dissolves {
            FlagDissolves::Photon => &world.photons,
            FlagDissolves::Electron => &world.board.electrons,
        };
        lines.clear();
        for &(y, number) in &*stirring {
            lines.push(look(world, dissolver, y, number));
        }
        let mut losers = Losers::default();
        owners.clear();
        for line in lines {
            look_at_owners(world, rules.base_of, line, owners, &mut losers);
        }
        losers
    }
}

/// What can be told of a line without its owners.
#[inline(always)]
fn look(world: &World, dissolver: &Bits, y: usize, number: usize) -> Line {
    let (rows, mask) = (rows(world, y, number), world.layout().mask(number));
    let by_source = near(rows, &world.sources);
    let by_tail = near(rows, &world.board.tails);
    let by_dissolver = near(rows, dissolver);
    let by_base = near(rows, &world.bases);
    let electrons = line::<LINE>(&world.board.electrons.words, rows[1]);
    let wires = line::<LINE>(&world.board.wires.words, rows[1]);
    let sources = line::<LINE>(&world.sources.words, rows[1]);
    let photons = both(line(&world.photons.words, rows[1]), &mask);
    let flags = from_fn(|i| sources[i] & wires[i] & mask[i]);
    Line {
        y,
        number,
        lit: from_fn(|i| electrons[i] & by_source[i] & by_tail[i] & mask[i]),
        photons,
        flags,
        dissolved: both(&flags, &by_dissolver),
        by_base: both(&flags, &by_base),
        raised: [0; LINE],
    }
}

/// Which photons become flags, and who loses; notes the owners of new flags and of those that dissolve.
fn look_at_owners(
    world: &World,
    base_of: BaseOf,
    line: &mut Line,
    owners: &mut Vec<(usize, u8)>,
    losers: &mut Losers,
) {
    for i in 0..LINE {
        let x = |bit| (line.number * LINE + i) * 64 + bit;
        let index = |bit| line.y * world.width() + x(bit);
        for bit in each_bit(line.by_base[i]) {
            let owner = world.owners.get(index(bit));
            if touches_base(world, x(bit), line.y, owner, base_of) {
                losers.add(owner);
            }
        }
        for bit in each_bit(line.dissolved[i]) {
            owners.push((index(bit), 0));
        }
        let mut raised = 0;
        for bit in each_bit(line.photons[i]) {
            if let Some(owner) = only_source(world, x(bit), line.y) {
                raised |= 1 << bit;
                owners.push((index(bit), owner));
            }
        }
        line.raised[i] = raised;
    }
}

/// Puts right what a generation of Wireworld made of the world.
pub(crate) struct Apply<'a> {
    pub(crate) world: &'a mut World,
    pub(crate) changes: &'a Changes,
}

impl Kernel for Apply<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Apply { world, changes } = self;
        let layout = world.layout();
        for line in &changes.lines {
            let (y, number) = (line.y, line.number);
            let at = layout.row(y) + number * LINE;
            let board = &mut world.board;
            let electrons = line_mut::<LINE>(&mut board.electrons.words, at);
            let tails = line_mut::<LINE>(&mut board.tails.words, at);
            let photons = line_mut::<LINE>(&mut world.photons.words, at);
            let sources = line_mut::<LINE>(&mut world.sources.words, at);
            // To the board flags and photons were conductors.
            *electrons = from_fn(|i| electrons[i] & !(line.photons[i] | line.flags[i]));
            *tails = from_fn(|i| tails[i] & !line.lit[i]);
            *photons = from_fn(|i| photons[i] & !line.photons[i] | line.lit[i]);
            *sources = from_fn(|i| sources[i] & !line.dissolved[i] | line.raised[i]);
            let touched = from_fn(|i| line.photons[i] | line.flags[i] | line.lit[i]);
            if layout.has_edge(number, &touched) {
                for bits in [&mut world.photons, &mut world.sources, &mut board.electrons, &mut board.tails] {
                    bits.haunt(y);
                }
            }
            world.note_busy(y, number);
        }
        for &(index, owner) in &changes.owners {
            world.owners.set(index, owner);
        }
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
    from_fn(|i| {
        let [above, here, below] = [&above, &here, &below].map(|row| row[0][i] | row[1][i] | row[2][i]);
        above | here | below
    })
}

#[inline(always)]
fn both(a: &[u64; LINE], b: &[u64; LINE]) -> [u64; LINE] {
    from_fn(|i| a[i] & b[i])
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
