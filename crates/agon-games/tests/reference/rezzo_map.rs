//! A plain second implementation of rezzo's random maps, for the tests: characters in rows.

use agon_core::{Purpose, Rng, Seed};
use agon_games::rezzo::Rules;

/// A gap in which no wire may stand.
const GAP: char = '#';

/// A torus of characters.
struct Map(Vec<Vec<char>>);

impl Map {
    fn at(&mut self, x: i64, y: i64) -> &mut char {
        let height = self.0.len() as i64;
        let row = &mut self.0[y.rem_euclid(height) as usize];
        let width = row.len() as i64;
        &mut row[x.rem_euclid(width) as usize]
    }

    /// The points of the grid, row by row: whole steps apart, round the torus as well.
    fn grid(&self, step: usize) -> Vec<(i64, i64)> {
        let (columns, rows) = ((self.0[0].len() / step).max(1), (self.0.len() / step).max(1));
        (0..rows)
            .flat_map(|y| (0..columns).map(move |x| ((x * step) as i64, (y * step) as i64)))
            .collect()
    }

    fn draw_wires(&mut self, rules: &Rules, rng: &mut Rng) {
        let grid = self.grid(rules.grid_step as usize);
        let columns = grid.iter().filter(|point| point.1 == 0).count();
        let around = [(0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1)];
        let wanted = self.0.len() * self.0[0].len() / rules.density_divisor as usize;
        let mut drawn = 0;
        while drawn < wanted && grid.iter().any(|&(x, y)| *self.at(x, y) == ' ') {
            let column = rng.index(columns);
            let (mut x, mut y) = grid[rng.index(grid.len() / columns) * columns + column];
            let (dx, dy) = around[rng.index(8)];
            while drawn < wanted {
                if *self.at(x, y) != ' ' {
                    *self.at(x, y) = GAP;
                    break;
                }
                *self.at(x, y) = '.';
                drawn += 1;
                (x, y) = (x + dx, y + dy);
            }
        }
    }

    fn draw_loop(&mut self, rules: &Rules, rng: &mut Rng) {
        let (left, top) = (rng.index(self.0[0].len()) as i64, rng.index(self.0.len()) as i64);
        let mut side = || rng.between(rules.loop_min.into(), rules.loop_max.into());
        let (width, height) = (side(), side());
        for y in -1..=height {
            for x in -1..=width {
                *self.at(left + x, top + y) = ' ';
            }
        }
        let sides = |n: i64, length: i64| n == 0 || n == length - 1;
        for y in 0..height {
            for x in 0..width {
                if sides(x, width) != sides(y, height) {
                    *self.at(left + x, top + y) = '.';
                }
            }
        }
        *self.at(left, top + 1) = ',';
        *self.at(left + 1, top) = '*';
    }
}

/// The rows of a random map before there are agents.
pub(crate) fn random_map(rules: &Rules, seed: Seed) -> Vec<String> {
    let mut map = Map(vec![vec![' '; rules.width as usize]; rules.height as usize]);
    let mut rng = seed.stream(Purpose::Setup, 0);
    map.draw_wires(rules, &mut rng);
    for cell in map.0.iter_mut().flatten().filter(|cell| **cell == GAP) {
        *cell = ' ';
    }
    let cells = rules.width * rules.height;
    for _ in 0..(cells / rules.loop_area).max(1) {
        map.draw_loop(rules, &mut rng);
    }
    map.0.iter().map(|row| row.iter().collect()).collect()
}
