//! The model of Davidson and Luce: probabilities, means and covariances of one choice.
//!
//! The fit and its uncertainty are computed with it.
//!
//! From a set S, the players T ⊆ S are chosen (tie for the best place) with a probability
//! proportional to δ_d · (∏ α_i, i ∈ T)^(1/d), where d = |T| and δ_1 = 1 (Firth, Kosmidis & Turner,
//! "Davidson-Luce model for multi-item choice with ties", 2019, arXiv:1909.07123). For two players
//! this is Davidson's model (1970); without ties it is that of Bradley, Terry and Luce.
//!
//! It is an exponential family in θ = ln α and γ = ln δ. The statistics are 1/d for each chosen
//! player and 1 for the order d. So the gradient of a log-likelihood is observed minus expected
//! statistics, and its second derivative is minus their covariance.
//!
//! Sums over all T of a size are elementary symmetric polynomials in α^(1/d). So no cost grows
//! faster than |S|² d.

/// Memory for the results about a choice, reused for the next one.
#[derive(Default)]
pub(crate) struct Moments {
    /// The logarithm of the sum over all T.
    pub(crate) log_sum: f64,
    /// Expected statistics: of the members of S, then of the orders above 1.
    pub(crate) mean: Vec<f64>,
    /// Their covariances, a square matrix row by row.
    pub(crate) covariance: Vec<f64>,
    roots: Vec<f64>,
    all: Vec<f64>,
    without: Vec<f64>,
    fewer: Vec<f64>,
}

impl Moments {
    /// Returns the number of statistics of a set of `members`.
    ///
    /// There is one for each member, and one for each order above 1 that fits.
    pub(crate) fn size(members: usize, orders: &[usize]) -> usize {
        members + fitting(members, orders) - 1
    }

    /// Computes `log_sum` alone.
    pub(crate) fn only_log_sum(&mut self, theta: &[f64], orders: &[usize], gamma: &[f64]) -> f64 {
        if let [one, other] = *theta {
            self.log_sum = OfTwo::new(one, other, orders, gamma).log_sum;
            return self.log_sum;
        }
        let top = theta.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut sum = 0.0;
        for (number, &order) in orders[..fitting(theta.len(), orders)].iter().enumerate() {
            self.polynomials(theta, top, order);
            sum += odds(number, gamma) * self.all[order];
        }
        self.log_sum = top + libm::log(sum);
        self.log_sum
    }

    /// Computes everything for a set whose members have the strengths `theta`.
    ///
    /// `gamma` belongs to the orders above 1, and `orders` starts with 1.
    pub(crate) fn compute(&mut self, theta: &[f64], orders: &[usize], gamma: &[f64]) {
        if let [one, other] = *theta {
            return self.compute_of_two(&OfTwo::new(one, other, orders, gamma));
        }
        let members = theta.len();
        let size = Moments::size(members, orders);
        self.mean.clear();
        self.mean.resize(size, 0.0);
        self.covariance.clear();
        self.covariance.resize(size * size, 0.0);
        let top = theta.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut sum = 0.0;
        for (number, &order) in orders[..fitting(members, orders)].iter().enumerate() {
            self.polynomials(theta, top, order);
            let odds = odds(number, gamma);
            sum += odds * self.all[order];
            self.add_order(members, size, number, order, odds);
        }
        self.mean.iter_mut().for_each(|value| *value /= sum);
        for row in 0..size {
            for column in row..size {
                let value =
                    self.covariance[row * size + column] / sum - self.mean[row] * self.mean[column];
                self.covariance[row * size + column] = value;
                self.covariance[column * size + row] = value;
            }
        }
        self.log_sum = top + libm::log(sum);
    }

    /// Does the same for two members, the most frequent case.
    fn compute_of_two(&mut self, of_two: &OfTwo) {
        let OfTwo { log_sum, win, loss, tie } = *of_two;
        self.log_sum = log_sum;
        let half = tie.unwrap_or(0.0) / 2.0;
        let mean = [win + half, loss + half];
        let between = half / 2.0 - mean[0] * mean[1];
        let own = [win, loss].map(|chance| chance + half / 2.0);
        let own = [own[0] - mean[0] * mean[0], own[1] - mean[1] * mean[1]];
        self.mean.clear();
        self.mean.extend(mean);
        self.mean.extend(tie);
        self.covariance.clear();
        match tie {
            None => self.covariance.extend([own[0], between, between, own[1]]),
            Some(tie) => {
                let with_tie = mean.map(|mean| half - mean * tie);
                self.covariance.extend([own[0], between, with_tie[0]]);
                self.covariance.extend([between, own[1], with_tie[1]]);
                self.covariance.extend([with_tie[0], with_tie[1], tie - tie * tie]);
            }
        }
    }

    /// Adds the choices of `order` players to the sums of products of statistics, upper triangle.
    fn add_order(&mut self, members: usize, size: usize, number: usize, order: usize, odds: f64) {
        let share = 1.0 / order as f64;
        let tie = (number > 0).then(|| members + number - 1);
        if let Some(tie) = tie {
            self.mean[tie] += odds * self.all[order];
            self.covariance[tie * size + tie] += odds * self.all[order];
        }
        for one in 0..members {
            elementary(but(&self.roots, one, one), order - 1, &mut self.without);
            let chosen = odds * self.roots[one] * self.without[order - 1];
            self.mean[one] += chosen * share;
            self.covariance[one * size + one] += chosen * share * share;
            if let Some(tie) = tie {
                self.covariance[one * size + tie] += chosen * share;
                for other in one + 1..members {
                    let quick = quotient(&self.without[..order - 1], self.roots[other]);
                    let rest = quick.unwrap_or_else(|| {
                        elementary(but(&self.roots, one, other), order - 2, &mut self.fewer);
                        self.fewer[order - 2]
                    });
                    let both = odds * self.roots[one] * self.roots[other] * rest;
                    self.covariance[one * size + other] += both * share * share;
                }
            }
        }
    }

    /// Computes the roots α^(1/order) and their elementary symmetric polynomials up to `order`.
    ///
    /// The roots are scaled so that the greatest α is 1.
    fn polynomials(&mut self, theta: &[f64], top: f64, order: usize) {
        self.roots.clear();
        self.roots.extend(theta.iter().map(|theta| libm::exp((theta - top) / order as f64)));
        elementary(self.roots.iter().copied(), order, &mut self.all);
    }
}

/// The probabilities of a choice of two: Davidson's model.
struct OfTwo {
    log_sum: f64,
    win: f64,
    loss: f64,
    /// `None` if there are no ties of two.
    tie: Option<f64>,
}

impl OfTwo {
    fn new(one: f64, other: f64, orders: &[usize], gamma: &[f64]) -> OfTwo {
        let top = one.max(other);
        let behind = libm::exp(one.min(other) - top);
        let tie = (fitting(2, orders) == 2).then(|| odds(1, gamma) * behind.sqrt());
        let sum = 1.0 + behind + tie.unwrap_or(0.0);
        let [win, loss] = if one >= other { [1.0, behind] } else { [behind, 1.0] };
        OfTwo {
            log_sum: top + libm::log(sum),
            win: win / sum,
            loss: loss / sum,
            tie: tie.map(|tie| tie / sum),
        }
    }
}

/// Computes the elementary symmetric polynomials of degree 0 to `degree`.
///
/// They are sums of positive terms, so even the smallest is exact.
fn elementary(roots: impl Iterator<Item = f64>, degree: usize, out: &mut Vec<f64>) {
    out.clear();
    out.resize(degree + 1, 0.0);
    out[0] = 1.0;
    for root in roots {
        for at in (1..=degree).rev() {
            out[at] += root * out[at - 1];
        }
    }
}

/// Returns how many of the orders fit into a set.
fn fitting(members: usize, orders: &[usize]) -> usize {
    orders.partition_point(|&order| order <= members)
}

fn odds(number: usize, gamma: &[f64]) -> f64 {
    if number == 0 { 1.0 } else { libm::exp(gamma[number - 1]) }
}

/// Returns all roots except two.
fn but(roots: &[f64], one: usize, other: usize) -> impl Iterator<Item = f64> {
    roots.iter().enumerate().filter(move |&(at, _)| at != one && at != other).map(|(_, root)| *root)
}

/// Returns the polynomial of the last degree without one more root, from those of all degrees.
///
/// `None` if rounding would lose too much of it.
fn quotient(all: &[f64], root: f64) -> Option<f64> {
    all[1..].iter().try_fold(1.0, |last, value| {
        let next = value - root * last;
        (next > 1e-3 * value).then_some(next)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computes the same from a list of all subsets.
    fn listed(theta: &[f64], orders: &[usize], gamma: &[f64]) -> (f64, Vec<f64>, Vec<f64>) {
        let members = theta.len();
        let size = Moments::size(members, orders);
        let mut sum = 0.0;
        let mut mean = vec![0.0; size];
        let mut square = vec![0.0; size * size];
        for subset in 1u32..1 << members {
            let order = subset.count_ones() as usize;
            let Some(number) = orders.iter().position(|&o| o == order) else { continue };
            let chosen: Vec<usize> = (0..members).filter(|i| subset >> i & 1 == 1).collect();
            let log: f64 = chosen.iter().map(|&i| theta[i]).sum::<f64>() / order as f64;
            let weight =
                libm::exp(log) * if number == 0 { 1.0 } else { libm::exp(gamma[number - 1]) };
            let mut statistics = vec![0.0; size];
            chosen.iter().for_each(|&i| statistics[i] = 1.0 / order as f64);
            if number > 0 {
                statistics[members + number - 1] = 1.0;
            }
            sum += weight;
            for i in 0..size {
                mean[i] += weight * statistics[i];
                for j in 0..size {
                    square[i * size + j] += weight * statistics[i] * statistics[j];
                }
            }
        }
        mean.iter_mut().for_each(|m| *m /= sum);
        let covariance = (0..size * size)
            .map(|at| square[at] / sum - mean[at / size] * mean[at % size])
            .collect();
        (libm::log(sum), mean, covariance)
    }

    fn check(theta: &[f64], orders: &[usize], gamma: &[f64]) {
        let mut moments = Moments::default();
        moments.compute(theta, orders, gamma);
        let (log_sum, mean, covariance) = listed(theta, orders, gamma);
        let near = |a: f64, b: f64| (a - b).abs() < 1e-11;
        assert!(near(moments.log_sum, log_sum));
        assert!(near(Moments::default().only_log_sum(theta, orders, gamma), log_sum));
        assert!(
            mean.iter().zip(&moments.mean).all(|(a, b)| near(*a, *b)),
            "{mean:?} {:?}",
            moments.mean
        );
        assert!(covariance.iter().zip(&moments.covariance).all(|(a, b)| near(*a, *b)));
    }

    #[test]
    fn moments_are_those_of_listed_subsets() {
        check(&[0.3, -0.2], &[1], &[]);
        check(&[0.3, -0.2], &[1, 2], &[-0.4]);
        check(&[0.3, -0.2], &[1, 2, 5], &[-0.4, 1.0]);
        check(&[-9.3, 1.2], &[1, 2], &[2.0]);
        check(&[1.5, 1.5], &[1, 3], &[2.0]);
        check(&[0.3, -1.2, 2.0, 0.0, 5.0, -6.0], &[1, 2, 3, 4, 5, 6], &[0.1, -0.7, 1.0, 0.3, -2.0]);
        check(&[0.3, -1.2, 2.0, 0.0, 5.0, -6.0], &[1, 4, 6], &[3.0, 8.0]);
        check(&[14.0, -12.0, 9.0, 1.0], &[1, 2, 3, 4], &[1.0, 2.0, 3.0]);
        check(&[40.0, 38.0, -40.0, -42.0, 0.0], &[1, 2, 3, 4, 5], &[20.0, 30.0, 40.0, 60.0]);
    }
}
