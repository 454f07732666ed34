//! Symmetric matrices with few entries, and conjugate gradients to solve equations with them.

use std::collections::HashMap;

/// A symmetric matrix: a diagonal and entries above it.
pub(crate) struct Symmetric {
    pub(crate) diagonal: Vec<f64>,
    places: Vec<(u32, u32)>,
    pub(crate) entries: Vec<f64>,
    numbers: HashMap<(u32, u32), usize>,
}

impl Symmetric {
    /// A matrix of zeros.
    pub(crate) fn new(size: usize) -> Symmetric {
        let (places, entries, numbers) = (Vec::new(), Vec::new(), HashMap::new());
        Symmetric { diagonal: vec![0.0; size], places, entries, numbers }
    }

    /// Where in `entries` the one at (`row`, `column`) is, which is not on the diagonal; from now on
    /// there is one.
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

    /// Makes all values zero.
    pub(crate) fn clear(&mut self) {
        self.diagonal.fill(0.0);
        self.entries.fill(0.0);
    }

    /// The matrix with all its zeros, row by row.
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

    fn times(&self, x: &[f64], out: &mut [f64]) {
        for ((out, x), diagonal) in out.iter_mut().zip(x).zip(&self.diagonal) {
            *out = diagonal * x;
        }
        for (&(row, column), value) in self.places.iter().zip(&self.entries) {
            out[row as usize] += value * x[column as usize];
            out[column as usize] += value * x[row as usize];
        }
    }

    /// The x with (matrix) x = `right`, by conjugate gradients preconditioned with the diagonal
    /// (Hestenes & Stiefel 1952), to a billionth of the right side.
    ///
    /// The matrix may be singular if the equation has a solution, as that of a fit without prior.
    pub(crate) fn solve(&self, right: &[f64]) -> Vec<f64> {
        let size = right.len();
        let scale: Vec<f64> =
            self.diagonal.iter().map(|&d| if d > f64::MIN_POSITIVE { 1.0 / d } else { 1.0 }).collect();
        let mut x = vec![0.0; size];
        let mut rest = right.to_vec();
        let mut direction: Vec<f64> = rest.iter().zip(&scale).map(|(r, s)| r * s).collect();
        let mut product = vec![0.0; size];
        let mut norm = dot(&rest, &direction);
        let enough = norm * 1e-18;
        for _ in 0..20 * size + 100 {
            self.times(&direction, &mut product);
            let curvature = dot(&direction, &product);
            if norm <= enough || curvature <= 0.0 {
                break;
            }
            let step = norm / curvature;
            let before = norm;
            norm = 0.0;
            for at in 0..size {
                x[at] += step * direction[at];
                rest[at] -= step * product[at];
                norm += rest[at] * rest[at] * scale[at];
            }
            for at in 0..size {
                direction[at] = rest[at] * scale[at] + norm / before * direction[at];
            }
        }
        x
    }
}

/// The scalar product.
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
