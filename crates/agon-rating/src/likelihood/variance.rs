//! Wald's variances of strengths: from the inverse of the information, or from samples.
//!
//! Intervals, and who is stronger than whom, are scaled by them.
//!
//! Samples are for groups that are too large for the inverse.

use agon_core::{Purpose, Seed};

use crate::fit::{Symmetric, covariance};

/// The largest group without sampling: the inverse takes time with the cube of the size.
const EXACT: usize = 1_000;

/// The number of samples.
///
/// The standard deviation of a variance is at most 12.5 % of it, usually far less.
const SAMPLES: usize = 128;

/// Samples that are solved together, which saves reads of the matrix.
const TOGETHER: usize = 8;

/// The players whose mean strength is 0; often just one.
#[derive(Clone, Debug)]
pub(crate) struct Base {
    members: Vec<usize>,
    /// Whether each player belongs to them.
    is_member: Vec<bool>,
}

impl Base {
    /// Makes a base from at least one of the players 0 to `players` - 1.
    pub(crate) fn new(members: Vec<usize>, players: usize) -> Base {
        let mut is_member = vec![false; players];
        members.iter().for_each(|&member| is_member[member] = true);
        Base { members, is_member }
    }

    /// Returns the mean of their values.
    pub(crate) fn mean_of(&self, values: &[f64]) -> f64 {
        self.members.iter().map(|&member| values[member]).sum::<f64>() / self.members.len() as f64
    }

    /// Returns how much a player's rating rises if only its own strength rises by 1.
    pub(crate) fn part(&self, player: usize) -> f64 {
        if self.is_member[player] { 1.0 - 1.0 / self.members.len() as f64 } else { 1.0 }
    }
}

/// Variances and covariances of strengths.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Variances {
    /// All covariances, row by row.
    Full { players: usize, covariance: Vec<f64> },
    /// For each player a line of samples; the mean of their products is the covariance.
    Sampled {
        /// As `z`, without the influence of others.
        own: Vec<[f32; SAMPLES]>,
        /// Samples of the strengths.
        z: Vec<[f32; SAMPLES]>,
        /// The variance if all others were known, which is that of `own`.
        known: Vec<f64>,
    },
}

impl Variances {
    pub(super) fn new(information: &Symmetric, players: usize) -> Variances {
        if players <= EXACT {
            let size = information.diagonal.len();
            let covariance = covariance(information.dense(), size, players);
            return Variances::Full { players, covariance };
        }
        sampled(information, players)
    }

    /// Returns the variance of each player's strength minus the mean of `base`.
    pub(super) fn of_players(&self, base: &Base) -> Vec<f64> {
        match self {
            Variances::Full { players, covariance } => {
                let means: Vec<f64> =
                    covariance.chunks(*players).map(|row| base.mean_of(row)).collect();
                let whole = base.mean_of(&means);
                let own = |player: usize| covariance[player * players + player];
                (0..*players).map(|at| (own(at) - 2.0 * means[at] + whole).max(0.0)).collect()
            }
            Variances::Sampled { own, z, known } => {
                let z = minus_mean(z, base);
                let line = |at: usize| with_control(&z[at], &own[at], known[at]);
                (0..known.len()).map(line).collect()
            }
        }
    }

    /// Returns the variance of the difference of two players.
    pub(super) fn of_difference(&self, one: usize, other: usize) -> f64 {
        match self {
            Variances::Full { players, covariance } => {
                let at = |row: usize, column: usize| covariance[row * players + column];
                at(one, one) + at(other, other) - 2.0 * at(one, other)
            }
            Variances::Sampled { own, z, known } => {
                let minus = |all: &[[f32; SAMPLES]]| {
                    std::array::from_fn(|at| all[one][at] - all[other][at])
                };
                with_control(&minus(z), &minus(own), known[one] + known[other])
            }
        }
    }

    /// Returns all covariances, if they are known.
    pub(super) fn full(&self) -> Option<&[f64]> {
        match self {
            Variances::Full { covariance, .. } => Some(covariance),
            Variances::Sampled { .. } => None,
        }
    }
}

fn minus_mean(z: &[[f32; SAMPLES]], base: &Base) -> Vec<[f32; SAMPLES]> {
    let mut mean = [0.0f64; SAMPLES];
    for &member in &base.members {
        mean.iter_mut().zip(&z[member]).for_each(|(sum, &value)| *sum += f64::from(value));
    }
    mean.iter_mut().for_each(|sum| *sum /= base.members.len() as f64);
    z.iter().map(|line| std::array::from_fn(|at| line[at] - mean[at] as f32)).collect()
}

/// Returns the mean square of samples, corrected by that of others with a known mean square.
///
/// The correction goes as far as the two vary together (a control variate).
fn with_control(z: &[f32; SAMPLES], own: &[f32; SAMPLES], known: f64) -> f64 {
    let square = |x: &f32| f64::from(*x) * f64::from(*x);
    let count = SAMPLES as f64;
    let mean = z.iter().map(square).sum::<f64>() / count;
    let control = own.iter().map(square).sum::<f64>() / count;
    let mut both = 0.0;
    let mut spread = 0.0;
    for (one, other) in z.iter().zip(own) {
        both += (square(one) - mean) * (square(other) - control);
        spread += (square(other) - control) * (square(other) - control);
    }
    let slope = if spread > 0.0 { both / spread } else { 0.0 };
    (mean + slope * (known - control)).max(mean / 4.0)
}

/// Samples strengths.
///
/// Each pair of players is pulled apart at random, as strongly as their matches would by chance.
/// Then the equations are solved (Spielman & Srivastava, "Graph sparsification by effective
/// resistances", SIAM Journal on Computing 40(6), 2011).
fn sampled(information: &Symmetric, players: usize) -> Variances {
    let mut own = vec![[0.0; SAMPLES]; players];
    let mut z = own.clone();
    let pairs: Vec<(u32, u32, f64)> =
        information.pairs().filter(|&(_, other, _)| (other as usize) < players).collect();
    let matrix = information.of_first(players);
    let mut known = vec![0.0; players];
    for &(one, other, entry) in &pairs {
        known[one as usize] += (-entry).max(0.0);
        known[other as usize] += (-entry).max(0.0);
    }
    let conductance = known.clone();
    known.iter_mut().for_each(|sum| *sum = if *sum > 0.0 { 1.0 / *sum } else { 0.0 });
    for group in 0..SAMPLES / TOGETHER {
        let mut rng = Seed::plain(0x0A60_5EED).stream(Purpose::Sample, group as u64);
        let mut pulls = vec![[0.0; TOGETHER]; players];
        for &(one, other, entry) in &pairs {
            let strength = (-entry).max(0.0).sqrt();
            let mut signs = rng.bits();
            let pull: [f64; TOGETHER] = std::array::from_fn(|_| {
                signs >>= 1;
                if signs & 1 == 0 { strength } else { -strength }
            });
            pulls[one as usize].iter_mut().zip(pull).for_each(|(sum, pull)| *sum += pull);
            pulls[other as usize].iter_mut().zip(pull).for_each(|(sum, pull)| *sum -= pull);
        }
        // To a thousandth.
        let solved = matrix.solve_many(&pulls, 1e-6);
        for player in 0..players {
            for at in 0..TOGETHER {
                let sample = group * TOGETHER + at;
                z[player][sample] = solved[player][at] as f32;
                own[player][sample] =
                    (pulls[player][at] / conductance[player].max(f64::MIN_POSITIVE)) as f32;
            }
        }
    }
    Variances::Sampled { own, z, known }
}

#[cfg(test)]
mod tests {
    use agon_core::Rng;

    use super::*;

    /// Makes a network of `players`, each joined to others at most `near` away.
    fn network(players: usize, near: usize, each: usize) -> Symmetric {
        let mut rng: Rng = Seed::plain(4).stream(Purpose::Sample, 0);
        let mut matrix = Symmetric::new(players);
        for one in 0..players {
            for _ in 0..each {
                let other = (one + 1 + rng.index(near)) % players;
                let weight = 0.1 + 0.15 * rng.below(1_000) as f64 / 1_000.0;
                matrix.diagonal[one] += weight;
                matrix.diagonal[other] += weight;
                let entry = matrix.entry(one as u32, other as u32);
                matrix.entries[entry] -= weight;
            }
        }
        matrix
    }

    #[test]
    fn sampled_variances_are_close_to_exact_ones() {
        compare_sampled_with_exact(400);
    }

    #[cfg(feature = "long-tests")]
    #[test]
    fn sampled_variances_are_close_to_exact_ones_at_length() {
        compare_sampled_with_exact(EXACT);
    }

    fn compare_sampled_with_exact(players: usize) {
        for near in [players - 1, 30] {
            let matrix = network(players, near, 6);
            let exact = Variances::new(&matrix, players);
            let sampled = sampled(&matrix, players);
            let base = Base::new((0..players).collect(), players);
            let pairs = exact.of_players(&base).into_iter().zip(sampled.of_players(&base));
            let errors: Vec<f64> =
                pairs.map(|(exact, found)| (found / exact).sqrt() - 1.0).collect();
            let mean = errors.iter().map(|error| error.abs()).sum::<f64>() / players as f64;
            let most = errors.iter().fold(0.0, |most: f64, error| most.max(error.abs()));
            assert!(
                mean < 0.05 && most < 0.2,
                "widths of {near} are off by {mean}, {most} at most"
            );
            let one = exact.of_difference(3, 250);
            let other = sampled.of_difference(3, 250);
            assert!((other / one - 1.0).abs() < 0.25, "{other}, not {one}");
        }
    }
}
