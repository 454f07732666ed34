//! A response surface: strength is fitted as a quadratic function of the parameters.
//!
//! The fit is Bayesian logistic regression. The versions to play are the summits of two draws from
//! its beliefs (double Thompson sampling). It resembles CLOP (Coulom, "CLOP: confident local
//! optimization for noisy black-box parameter tuning", 2011).

use agon_core::{Purpose, Rng};

use crate::{Task, fraction};

/// The number of duels between two fits of the surface.
const BATCH: u64 = 16;

/// The assumed variance of each coefficient, in units of the logarithm of odds.
const PRIOR: f64 = 9.0;

/// The steps of a fit, which starts at the one before it.
const NEWTON_STEPS: usize = 8;

/// The number of random versions to choose from in a batch.
const CANDIDATES: usize = 200;

struct Seen {
    features: Vec<f64>,
    score: f64,
}

pub(crate) fn tune(task: &Task) -> Vec<f64> {
    let mut rng = task.seed.stream(Purpose::Script, 3);
    let size = features(&task.start).len();
    let mut seen: Vec<Seen> = Vec::new();
    let mut weights = vec![0.0; size];
    let mut curvature = prior(size);
    let mut next = 0;
    for _ in 0..task.matches / 2 / BATCH {
        let factor = cholesky(&curvature);
        let versions = Versions::new(CANDIDATES, task.start.len(), &mut rng);
        for _ in 0..BATCH {
            let mut version = || &versions.summit(&draw(&weights, &factor, &mut rng)).values;
            let (one, other) = (version(), version());
            let difference = task.landscape.duel(one, other, &mut rng);
            let features = features(one).iter().zip(features(other)).map(|(a, b)| a - b).collect();
            seen.push(Seen { features, score: f64::midpoint(1.0, difference) });
        }
        // The distance grows, because a fit with many duels takes long.
        if seen.len() >= next {
            (0..NEWTON_STEPS).for_each(|_| curvature = newton(&mut weights, &seen));
            next = seen.len() + seen.len() / 10;
        }
    }
    Versions::new(10 * CANDIDATES, task.start.len(), &mut rng).summit(&weights).values.clone()
}

fn features(values: &[f64]) -> Vec<f64> {
    let centred: Vec<f64> = values.iter().map(|value| 2.0 * value - 1.0).collect();
    let mut features = centred.clone();
    for (number, value) in centred.iter().enumerate() {
        features.extend(centred[number..].iter().map(|other| value * other));
    }
    features
}

fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(a, b)| a * b).sum()
}

/// Random versions, among which summits are searched.
struct Versions(Vec<Version>);

struct Version {
    values: Vec<f64>,
    features: Vec<f64>,
}

impl Versions {
    fn new(count: usize, dims: usize, rng: &mut Rng) -> Versions {
        let mut version = |_| {
            let values: Vec<f64> = (0..dims).map(|_| fraction(rng)).collect();
            Version { features: features(&values), values }
        };
        Versions((0..count).map(&mut version).collect())
    }

    fn summit(&self, weights: &[f64]) -> &Version {
        let height = |version: &Version| dot(weights, &version.features);
        self.0.iter().max_by(|a, b| height(a).total_cmp(&height(b))).expect("there are some")
    }
}

fn prior(size: usize) -> Vec<Vec<f64>> {
    (0..size)
        .map(|row| (0..size).map(|column| f64::from(u8::from(row == column)) / PRIOR).collect())
        .collect()
}

/// Takes a Newton step of the regression, and returns the curvature.
///
/// The curvature is the inverse of the covariance.
fn newton(weights: &mut [f64], seen: &[Seen]) -> Vec<Vec<f64>> {
    let size = weights.len();
    let mut curvature = prior(size);
    let mut slope: Vec<f64> = weights.iter().map(|weight| -weight / PRIOR).collect();
    for Seen { features, score } in seen {
        let expected = 1.0 / (1.0 + (-dot(weights, features)).exp());
        // A duel has two matches.
        let error = 2.0 * (score - expected);
        let weight = 2.0 * expected * (1.0 - expected);
        for row in 0..size {
            slope[row] += error * features[row];
            for column in 0..size {
                curvature[row][column] += weight * features[row] * features[column];
            }
        }
    }
    let step = backward(&cholesky(&curvature), &forward(&cholesky(&curvature), &slope));
    // A limited step, because the curve may be flat.
    let longest = step.iter().fold(1.0, |longest: f64, step| longest.max(step.abs()));
    weights.iter_mut().zip(step).for_each(|(weight, step)| *weight += step / longest);
    curvature
}

/// Returns the lower triangle L of a positive definite matrix L Lᵀ.
fn cholesky(matrix: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let size = matrix.len();
    let mut lower = vec![vec![0.0; size]; size];
    for row in 0..size {
        for column in 0..=row {
            let rest = matrix[row][column] - dot(&lower[row][..column], &lower[column][..column]);
            lower[row][column] =
                if row == column { rest.sqrt() } else { rest / lower[column][column] };
        }
    }
    lower
}

fn forward(lower: &[Vec<f64>], right: &[f64]) -> Vec<f64> {
    let mut solution: Vec<f64> = Vec::new();
    for (row, value) in lower.iter().zip(right) {
        let known = dot(&row[..solution.len()], &solution);
        solution.push((value - known) / row[solution.len()]);
    }
    solution
}

fn backward(lower: &[Vec<f64>], right: &[f64]) -> Vec<f64> {
    let mut solution = vec![0.0; right.len()];
    for row in (0..right.len()).rev() {
        let known: f64 =
            (row + 1..right.len()).map(|below| lower[below][row] * solution[below]).sum();
        solution[row] = (right[row] - known) / lower[row][row];
    }
    solution
}

/// Draws weights from the beliefs.
fn draw(weights: &[f64], factor: &[Vec<f64>], rng: &mut Rng) -> Vec<f64> {
    let normal: Vec<f64> = weights.iter().map(|_| normal(rng)).collect();
    weights.iter().zip(backward(factor, &normal)).map(|(weight, off)| weight + off).collect()
}

/// Draws a normal number (Box and Muller).
fn normal(rng: &mut Rng) -> f64 {
    let radius = (-2.0 * (1.0 - fraction(rng)).ln()).sqrt();
    let angle = std::f64::consts::TAU * fraction(rng);
    radius * angle.cos()
}
