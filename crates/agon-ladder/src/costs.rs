//! The typical cost of versions: the geometric mean, which a few slow versions hardly change.

/// Steps of a logarithm for each doubling.
const STEPS: u32 = 8;

/// Sums of the logarithms of costs, as whole numbers: sums of floats would depend on the order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Costs {
    sum: u64,
    count: u64,
}

impl Costs {
    /// Adds a cost above 0.
    pub(crate) fn add(&mut self, us: u64) {
        self.sum += logarithm(us);
        self.count += 1;
    }

    /// Removes a cost that was added.
    pub(crate) fn remove(&mut self, us: u64) {
        self.sum -= logarithm(us);
        self.count -= 1;
    }

    /// Returns the geometric mean, to a few percent; `None` if there is no cost.
    pub(crate) fn typical(&self) -> Option<u64> {
        (self.count > 0).then(|| power(self.sum / self.count))
    }
}

/// Returns the logarithm to base 2 in 256ths, linear between powers of two; 0 for 0 and 1.
fn logarithm(us: u64) -> u64 {
    let us = us.max(1);
    let whole = us.ilog2();
    let rest = u128::from(us - (1 << whole)) << STEPS;
    (u64::from(whole) << STEPS) + (rest >> whole) as u64
}

/// Returns the inverse of [`logarithm`].
fn power(logarithm: u64) -> u64 {
    let whole = logarithm >> STEPS;
    let rest = u128::from(logarithm & ((1 << STEPS) - 1));
    let one = 1u128 << whole;
    (one + ((one * rest) >> STEPS)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_have_inverses() {
        for us in [1, 2, 3, 1_000, 123_456, 1 << 40, u64::MAX] {
            let back = power(logarithm(us));
            assert!(us - back <= us / 256, "{us} became {back}");
        }
    }

    #[test]
    fn a_few_slow_versions_hardly_change_the_typical_cost() {
        let mut costs = Costs::default();
        assert_eq!(costs.typical(), None);
        (0..50).for_each(|_| costs.add(1_000));
        costs.add(100_000);
        assert!((1_000..1_150).contains(&costs.typical().unwrap()), "{costs:?}");
        costs.remove(100_000);
        assert!((995..=1_000).contains(&costs.typical().unwrap()), "{costs:?}");
    }
}
