//! One generation of the cellular automaton. A tick of a match ends with one. All cells change at
//! once:
//!
//! - conductor: electron, if one or two neighbours are electrons;
//! - electron: photon, if a neighbour is a flag or geyser and one is a tail; otherwise tail;
//! - tail: conductor;
//! - photon: flag of the owner of all neighbouring flags and geysers, if there are any and they
//!   have the same; otherwise conductor;
//! - flag: conductor, if a neighbour is a photon; a flag that touched an enemy's base makes its
//!   owner lose;
//! - all others stay.
//!
//! The neighbours of a cell are the eight around it. In worlds narrower than three cells a wrapped
//! neighbour counts as often as it occurs. No cell is its own neighbour. But no rule asks a cell
//! for neighbours of its own kind, so the code may look at whole boxes of 3×3.
//!
//! Few cells are near a flag, geyser or photon. So a generation has three steps: it finds these
//! changes in the old world, 64 cells at a time; it runs plain Wireworld on the whole board; then
//! it corrects the cells that it found. A generation never turns other cells into wire, or wire
//! into other cells. So the board's wires, which include flags and photons, stay.

use std::ops::Range;

use super::rules::{BaseOf, FlagDissolves, Rules};
use super::wireworld::{Bits, Layout, Wave, each_bit};
use super::world::{Losers, World, around};
use crate::simd::Level;

impl World {
    /// Changes all cells at once. Returns the players whose flag touched a base; their cells stay
    /// for now.
    pub fn generation(&mut self, rules: &Rules) -> Losers {
        self.generation_at(rules, Level::best())
    }

    /// [`World::generation`] compiled for a vector unit; the result is the same for all.
    ///
    /// # Panics
    /// If the processor lacks this vector unit.
    pub fn generation_at(&mut self, rules: &Rules, level: Level) -> Losers {
        let mut changes = std::mem::take(&mut self.changes.0);
        let all = 0..self.height();
        let losers = changes.find(self, rules, all.clone());
        self.board.write_next_electrons(level, all.clone());
        self.board.swap_planes();
        changes.apply(self, all);
        self.changes.0 = changes;
        losers
    }
}

/// A bit for each word (64 cells) of the rows: set if the word holds a photon, or a cell beside a
/// flag or geyser. Few words do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BusyWords {
    /// Words of bits from a row to the next.
    stride: usize,
    bits: Vec<u64>,
}

impl BusyWords {
    /// No busy word yet.
    pub(crate) fn new(layout: Layout) -> BusyWords {
        let stride = layout.words().div_ceil(64);
        BusyWords { stride, bits: vec![0; stride * layout.height] }
    }

    /// Sets whether a word of a row is busy.
    #[inline(always)]
    pub(crate) fn note(&mut self, y: usize, word: usize, busy: bool) {
        let bits = &mut self.bits[y * self.stride + word / 64];
        *bits = *bits & !(1 << (word % 64)) | u64::from(busy) << (word % 64);
    }

    /// The busy words of some rows: row and word, ascending.
    #[inline(always)]
    pub(crate) fn in_rows(&self, rows: Range<usize>) -> impl Iterator<Item = (usize, usize)> {
        let bits = &self.bits[rows.start * self.stride..rows.end * self.stride];
        rows.zip(bits.chunks_exact(self.stride)).flat_map(|(y, row)| {
            (0..)
                .zip(row)
                .flat_map(move |(part, &bits)| each_bit(bits).map(move |bit| (y, part * 64 + bit)))
        })
    }
}

/// The changes of a generation that Wireworld does not know.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    words: Vec<Word>,
    /// Column, row and new owner of cells. Applied last, so that the search sees old owners.
    owners: Vec<(usize, usize, u8)>,
}

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

const STAGES: usize = 3;

impl World {
    /// Runs `count` generations, like as many calls of [`World::generation`]. Returns the players
    /// whose flag touched a base in any of them; their cells stay.
    ///
    /// On worlds larger than the caches this is faster than single calls: up to 16 generations go
    /// over the rows together. It is for experiments without agents; in a match, agents act between
    /// generations.
    ///
    /// ```
    /// use agon_games::rezzo::{Rules, World};
    ///
    /// let mut world = World::from_rows(["          ", " ,*.....B ", "          "])?;
    /// let losers = world.generations(7, &Rules::default());
    /// assert_eq!(world.to_rows()[1], " ......B. ");
    /// assert!(losers.is_empty());
    /// # Ok::<(), agon_core::SetupError>(())
    /// ```
    pub fn generations(&mut self, count: u64, rules: &Rules) -> Losers {
        self.generations_at(count, rules, Level::best())
    }

    /// [`World::generations`] compiled for a vector unit; the result is the same for all.
    ///
    /// # Panics
    /// If the processor lacks this vector unit.
    pub fn generations_at(&mut self, count: u64, rules: &Rules, level: Level) -> Losers {
        let wave = Wave::new(self.height());
        let mut losers = Losers::default();
        let mut left = count;
        while left > 0 {
            let together = wave.generations(left, STAGES);
            losers.add_all(match together {
                1 => self.generation_at(rules, level),
                _ => self.pass(wave, together, rules, level),
            });
            left -= together as u64;
        }
        losers
    }

    /// Runs an even number of generations in one pass.
    fn pass(&mut self, wave: Wave, generations: usize, rules: &Rules, level: Level) -> Losers {
        let mut losers = Losers::default();
        // The changes that each generation has found and not yet applied.
        let mut changes: Vec<Changes> = (0..generations).map(|_| Changes::default()).collect();
        for block in wave.blocks() {
            for (generation, changes) in changes.iter_mut().enumerate() {
                let [look, work, apply] = stages(generation).map(|stage| wave.rows(block, stage));
                losers.add_all(changes.find(self, rules, look));
                self.board.write_next_electrons(level, work);
                self.board.swap_planes();
                changes.apply(self, apply);
            }
        }
        for (generation, changes) in changes.iter_mut().enumerate() {
            let [look, work, _] = stages(generation).map(|stage| wave.seam(stage));
            for rows in look {
                losers.add_all(changes.find(self, rules, rows));
            }
            for rows in work {
                self.board.write_next_electrons(level, rows);
            }
            self.board.swap_planes();
            changes.apply(self, 0..self.height());
        }
        losers
    }
}

/// The stages of a generation in a pass.
fn stages(generation: usize) -> [usize; STAGES] {
    std::array::from_fn(|stage| STAGES * generation + stage)
}
