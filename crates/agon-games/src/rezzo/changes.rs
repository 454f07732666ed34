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
    lines: Vec<Line>,
    /// Index and new owner; applied at the end, so that everything is seen with its old owner.
    owners: Vec<(usize, u8)>,
    /// Whether a line is in `lines`.
    listed: Vec<bool>,
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
    /// Electrons that become photons.
    lit: [u64; LINE],
    /// All flags after the generation.
    flags: [u64; LINE],
}

impl Changes {
    /// Lists the lines that hold a photon, flag or geyser, and those around them.
    pub(crate) fn list(&mut self, world: &World) {
        let (lines, height) = (world.layout().lines(), world.height());
        self.lines.clear();
        self.owners.clear();
        self.listed.resize(world.busy.len(), false);
        for busy in (0..world.busy.len()).filter(|&i| world.busy[i]) {
            let (y, number) = (busy / lines, busy % lines);
            for y in [(y + height - 1) % height, y, (y + 1) % height] {
                for number in [(number + lines - 1) % lines, number, (number + 1) % lines] {
                    if !std::mem::replace(&mut self.listed[y * lines + number], true) {
                        self.lines.push(Line { y, number, lit: [0; LINE], flags: [0; LINE] });
                    }
                }
            }
        }
        for line in &self.lines {
            self.listed[line.y * lines + line.number] = false;
        }
    }

    /// Puts right what a generation of Wireworld made of the listed lines.
    pub(crate) fn apply(&mut self, world: &mut World) {
        let layout = world.layout();
        for change in &self.lines {
            let (at, mask) = (layout.row(change.y) + change.number * LINE, layout.mask(change.number));
            let photons = line_mut::<LINE>(&mut world.photons.words, at);
            let flags = line_mut::<LINE>(&mut world.flags.words, at);
            let electrons = line_mut::<LINE>(&mut world.board.electrons.words, at);
            let tails = line_mut::<LINE>(&mut world.board.tails.words, at);
            for i in 0..LINE {
                electrons[i] &= !((photons[i] | flags[i]) & mask[i]);
                tails[i] &= !change.lit[i];
                photons[i] = photons[i] & !mask[i] | change.lit[i];
                flags[i] = flags[i] & !mask[i] | change.flags[i];
            }
            let board = &mut world.board;
            for bits in [&mut world.photons, &mut world.flags, &mut board.electrons, &mut board.tails] {
                bits.haunt(change.y);
            }
            world.note_busy(change.y, change.number);
        }
        for &(index, owner) in &self.owners {
            world.owners.set(index, owner);
        }
    }
}

/// Finds the changes of the listed lines, and who loses.
pub(crate) struct Look<'a> {
    pub(crate) world: &'a World,
    pub(crate) rules: &'a Rules,
    pub(crate) changes: &'a mut Changes,
}

impl Kernel for Look<'_> {
    type Output = Losers;

    #[inline(always)]
    fn run(self) -> Losers {
        let Look { world, rules, changes } = self;
        let mut losers = Losers::default();
        let dissolver = match rules.flag_dissolves {
            FlagDissolves::Photon => &world.photons,
            FlagDissolves::Electron => &world.board.electrons,
        };
        for change in &mut changes.lines {
            let (y, at) = (change.y, world.layout().row(change.y) + change.number * LINE);
            let mask = world.layout().mask(change.number);
            let electrons = both(line(&world.board.electrons.words, at), &mask);
            let photons = both(line(&world.photons.words, at), &mask);
            let flags = both(line(&world.flags.words, at), &mask);
            let by_source = either(&near(world, &world.flags, change), &near(world, &world.geysers, change));
            let by_tail = near(world, &world.board.tails, change);
            change.lit = both(&electrons, &both(&by_source, &by_tail));
            change.flags = flags;
            if flags != [0; LINE] {
                let dissolved = both(&flags, &near(world, dissolver, change));
                let by_base = both(&flags, &near(world, &world.bases, change));
                for i in 0..LINE {
                    change.flags[i] &= !dissolved[i];
                    for bit in each_bit(dissolved[i] | by_base[i]) {
                        let x = (change.number * LINE + i) * 64 + bit;
                        let index = y * world.width() + x;
                        let owner = world.owners.get(index);
                        if touches_base(world, x, y, owner, rules.base_of) {
                            losers.add(owner);
                        }
                        if dissolved[i] >> bit & 1 == 1 {
                            changes.owners.push((index, 0));
                        }
                    }
                }
            }
            for i in 0..LINE {
                for bit in each_bit(photons[i]) {
                    let x = (change.number * LINE + i) * 64 + bit;
                    if let Some(owner) = only_source(world, x, y) {
                        change.flags[i] |= 1 << bit;
                        changes.owners.push((y * world.width() + x, owner));
                    }
                }
            }
        }
        losers
    }
}

/// The cells of a line that have a neighbour in a plane, or are in it themselves.
#[inline(always)]
fn near(world: &World, bits: &Bits, line: &Line) -> [u64; LINE] {
    let (layout, y) = (world.layout(), line.y);
    let mut near = [0; LINE];
    for y in [if y == 0 { layout.height } else { y } - 1, y, if y + 1 == layout.height { 0 } else { y + 1 }] {
        let [west, here, east] = shifted::<LINE>(&bits.words, layout.row(y) + line.number * LINE);
        near = std::array::from_fn(|i| near[i] | west[i] | here[i] | east[i]);
    }
    near
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
    let mut owners = owners(world, x, y, world.flags.around(x, y) | world.geysers.around(x, y));
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
