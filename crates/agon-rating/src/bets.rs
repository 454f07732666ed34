//! Bets on the mean of bounded numbers, and the interval that they lead to.
//!
//! [`DuelTest`](crate::DuelTest) and [`PairedTest`](crate::PairedTest), which decide comparisons,
//! are made of them.
//!
//! A bet on "the mean is above m" starts with a capital of 1. Before each number x it stakes λ,
//! chosen from earlier numbers, and its capital is multiplied by 1 + λ (x - m). If the mean of
//! x given the past is at most m, the capital ever reaches 1/α with a probability of at most α
//! (Ville's inequality). This holds for any distribution on [-1, 1], any number of looks, and
//! any rule to stop. Nothing is approximated (Waudby-Smith & Ramdas, "Estimating means of
//! bounded random variables by betting", Journal of the Royal Statistical Society B 86(1),
//! 2024, arXiv:2010.09686).
//!
//! The same stakes are bet on all m at once. If the bet on an m has won 1/α, this m is ruled out as
//! too low. The rest is an interval that agrees with the test and holds at its stop.

use crate::elo::{ELO_PER_NAT, elo_of_score, score_of_elo};
use crate::normal::square;

/// The shares of the capital that bet on differences of three sizes.
///
/// They are the requested difference, three times as much, and a very large one. The last two
/// end the test soon if one side wins nearly everything. They cost 3 % more pairs at the
/// requested difference.
const SHARES: [f64; COUNT] = [0.9, 0.05, 0.05];
const COUNT: usize = 3;
const VERY_LARGE: f64 = 0.8;

/// The assumed variance before the first number, and the weight of that assumption in numbers.
///
/// Pairs of fair matches without ties vary twice as much, other pairs less. A smaller weight would
/// stake too much on the first numbers.
const USUAL: f64 = 0.25;
const USUAL_WEIGHT: f64 = 4.0;

/// The largest share of its capital that a stake may lose.
const BOLDEST: f64 = 0.95;

/// The number of values above and below the deciding one that are bet on, and their reach in Elo.
const POINTS: i32 = 240;
const REACH: f64 = 2400.0;

/// The standard deviation of pairs at 98 % ties.
const FEW_DEVIATE: f64 = 0.1;

/// The largest estimate in Elo points.
const MAX_ELO: f64 = 1200.0;

/// The unit of a requested difference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Effect {
    /// The mean itself.
    Mean(f64),
    /// Standard deviations of a number.
    Deviations(f64),
}

impl Effect {
    /// Returns the approximate number of Elo points, at least for many ties.
    fn in_elo(self) -> f64 {
        let mean = match self {
            Effect::Mean(effect) => effect,
            Effect::Deviations(effect) => effect * FEW_DEVIATE,
        };
        (2.0 * ELO_PER_NAT * mean).clamp(0.1, 400.0)
    }
}

/// A bet that the mean is higher, and one that it is lower.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Bets {
    moments: Moments,
    higher: Family,
    /// The bet on a lower mean: it gets all numbers with the other sign.
    lower: Family,
}

impl Bets {
    /// Starts bets against "at most `low`" and against "at least `high`".
    pub(crate) fn new(low: f64, high: f64, effect: Effect) -> Bets {
        let higher = Family::new(low, effect);
        let lower = Family::new(-high, effect);
        Bets { moments: Moments::default(), higher, lower }
    }

    /// Settles all bets on a number from -1 to 1.
    pub(crate) fn push(&mut self, value: f64) {
        let variance = self.moments.variance();
        self.higher.settle(value, variance);
        self.lower.settle(-value, variance);
        self.moments.add(value);
    }

    pub(crate) fn moments(&self) -> &Moments {
        &self.moments
    }

    /// Returns the highest capital so far of the bet against "at most `low`".
    pub(crate) fn against_low(&self) -> f64 {
        self.higher.main.highest
    }

    /// Returns the highest capital so far of the bet against "at least `high`".
    pub(crate) fn against_high(&self) -> f64 {
        self.lower.main.highest
    }

    /// Returns the current capitals of both bets.
    pub(crate) fn capitals(&self) -> [f64; 2] {
        [self.higher.main.capital(), self.lower.main.capital()]
    }

    /// Returns low end, middle and high end of an interval of the mean, at any time.
    ///
    /// The mean is below with a probability of at most `alpha`, and above with one of at most
    /// `beta`. The middle lies between the bounds that are wrong half of the time each.
    pub(crate) fn interval(&self, alpha: f64, beta: f64) -> [f64; 3] {
        let halves = [self.higher.bound(0.5), -self.lower.bound(0.5)].map(elo_of_mean);
        let middle = 2.0 * score_of_elo((halves[0] + halves[1]) / 2.0) - 1.0;
        let [low, high] = [self.higher.bound(alpha), -self.lower.bound(beta)];
        [low, middle.max(low).min(high), high]
    }
}

/// Returns the Elo points of a mean from -1 to 1.
fn elo_of_mean(mean: f64) -> f64 {
    elo_of_score((1.0 + mean) / 2.0).clamp(-MAX_ELO, MAX_ELO)
}

/// Count, mean and spread of the numbers so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Moments {
    pub(crate) count: usize,
    pub(crate) sum: f64,
    /// Sum of squared distances from the means so far.
    squares: f64,
}

impl Moments {
    /// Returns a cautious variance.
    pub(crate) fn variance(&self) -> f64 {
        (USUAL_WEIGHT * USUAL + self.squares) / (USUAL_WEIGHT + self.count as f64)
    }

    pub(crate) fn mean(&self) -> f64 {
        if self.count == 0 { 0.0 } else { self.sum / self.count as f64 }
    }

    fn add(&mut self, value: f64) {
        let distance = value - self.mean();
        self.count += 1;
        self.sum += value;
        // Welford's update.
        self.squares += distance * (value - self.mean());
    }
}

/// A bet that the mean is higher than a value.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Bet {
    value: f64,
    /// The highest stake, for the worst number, -1.
    ///
    /// Higher values get lower stakes, so that capitals fall as the value rises.
    most: f64,
    /// The capitals of the bets on each effect; their sum starts at 1.
    capitals: [f64; COUNT],
    /// The highest sum so far.
    highest: f64,
}

impl Bet {
    fn new(value: f64) -> Bet {
        Bet { value, most: BOLDEST / (1.0 + value), capitals: SHARES, highest: 1.0 }
    }

    fn capital(&self) -> f64 {
        self.capitals.iter().sum()
    }

    fn settle(&mut self, stakes: [f64; COUNT], number: f64) {
        for (capital, stake) in self.capitals.iter_mut().zip(stakes) {
            *capital *= 1.0 + stake.min(self.most) * (number - self.value);
        }
        self.highest = self.highest.max(self.capital()).min(f64::MAX);
    }
}

/// A bet, and bets on many other values with the same stakes.
#[derive(Clone, Debug, PartialEq)]
struct Family {
    effect: Effect,
    /// The deciding bet.
    main: Bet,
    /// The others, by their values.
    others: Vec<Bet>,
}

impl Family {
    fn new(value: f64, effect: Effect) -> Family {
        let middle = elo_of_mean(value);
        let near = effect.in_elo();
        // Close together around the question, and far apart elsewhere.
        let step = libm::asinh(REACH / near) / f64::from(POINTS);
        let mean = |point: i32| {
            let elo = middle + near * libm::sinh(step * f64::from(point));
            2.0 * score_of_elo(elo) - 1.0
        };
        let others = (-POINTS..=POINTS).map(|point| Bet::new(mean(point))).collect();
        Family { effect, main: Bet::new(value), others }
    }

    fn settle(&mut self, number: f64, variance: f64) {
        let stakes = self.stakes(variance);
        self.main.settle(stakes, number);
        self.others.iter_mut().for_each(|bet| bet.settle(stakes, number));
    }

    /// Returns the stakes with the fastest growth if the effects are as assumed, to second order.
    fn stakes(&self, variance: f64) -> [f64; COUNT] {
        let asked = match self.effect {
            Effect::Mean(effect) => effect,
            Effect::Deviations(effect) => effect * variance.sqrt(),
        };
        let effects = [asked, 3.0 * asked, asked.max(VERY_LARGE)];
        effects.map(|effect| effect / (variance + square(effect)))
    }

    /// Returns the highest value that the bets rule out with an error of at most `error`, or -1.
    ///
    /// Values between two that are bet on are not ruled out: their highest capital is unknown.
    fn bound(&self, error: f64) -> f64 {
        // The highest capital falls with the value.
        let refuted = |bet: &Bet| bet.highest >= 1.0 / error;
        let bound = match self.others.partition_point(refuted) {
            0 => -1.0,
            count => self.others[count - 1].value,
        };
        if refuted(&self.main) { bound.max(self.main.value) } else { bound }
    }
}

#[cfg(test)]
mod tests {
    use agon_core::{Purpose, Seed};

    use super::*;

    #[test]
    fn one_side_that_wins_everything_wins_its_bet_within_ten_numbers() {
        for asked in [0.001, 0.01, 0.06, 0.5] {
            let mut bets = Bets::new(0.0, asked, Effect::Mean(asked));
            let count = (1..).find(|_| {
                bets.push(1.0);
                bets.against_low() >= 20.0
            });
            assert!(count.unwrap() <= 10, "{asked}: {count:?}");
            assert_eq!(bets.against_high(), 1.0);
        }
    }

    #[test]
    fn ends_are_in_order_and_never_give_ground() {
        for seed in 0..20 {
            let mut rng = Seed::plain(seed).stream(Purpose::Sample, 0);
            let mut bets = Bets::new(0.0, 0.06, Effect::Mean(0.06));
            let mut before = [-1.0, 0.0, 1.0];
            for _ in 0..300 {
                bets.push(rng.below(5) as f64 / 2.0 - 1.0);
                let now = bets.interval(0.05, 0.05);
                assert!(now[0] <= now[1] && now[1] <= now[2], "{now:?}");
                assert!(now[0] >= before[0] && now[2] <= before[2], "{before:?} {now:?}");
                before = now;
            }
        }
    }

    #[test]
    fn bets_on_other_values_agree_with_the_one_that_decides() {
        let mut bets = Bets::new(0.0, 0.06, Effect::Mean(0.06));
        for number in 0..400 {
            bets.push([1.0, 0.5, -0.5, 0.0][number % 4]);
            let [low, _, high] = bets.interval(0.05, 0.1);
            assert_eq!(low >= 0.0, bets.against_low() >= 20.0, "{low}");
            assert_eq!(high <= 0.06, bets.against_high() >= 10.0, "{high}");
        }
    }
}
