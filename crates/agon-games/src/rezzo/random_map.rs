//! Draws the random map at the start of a match: a tangle of straight wires, and loops with a
//! signal each that keep it alive. Settings with a map of their own skip it.

use agon_core::Rng;

use super::{
    cell::{Cell, Kind},
    rules::Rules,
    world::World,
};

/// The eight directions.
const DIRECTIONS: [(i64, i64); 8] =
    [(0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1)];

/// Draws a random map into a blank world.
pub(crate) fn draw_map(world: &mut World, rules: &Rules, rng: &mut Rng) {
    Wires::new(world, rules).draw(rng);
    let cells = (world.width() * world.height()) as u64;
    for _ in 0..(cells / u64::from(rules.loop_area)).max(1) {
        draw_loop(world, rules, rng);
    }
}

/// Draws the wires of a map.
struct Wires<'a> {
    world: &'a mut World,
    /// Cells at which a wire met another, or itself. They stay blank, and no wire passes.
    gaps: Vec<bool>,
    /// The grid on which wires start: the distance of its points, and how many there are in a row
    /// and in a column.
    step: usize,
    columns: usize,
    rows: usize,
    /// Blank points of the grid. Without one, no wire can start.
    free: usize,
    /// Conductors still to be drawn.
    left: u64,
}

impl<'a> Wires<'a> {
    fn new(world: &'a mut World, rules: &Rules) -> Wires<'a> {
        let (width, height) = (world.width(), world.height());
        let step = rules.grid_step as usize;
        // Rounded down, so that the last point of a row is at least a whole step away from the
        // first, around the torus.
        let (columns, rows) = ((width / step).max(1), (height / step).max(1));
        Wires {
            gaps: vec![false; width * height],
            step,
            columns,
            rows,
            free: columns * rows,
            left: (width * height) as u64 / u64::from(rules.density_divisor),
            world,
        }
    }

    fn draw(mut self, rng: &mut Rng) {
        while self.left > 0 && self.free > 0 {
            let (column, row) = (rng.index(self.columns), rng.index(self.rows));
            let direction = DIRECTIONS[rng.index(DIRECTIONS.len())];
            self.draw_wire((column * self.step) as i64, (row * self.step) as i64, direction);
        }
    }

    /// Draws a wire until it meets something; that cell becomes a gap.
    fn draw_wire(&mut self, mut x: i64, mut y: i64, (dx, dy): (i64, i64)) {
        while self.left > 0 {
            let place = self.world.index(x, y);
            if self.gaps[place] || self.world.cell(place) != Cell::BLANK {
                self.gaps[place] = true;
                self.world.set(place, Cell::BLANK);
                return;
            }
            self.world.set(place, Cell::CONDUCTOR);
            self.left -= 1;
            self.free -= usize::from(self.is_start(place));
            (x, y) = (x + dx, y + dy);
        }
    }

    fn is_start(&self, place: usize) -> bool {
        let (x, y) = self.world.place(place);
        let on_grid = x % self.step == 0 && y % self.step == 0;
        on_grid && x / self.step < self.columns && y / self.step < self.rows
    }
}

/// Blanks a rectangle and a margin of one cell around it, and draws its outline without the
/// corners, with an electron and its tail that run clockwise.
fn draw_loop(world: &mut World, rules: &Rules, rng: &mut Rng) {
    let (left, top) = (rng.index(world.width()) as i64, rng.index(world.height()) as i64);
    let mut side = || rng.between(i64::from(rules.loop_min), i64::from(rules.loop_max));
    let (width, height) = (side(), side());
    let (right, bottom) = (left + width - 1, top + height - 1);
    let mut set = |x: i64, y: i64, cell| world.set(world.index(x, y), cell);
    for y in top - 1..=bottom + 1 {
        (left - 1..=right + 1).for_each(|x| set(x, y, Cell::BLANK));
    }
    for x in left + 1..right {
        set(x, top, Cell::CONDUCTOR);
        set(x, bottom, Cell::CONDUCTOR);
    }
    for y in top + 1..bottom {
        set(left, y, Cell::CONDUCTOR);
        set(right, y, Cell::CONDUCTOR);
    }
    set(left, top + 1, Cell { kind: Kind::Tail, owner: 0 });
    set(left + 1, top, Cell { kind: Kind::Electron, owner: 0 });
}

#[cfg(test)]
mod tests {
    use agon_core::{Purpose, Seed};

    use super::*;

    fn drawn(rules: &Rules, seed: u64) -> World {
        let (width, height) = rules.size();
        let mut world = World::new(width, height);
        draw_map(&mut world, rules, &mut Seed(seed).stream(Purpose::Setup, 0));
        world
    }

    fn wires(rules: &Rules, seed: u64) -> (World, u64) {
        let (width, height) = rules.size();
        let mut world = World::new(width, height);
        let mut wires = Wires::new(&mut world, rules);
        let mut rng = Seed(seed).stream(Purpose::Setup, 0);
        while wires.left > 0 && wires.free > 0 {
            let (column, row) = (rng.index(wires.columns), rng.index(wires.rows));
            wires.draw_wire((column * wires.step) as i64, (row * wires.step) as i64, (1, 0));
        }
        let left = wires.left;
        (world, left)
    }

    #[test]
    fn a_loop_keeps_its_signal() {
        let rules = Rules { width: 12, height: 12, density_divisor: 1_000_000, ..Rules::default() };
        for seed in 0..40 {
            let mut world = drawn(&rules, seed);
            for _ in 0..100 {
                world.generation(&rules);
                let count = |kind: Kind| world.kinds().iter().filter(|&&k| k == kind.bit()).count();
                assert_eq!((count(Kind::Electron), count(Kind::Tail)), (1, 1), "seed {seed}");
            }
        }
    }

    #[test]
    fn a_loop_runs_clockwise_on_blank_ground() {
        let rules = Rules { width: 9, height: 8, loop_min: 5, loop_max: 5, ..Rules::default() };
        let mut world = World::from_rows(vec![".........".to_owned(); 8]).unwrap();
        let mut rng = Seed(1).stream(Purpose::Setup, 0);
        let (left, top) = {
            let mut rng = rng.clone();
            (rng.index(9) as i64, rng.index(8) as i64)
        };
        draw_loop(&mut world, &rules, &mut rng);
        let at =
            |world: &World, x: i64, y: i64| world.cell(world.index(left + x, top + y)).to_char();
        let rows = |world: &World| -> Vec<String> {
            (-2..7).map(|y| (-2..7).map(|x| at(world, x, y)).collect()).collect()
        };
        let expected = [
            ".........",
            ".       .",
            ".  *..  .",
            ". ,   . .",
            ". .   . .",
            ". .   . .",
            ".  ...  .",
            ".       .",
        ];
        assert_eq!(rows(&world)[..8], expected);
        world.generation(&rules);
        assert_eq!(rows(&world)[2], ".  ,*.  .");
    }

    #[test]
    fn a_wire_grows_until_it_meets_something_which_becomes_a_gap() {
        let rules = Rules { width: 12, height: 8, density_divisor: 5, ..Rules::default() };
        let (world, left) = wires(&rules, 1);
        assert_eq!(left, 0);
        // The first one goes round the torus to where it began; the second one has seven cells
        // left.
        let drawn: Vec<String> =
            world.to_rows().into_iter().filter(|row| row.contains('.')).collect();
        assert_eq!(drawn.len(), 2);
        let mut counts: Vec<usize> = drawn.iter().map(|row| row.matches('.').count()).collect();
        counts.sort_unstable();
        assert!(counts[0] <= 7 && (9..=11).contains(&counts[1]), "{drawn:?}");
    }

    #[test]
    fn maps_have_the_wanted_density_and_loops() {
        let rules = Rules { width: 128, height: 128, ..Rules::default() };
        let world = drawn(&rules, 1);
        let count = |kind: Kind| world.kinds().iter().filter(|&&k| k == kind.bit()).count();
        let drawn = 128 * 128 - count(Kind::Blank);
        assert!((128 * 128 / 12..128 * 128 / 7).contains(&drawn), "{drawn}");
        assert!(
            (12..=16).contains(&count(Kind::Electron)),
            "one for each 1024 cells, fewer where loops overlap"
        );
        assert_eq!(
            drawn,
            [Kind::Conductor, Kind::Electron, Kind::Tail].map(count).iter().sum::<usize>()
        );
    }

    #[test]
    fn any_settings_within_their_ranges_give_a_map() {
        let tiny = Rules { width: 1, height: 1, density_divisor: 1, ..Rules::default() };
        assert_eq!(drawn(&tiny, 3).kinds(), [Kind::Electron.bit()]);
        let dense =
            Rules { width: 9, height: 7, density_divisor: 1, grid_step: 256, ..Rules::default() };
        assert!(drawn(&dense, 3).kinds().contains(&Kind::Conductor.bit()));
        for (width, height) in
            [(1, 1), (1, 40), (2, 2), (3, 5), (4, 4), (7, 4), (5, 11), (37, 29), (1, 4096)]
        {
            for (density_divisor, grid_step) in [(1, 1), (1, 4), (2, 3), (8, 4), (8, 256)] {
                for seed in 0..20 {
                    let rules =
                        Rules { width, height, density_divisor, grid_step, ..Rules::default() };
                    drawn(&rules, seed);
                }
            }
        }
    }

    #[test]
    fn the_largest_dense_map_is_drawn_in_no_time() {
        let rules = Rules { width: 2048, height: 2048, density_divisor: 1, ..Rules::default() };
        drawn(&rules, 1);
    }
}
