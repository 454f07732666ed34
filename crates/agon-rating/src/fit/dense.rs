//! Covariances of the estimates of a fit: the full inverse of the information.
//!
//! Intervals of ratings need them.

/// Returns the covariances of the first `players` parameters, row by row.
///
/// Only those of differences between players have a meaning, because their common level is
/// free. `information` is square, row by row. A ridge along the common level makes it
/// invertible and changes no difference (it gives the pseudo-inverse of a Laplacian matrix).
/// Cholesky's factors and their inverse take about n³ / 2 multiplications and n² numbers: a
/// second for a thousand players.
pub(crate) fn covariance(mut information: Vec<f64>, size: usize, players: usize) -> Vec<f64> {
    let level = (0..players).map(|at| information[at * size + at]).sum::<f64>() / players as f64;
    for row in 0..players {
        information[row * size..row * size + players]
            .iter_mut()
            .for_each(|v| *v += level / players as f64);
    }
    factor(&mut information, size);
    let inverse = inverse(&information, size);
    let mut out = vec![0.0; players * players];
    for row in 0..players {
        for column in row..players {
            let both = dot(
                &inverse[row * size + column..(row + 1) * size],
                &inverse[column * size + column..(column + 1) * size],
            );
            out[row * players + column] = both;
            out[column * players + row] = both;
        }
    }
    out
}

/// Computes the lower triangle L with L Lᵀ = the matrix (Cholesky).
fn factor(matrix: &mut [f64], size: usize) {
    for row in 0..size {
        let (above, here) = matrix.split_at_mut(row * size);
        for column in 0..row {
            let other = &above[column * size..column * size + column + 1];
            here[column] = (here[column] - dot(&here[..column], &other[..column])) / other[column];
        }
        let rest = here[row] - dot(&here[..row], &here[..row]);
        // Positive except for rounding. A parameter without information gets a huge variance, not
        // a NaN.
        here[row] = rest.max(1e-12 * here[row].abs()).max(f64::MIN_POSITIVE).sqrt();
    }
}

/// Returns the inverse of L, transposed: row k has its column k from the diagonal on.
fn inverse(lower: &[f64], size: usize) -> Vec<f64> {
    let mut out = vec![0.0; size * size];
    for (column, line) in out.chunks_mut(size).enumerate() {
        line[column] = 1.0 / lower[column * size + column];
        for row in column + 1..size {
            let factors = &lower[row * size..(row + 1) * size];
            line[row] = -dot(&factors[column..row], &line[column..row]) / factors[row];
        }
    }
    out
}

/// Returns the scalar product, summed in eight lanes for speed.
pub(crate) fn dot(one: &[f64], other: &[f64]) -> f64 {
    let (one, other) = (one.chunks_exact(8), other.chunks_exact(8));
    let rest: f64 = one.remainder().iter().zip(other.remainder()).map(|(a, b)| a * b).sum();
    let mut lanes = [0.0; 8];
    for (a, b) in one.zip(other) {
        for lane in 0..8 {
            lanes[lane] += a[lane] * b[lane];
        }
    }
    rest + lanes.iter().sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pseudo_inverse_of_a_path_gives_resistances() {
        // The Laplacian of the path 0 - 1 - 2 with weights 2 and 4. Variances of differences are
        // resistances: 1/2, 1/4 and 1/2 + 1/4.
        let laplacian = vec![2.0, -2.0, 0.0, -2.0, 6.0, -4.0, 0.0, -4.0, 4.0];
        let c = covariance(laplacian, 3, 3);
        let difference = |i: usize, j: usize| c[i * 3 + i] + c[j * 3 + j] - 2.0 * c[i * 3 + j];
        for (i, j, want) in [(0, 1, 0.5), (1, 2, 0.25), (0, 2, 0.75)] {
            assert!((difference(i, j) - want).abs() < 1e-12);
        }
    }

    #[test]
    fn a_nuisance_parameter_widens_what_it_touches() {
        // [4 1; 1 1]: the variance of the first is 1 / (4 - 1).
        let mut matrix = vec![4.0, 1.0, 1.0, 1.0];
        factor(&mut matrix, 2);
        let inverse = inverse(&matrix, 2);
        assert!((dot(&inverse[..2], &inverse[..2]) - 1.0 / 3.0).abs() < 1e-12);
    }
}
