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

use crate::simd::Level;

use super::{
    rules::Rules,
    world::{Losers, World},
};

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
        let mut changes = std::mem::take(&mut self.changes);
        let all = 0..self.height();
        let losers = changes.find(self, rules, all.clone());
        self.board.write_next_electrons(level, all.clone());
        self.board.swap_planes();
        changes.apply(self, all);
        self.changes = changes;
        losers
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rezzo::{BaseOf, FlagDissolves};

    fn after(rows: &[&str], rules: &Rules) -> (Vec<String>, Vec<u8>) {
        let mut world = World::from_rows(rows).unwrap();
        let losers = world.generation(rules);
        world.check();
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
