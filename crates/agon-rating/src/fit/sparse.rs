//! Symmetric matrices with few entries, and equations with them, solved by conjugate gradients.
//!
//! The fit solves its Newton steps with them.

use std::collections::HashMap;

/// A symmetric matrix: a diagonal and entries above it.
#[derive(Clone)]
pub(crate) struct Symmetric {
    pub(crate) diagonal: Vec<f64>,
    places: Vec<(u32, u32)>,
    pub(crate) entries: Vec<f64>,
    numbers: HashMap<(u32, u32), usize>,
}

impl Symmetric {
    /// Makes a matrix of zeros.
    pub(crate) fn new(size: usize) -> Symmetric {
        let places = Vec::new();
        let entries = Vec::new();
        let numbers = HashMap::new();
        Symmetric { diagonal: vec![0.0; size], places, entries, numbers }
    }

    /// Reserves memory for this many more entries.
    pub(crate) fn reserve(&mut self, entries: usize) {
        self.places.reserve(entries);
        self.entries.reserve(entries);
        self.numbers.reserve(entries);
    }

    /// Returns the place in `entries` of the entry at (`row`, `column`), and adds it if missing.
    ///
    /// It must not be on the diagonal.
    pub(crate) fn entry(&mut self, row: u32, column: u32) -> usize {
        let place = (row.min(column), row.max(column));
        let next = self.places.len();
        let number = *self.numbers.entry(place).or_insert(next);
        if number == next {
            self.places.push(place);
            self.entries.push(0.0);
        }
        number
    }

    /// Returns the places in `entries` of these entries, as [`Self::entry`] does.
    ///
    /// It is fast if they come in the order of [`Self::pairs`].
    pub(crate) fn entries_of(&mut self, places: impl Iterator<Item = (u32, u32)>) -> Vec<u32> {
        let mut next = 0;
        let number = |(row, column)| {
            let place = (row, column);
            let number =
                if self.places.get(next) == Some(&place) { next } else { self.entry(row, column) };
            next = number + 1;
            number as u32
        };
        places.map(number).collect()
    }

    /// Sets all values to zero.
    pub(crate) fn clear(&mut self) {
        self.diagonal.fill(0.0);
        self.entries.fill(0.0);
    }

    /// Returns the matrix with all its zeros, row by row.
    pub(crate) fn dense(&self) -> Vec<f64> {
        let size = self.diagonal.len();
        let mut dense = vec![0.0; size * size];
        for (at, value) in self.diagonal.iter().enumerate() {
            dense[at * size + at] = *value;
        }
        for (&(row, column), value) in self.places.iter().zip(&self.entries) {
            dense[row as usize * size + column as usize] = *value;
            dense[column as usize * size + row as usize] = *value;
        }
        dense
    }

    /// Returns the entries above the diagonal, each with its row and column.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (u32, u32, f64)> {
        self.places.iter().zip(&self.entries).map(|(&(row, column), &value)| (row, column, value))
    }

    /// Returns the first `size` rows and columns.
    pub(crate) fn of_first(&self, size: usize) -> Symmetric {
        let mut part = Symmetric::new(size);
        part.diagonal.copy_from_slice(&self.diagonal[..size]);
        let pairs = self.pairs().filter(|&(row, column, _)| row.max(column) < size as u32);
        for (row, column, value) in pairs {
            part.places.push((row, column));
            part.entries.push(value);
        }
        part
    }

    /// Returns the x with (matrix) x = `right`, to a billionth of the right side.
    pub(crate) fn solve(&self, right: &[f64]) -> Vec<f64> {
        let right: Vec<[f64; 1]> = right.iter().map(|&value| [value]).collect();
        self.solve_many(&right, 1e-18).into_iter().map(|[value]| value).collect()
    }

    /// Solves for several right sides at once, up to this share of their squared norms.
    ///
    /// It uses conjugate gradients preconditioned with the diagonal (Hestenes & Stiefel 1952). The
    /// matrix may be singular if the equation has a solution, as that of a fit without prior has.
    pub(crate) fn solve_many<const N: usize>(
        &self,
        right: &[[f64; N]],
        share: f64,
    ) -> Vec<[f64; N]> {
        let scale: Vec<f64> = self
            .diagonal
            .iter()
            .map(|&d| if d > f64::MIN_POSITIVE { 1.0 / d } else { 1.0 })
            .collect();
        let mut x = vec![[0.0; N]; right.len()];
        let mut rest = right.to_vec();
        let scaled =
            |lanes: &[f64; N], scale: f64| -> [f64; N] { lanes.map(|value| value * scale) };
        let mut direction: Vec<[f64; N]> =
            rest.iter().zip(&scale).map(|(r, &s)| scaled(r, s)).collect();
        let mut product = vec![[0.0; N]; right.len()];
        let mut norm = products(&rest, &direction);
        let enough = norm.map(|norm| norm * share);
        for _ in 0..20 * right.len() + 100 {
            self.times_many(&direction, &mut product);
            let curvature = products(&direction, &product);
            let is_done = |at: usize| norm[at] <= enough[at] || curvature[at] <= 0.0;
            let step: [f64; N] =
                std::array::from_fn(|at| if is_done(at) { 0.0 } else { norm[at] / curvature[at] });
            if step.iter().all(|&step| step == 0.0) {
                break;
            }
            let before = norm;
            norm = [0.0; N];
            for at in 0..right.len() {
                for lane in 0..N {
                    x[at][lane] += step[lane] * direction[at][lane];
                    rest[at][lane] -= step[lane] * product[at][lane];
                    norm[lane] += rest[at][lane] * rest[at][lane] * scale[at];
                }
            }
            for at in 0..right.len() {
                for lane in 0..N {
                    let again = if before[lane] > 0.0 { norm[lane] / before[lane] } else { 0.0 };
                    direction[at][lane] = rest[at][lane] * scale[at] + again * direction[at][lane];
                }
            }
        }
        x
    }

    fn times_many<const N: usize>(&self, x: &[[f64; N]], out: &mut [[f64; N]]) {
        for ((out, x), diagonal) in out.iter_mut().zip(x).zip(&self.diagonal) {
            *out = x.map(|value| diagonal * value);
        }
        for (&(row, column), value) in self.places.iter().zip(&self.entries) {
            let [row, column] = [row as usize, column as usize];
            for lane in 0..N {
                out[row][lane] += value * x[column][lane];
                out[column][lane] += value * x[row][lane];
            }
        }
    }
}

/// Returns the scalar products, lane by lane.
fn products<const N: usize>(one: &[[f64; N]], other: &[[f64; N]]) -> [f64; N] {
    let mut sums = [0.0; N];
    for (one, other) in one.iter().zip(other) {
        (0..N).for_each(|lane| sums[lane] += one[lane] * other[lane]);
    }
    sums
}

/// Returns the scalar product.
pub(crate) fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equations_are_solved() {
        let mut matrix = Symmetric::new(3);
        matrix.diagonal.copy_from_slice(&[4.0, 3.0, 5.0]);
        for (row, column, value) in [(0, 1, 1.0), (2, 1, -2.0)] {
            let entry = matrix.entry(row, column);
            matrix.entries[entry] = value;
        }
        assert_eq!(matrix.dense(), [4.0, 1.0, 0.0, 1.0, 3.0, -2.0, 0.0, -2.0, 5.0]);
        let x = matrix.solve(&[6.0, 1.0, 11.0]);
        for (x, want) in x.iter().zip([1.0, 2.0, 3.0]) {
            assert!((x - want).abs() < 1e-9, "{x} is not {want}");
        }
    }

    #[test]
    fn a_singular_matrix_is_no_harm_if_there_is_a_solution() {
        let mut matrix = Symmetric::new(2);
        matrix.diagonal.fill(1.0);
        let entry = matrix.entry(0, 1);
        matrix.entries[entry] = -1.0;
        let x = matrix.solve(&[1.0, -1.0]);
        assert!((x[0] - x[1] - 1.0).abs() < 1e-12);
    }
}
