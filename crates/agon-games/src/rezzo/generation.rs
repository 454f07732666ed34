//! One generation of the cellular automaton.
//!
//! The neighbours of a cell are the eight around it. In worlds narrower than three cells a wrapped neighbour
//! counts as often as it occurs.

use super::{
    cell::Kind,
    rules::{BaseOf, FlagDissolves, Rules},
    world::{Losers, World},
};

const CONDUCTOR: u8 = Kind::Conductor.bit();
const ELECTRON: u8 = Kind::Electron.bit();
const TAIL: u8 = Kind::Tail.bit();
const PHOTON: u8 = Kind::Photon.bit();
const FLAG: u8 = Kind::Flag.bit();
const BASE: u8 = Kind::Base.bit();
const FIXED: u8 = Kind::Agent.bit() | Kind::Geyser.bit() | BASE;
/// What turns electrons into photons and photons into flags.
const SOURCE: u8 = FLAG | Kind::Geyser.bit();

impl World {
    /// All cells change at once. Returns the players whose flag touched a base; their cells stay for now.
    ///
    /// Row by row and in place: a row is written once the row below has been looked at, and of the rows already
    /// written the old kinds are kept.
    pub fn generation(&mut self, rules: &Rules) -> Losers {
        let (width, height) = (self.width(), self.height());
        let dissolver = match rules.flag_dissolves {
            FlagDissolves::Photon => PHOTON,
            FlagDissolves::Electron => ELECTRON,
        };
        let first = self.kinds.row(0).to_vec();
        let mut above = self.kinds.row(height - 1).to_vec();
        let mut here = first.clone();
        let mut next = vec![0; width];
        let mut boxes = Boxes::new(width);
        let mut owned = OwnedChanges { base_of: rules.base_of, ..OwnedChanges::default() };
        for y in 0..height {
            here.copy_from_slice(self.kinds.row(y));
            let below = if y + 1 == height { &first[..] } else { self.kinds.row(y + 1) };
            boxes.gather(&above, &here, below);
            boxes.next_row(&here, dissolver, &mut next);
            if here.iter().fold(0, |any, kind| any | kind) & (PHOTON | FLAG) != 0 {
                owned.look_at_row(self, y, [&above, &here, below], &mut next);
            }
            self.kinds.write_row(y, &next);
            std::mem::swap(&mut above, &mut here);
        }
        for (index, owner) in owned.owners {
            self.owners.set(index, owner);
        }
        owned.losers
    }
}

/// What the 3×3 boxes around the cells of a row hold. The middle may be counted: no rule asks a cell for
/// neighbours of its own kind.
struct Boxes {
    /// Kinds in each column of three, with the wrapped columns at both ends.
    any: Vec<u8>,
    /// Electrons in each column of three.
    electrons: Vec<u8>,
}

impl Boxes {
    fn new(width: usize) -> Boxes {
        Boxes { any: vec![0; width + 2], electrons: vec![0; width + 2] }
    }

    fn gather(&mut self, above: &[u8], here: &[u8], below: &[u8]) {
        let width = here.len();
        let rows = above.iter().zip(here).zip(below);
        let columns = self.any[1..=width].iter_mut().zip(&mut self.electrons[1..=width]);
        for ((any, electrons), ((&a, &h), &b)) in columns.zip(rows) {
            *any = a | h | b;
            *electrons = ((a & ELECTRON) + (h & ELECTRON) + (b & ELECTRON)) / ELECTRON;
        }
        for column in [&mut self.any, &mut self.electrons] {
            column[0] = column[width];
            column[width + 1] = column[1];
        }
    }

    fn next_row(&self, here: &[u8], dissolver: u8, next: &mut [u8]) {
        // Three slices instead of windows: a form that the compiler turns into vector code.
        let width = here.len();
        let next = &mut next[..width];
        let [any, electrons] = [&self.any, &self.electrons]
            .map(|columns| (&columns[..width], &columns[1..=width], &columns[2..width + 2]));
        for x in 0..width {
            let any = any.0[x] | any.1[x] | any.2[x];
            let electrons = electrons.0[x] + electrons.1[x] + electrons.2[x];
            next[x] = next_kind(here[x], any, electrons, dissolver);
        }
    }
}

/// The cell's next kind, except that photons by a flag or geyser may become flags instead.
///
/// Written without branches, for the compiler to do many cells at once: at most one of the terms is not zero.
fn next_kind(kind: u8, any: u8, electrons: u8, dissolver: u8) -> u8 {
    let fires = (electrons == 1) | (electrons == 2);
    let lights = (any & SOURCE != 0) & (any & TAIL != 0);
    let dissolves = any & dissolver != 0;
    let conductor = kind & CONDUCTOR;
    let electron = kind & ELECTRON;
    let flag = kind & FLAG;
    let fixed = kind & FIXED;
    let fired = if fires { conductor * ELECTRON } else { conductor };
    let passed = electron * if lights { PHOTON / ELECTRON } else { TAIL / ELECTRON };
    let ended = ((kind & TAIL) / TAIL) | ((kind & PHOTON) / PHOTON);
    let stayed = if dissolves { flag / FLAG } else { flag };
    fixed | fired | passed | ended | stayed
}

/// The few cells whose change depends on owners: photons and flags.
#[derive(Default)]
struct OwnedChanges {
    base_of: BaseOf,
    /// Index and new owner; applied at the end, so that everything is seen with its old owner.
    owners: Vec<(usize, u8)>,
    losers: Losers,
}

impl OwnedChanges {
    fn look_at_row(&mut self, world: &World, y: usize, rows: [&[u8]; 3], next: &mut [u8]) {
        for x in 0..next.len() {
            let index = y * next.len() + x;
            match rows[1][x] {
                PHOTON => {
                    if let Some(owner) = only_source(world, x, y, rows) {
                        next[x] = FLAG;
                        self.owners.push((index, owner));
                    }
                }
                FLAG => {
                    let owner = world.owners.get(index);
                    if self.touches_base(world, x, y, rows, owner) {
                        self.losers.add(owner);
                    }
                    if next[x] != FLAG {
                        self.owners.push((index, 0));
                    }
                }
                _ => {}
            }
        }
    }

    fn touches_base(&self, world: &World, x: usize, y: usize, rows: [&[u8]; 3], owner: u8) -> bool {
        let counts = |base| self.base_of == BaseOf::Any || base != owner;
        neighbours(world, x, y, rows).any(|(kind, other)| kind == BASE && counts(other))
    }
}

/// The owner of all neighbouring flags and geysers, if there are any and they have the same.
fn only_source(world: &World, x: usize, y: usize, rows: [&[u8]; 3]) -> Option<u8> {
    let mut sources = neighbours(world, x, y, rows).filter(|(kind, _)| kind & SOURCE != 0);
    let (_, owner) = sources.next()?;
    sources.all(|(_, other)| other == owner).then_some(owner)
}

/// Kind and owner of the eight neighbours, and of the cell itself: no rule asks for its own kind.
fn neighbours<'a>(
    world: &'a World,
    x: usize,
    y: usize,
    rows: [&'a [u8]; 3],
) -> impl Iterator<Item = (u8, u8)> + 'a {
    let (width, height) = (world.width(), world.height());
    let columns = [(x + width - 1) % width, x, (x + 1) % width];
    let owner_rows = [(y + height - 1) % height, y, (y + 1) % height].map(|y| world.owners.row(y));
    rows.into_iter().zip(owner_rows).flat_map(move |(kinds, owners)| columns.map(|x| (kinds[x], owners[x])))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(rows: &[&str], rules: &Rules) -> (Vec<String>, Vec<u8>) {
        let mut world = World::from_rows(rows).unwrap();
        let losers = world.generation(rules);
        assert_eq!(world.hash(), world.computed_hash());
        (world.to_rows(), losers.owners().collect())
    }

    /// One generation of a picture inside a blank frame, so that nothing wraps around.
    fn step(rows: &[&str], rules: &Rules) -> (Vec<String>, Vec<u8>) {
        let width = rows[0].len();
        let mut framed = vec![" ".repeat(width + 2)];
        framed.extend(rows.iter().map(|row| format!(" {row} ")));
        framed.push(" ".repeat(width + 2));
        let (rows, losers) = after(&framed.iter().map(String::as_str).collect::<Vec<_>>(), rules);
        (rows[1..rows.len() - 1].iter().map(|row| row[1..=width].to_owned()).collect(), losers)
    }

    fn cells(rows: &[&str]) -> Vec<String> {
        step(rows, &Rules::default()).0
    }

    #[test]
    fn signals_run_along_wires() {
        assert_eq!(cells(&[",*.."]), [".,*."]);
        assert_eq!(cells(&["*.*"]), [",*,"], "two electrons fire");
        assert_eq!(cells(&["* *", " . ", " * "]), [", ,", " . ", " , "], "three do not");
    }

    #[test]
    fn electrons_become_photons_between_a_source_and_a_tail() {
        assert_eq!(cells(&[",*a"]), [".~a"]);
        assert_eq!(cells(&[",*B"]), [".~B"]);
        assert_eq!(cells(&[".*a"]), ["*,a"], "no tail");
        assert_eq!(cells(&[",*."]), [".,*"], "no source");
    }

    #[test]
    fn photons_become_flags_of_the_only_owner_near() {
        assert_eq!(cells(&["~a"]), ["Aa"]);
        assert_eq!(cells(&["a~A"]), ["aA."], "the flag beside the photon dissolves");
        assert_eq!(cells(&["a~b"]), ["a.b"]);
        assert_eq!(cells(&["~."]), [".."]);
    }

    #[test]
    fn flags_walk_towards_the_electrons() {
        let mut rows = vec![",*..B".to_owned()];
        let mut seen = Vec::new();
        for _ in 0..4 {
            rows = cells(&[&rows[0]]);
            seen.push(rows[0].clone());
        }
        assert_eq!(seen, [".,*.B", "..,*B", "...~B", "...B."]);
    }

    #[test]
    fn flags_that_touch_an_enemys_base_lose() {
        let lose = |rows: &[&str], rules: &Rules| step(rows, rules).1;
        let enemy = Rules::default();
        let any = Rules { base_of: BaseOf::Any, ..Rules::default() };
        assert_eq!(lose(&["Ao"], &enemy), [1]);
        assert_eq!(lose(&["An"], &enemy), [0u8; 0]);
        assert_eq!(lose(&["An"], &any), [1]);
        assert_eq!(lose(&["A  ", " o ", "  C"], &enemy), [1, 3]);
        assert_eq!(lose(&["~Ao"], &enemy), [1], "also when it dissolves in the same generation");
        assert_eq!(lose(&["ao"], &enemy), [0u8; 0], "geysers may stand by a base");
    }

    #[test]
    fn what_dissolves_a_flag_is_a_setting() {
        let literal = Rules { flag_dissolves: FlagDissolves::Electron, ..Rules::default() };
        assert_eq!(step(&["*A"], &Rules::default()).0, [",A"]);
        assert_eq!(step(&["*A"], &literal).0, [",."]);
        assert_eq!(step(&["~A"], &literal).0, ["AA"]);
    }

    #[test]
    fn a_flag_that_dissolves_belongs_to_nobody() {
        let mut world = World::from_rows(["A~ "]).unwrap();
        world.generation(&Rules::default());
        assert_eq!((world.owners(), world.to_rows()), (&[0, 1, 0][..], vec![".A ".to_owned()]));
    }

    #[test]
    fn narrow_worlds_count_wrapped_neighbours_as_often_as_they_occur() {
        // In a single row every electron is met three times: above, beside and below.
        assert_eq!(after(&["*.  "], &Rules::default()).0, [",.  "]);
        assert_eq!(after(&["*. ", "   "], &Rules::default()).0, [",* ", "   "]);
    }
}
